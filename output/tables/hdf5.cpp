/// HDF5 by its C interface. The file is that of a WholeFile, opened by its descriptor: a run that ends early leaves
/// nothing.
#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/whole_file.hpp"
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

bool put_number(hid_t at, const char* name, int value) {
  const Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Id attribute(H5Acreate2(at, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.good() && H5Awrite(attribute, H5T_NATIVE_INT, &value) >= 0;
}

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

int get_number(hid_t at, const char* name) {
  int value = std::numeric_limits<int>::max();
  const Id attribute(H5Aopen(at, name, H5P_DEFAULT), H5Aclose);
  if (attribute.good()) H5Aread(attribute, H5T_NATIVE_INT, &value);
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
    good_ = file_.good() && put_provenance(head.provenance);
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
    for (Id& column : columns_) good_ = column.release() && good_;
    good_ = file_.release() && good_;
    if (!good_) fail();
    whole_.commit();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorCode::bad_file, "output file \"" + path_ + "\" cannot be written: not everything could be stored");
  }
  bool put_provenance(const Json::Value& provenance) {
    if (!provenance.isObject()) return true;
    for (const std::string& name : provenance.getMemberNames())
      if (!put_text(file_, name.c_str(), json_on_one_line(provenance[name]))) return false;
    return provenance.isMember("provenance") || put_text(file_, "provenance", json_on_one_line(provenance));
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
                      put_number(data, "index", static_cast<int>(index)) &&
                      (link == column.name || put_text(data, "name", column.name));
    columns_.push_back(std::move(data));
    return good;
  }
  /// A write that fails is remembered for commit().
  void flush() {
    const hsize_t total = written_ + kept_;
    const Id memory(H5Screate_simple(1, &kept_, nullptr), H5Sclose);
    for (std::size_t j = 0; good_ && kept_ > 0 && j < columns_.size(); ++j) {
      good_ = H5Dset_extent(columns_[j], &total) >= 0;
      const Id space(H5Dget_space(columns_[j]), H5Sclose);
      good_ = good_ && H5Sselect_hyperslab(space, H5S_SELECT_SET, &written_, nullptr, &kept_, nullptr) >= 0 &&
              H5Dwrite(columns_[j], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT,
                       block_.data() + j * static_cast<std::size_t>(chunk_)) >= 0;
    }
    written_ = total;
    kept_ = 0;
  }

  std::string path_;
  WholeFile whole_;
  Id file_;
  std::vector<Id> columns_;
  hsize_t chunk_ = 0, kept_ = 0, written_ = 0;
  std::vector<double> block_;  // column after column
  bool good_ = true;
};

struct Found {
  int index;
  Column column;
  Id data;
  hsize_t rows;
};

/// The columns of the root, in their order.
std::vector<Found> columns_of(hid_t file) {
  std::vector<Found> found;
  H5G_info_t root;
  if (H5Gget_info(file, &root) < 0) return found;
  for (hsize_t k = 0; k < root.nlinks; ++k) {
    char name[1024];
    if (H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT) < 0) continue;
    Id data(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
    if (!data.good()) continue;
    const Id space(H5Dget_space(data), H5Sclose), type(H5Dget_type(data), H5Tclose);
    const H5T_class_t numbers = H5Tget_class(type);
    if (H5Sget_simple_extent_ndims(space) != 1 || (numbers != H5T_FLOAT && numbers != H5T_INTEGER)) continue;
    hsize_t rows = 0;
    H5Sget_simple_extent_dims(space, &rows, nullptr);
    const std::string own = get_text(data, "name");
    Column column{own.empty() ? name : own, get_text(data, "unit"), kind_named(get_text(data, "kind"))};
    const int index = get_number(data, "index");
    found.push_back({index, std::move(column), std::move(data), rows});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.index < b.index; });
  return found;
}

}  // namespace

std::unique_ptr<Writer> open_hdf5(const std::string& path, const Head& head) {
  return std::make_unique<Hdf5Writer>(path, head);
}

namespace {

class Hdf5Reader final : public Reader {
 public:
  explicit Hdf5Reader(const std::string& path) : path_(path) {
    silence();
    if (!std::filesystem::exists(path)) throw wrong("cannot be read");
    file_ = Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file_.good()) throw wrong("is no HDF5 file");
    found_ = columns_of(file_);
    if (found_.empty()) throw wrong("has no data sets of one dimension, which are its columns");
    for (const Found& one : found_) {
      if (one.rows != found_.front().rows)
        throw wrong(fmt::format("has {} rows in \"{}\" and {} in \"{}\"", found_.front().rows,
                                found_.front().column.name, one.rows, one.column.name));
      head_.columns.push_back(one.column);
    }
    const std::string provenance = get_text(file_, "provenance");
    const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
    if (!provenance.empty() &&
        !reader->parse(provenance.data(), provenance.data() + provenance.size(), &head_.provenance, nullptr))
      head_.provenance = provenance;
  }

  const Head& head() const override { return head_; }
  Index rows() const override { return static_cast<Index>(found_.front().rows); }
  void read(Index begin, Index count, Matrix& values) override {
    values.resize(count, static_cast<Index>(found_.size()));
    if (count == 0) return;
    const auto first = static_cast<hsize_t>(begin), number = static_cast<hsize_t>(count);
    const Id memory(H5Screate_simple(1, &number, nullptr), H5Sclose);
    for (std::size_t j = 0; j < found_.size(); ++j) {
      const Id space(H5Dget_space(found_[j].data), H5Sclose);
      if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &number, nullptr) < 0 ||
          H5Dread(found_[j].data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT,
                  values.col(static_cast<Index>(j)).data()) < 0)
        throw wrong("is damaged: \"" + found_[j].column.name + "\" cannot be read");
    }
  }

 private:
  Error wrong(const std::string& why) const { return Error(ErrorCode::bad_file, "table \"" + path_ + "\" " + why); }

  std::string path_;
  Id file_;
  std::vector<Found> found_;
  Head head_;
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
