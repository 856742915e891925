#pragma once
/// \file
/// Problem: equations, parameters with units, initial state, exact solution if there is one, and where it comes from.

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/base/options.hpp"
#include "gnomon/model/model.hpp"

namespace gnomon {

class CurveModel;
class OutputModel;
class SolidModel;

/// A problem with its parameters filled in: the model and its start. An overdetermined DAE starts from y0 = q0 and
/// z0 = p0.
struct ProblemInstance {
  std::shared_ptr<const Model> model;
  double t0 = 0;
  Vector q0, p0;
  std::vector<int> turns;  ///< quarter turns of angles at the start, State::turns; empty: within half a turn
  /// Closed-form solution, or empty: fills q and p (of an overdetermined DAE y and z) at t.
  std::function<void(double t, Vector& q, Vector& p)> exact;
  std::shared_ptr<const CurveModel> curves;    ///< what it looks like, see curves.hpp; null: no pictures
  std::shared_ptr<const SolidModel> solids;    ///< its bodies as surfaces, see solids.hpp; null: none
  std::shared_ptr<const OutputModel> outputs;  ///< what users ask for beside q and p, see outputs.hpp; null: nothing
};

/// All times from one to another one, both included; all times there are if left out.
struct TimeSpan {
  double from = -std::numeric_limits<double>::infinity(), until = std::numeric_limits<double>::infinity();
  bool meets(double a, double b) const { return std::min(a, b) <= until && std::max(a, b) >= from; }
};

/// One file a problem, registered by name. Stateless.
class GNOMON_EXPORT Problem {
 public:
  virtual ~Problem() = default;
  virtual std::string name() const = 0;
  virtual std::string description() const = 0;  ///< one line
  virtual std::string equations() const = 0;    ///< M, U, g and the start, in words and formulas, for `describe`
  virtual std::string source() const = 0;
  virtual OptionSpecs parameters() const = 0;
  virtual ProblemInstance build(const Options& parameters) const = 0;
  /// The value of a real parameter: what was assigned, or its default, which may be a formula of the others.
  virtual double value(const Options& parameters, const std::string& name) const { return parameters.real(name); }
  /// When the model depends on a real parameter: at no other time does it change with it.
  virtual TimeSpan acts(const std::string& parameter) const {
    static_cast<void>(parameter);
    return {};
  }
  /// What a run takes where the user says nothing: until, step, steps, rtol, atol, scheme and solver, and as often as
  /// there are any option, solver-option and contact, of the form "name=value".
  virtual Assignments run_defaults() const { return {}; }
};

}  // namespace gnomon
