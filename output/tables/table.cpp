#include "tables/table.hpp"

#include <array>
#include <filesystem>
#include <set>

#include "gnomon/base/error.hpp"
#include "tables/formats.hpp"

namespace gnomon::tables {

namespace {

constexpr std::array<const char*, 11> kind_names{"other",      "time",       "position", "velocity",
                                                 "momentum",   "multiplier", "energy",   "energy_error",
                                                 "constraint", "invariant",  "output"};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct Format {
  const char* end;
  std::unique_ptr<Writer> (*open)(const std::string&, const Head&);
  Table (*read)(const std::string&);
};

constexpr std::array<Format, 3> formats{
    {{".csv", open_csv, read_csv}, {".h5", open_hdf5, read_hdf5}, {".jsonl", open_json_lines, read_json_lines}}};

const Format* format_of(const std::string& path) {
  for (const Format& format : formats)
    if (ends_with(path, format.end)) return &format;
  return nullptr;
}

const Format& required_format(const std::string& path) {
  if (const Format* format = format_of(path)) return *format;
  if (!std::filesystem::path(path).has_extension()) return formats[0];
  throw Error(ErrorCode::bad_value, "table \"" + path + "\" ends in none of .csv, .h5 and .jsonl");
}

}  // namespace

const char* to_string(Kind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

Kind kind_named(const std::string& name) {
  for (std::size_t k = 0; k < kind_names.size(); ++k)
    if (name == kind_names[k]) return static_cast<Kind>(k);
  return Kind::other;
}

Index Head::find(const std::string& name) const {
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns[j].name == name) return static_cast<Index>(j);
  return -1;
}

bool is_table_name(const std::string& path) {
  return format_of(path) != nullptr;
}

std::unique_ptr<Writer> open_table(const std::string& path, const Head& head) {
  std::set<std::string> names;
  for (const Column& column : head.columns)
    if (!names.insert(column.name).second)
      throw Error(ErrorCode::bad_value, "table \"" + path + "\" would have two columns \"" + column.name + "\"");
  if (path == "-") return open_json_lines(path, head);
  return required_format(path).open(path, head);
}

Table read_table(const std::string& path) {
  const Format& format = required_format(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw Error(ErrorCode::bad_file, "table \"" + path + "\" cannot be read: it is a folder");
  return format.read(path);
}

}  // namespace gnomon::tables
