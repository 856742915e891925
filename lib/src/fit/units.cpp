#include "gnomon/fit/units.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

constexpr double pi = 3.14159265358979323846;

/// A number of SI units: powers of m, s, kg and rad.
struct Unit {
  double factor = 1;
  std::array<int, 4> powers{};

  bool same_quantity(const Unit& other) const { return powers == other.powers; }
};

struct NamedUnit {
  const char* name;
  Unit unit;
};

const NamedUnit* find_unit(const std::string& name) {
  static const NamedUnit all[] = {
      {"m", {1, {1, 0, 0, 0}}},           {"km", {1000, {1, 0, 0, 0}}},     {"cm", {0.01, {1, 0, 0, 0}}},
      {"mm", {0.001, {1, 0, 0, 0}}},      {"um", {0.000001, {1, 0, 0, 0}}}, {"in", {0.0254, {1, 0, 0, 0}}},
      {"ft", {0.3048, {1, 0, 0, 0}}},     {"s", {1, {0, 1, 0, 0}}},         {"ms", {0.001, {0, 1, 0, 0}}},
      {"us", {0.000001, {0, 1, 0, 0}}},   {"min", {60, {0, 1, 0, 0}}},      {"h", {3600, {0, 1, 0, 0}}},
      {"kg", {1, {0, 0, 1, 0}}},          {"g", {0.001, {0, 0, 1, 0}}},     {"mg", {0.000001, {0, 0, 1, 0}}},
      {"t", {1000, {0, 0, 1, 0}}},        {"rad", {1, {0, 0, 0, 1}}},       {"mrad", {0.001, {0, 0, 0, 1}}},
      {"deg", {pi / 180, {0, 0, 0, 1}}},  {"rev", {2 * pi, {0, 0, 0, 1}}},  {"rpm", {2 * pi / 60, {0, -1, 0, 1}}},
      {"N", {1, {1, -2, 1, 0}}},          {"kN", {1000, {1, -2, 1, 0}}},    {"mN", {0.001, {1, -2, 1, 0}}},
      {"J", {1, {2, -2, 1, 0}}},          {"kJ", {1000, {2, -2, 1, 0}}},    {"W", {1, {2, -3, 1, 0}}},
      {"kW", {1000, {2, -3, 1, 0}}},      {"Pa", {1, {-1, -2, 1, 0}}},      {"kPa", {1000, {-1, -2, 1, 0}}},
      {"MPa", {1000000, {-1, -2, 1, 0}}}, {"Hz", {1, {0, -1, 0, 0}}},
  };
  for (const NamedUnit& one : all)
    if (name == one.name) return &one;
  return nullptr;
}

/// Products and quotients of powers; nothing where a name is not known or the text is none.
std::optional<Unit> read_unit(const std::string& text) {
  Unit out;
  int sign = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '*' || text[at] == ' ' || text[at] == '/') {
      sign = text[at] == '/' ? -1 : 1;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
    int power = 1;
    std::size_t next = end;
    if (end == at) {
      if (text[at] != '1' || at != 0) return std::nullopt;  // "1/s"
      at = 1;
      continue;
    }
    if (next < text.size() && text[next] == '^') {
      const bool minus = next + 1 < text.size() && text[next + 1] == '-';
      const std::size_t digit = next + 1 + (minus ? 1 : 0);
      if (digit >= text.size() || !std::isdigit(static_cast<unsigned char>(text[digit]))) return std::nullopt;
      power = (text[digit] - '0') * (minus ? -1 : 1);
      next = digit + 1;
    }
    const NamedUnit* const unit = find_unit(text.substr(at, end - at));
    if (!unit) return std::nullopt;
    out.factor *= std::pow(unit->unit.factor, sign * power);
    for (std::size_t k = 0; k < out.powers.size(); ++k) out.powers[k] += sign * power * unit->unit.powers[k];
    at = next;
    sign = 1;
  }
  return out;
}

}  // namespace

double unit_factor(const std::string& from, const std::string& to, const std::string& subject) {
  if (from == to || from.empty()) return 1;
  const auto read = [&subject](const std::string& text) {
    const std::optional<Unit> unit = read_unit(text);
    if (!unit)
      throw Error(ErrorCode::bad_value, subject + " has the unit \"" + text +
                                            "\", expected one such as mm, deg, rad/s or N*m, of powers of known units");
    return *unit;
  };
  const Unit given = read(from);
  if (to.empty()) return given.factor;
  const Unit wanted = read(to);
  if (!given.same_quantity(wanted))
    throw Error(ErrorCode::bad_value, subject + " is in " + from + ", expected a unit like that of the model, " + to);
  return given.factor / wanted.factor;
}

}  // namespace gnomon
