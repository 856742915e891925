#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "tables/csv_field.hpp"
#include "tables/formats.hpp"
#include "tables/output_file.hpp"

namespace gnomon::tables {

namespace {

class CsvWriter final : public Writer {
 public:
  CsvWriter(const std::string& path, const Head& head) : file_(path), width_(head.columns.size()) {
    for (const Column& column : head.columns) line_ += (line_.empty() ? "" : ",") + csv_field(column.title());
    end_line();
  }
  void row(const double* values) override {
    line_.clear();
    for (std::size_t j = 0; j < width_; ++j) {
      if (j > 0) line_ += ',';
      // NaN has no sign, which would be printed.
      if (std::isnan(values[j]))
        line_ += "nan";
      else
        fmt::format_to(std::back_inserter(line_), "{:.17g}", values[j]);
    }
    end_line();
  }
  void commit() override { file_.commit(); }

 private:
  /// A stream that failed says so in the end, see OutputFile::commit.
  void end_line() {
    line_ += '\n';
    std::fwrite(line_.data(), 1, line_.size(), file_.stream());
  }

  OutputFile file_;
  std::size_t width_;
  std::string line_;
};

/// A record without its end, which may be that of another system: a line, or several where one ends in quotation marks.
/// Counts the lines.
bool next_record(std::istream& in, std::string& record, long& lines) {
  record.clear();
  bool open = false;
  do {
    std::string line;
    if (!std::getline(in, line)) return !record.empty();
    ++lines;
    if (open) record += '\n';
    record += line;
    open ^= std::count(line.begin(), line.end(), '"') % 2 != 0;
  } while (open);
  if (!record.empty() && record.back() == '\r') record.pop_back();
  return true;
}

/// The entries of a record, without their quotation marks. False where one is not closed.
bool split(const std::string& line, std::vector<std::string>& entries) {
  entries.assign(1, "");
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (inside && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      entries.back() += line[++i];
    else if (c == '"')
      inside = !inside;
    else if (c == ',' && !inside)
      entries.emplace_back();
    else
      entries.back() += c;
  }
  return !inside;
}

/// Without the spaces around it, which others write after commas.
std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

bool begins(const std::string& name, const char* start) {
  return name.rfind(start, 0) == 0;
}

/// What the names of StateColumns show by themselves.
Kind shown_kind(const std::string& name) {
  if (name == "t") return Kind::time;
  if (begins(name, "der(")) return Kind::velocity;
  if (begins(name, "p(")) return Kind::momentum;
  if (begins(name, "lambda.") || begins(name, "psi.")) return Kind::multiplier;
  if (name == "energy") return Kind::energy;
  if (name == "energy_error") return Kind::energy_error;
  if (name == "position_max" || name == "velocity_max") return Kind::constraint;
  if (begins(name, "momentum_error.") || begins(name, "integral_error.")) return Kind::invariant;
  return Kind::other;
}

Column column_titled(const std::string& title) {
  Column column{title, "", Kind::other};
  const std::size_t open = title.rfind(" [");
  if (open != std::string::npos && open > 0 && title.back() == ']') {
    column.name = title.substr(0, open);
    column.unit = title.substr(open + 2, title.size() - open - 3);
  }
  column.kind = shown_kind(column.name);
  return column;
}

}  // namespace

std::string csv_field(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, 1, '"');
  return '"' + text + '"';
}

std::unique_ptr<Writer> open_csv(const std::string& path, const Head& head) {
  return std::make_unique<CsvWriter>(path, head);
}

Table read_csv(const std::string& path) {
  const auto wrong = [&path](long line, const std::string& why) {
    return Error(ErrorCode::bad_file, fmt::format("table \"{}\", line {}: {}", path, line, why));
  };
  std::ifstream in(path);
  if (!in) throw Error(ErrorCode::bad_file, "table \"" + path + "\" cannot be read");
  Table table;
  std::string line;
  std::vector<std::string> entries;
  long number = 0;
  if (!next_record(in, line, number) || line.empty()) throw wrong(1, "the names of the columns are missing");
  if (!split(line, entries)) throw wrong(1, "a quotation mark is not closed");
  for (const std::string& title : entries) table.head.columns.push_back(column_titled(trimmed(title)));
  const std::size_t width = entries.size();
  std::vector<double> values;
  while (next_record(in, line, number)) {
    if (line.empty()) continue;
    if (!split(line, entries)) throw wrong(number, "a quotation mark is not closed");
    if (entries.size() != width)
      throw wrong(number, fmt::format("has {} entries, expected {}, one a column", entries.size(), width));
    for (const std::string& entry : entries) {
      double value = std::numeric_limits<double>::quiet_NaN();  // of an empty entry: a gap
      const std::string text = trimmed(entry);
      if (!text.empty() && !read_number(text, value)) throw wrong(number, "\"" + entry + "\" is not a number");
      values.push_back(value);
    }
  }
  if (in.bad()) throw Error(ErrorCode::bad_file, "table \"" + path + "\" cannot be read");
  const auto columns = static_cast<Index>(width), rows = static_cast<Index>(values.size()) / columns;
  table.values = Eigen::Map<const Matrix>(values.data(), columns, rows).transpose();
  return table;
}

}  // namespace gnomon::tables
