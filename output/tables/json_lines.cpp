#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "gnomon/base/error.hpp"
#include "tables/formats.hpp"
#include "tables/output_file.hpp"

namespace gnomon::tables {

namespace {

std::string on_one_line(const Json::Value& value) {
  Json::StreamWriterBuilder builder;
  builder["indentation"] = "";
  builder["emitUTF8"] = true;
  builder["precision"] = 17;
  return Json::writeString(builder, value);
}

class JsonLinesWriter final : public Writer {
 public:
  JsonLinesWriter(const std::string& path, const Head& head) {
    if (path != "-") file_ = std::make_unique<OutputFile>(path);
    Json::Value first;
    first["columns"] = Json::Value(Json::arrayValue);
    for (const Column& column : head.columns) {
      Json::Value one;
      one["name"] = column.name;
      if (!column.unit.empty()) one["unit"] = column.unit;
      one["kind"] = to_string(column.kind);
      first["columns"].append(one);
      keys_.push_back((keys_.empty() ? "{" : ",") + Json::valueToQuotedString(column.name.c_str()) + ":");
    }
    first["provenance"] = head.provenance;
    line_ = on_one_line(first);
    end_line();
  }
  void row(const double* values) override {
    line_.clear();
    for (std::size_t j = 0; j < keys_.size(); ++j) {
      line_ += keys_[j];
      if (std::isfinite(values[j]))
        fmt::format_to(std::back_inserter(line_), "{:.17g}", values[j]);
      else
        line_ += "null";
    }
    line_ += '}';
    end_line();
  }
  void commit() override {
    if (file_) return file_->commit();
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw Error(ErrorCode::bad_file, "standard output cannot be written: not everything could be stored");
  }

 private:
  /// A stream that failed says so in the end.
  void end_line() {
    line_ += '\n';
    std::fwrite(line_.data(), 1, line_.size(), file_ ? file_->stream() : stdout);
  }

  std::unique_ptr<OutputFile> file_;  // null: standard output
  std::vector<std::string> keys_;
  std::string line_;
};

}  // namespace

std::unique_ptr<Writer> open_json_lines(const std::string& path, const Head& head) {
  return std::make_unique<JsonLinesWriter>(path, head);
}

Table read_json_lines(const std::string& path) {
  const auto wrong = [&path](long line, const std::string& why) {
    return Error(ErrorCode::bad_file, fmt::format("table \"{}\", line {}: {}", path, line, why));
  };
  std::ifstream in(path);
  if (!in) throw Error(ErrorCode::bad_file, "table \"" + path + "\" cannot be read");
  const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
  Json::Value object;
  std::string line, why;
  const auto parse = [&](long number) {
    try {
      if (reader->parse(line.data(), line.data() + line.size(), &object, &why) && object.isObject()) return;
    } catch (const Json::Exception&) {  // nested too deeply
    }
    throw wrong(number, "is no JSON object");
  };
  Table table;
  if (!std::getline(in, line)) throw wrong(1, "the head {\"columns\": [...], ...} is missing");
  parse(1);
  const Json::Value& columns = object["columns"];
  if (!columns.isArray() || columns.empty()) throw wrong(1, "has no list \"columns\"");
  for (const Json::Value& column : columns) {
    if (!column.isObject() || !column["name"].isString()) throw wrong(1, "a column has no \"name\"");
    if (!column.get("unit", "").isString() || !column.get("kind", "").isString())
      throw wrong(1, "a column has a \"unit\" or a \"kind\" that is no text");
    table.head.columns.push_back(
        {column["name"].asString(), column.get("unit", "").asString(), kind_named(column.get("kind", "").asString())});
  }
  table.head.provenance = object["provenance"];
  std::vector<double> values;
  for (long number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    parse(number);
    for (const Column& column : table.head.columns) {
      const Json::Value* value = object.find(column.name.data(), column.name.data() + column.name.size());
      if (!value || !(value->isNumeric() || value->isNull()))
        throw wrong(number, "\"" + column.name + "\" is missing or is no number");
      values.push_back(value->isNull() ? std::numeric_limits<double>::quiet_NaN() : value->asDouble());
    }
  }
  if (in.bad()) throw Error(ErrorCode::bad_file, "table \"" + path + "\" cannot be read");
  const auto width = static_cast<Index>(table.head.columns.size()), rows = static_cast<Index>(values.size()) / width;
  table.values = Eigen::Map<const Matrix>(values.data(), width, rows).transpose();
  return table;
}

}  // namespace gnomon::tables
