#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "gnomon/base/error.hpp"
#include "gnomon/fit/units.hpp"
#include "gnomon/registry/quantities.hpp"
#include "program/arguments.hpp"
#include "program/fit/fit_arguments.hpp"
#include "tables/table.hpp"

namespace gnomon::program {

namespace {

constexpr const char* time_names[] = {"t", "time"};

std::string names_of(const tables::Head& head) {
  std::string names;
  for (const tables::Column& column : head.columns) names += (names.empty() ? "" : ", ") + column.name;
  return names;
}

Index time_column(const std::string& path, const tables::Head& head) {
  for (const char* name : time_names)
    if (const Index found = head.find(name); found >= 0) return found;
  throw Error(ErrorCode::bad_file,
              fmt::format("table \"{}\" has the columns {}, expected one of times, t or time", path, names_of(head)));
}

/// The stem of the file, or all of its path where two have the same.
std::string record_name(const std::vector<std::string>& files, std::size_t k) {
  const auto stem = [](const std::string& file) { return std::filesystem::path(file).stem().string(); };
  const auto same = [&](const std::string& file) { return stem(file) == stem(files[k]); };
  return std::count_if(files.begin(), files.end(), same) > 1 ? files[k] : stem(files[k]);
}

Record record_of(const std::string& path, const tables::Table& table) {
  const Index time = time_column(path, table.head);
  const tables::Column& column = table.head.columns[static_cast<std::size_t>(time)];
  const double factor = unit_factor(column.unit, "s", fmt::format("table \"{}\", column {}", path, column.name));
  Record record;
  record.values.resize(table.rows(), static_cast<Index>(table.head.columns.size()) - 1);
  for (Index i = 0; i < table.rows(); ++i) record.times.push_back(factor * table.values(i, time));
  for (Index j = 0, k = 0; j < table.values.cols(); ++j) {
    if (j == time) continue;
    record.columns.push_back(table.head.columns[static_cast<std::size_t>(j)].name);
    record.values.col(k++) = table.column(j);
  }
  return record;
}

/// The unit that the first table which has the column says.
std::string unit_of(const std::vector<tables::Table>& tables, const std::string& column) {
  for (const tables::Table& table : tables)
    if (const Index j = table.head.find(column); j >= 0) return table.head.columns[static_cast<std::size_t>(j)].unit;
  return {};
}

/// QUANTITY or QUANTITY=COLUMN
FitColumn column_named(const std::string& text) {
  const std::size_t equal = text.find('=');
  FitColumn column;
  column.quantity = text.substr(0, equal);
  column.column = equal == std::string::npos ? text : text.substr(equal + 1);
  if (column.quantity.empty() || column.column.empty())
    throw Error(ErrorCode::bad_value,
                fmt::format("--columns \"{}\" is neither QUANTITY nor QUANTITY=COLUMN, such as theta=encoder", text));
  return column;
}

/// All columns that are called like quantities of the model.
void take_known_columns(const ProblemInstance& instance, FitSetup& setup, std::vector<std::string>& notes) {
  std::set<std::string> known, seen;
  std::vector<std::string> all, left_out;
  for (const auto& [name, unit] : all_quantities(instance)) {
    known.insert(name);
    all.push_back(name);
  }
  for (const Record& record : setup.records)
    for (const std::string& name : record.columns) {
      if (!seen.insert(name).second) continue;
      if (known.count(name) == 0) {
        left_out.push_back(name);
        continue;
      }
      FitColumn column;
      column.column = column.quantity = name;
      setup.columns.push_back(column);
    }
  if (setup.columns.empty())
    throw Error(ErrorCode::bad_value,
                fmt::format("the data have the columns {}, and none is called like a quantity of {}, which are {}: "
                            "--columns QUANTITY=COLUMN says what one is",
                            fmt::join(left_out, ", "), instance.model->name(), fmt::join(all, ", ")));
  if (!left_out.empty())
    notes.push_back(
        fmt::format("left out are {}, which the model has no quantity of that name for", fmt::join(left_out, ", ")));
}

FitColumn& column_called(FitSetup& setup, const std::string& name, const std::string& flag) {
  std::vector<std::string> known;
  for (FitColumn& column : setup.columns) {
    if (column.column == name) return column;
    known.push_back(column.column);
  }
  throw unknown_name("column of " + flag, name, known);
}

}  // namespace

void read_records(const FitArguments& a, const ProblemInstance& instance, FitSetup& setup,
                  std::vector<std::string>& notes) {
  if (a.data.empty())
    throw Error(ErrorCode::bad_value, "DATA is missing: give tables of measured motions, e.g. swing.csv");
  std::vector<tables::Table> tables;
  for (std::size_t k = 0; k < a.data.size(); ++k) {
    tables.push_back(tables::read_table(a.data[k]));
    setup.records.push_back(record_of(a.data[k], tables.back()));
    setup.records.back().name = record_name(a.data, k);
    if (a.start_time) setup.records.back().start_time = parse_real(*a.start_time, "--start-time");
  }
  for (const std::string& text : names_in(a.columns, "--columns", "theta,x=marker"))
    setup.columns.push_back(column_named(text));
  if (setup.columns.empty()) take_known_columns(instance, setup, notes);
  for (FitColumn& column : setup.columns) {
    std::vector<std::string> known;
    bool found = false;
    for (const Record& record : setup.records)
      for (const std::string& name : record.columns) {
        found = found || name == column.column;
        known.push_back(name);
      }
    if (!found) throw unknown_name("column of the data", column.column, known);
    column.unit = unit_of(tables, column.column);
  }
  for (const auto& [name, unit] : a.units) column_called(setup, name, "--unit").unit = unit;
  for (const std::string& text : a.sigma) {
    const std::size_t equal = text.find('=');
    const double sigma = parse_real(equal == std::string::npos ? text : text.substr(equal + 1), "--sigma");
    if (!(sigma > 0)) throw Error(ErrorCode::bad_value, "--sigma = " + text + " is not above zero");
    if (equal != std::string::npos) {
      column_called(setup, text.substr(0, equal), "--sigma").sigma = sigma;
      continue;
    }
    for (FitColumn& column : setup.columns) column.sigma = sigma;
  }
}

void read_parameters(const FitArguments& a, const Problem& problem, FitSetup& setup) {
  for (const std::string& text : names_in(a.vary, "--vary", "k,start.x=0.1")) {
    const std::size_t equal = text.find('=');
    FitParameter one{text.substr(0, equal), std::nullopt};
    if (equal != std::string::npos) one.value = parse_real(text.substr(equal + 1), "--vary " + one.name);
    setup.free.push_back(one);
  }
  if (setup.free.empty())
    throw Error(ErrorCode::bad_value, "--vary is missing: it says what is sought, e.g. --vary k,start.x");
  const OptionSpecs specs = problem.parameters();
  for (const auto& [name, text] : a.run.set) {
    const auto is_it = [&name = name](const auto& one) { return one.name == name; };
    const auto free = std::find_if(setup.free.begin(), setup.free.end(), is_it);
    const bool of_model = std::any_of(specs.begin(), specs.end(), is_it) || name.find(".") == std::string::npos;
    if (of_model)
      setup.set.emplace_back(name, text);
    else if (free == setup.free.end())
      setup.held.push_back({name, parse_real(text, "--set " + name)});
    else if (!free->value)
      free->value = parse_real(text, "--set " + name);
  }
}

}  // namespace gnomon::program
