#include <pybind11/eigen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "gnomon/mechanism/write_model.hpp"
#include "gnomon/model/outputs.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/start_velocity.hpp"
#include "gnomon/registry/changed_parameters.hpp"
#include "gnomon/registry/coordinate_names.hpp"
#include "gnomon/registry/varied_problem.hpp"
#include "gnomon/run/dense_output.hpp"
#include "gnomon/run/evaluated_outputs.hpp"
#include "gnomon/solve/minimum.hpp"
#include "gnomon/start/consistent_start.hpp"
#include "gnomon/start/verify.hpp"

namespace gnomon::python {

std::shared_ptr<ProblemSource> ProblemSource::named(const std::string& name) {
  auto source = std::make_shared<ProblemSource>();
  if (is_model_file(name))
    source->owned_ = read_model_file(name);
  else
    source->built_in_ = &registry().problem(name);
  return source;
}

std::shared_ptr<ProblemSource> ProblemSource::of_text(const std::string& toml, const std::string& name) {
  auto source = std::make_shared<ProblemSource>();
  source->owned_ = read_model_text(toml, name);
  return source;
}

py::array_t<double> array_of(const Vector& x) {
  return py::array_t<double>(x.size(), x.data());
}

Instance::Instance(ProblemInstance instance, std::shared_ptr<const FunctionCalls> functions)
    : problem_(std::move(instance)), functions_(std::move(functions)) {}

Index Instance::multipliers() const {
  return n_state_multipliers(model());
}

void Instance::second_half(const Vector& q, const Vector& p, const Vector& z, VectorRef out) const {
  if (!system()) {
    out = z;
  } else if (system()->parts().mass) {
    Vector scratch(q.size());
    system()->velocity(q, p, scratch, out);
  } else {
    system()->mass().solve(p, out);
  }
}

Vector Instance::momenta(const ConstVectorRef& column) const {
  if (system()) return gnomon::momenta(*system(), column.head(first()), column.tail(second()));
  const OverdeterminedSystem& dae = *model().overdetermined();
  Vector out(dae.traits().rows(Term::momentum));
  dae.evaluate(Term::momentum, {column.head(first()), column.tail(second()), Vector::Zero(model().m())}, out);
  return out;
}

Vector Instance::column(const Vector& q, const Vector& p, const Vector& z) const {
  Vector out(width());
  out.head(first()) = q;
  second_half(q, p, z, out.tail(second()));
  return out;
}

State Instance::state(double t, const ConstVectorRef& column, const ConstVectorRef& lambda) const {
  State z;
  z.t = t;
  z.q.set(column.head(first()));
  z.p.set(momenta(column));
  if (!system()) z.scheme_data = column.tail(second());
  z.lambda = lambda;
  return z;
}

void Instance::set_start(double t0, const std::vector<double>* q0, const std::vector<double>* v0) {
  const auto vector = [](const std::vector<double>& values, Index expected, const char* name) -> Vector {
    if (static_cast<Index>(values.size()) != expected)
      throw Error(ErrorCode::bad_size, std::string(name) + " has " + std::to_string(values.size()) +
                                           " entries, expected " + std::to_string(expected));
    return Eigen::Map<const Vector>(values.data(), expected);
  };
  Vector second(this->second());
  second_half(problem_.q0, problem_.p0, problem_.p0, second);
  problem_.t0 = t0;
  if (q0) problem_.q0 = vector(*q0, first(), "q0");
  if (v0) second = vector(*v0, this->second(), "v0");
  if (!system())
    problem_.p0 = second;
  else if (q0 || v0)
    problem_.p0 = gnomon::momenta(*system(), problem_.q0, second);
}

void Instance::project_start() {
  if (!system())
    throw Error(ErrorCode::refused,
                "project_start is for mechanical systems, and \"" + model().name() + "\" is an overdetermined DAE");
  gnomon::project_start(*system(), problem_.t0, problem_.q0, problem_.p0);
}

namespace {

using Columns = Eigen::Map<const Matrix>;

py::array_t<double> columns_array(Index rows, Index columns) {
  constexpr py::ssize_t one = sizeof(double);
  return py::array_t<double>(std::vector<py::ssize_t>{rows, columns}, std::vector<py::ssize_t>{one, rows * one});
}
Eigen::Map<Matrix> map(py::array_t<double>& a) {
  return {a.mutable_data(), a.shape(0), a.shape(1)};
}
/// fill(k, column) for every column, without the interpreter's lock.
template <class Fill>
py::array_t<double> filled_columns(Index rows, Index columns, Fill&& fill) {
  py::array_t<double> out = columns_array(rows, columns);
  auto values = map(out);
  const py::gil_scoped_release unlocked;
  for (Index k = 0; k < columns; ++k) fill(k, values.col(k));
  return out;
}

Columns columns_of(const FArray& y, Index rows, Index columns, const char* name) {
  if (y.ndim() != 2 || y.shape(0) != rows || y.shape(1) != columns)
    throw Error(ErrorCode::bad_size,
                std::string(name) + " is not of shape (" + std::to_string(rows) + ", " + std::to_string(columns) + ")");
  return {y.data(), rows, columns};
}

/// Energies, momentum maps and integrals in the states of a run.
py::dict measure(const Instance& instance, const Array& t, const FArray& y, const FArray& lambda) {
  const Index count = t.size(), m = instance.multipliers();
  const Columns states = columns_of(y, instance.width(), count, "y"), multipliers = columns_of(lambda, m, count, "lam");
  const System* system = instance.system();
  const Index symmetries = system ? system->parts().n_symmetries() : 0;
  const Index integrals = system ? system->parts().n_integrals() : 0;
  py::array_t<double> kinetic(count), potential(count), energy(count);
  py::array_t<double> momentum = columns_array(symmetries, count), integral = columns_array(integrals, count);
  double *const T = kinetic.mutable_data(), *const U = potential.mutable_data(), *const H = energy.mutable_data();
  auto J = map(momentum), I = map(integral);
  {
    const py::gil_scoped_release unlocked;
    Measured now;
    const double constant = instance.model().traits().energy_constant;
    for (Index k = 0; k < count; ++k) {
      const State z = instance.state(t.data()[k], states.col(k), multipliers.col(k));
      instance.model().measure(z.view(), now);
      const bool known = instance.model().has_energy();
      constexpr double none = std::numeric_limits<double>::quiet_NaN();
      T[k] = known && system ? static_cast<double>(now.kinetic) : none;
      U[k] = known && system ? static_cast<double>(now.potential + constant) : none;
      H[k] = known ? static_cast<double>(now.energy + constant) : none;
      if (symmetries) J.col(k) = now.momentum;
      if (integrals) I.col(k) = now.integrals;
    }
  }
  return py::dict(py::arg("kinetic") = kinetic, py::arg("potential") = potential, py::arg("energy") = energy,
                  py::arg("momentum") = momentum, py::arg("integrals") = integral);
}

/// g, or its derivative along the motion.
py::array_t<double> constraints_of(const Instance& instance, const Array& t, const FArray& y, bool velocity) {
  const Index count = t.size(), m = instance.model().m();
  const Columns states = columns_of(y, instance.width(), count, "y");
  const Vector no_psi = Vector::Zero(m);
  return filled_columns(m, count, [&](Index k, auto out) {
    const auto q = states.col(k).head(instance.first()), v = states.col(k).tail(instance.second());
    if (const System* system = instance.system()) {
      if (velocity)
        system->constraint_velocity(t.data()[k], q, v, out);
      else
        system->constraints(t.data()[k], q, out);
    } else {
      instance.model().overdetermined()->evaluate(velocity ? Term::hidden : Term::constraint, {q, v, no_psi}, out);
    }
  });
}

/// The multipliers that belong to the states by themselves; NaN where they do not exist.
py::array_t<double> index1(const Instance& instance, const Array& t, const FArray& y, const FArray& lambda) {
  const Index count = t.size(), m = instance.multipliers();
  const Columns states = columns_of(y, instance.width(), count, "y"), given = columns_of(lambda, m, count, "lam");
  return filled_columns(m, count, [&](Index k, auto out) {
    const State z = instance.state(t.data()[k], states.col(k), given.col(k));
    try {
      out = index1_multipliers(instance.model(), z.view());
    } catch (const std::exception&) {
      out.setConstant(std::numeric_limits<double>::quiet_NaN());
    }
  });
}

/// turns: one row an angle, quarter turns; where they are NaN they are those near the angles of the state before.
py::array_t<double> outputs(const Instance& instance, const Array& t, const FArray& y, const FArray& lambda,
                            const FArray& turns) {
  const EvaluatedOutputs evaluated(instance.problem());
  const Index count = t.size(), n_angles = instance.n_angles();
  const Columns states = columns_of(y, instance.width(), count, "y"),
                given = columns_of(lambda, instance.multipliers(), count, "lam"),
                quarters = columns_of(turns, n_angles, count, "turns");
  std::vector<int> now(static_cast<std::size_t>(n_angles), 0);
  Vector angles = Vector::Zero(n_angles);
  return filled_columns(static_cast<Index>(evaluated.outputs().size()), count, [&](Index k, auto out) {
    State z = instance.state(t.data()[k], states.col(k), given.col(k));
    if (n_angles > 0) {
      if (std::isnan(quarters(0, k)))
        instance.system()->parts().angles->count(z.t, z.q.value(), now, angles);
      else
        for (Index a = 0; a < n_angles; ++a) now[static_cast<std::size_t>(a)] = static_cast<int>(quarters(a, k));
    }
    z.turns = now;
    out = evaluated.evaluate(z);
  });
}

/// The columns at times between those of the states, by StepInterpolant.
py::array_t<double> interpolate(const Instance& instance, const Array& t, const FArray& y, const FArray& lambda,
                                const Array& at) {
  const Index count = t.size(), n = instance.first();
  const Columns states = columns_of(y, instance.width(), count, "y"),
                given = columns_of(lambda, instance.multipliers(), count, "lam");
  if (count < 2) throw Error(ErrorCode::bad_size, "dense output needs the states of at least two times");
  StepInterpolant step(instance.model());
  Index current = -1;
  Vector first(n), second(states.rows() - n), v(second.size());
  return filled_columns(instance.width(), at.size(), [&](Index k, auto out) {
    const double* const end = std::upper_bound(t.data(), t.data() + count, at.data()[k]);
    const Index interval = std::clamp<Index>(end - t.data() - 1, 0, count - 2);
    if (interval != current) {
      step.set(instance.state(t.data()[interval], states.col(interval), given.col(interval)),
               instance.state(t.data()[interval + 1], states.col(interval + 1), given.col(interval + 1)));
      current = interval;
    }
    step.evaluate(at.data()[k], 0, first, second);
    instance.second_half(first, second, second, v);
    out << first, v;
  });
}

py::list checks(const Instance& instance) {
  std::vector<ModelCheck> all;
  {
    const py::gil_scoped_release unlocked;
    all = verify(instance.problem());
  }
  py::list out;
  for (const ModelCheck& check : all)
    out.append(py::dict(py::arg("name") = check.name, py::arg("value") = check.value,
                        py::arg("tolerance") = check.tolerance, py::arg("note") = check.note,
                        py::arg("passed") = check.passed()));
  return out;
}

py::dict equilibrium(const Instance& instance) {
  if (!instance.system())
    throw Error(ErrorCode::refused, "an equilibrium is one of a mechanical system, and \"" + instance.model().name() +
                                        "\" is an overdetermined DAE");
  Minimum found;
  {
    const py::gil_scoped_release unlocked;
    const ProblemInstance& problem = instance.problem();
    found = find_minimum(shared_system(problem.model), problem.t0, problem.q0);
  }
  return py::dict(py::arg("q") = array_of(found.q), py::arg("multipliers") = array_of(found.lambda),
                  py::arg("closed_obstacles") = found.closed, py::arg("proved") = found.second.proved,
                  py::arg("message") = found.second.proved ? found.second.text() : found.report.message,
                  py::arg("iterations") = found.report.iterations);
}

/// (linearisation or None, where, what was found)
py::tuple linearise_equilibrium(const Instance& instance, const std::optional<Inputs>& inputs,
                                const py::object& variant) {
  if (!instance.system())
    throw Error(ErrorCode::refused,
                "\"" + instance.model().name() + "\" is an overdetermined DAE, and linearised are mechanical systems");
  Minimum found;
  const ProblemInstance& problem = instance.problem();
  {
    const py::gil_scoped_release unlocked;
    found = find_minimum(shared_system(problem.model), problem.t0, problem.q0);
  }
  py::object linear = py::none();
  if (found.report.status == SolveStatus::converged)
    linear = linearised(instance, {problem.t0, found.q, Vector::Zero(found.q.size()), found.lambda, found.closed},
                        inputs, variant);
  return py::make_tuple(linear, array_of(found.q), found.second.proved ? found.second.text() : found.report.message);
}

std::vector<std::string> names_of_multipliers(const Instance& instance) {
  std::vector<std::string> names;
  const System* system = instance.system();
  const std::vector<std::string>& declared = instance.model().traits().constraint_names;
  for (Index i = 0; i < instance.model().m(); ++i)
    names.push_back(system             ? constraint_name(*system, i)
                    : declared.empty() ? "g[" + std::to_string(i) + "]"
                                       : declared[static_cast<std::size_t>(i)]);
  if (!instance.has_obstacles()) return names;
  const std::vector<std::string> obstacles = system->parts().obstacles->obstacle_names();
  for (Index i = 0; i < system->parts().n_obstacles(); ++i)
    names.push_back(obstacles.empty() ? "c[" + std::to_string(i) + "]" : obstacles[static_cast<std::size_t>(i)]);
  for (std::size_t k = names.size() - static_cast<std::size_t>(system->parts().n_obstacles());
       names.size() < static_cast<std::size_t>(instance.multipliers()); ++k)
    names.push_back(names[k] + ".slip");
  return names;
}

void bind_problem(py::module_& module) {
  module.def("robot_text", [](const std::string& file) { return model_file_text(file); });
  py::class_<ProblemSource, std::shared_ptr<ProblemSource>>(module, "Problem")
      .def_static("named", &ProblemSource::named)
      .def_static("of_text", &ProblemSource::of_text)
      .def_property_readonly("name", [](const ProblemSource& s) { return s.problem().name(); })
      .def_property_readonly("description", [](const ProblemSource& s) { return s.problem().description(); })
      .def_property_readonly("equations", [](const ProblemSource& s) { return s.problem().equations(); })
      .def_property_readonly("source", [](const ProblemSource& s) { return s.problem().source(); })
      .def_property_readonly("run_defaults", [](const ProblemSource& s) { return s.problem().run_defaults(); })
      .def("parameters",
           [](const ProblemSource& s) {
             py::dict out;
             for (const OptionSpec& spec : s.problem().parameters())
               out[py::str(spec.name)] = spec.kind == OptionSpec::Kind::real
                                             ? py::object(py::float_(spec.default_number))
                                         : spec.kind == OptionSpec::Kind::integer
                                             ? py::object(py::int_(static_cast<long>(spec.default_number)))
                                             : py::object(py::str(spec.default_text()));
             return out;
           })
      .def("value",
           [](const ProblemSource& s, const Assignments& parameters, const std::string& name) {
             const Problem& problem = s.problem();
             return problem.value(Options("problem " + problem.name(), problem.parameters(), parameters), name);
           })
      .def("acts",
           [](const ProblemSource& s, const std::string& parameter) {
             const TimeSpan span = s.problem().acts(parameter);
             return std::make_pair(span.from, span.until);
           })
      .def(
          "build",
          [](const ProblemSource& s, const Assignments& parameters, bool beyond_bounds) {
            const Problem& problem = s.problem();
            return std::make_shared<Instance>(
                beyond_bounds ? build_beyond_bounds(problem, parameters)
                              : problem.build(Options("problem " + problem.name(), problem.parameters(), parameters)));
          },
          py::arg("parameters"), py::arg("beyond_bounds") = false, py::call_guard<py::gil_scoped_release>());
  py::class_<ChangedParameters>(module, "ChangedParameters")
      .def(py::init([](const ProblemSource& s, const Assignments& set, const std::vector<std::string>& names) {
             return ChangedParameters(s.problem(), set, names);
           }),
           py::keep_alive<1, 2>())
      .def("__call__", &ChangedParameters::operator());
}

}  // namespace

void bind_instance(py::module_& module) {
  bind_problem(module);
  py::class_<Instance, std::shared_ptr<Instance>>(module, "Instance")
      .def_property_readonly("of_functions", [](const Instance& i) { return i.functions() != nullptr; })
      .def_property_readonly("function_seconds",
                             [](const Instance& i) { return i.functions() ? i.functions()->seconds : 0; })
      .def_property_readonly("function_calls",
                             [](const Instance& i) { return i.functions() ? i.functions()->calls : 0; })
      .def_property_readonly("raised",
                             [](const Instance& i) { return i.functions() ? i.functions()->raised() : py::none(); })
      .def("set_start",
           [](Instance& i, double t0, const std::optional<std::vector<double>>& q0,
              const std::optional<std::vector<double>>& v0) {
             i.set_start(t0, q0 ? &*q0 : nullptr, v0 ? &*v0 : nullptr);
           })
      .def("project_start", &Instance::project_start)
      .def("text", [](const Instance& i, const std::string& name) { return model_text(i.problem(), name); })
      .def_property_readonly("t0", [](const Instance& i) { return i.problem().t0; })
      .def_property_readonly("start", [](const Instance& i) { return array_of(i.start_column()); })
      .def_property_readonly("coordinates", [](const Instance& i) { return coordinate_names(i.model()); })
      .def_property_readonly("multipliers", &names_of_multipliers)
      .def_property_readonly("m", [](const Instance& i) { return i.model().m(); })
      .def_property_readonly("mechanical", [](const Instance& i) { return i.system() != nullptr; })
      .def_property_readonly("has_obstacles", &Instance::has_obstacles)
      .def_property_readonly("has_events", &Instance::has_events)
      .def_property_readonly("symmetries",
                             [](const Instance& i) {
                               std::vector<std::string> names;
                               const Symmetries* all = i.system() ? i.system()->parts().symmetries : nullptr;
                               for (Index a = 0; all && a < all->n_symmetries(); ++a)
                                 names.push_back(all->symmetry_name(a));
                               return names;
                             })
      .def_property_readonly("integrals",
                             [](const Instance& i) {
                               std::vector<std::string> names;
                               const FirstIntegrals* all = i.system() ? i.system()->parts().integrals : nullptr;
                               for (Index a = 0; all && a < all->n_integrals(); ++a)
                                 names.push_back(all->integral_name(a));
                               return names;
                             })
      .def_property_readonly("output_names",
                             [](const Instance& i) {
                               std::vector<std::pair<std::string, std::string>> names;
                               if (i.problem().outputs)
                                 for (const Output& one : i.problem().outputs->outputs())
                                   names.emplace_back(one.name, one.unit);
                               return names;
                             })
      .def_property_readonly("output_bounds",
                             [](const Instance& i) {
                               std::vector<std::pair<std::string, double>> bounds;
                               if (i.problem().outputs)
                                 for (const Output& one : i.problem().outputs->outputs())
                                   if (std::isfinite(one.most)) bounds.emplace_back(one.name, one.most);
                               return bounds;
                             })
      .def("momenta",
           [](const Instance& i, const FArray& y) {
             const Index count = y.ndim() == 2 ? y.shape(1) : 0;
             const Columns states = columns_of(y, i.width(), count, "y");
             return filled_columns(i.system() ? i.first() : i.second(), count,
                                   [&](Index k, auto out) { out = i.momenta(states.col(k)); });
           })
      .def("measure", &measure)
      .def("constraints", &constraints_of)
      .def("index1", &index1)
      .def("outputs", &outputs)
      .def("interpolate", &interpolate)
      .def("checks", &checks)
      .def("equilibrium", &equilibrium)
      .def("linearise_equilibrium", &linearise_equilibrium);
}

}  // namespace gnomon::python
