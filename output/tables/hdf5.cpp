/// HDF5 by its C interface. The file is that of a WholeFile, opened by its descriptor: a run that ends early leaves
/// nothing. The library crashes on some damaged files, and takes others: files are read in a process of its own, and
/// carry checksums.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "gnomon/base/answering_process.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"
#include "tables/crc32.hpp"
#include "tables/formats.hpp"

namespace gnomon::tables {

namespace {

/// The messages that the library prints by itself stay away: what fails is said in one sentence. Nor does it try again,
/// when the program ends, to write what could not be written.
void silence() {
  H5dont_atexit();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

/// An identifier of HDF5 and the function that releases it.
class Id {
 public:
  Id() = default;
  Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Id() { release(); }
  operator hid_t() const { return id_; }
  bool good() const { return id_ >= 0; }
  bool release() {
    const hid_t id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Rows are only appended: what the library keeps of a file need not grow with it.
void limit_cache(hid_t access) {
  H5AC_cache_config_t config;
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Pget_mdc_config(access, &config) < 0) return;
  config.set_initial_size = true;
  config.initial_size = config.max_size = config.min_size = 1U << 20U;
  config.incr_mode = H5C_incr__off;
  config.flash_incr_mode = H5C_flash_incr__off;
  config.decr_mode = H5C_decr__off;
  H5Pset_mdc_config(access, &config);
}

Id text_type() {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool put_text(hid_t at, const char* name, const std::string& text) {
  const Id type = text_type(), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id attribute(H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* const chars = text.c_str();
  return attribute.good() && H5Awrite(attribute, type, &chars) >= 0;
}

bool put_number(hid_t at, const char* name, std::int64_t value, hid_t type) {
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id attribute(H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.good() && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0;
}

/// CRC-32, as zlib has it: at the root of the provenance and the names of all columns, at a column of its name, unit
/// and kind, each text with a zero byte after it, and of the bytes of its numbers.
class Checksum {
 public:
  /// With the zero byte.
  void add(const std::string& text) { crc_.add(text.c_str(), text.size() + 1); }
  void add(const double* values, std::size_t count) { crc_.add(values, count * sizeof(double)); }
  void add(const Column& column) {
    add(column.name);
    add(column.unit);
    add(to_string(column.kind));
  }
  std::uint32_t value() const { return crc_.value(); }
  bool put(hid_t at) const { return put_number(at, "checksum", value(), H5T_STD_U32LE); }

 private:
  Crc32 crc_;
};

/// "" where there is none.
std::string get_text(hid_t at, const char* name) {
  const Id attribute(H5Aopen(at, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.good()) return {};
  const Id stored(H5Aget_type(attribute), H5Tclose);
  if (H5Tget_class(stored) != H5T_STRING) return {};
  if (H5Tis_variable_str(stored) <= 0) {
    std::string text(H5Tget_size(stored), '\0');
    if (H5Aread(attribute, stored, text.data()) < 0) return {};
    return text.c_str();
  }
  Id type = text_type();
  H5Tset_cset(type, H5Tget_cset(stored));
  char* chars = nullptr;
  if (H5Aread(attribute, type, &chars) < 0 || !chars) return {};
  std::string text = chars;
  H5free_memory(chars);
  return text;
}

std::optional<std::int64_t> get_number(hid_t at, const char* name) {
  std::int64_t value = 0;
  const Id attribute(H5Aopen(at, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.good() || H5Aread(attribute, H5T_NATIVE_INT64, &value) < 0) return std::nullopt;
  return value;
}

std::string json_on_one_line(const Json::Value& value) {
  if (value.isString()) return value.asString();
  Json::StreamWriterBuilder builder;
  builder["indentation"] = "";
  builder["emitUTF8"] = true;
  return Json::writeString(builder, value);
}

/// What a data set is called: names of HDF5 have no "/".
std::string link_name(const std::string& name, std::set<std::string>& taken) {
  std::string link = name;
  std::replace(link.begin(), link.end(), '/', '_');
  if (link.empty() || link == ".") link = "_" + link;
  while (!taken.insert(link).second) link += "_";
  return link;
}

constexpr hsize_t usual_rows = 512, most_rows = 1 << 14, least_rows = 16, block_bytes = 4 << 20;

/// Rows of a chunk. Of long tables chunks are longer: the list of chunks stays in memory until the file is closed.
hsize_t rows_of_chunk(hsize_t columns, long rows) {
  const hsize_t wanted = std::clamp<hsize_t>(static_cast<hsize_t>(rows) / 128, usual_rows, most_rows);
  return std::clamp<hsize_t>(block_bytes / (sizeof(double) * std::max<hsize_t>(columns, 1)), least_rows, wanted);
}

/// One dataset a column. Rows are kept until there is a chunk of each.
class Hdf5Writer final : public Writer {
 public:
  Hdf5Writer(const std::string& path, const Head& head) : path_(path), whole_("output file", path) {
    silence();
    const hsize_t width = head.columns.size();
    chunk_ = rows_of_chunk(width, head.rows);
    const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    limit_cache(access);
    H5Pset_obj_track_times(creation, false);  // equal tables are equal files
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    // The usual driver asks for the real path of a symbolic link, and a file without a name has none.
    H5Pset_fapl_stdio(access);
    const std::string file = fmt::format("/proc/self/fd/{}", whole_.descriptor());
    file_ = Id(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
    Checksum checksum;
    good_ = file_.good() && put_provenance(head.provenance, checksum);
    for (const Column& column : head.columns) checksum.add(column.name);
    good_ = good_ && checksum.put(file_);
    std::set<std::string> taken;
    for (std::size_t j = 0; good_ && j < width; ++j)
      good_ = add(head.columns[j], link_name(head.columns[j].name, taken), j);
    if (!good_) fail();
    block_.resize(static_cast<std::size_t>(chunk_ * width));
  }

  void row(const double* values) override {
    const std::size_t chunk = chunk_;
    for (std::size_t j = 0; j < columns_.size(); ++j) block_[j * chunk + kept_] = values[j];
    if (++kept_ == chunk_) flush();
  }

  void commit() override {
    flush();
    for (std::size_t j = 0; j < columns_.size(); ++j)
      good_ = good_ && checksums_[j].put(columns_[j]) && columns_[j].release();
    good_ = file_.release() && good_;
    if (!good_) fail();
    whole_.commit();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::bad_file, "output file \"" + path_ + "\" cannot be written: not everything could be stored");
  }
  bool put_provenance(const Json::Value& provenance, Checksum& checksum) {
    const std::string all = provenance.isObject() ? json_on_one_line(provenance.get("provenance", provenance)) : "";
    checksum.add(all);
    if (!provenance.isObject()) return true;
    for (const std::string& name : provenance.getMemberNames())
      if (!put_text(file_, name.c_str(), json_on_one_line(provenance[name]))) return false;
    return provenance.isMember("provenance") || put_text(file_, "provenance", all);
  }
  bool add(const Column& column, const std::string& link, std::size_t index) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED;
    const Id space(H5Screate_simple(1, &none, &unlimited), H5Sclose);
    const Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_obj_track_times(creation, false);
    H5Pset_chunk(creation, 1, &chunk_);
    H5Pset_chunk_cache(access, 0, 0, 1);  // whole chunks are written
    Id data(H5Dcreate2(file_, link.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, access), H5Dclose);
    const bool good = data.good() && put_text(data, "unit", column.unit) &&
                      put_text(data, "kind", to_string(column.kind)) &&
                      put_number(data, "index", static_cast<std::int64_t>(index), H5T_STD_I32LE) &&
                      (link == column.name || put_text(data, "name", column.name));
    columns_.push_back(std::move(data));
    checksums_.emplace_back().add(column);
    return good;
  }
  /// A write that fails is remembered for commit().
  void flush() {
    const hsize_t total = written_ + kept_;
    const Id memory(H5Screate_simple(1, &kept_, nullptr), H5Sclose);
    for (std::size_t j = 0; good_ && kept_ > 0 && j < columns_.size(); ++j) {
      const double* const values = block_.data() + j * static_cast<std::size_t>(chunk_);
      checksums_[j].add(values, static_cast<std::size_t>(kept_));
      good_ = H5Dset_extent(columns_[j], &total) >= 0;
      const Id space(H5Dget_space(columns_[j]), H5Sclose);
      good_ = good_ && H5Sselect_hyperslab(space, H5S_SELECT_SET, &written_, nullptr, &kept_, nullptr) >= 0 &&
              H5Dwrite(columns_[j], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    }
    written_ = total;
    kept_ = 0;
  }

  std::string path_;
  WholeFile whole_;
  Id file_;
  std::vector<Id> columns_;
  std::vector<Checksum> checksums_;
  hsize_t chunk_ = 0, kept_ = 0, written_ = 0;
  std::vector<double> block_;  // column after column
  bool good_ = true;
};

struct Found {
  std::int64_t index;
  Column column;
  Id data;
  hsize_t rows, bytes;                   ///< bytes: in the file
  std::optional<std::int64_t> checksum;  ///< the one that it should have
  Checksum so_far;                       ///< of the rows before `next`
  hsize_t next = 0;
};

/// The columns of the root, in their order.
std::vector<Found> columns_of(hid_t file) {
  std::vector<Found> found;
  H5G_info_t root;
  if (H5Gget_info(file, &root) < 0) return found;
  for (hsize_t k = 0; k < root.nlinks; ++k) {
    const auto link = [&](char* text, std::size_t size) {
      return H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, k, text, size, H5P_DEFAULT);
    };
    std::string name(static_cast<std::size_t>(std::max<ssize_t>(link(nullptr, 0), 0)), '\0');
    if (name.empty() || link(name.data(), name.size() + 1) < 0) continue;
    Id data(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!data.good()) continue;
    const Id space(H5Dget_space(data), H5Sclose), type(H5Dget_type(data), H5Tclose);
    const H5T_class_t numbers = H5Tget_class(type);
    if (H5Sget_simple_extent_ndims(space) != 1 || (numbers != H5T_FLOAT && numbers != H5T_INTEGER)) continue;
    hsize_t rows = 0;
    H5Sget_simple_extent_dims(space, &rows, nullptr);
    const std::string own = get_text(data, "name");
    Column column{own.empty() ? name : own, get_text(data, "unit"), kind_named(get_text(data, "kind"))};
    const std::int64_t index = get_number(data, "index").value_or(std::numeric_limits<int>::max());
    const auto checksum = get_number(data, "checksum");
    const hsize_t bytes = H5Dget_storage_size(data);
    found.push_back({index, std::move(column), std::move(data), rows, bytes, checksum, {}});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.index < b.index; });
  return found;
}

}  // namespace

std::unique_ptr<Writer> open_hdf5(const std::string& path, const Head& head) {
  return std::make_unique<Hdf5Writer>(path, head);
}

namespace {

/// A file, in the process that reads it.
class Hdf5File {
 public:
  explicit Hdf5File(const std::string& path) : path_(path) {
    silence();
    if (!std::filesystem::exists(path)) throw wrong("cannot be read");
    file_ = Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file_.good()) throw wrong("is no HDF5 file");
    found_ = columns_of(file_);
    if (found_.empty()) throw wrong("has no data sets of one dimension, which are its columns");
    constexpr hsize_t many = 1 << 20, best_compression = 1100;
    for (const Found& one : found_) {
      if (one.rows != found_.front().rows)
        throw wrong(fmt::format("has {} rows in \"{}\" and {} in \"{}\"", found_.front().rows,
                                found_.front().column.name, one.rows, one.column.name));
      if (one.rows > many && one.rows / best_compression > one.bytes)
        throw wrong(fmt::format("is damaged: its {} rows of \"{}\" cannot lie in {} bytes", one.rows, one.column.name,
                                one.bytes));
    }
  }

  /// Columns, rows and provenance, as an object of JSON.
  std::string head() const {
    Json::Value out;
    const std::string provenance = get_text(file_, "provenance");
    const auto checksum = get_number(file_, "checksum");
    Checksum actual;
    actual.add(provenance);
    for (const Found& one : found_) {
      actual.add(one.column.name);
      if (checksum.has_value() != one.checksum.has_value()) throw wrong("is damaged: checksums are missing");
    }
    if (checksum && *checksum != actual.value())
      throw wrong("is damaged: the checksum of its provenance and columns is another one");
    out["provenance"] = provenance;
    out["rows"] = Json::UInt64(found_.front().rows);
    for (const Found& one : found_) {
      Json::Value column;
      column["name"] = one.column.name;
      column["unit"] = one.column.unit;
      column["kind"] = to_string(one.column.kind);
      out["columns"].append(column);
    }
    out["checked"] = checksum.has_value();
    return json_on_one_line(out);
  }
  /// Rows, column after column.
  std::string rows(hsize_t first, hsize_t count) {
    std::string bytes(static_cast<std::size_t>(count) * found_.size() * sizeof(double), '\0');
    std::vector<double> values(static_cast<std::size_t>(count));
    const Id memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    for (std::size_t j = 0; j < found_.size(); ++j) {
      Found& one = found_[j];
      const Id space(H5Dget_space(one.data), H5Sclose);
      if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr) < 0 ||
          H5Dread(one.data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0)
        throw wrong("is damaged: \"" + one.column.name + "\" cannot be read");
      check(one, first, values);
      std::memcpy(&bytes[j * values.size() * sizeof(double)], values.data(), values.size() * sizeof(double));
    }
    return bytes;
  }

 private:
  Error wrong(const std::string& why) const { return Error(ErrorCode::bad_file, "table \"" + path_ + "\" " + why); }
  /// Where all rows have been read from the first one on, the checksum is that of the file.
  void check(Found& one, hsize_t first, const std::vector<double>& values) const {
    if (first == 0) {
      one.so_far = {};
      one.so_far.add(one.column);
      one.next = 0;
    }
    if (first != one.next) return;
    one.so_far.add(values.data(), values.size());
    one.next += values.size();
    if (one.checksum && one.next == one.rows && *one.checksum != one.so_far.value())
      throw wrong("is damaged: the checksum of \"" + one.column.name + "\" is another one");
  }

  std::string path_;
  Id file_;
  std::vector<Found> found_;
};

constexpr Index most_rows_at_once = 1 << 14;

class Hdf5Reader final : public Reader {
 public:
  explicit Hdf5Reader(const std::string& path)
      : file_("table \"" + path + "\"", "HDF5", [path]() -> AnsweringProcess::Answer {
          const auto file = std::make_shared<Hdf5File>(path);
          return [file](const std::string& request) {
            hsize_t range[2];
            if (request.size() != sizeof range) return file->head();
            std::memcpy(range, request.data(), sizeof range);
            return file->rows(range[0], range[1]);
          };
        }) {
    const Json::Value head = parsed(file_.ask("head"));
    for (const Json::Value& column : head["columns"])
      head_.columns.push_back(
          {column["name"].asString(), column["unit"].asString(), kind_named(column["kind"].asString())});
    rows_ = head["rows"].asInt64();
    checked_ = head["checked"].asBool();
    const std::string provenance = head["provenance"].asString();
    if (!provenance.empty()) head_.provenance = parsed(provenance);
  }

  const Head& head() const override { return head_; }
  Index rows() const override { return rows_; }
  bool has_checksums() const override { return checked_; }
  void read(Index begin, Index count, Matrix& values) override {
    const auto width = static_cast<Index>(head_.columns.size());
    values.resize(count, width);
    for (Index done = 0; done < count;) {
      const Index part = std::min(count - done, most_rows_at_once);
      const hsize_t range[2] = {static_cast<hsize_t>(begin + done), static_cast<hsize_t>(part)};
      const std::string bytes = file_.ask(std::string(reinterpret_cast<const char*>(range), sizeof range));
      for (Index j = 0; j < width; ++j)
        std::memcpy(values.col(j).data() + done, bytes.data() + static_cast<std::size_t>(j * part) * sizeof(double),
                    static_cast<std::size_t>(part) * sizeof(double));
      done += part;
    }
  }

 private:
  /// The text itself where it is no JSON.
  static Json::Value parsed(const std::string& text) {
    Json::Value value;
    const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
    try {
      if (reader->parse(text.data(), text.data() + text.size(), &value, nullptr)) return value;
    } catch (const Json::Exception&) {  // nested too deeply
    }
    return text;
  }

  AnsweringProcess file_;
  Head head_;
  Index rows_ = 0;
  bool checked_ = false;
};

}  // namespace

std::unique_ptr<Reader> open_rows(const std::string& path) {
  return std::make_unique<Hdf5Reader>(path);
}

Table read_hdf5(const std::string& path) {
  Hdf5Reader reader(path);
  Table table;
  table.head = reader.head();
  reader.read(0, reader.rows(), table.values);
  return table;
}

}  // namespace gnomon::tables
