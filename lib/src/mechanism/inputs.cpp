#include "mechanism/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "gnomon/base/numbers.hpp"

namespace gnomon::mechanism {

namespace {

constexpr double most_values = 10000;

std::vector<double> listed_times(const TomlFile& file, const TomlEntry& entry, const toml::table& table,
                                 const std::string& what) {
  std::vector<double> times;
  for (const toml::node& one : file.array(*table.get("times"), "times of " + what)) {
    const double time = file.number(one, "a time of " + what);
    if (!times.empty() && !(time > times.back()))
      throw error_at(file.place(one), "times of " + what + " go from " + number_text(times.back()) + " to " +
                                          number_text(time) + ", expected ascending numbers");
    times.push_back(time);
  }
  const toml::node* const values = table.get("values");
  const std::size_t count = values ? file.array(*values, "values of " + what).size() : 0;
  if (times.size() != count || count == 0 || static_cast<double>(count) > most_values)
    throw error_at(entry.key_place, what + " has " + std::to_string(times.size()) + " times and " +
                                        std::to_string(count) + " values, expected as many of both, 1 to " +
                                        number_text(most_values));
  return times;
}

std::vector<double> equal_times(const TomlFile& file, const TomlEntry& entry, const toml::table& table,
                                const std::string& what) {
  const auto number = [&](const char* key) {
    const toml::node* const node = table.get(key);
    return node ? file.number(*node, std::string(key) + " of " + what) : 0;
  };
  const double start = number("from"), span = number("every"), count = number("count");
  if (!(span > 0))
    throw error_at(file.place(*table.get("every")),
                   "every of " + what + " is " + number_text(span) + ", expected a time above 0");
  if (!(count >= 1 && count <= most_values && count == std::floor(count)))
    throw error_at(entry.key_place, "count of " + what + " is " + number_text(count) +
                                        ", expected a whole number from 1 to " + number_text(most_values));
  std::vector<double> times;
  for (double k = 0; k < count; ++k) times.push_back(start + k * span);
  return times;
}

}  // namespace

std::optional<Input> read_input_times(const TomlFile& file, const TomlEntry& entry) {
  const std::string what = "input " + entry.key;
  const toml::table& table = file.table(*entry.value, what);
  file.check_keys(table, what,
                  {"value", "values", "times", "from", "every", "count", "hold", "unit", "min", "max", "description"});
  const auto refuse = [&](std::initializer_list<const char*> keys, const char* why) {
    for (const char* const key : keys)
      if (const toml::node* const node = table.get(key))
        throw error_at(file.place(*node), what + " has " + key + ", and " + why);
  };
  Input input;
  if (table.get("times")) {
    refuse({"from", "every", "count", "value"}, "its times are listed, with as many values");
    input.times = listed_times(file, entry, table, what);
  } else if (table.get("every")) {
    refuse({"values"}, "its times are those of from, every and count, with one value");
    input.times = equal_times(file, entry, table, what);
  } else {
    refuse({"from", "count", "hold", "values"}, "no times: expected times and values, or every and count");
    return std::nullopt;
  }
  if (const toml::node* node = table.get("hold")) {
    const std::string hold = file.text(*node, "hold of " + what);
    const std::vector<std::string> known{"zero", "linear", "cubic"};
    const auto found = std::find(known.begin(), known.end(), hold);
    if (found == known.end()) throw error_at(file.formula_place(*node), unknown_name("hold", hold, known).what());
    input.hold = static_cast<Input::Hold>(found - known.begin());
  }
  return input;
}

}  // namespace gnomon::mechanism
