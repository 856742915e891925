#pragma once
/// \file
/// gnomon._core: what the Python package is made of. Everything that takes time runs without the interpreter's lock.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "gnomon/run/monodromy.hpp"
#include "gnomon/solve/linear_response.hpp"

namespace gnomon::python {

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
/// Columns in the order of memory: times are last in Python, and a column lies together.
using FArray = py::array_t<double, py::array::f_style | py::array::forcecast>;
/// Labels and texts of a page.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// With everything that is built in and the modules of GNOMON_PLUGIN_PATH; made when it is asked for first.
const Registry& registry();

/// A problem that is built in, or of the text of a model file.
class ProblemSource {
 public:
  static std::shared_ptr<ProblemSource> named(const std::string& name);
  static std::shared_ptr<ProblemSource> of_text(const std::string& toml, const std::string& name);
  const Problem& problem() const { return owned_ ? *owned_ : *built_in_; }

 private:
  std::unique_ptr<const Problem> owned_;
  const Problem* built_in_ = nullptr;
};

/// What Python code has raised, which ends a run.
class Raised {
 public:
  ~Raised();
  /// Null where nothing was raised. With the interpreter's lock.
  py::object raised() const { return raised_ ? raised_->value() : py::none(); }
  bool failed() const { return raised_.has_value(); }
  void keep(py::error_already_set& error) { raised_.emplace(std::move(error)); }

 protected:
  std::optional<py::error_already_set> raised_;
};

/// What Python functions of a model have taken so far, and what one of them raised.
class FunctionCalls : public Raised {
 public:
  double seconds = 0;
  long calls = 0;
};

/// A model with the numbers of its parameters, and its start; beyond ProblemInstance it knows what to call its entries,
/// and evaluates many states at once. States are columns y = (q, v), of an overdetermined DAE (y, z), one a time.
class Instance {
 public:
  explicit Instance(ProblemInstance instance, std::shared_ptr<const FunctionCalls> functions = nullptr);

  const ProblemInstance& problem() const { return problem_; }
  const Model& model() const { return *problem_.model; }
  const System* system() const { return problem_.model->mechanical(); }
  Index first() const { return problem_.q0.size(); }
  Index second() const { return problem_.p0.size(); }
  Index width() const { return first() + second(); }
  Index multipliers() const;
  /// Angles that count their turns.
  Index n_angles() const { return system() ? system()->parts().n_angles() : 0; }
  bool has_obstacles() const { return system() && system()->parts().obstacles; }
  /// Whether events of contact or friction may lie within a step.
  bool has_events() const { return has_obstacles() || (system() && system()->parts().friction); }

  /// The second half of a column from q and p of a state.
  void second_half(const Vector& q, const Vector& p, const Vector& z, VectorRef out) const;
  /// p of a column.
  Vector momenta(const ConstVectorRef& column) const;
  /// The column of q and what second_half takes.
  Vector column(const Vector& q, const Vector& p, const Vector& z) const;
  Vector column(const State& z) const { return column(z.q.value(), z.p.value(), z.scheme_data); }
  /// State and multipliers as a State, to interpolate between or to evaluate.
  State state(double t, const ConstVectorRef& column, const ConstVectorRef& lambda) const;

  void set_start(double t0, const std::vector<double>* q0, const std::vector<double>* v0);
  void project_start();
  Vector start_column() const { return column(problem_.q0, problem_.p0, problem_.p0); }
  /// Of a model of Python functions; null of others.
  const FunctionCalls* functions() const { return functions_.get(); }

 private:
  ProblemInstance problem_;
  std::shared_ptr<const FunctionCalls> functions_;
};

/// NumPy's array of a vector.
py::array_t<double> array_of(const Vector& x);

/// (name, size) of parameters that are inputs.
using Inputs = std::vector<std::pair<std::string, double>>;
/// {"matrix", "positions", "momenta", "s", "shapes", "rigid", "B", "C", "D"}: a linearisation and its modes, a column a
/// shape, and its response where inputs are given, be it none. variant(input, change): the Instance with it changed.
py::dict linearised(const Instance& instance, const LinearisedAt& at, const std::optional<Inputs>& inputs,
                    const py::object& variant);
/// {"matrix", "multipliers", "positions", "momenta", "period", "steps", "gap", "remainder", "stopped"}; step 0: those
/// of the tolerance of the runs.
py::dict monodromy_of(const Instance& instance, const StartedRun& run, double period, double step);

void bind_instance(py::module_& module);
void bind_runs(py::module_& module);
void bind_references(py::module_& module);
void bind_report(py::module_& module);
void bind_advice(py::module_& module);
void bind_functions(py::module_& module);
void bind_ensemble(py::module_& module);
void bind_fit(py::module_& module);

}  // namespace gnomon::python
