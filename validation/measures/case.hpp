#pragma once
/// \file
/// A validation case, as data: what is run, what is measured, what must come out.

#include <map>
#include <string>
#include <vector>

#include "gnomon/base/options.hpp"
#include "measures/quantity.hpp"

namespace gnomon::validation {

/// Each tier contains the cases of the ones before it; the brief one, `short` in text, selects published cases of the
/// standard tier too (see select_cases).
enum class Tier { brief, quick, standard, full };
/// In the order of the tiers.
const std::vector<std::string>& tier_names();
const std::string& to_string(Tier tier);
/// Throws Error(unknown_name).
Tier tier_named(const std::string& name);

/// A scheme and a solver with their options, by name.
struct Method {
  std::string scheme = "energy-momentum";
  Assignments options;
  std::string solver = "kinsol-newton";
  Assignments solver_options;
  Assignments contact;  ///< for systems with obstacles
};

/// One state of a table of the data folder: rows with this name in its first column.
struct TableState {
  std::string file, name;
  bool empty() const { return file.empty(); }
};

/// What a case says of a number that lies outside its gate.
struct KnownFailure {
  std::string reason;
  std::string message;  ///< of a run or an error: what its message must contain
};

/// In place of a reference, for trajectory-error: the method's own solution with smaller steps.
constexpr const char* own_solution = "own";
/// The scheme that suits the model and the tolerance, of the measure outcome.
constexpr const char* suited_method = "suited";

struct Case {
  std::string file;  ///< where it was declared, for messages; "" when generated
  std::string kind;  ///< conformance, published, reference or solver
  std::string name;
  std::string formerly;  ///< an older name; "" for none
  Tier tier = Tier::quick;
  std::string measure;
  std::string note;
  std::string source;  ///< the paper, of a published case

  std::string problem;
  Assignments set;    ///< parameters of the problem
  Assignments start;  ///< parameters of the same problem with which it starts where `set` leads (reaches-start)
  Method method;
  Method other;              ///< what `method` is compared with (same-state)
  std::vector<double> step;  ///< one step size, or a list (order)
  long steps = 0;            ///< number of steps, or
  double until = 0;          ///< where to end
  std::vector<std::string> references;
  std::vector<double> tolerances;                        ///< relative tolerances at which every reference is run
  Assignments equilibrium;                               ///< how it is sought, see equilibrium_options
  std::vector<double> mu;                                ///< penalty parameters, for measures that vary it
  std::map<std::string, Assignments> reference_options;  ///< reference -> its other options
  TableState table;
  std::string data_folder;

  double order_until = 0;      ///< promises: horizon of the order measurement
  double symplectic_step = 0;  ///< promises, symplectic: step of the symplecticity measurement

  std::map<std::string, Gate> gates;
  std::map<std::string, KnownFailure> known_failures;  ///< quantity -> why it lies outside its gate
  std::map<std::string, std::string> better;           ///< quantity -> why it is better than promised or printed
  std::map<std::string, double> printed;               ///< quantity -> the number in the paper

  std::string full_name() const { return kind + "/" + name; }
  /// The old full name, by which the case is found too; "" for none.
  std::string former_name() const { return formerly.empty() ? "" : kind + "/" + formerly; }
};

}  // namespace gnomon::validation
