#pragma once
/// \file
/// Declared, typed options: parameters of problems, options of schemes and solvers. One class reads them all, so that a
/// bad value gets the same clear sentence everywhere.

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gnomon/abi.h"

namespace gnomon {

/// One option as its owner declares it.
struct GNOMON_EXPORT OptionSpec {
  enum class Kind { real, integer, choice, scheme };

  std::string name;
  Kind kind = Kind::real;
  double default_number = 0;         ///< for real and integer
  double minimum = 0, maximum = 0;   ///< inclusive bounds for real and integer
  std::string default_choice;        ///< for choice and scheme
  std::vector<std::string> choices;  ///< for choice
  bool nested = false;               ///< what was chosen has options of its own, `name.option=value`
  std::string unit;                  ///< "" for pure numbers
  std::string help;

  static OptionSpec real(std::string name, double value, double minimum, double maximum, std::string unit,
                         std::string help);
  static OptionSpec integer(std::string name, long value, long minimum, long maximum, std::string help);
  static OptionSpec choice(std::string name, std::vector<std::string> choices, std::string help);
  /// A choice among things that have options of their own, assigned as `name.option=value`.
  static OptionSpec choice_with_options(std::string name, std::vector<std::string> choices, std::string help);
  /// The name of another scheme; that scheme's own options are assigned as `name.option=value`.
  static OptionSpec scheme(std::string name, std::string default_scheme, std::string help);

  std::string default_text() const;
  std::string range_text() const;
};

using OptionSpecs = std::vector<OptionSpec>;
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// Values for a set of specs: defaults, then the user's `name=value` assignments.
class GNOMON_EXPORT Options {
 public:
  Options() = default;
  /// Throws Error(unknown_name | bad_value) with `owner` in the sentence, e.g. "problem chain".
  Options(std::string owner, OptionSpecs specs, const Assignments& assignments = {});

  double real(const std::string& name) const;
  long integer(const std::string& name) const;
  const std::string& choice(const std::string& name) const;
  bool is(const std::string& name, const std::string& value) const { return choice(name) == value; }
  /// Name of the scheme that a scheme option chose; whether there is one is found out by who looks it up.
  const std::string& scheme(const std::string& name) const;
  /// What was assigned to the options of that scheme or choice, without the prefix; checked when its own Options are
  /// made.
  Assignments nested(const std::string& name) const;
  /// True when the user assigned it.
  bool assigned(const std::string& name) const;
  const OptionSpecs& specs() const { return specs_; }
  /// The same with another value of a real one.
  Options with(const std::string& name, double value) const;
  /// Every option with its value, "k=4 s=2": equal for equal options.
  std::string to_text() const;

 private:
  const OptionSpec& spec(const std::string& name, OptionSpec::Kind kind) const;

  std::string owner_;
  OptionSpecs specs_;
  std::map<std::string, std::variant<double, std::string>> values_;
  std::map<std::string, bool> assigned_;
  std::map<std::string, Assignments> nested_;
};

/// Splits "name=value"; throws Error(bad_value) naming `flag` when there is no '=' or no name.
GNOMON_EXPORT std::pair<std::string, std::string> parse_assignment(const std::string& text, const std::string& flag);

}  // namespace gnomon

// Compiled once, in the library.
extern template class std::vector<gnomon::OptionSpec>;
