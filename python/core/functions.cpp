/// Models whose functions are Python's while they run. What is not given comes from differences, as in the C interface.
#include <chrono>
#include <cmath>
#include <string_view>

#include "c_api/c_api_matrix.hpp"
#include "c_api/c_api_system.hpp"
#include "core.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/sundials/sundials_compat.hpp"

namespace gnomon::python {

namespace {

/// The functions of a model, null where there is none, and what they are called with.
class Functions {
 public:
  py::object potential, gradient, constraints, jacobian, velocity_constraints, force, switches;
  Index n = 0, m = 0, n_velocity_constraints = 0, n_switches = 0;
  SunContext context;
  FunctionCalls calls;

  ~Functions() {
    const py::gil_scoped_acquire locked;
    for (py::object* each : {&potential, &gradient, &constraints, &jacobian, &velocity_constraints, &force, &switches})
      *each = py::object();
  }

  /// out = function(arguments), of this shape. Throws CannotEvaluate where it raises an ArithmeticError or is not
  /// finite; whatever else it raises is kept, and nothing is called any more.
  template <class... Vectors>
  void call(const char* name, const py::object& function, std::vector<Index> shape, double* out,
            const Vectors&... arguments) {
    const Timer timer(calls);
    const py::gil_scoped_acquire locked;
    if (calls.failed())
      throw c_api::FatalCallback(std::string(name) + " is not called any more: a function has raised");
    try {
      const Array values = numbers_of(name, function(array_of(arguments)...));
      Index size = 1;
      for (const Index extent : shape) size *= extent;
      bool fits = values.ndim() == static_cast<py::ssize_t>(shape.size());
      for (std::size_t i = 0; fits && i < shape.size(); ++i)
        fits = values.shape(static_cast<py::ssize_t>(i)) == shape[i];
      if (!fits)
        throw py::value_error(std::string(name) + " returned the shape " +
                              py::cast<std::string>(py::str(values.attr("shape"))) + ", expected " +
                              py::cast<std::string>(py::str(py::tuple(py::cast(shape)))));
      for (Index i = 0; i < size; ++i) {
        if (!std::isfinite(values.data()[i])) throw CannotEvaluate(std::string(name) + " is not finite");
        out[i] = values.data()[i];
      }
    } catch (py::error_already_set& error) {
      const std::string why = std::string(name) + " raised " + first_line(error);
      if (error.matches(PyExc_ArithmeticError)) throw CannotEvaluate(why);
      calls.keep(error);
      throw c_api::FatalCallback(why);
    } catch (const py::value_error& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
      py::error_already_set kept;
      calls.keep(kept);
      throw c_api::FatalCallback(error.what());
    }
  }

 private:
  /// The time of a call, with the wait for the interpreter's lock.
  class Timer {
   public:
    explicit Timer(FunctionCalls& calls) : calls_(calls) { ++calls.calls; }
    ~Timer() { calls_.seconds += std::chrono::duration<double>(Clock::now() - begin_).count(); }

   private:
    using Clock = std::chrono::steady_clock;
    FunctionCalls& calls_;
    Clock::time_point begin_ = Clock::now();
  };
  /// A conversion would leave out what is imaginary, ignore a mask and read texts: these are no numbers.
  static Array numbers_of(const std::string& name, const py::object& returned) {
    const py::array given = py::array::ensure(returned);
    const bool real = given && std::string_view("biufO").find(given.dtype().kind()) != std::string_view::npos;
    if (real && !py::hasattr(returned, "mask"))
      if (Array values = Array::ensure(given)) return values;
    PyErr_Clear();
    const auto text = [](const py::handle& what) { return py::cast<std::string>(py::str(what)); };
    throw py::value_error(name + " returned something that is no array of numbers, of the type " +
                          text(returned.get_type().attr("__name__")) +
                          (given ? " with entries of the type " + text(given.dtype()) : ""));
  }
  static std::string first_line(const py::error_already_set& error) {
    return py::cast<std::string>(error.type().attr("__name__")) + ": " + py::cast<std::string>(py::str(error.value()));
  }
};

Eigen::Map<const Vector> view(N_Vector v) {
  return {N_VGetArrayPointer(v), static_cast<Index>(N_VGetLength(v))};
}
Functions& of(void* user_data) {
  return *static_cast<Functions*>(user_data);
}

int potential(double, N_Vector q, double* out, void* self) {
  of(self).call("potential", of(self).potential, {}, out, Vector(view(q)));
  return 0;
}
int gradient(double, N_Vector q, N_Vector out, void* self) {
  of(self).call("gradient", of(self).gradient, {of(self).n}, N_VGetArrayPointer(out), Vector(view(q)));
  return 0;
}
int constraints(double, N_Vector q, N_Vector out, void* self) {
  of(self).call("constraints", of(self).constraints, {of(self).m}, N_VGetArrayPointer(out), Vector(view(q)));
  return 0;
}
int jacobian(double, N_Vector q, SUNMatrix out, void* self) {
  Functions& functions = of(self);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows(functions.m, functions.n);
  functions.call("jacobian", functions.jacobian, {functions.m, functions.n}, rows.data(), Vector(view(q)));
  Eigen::Map<Matrix>(SUNDenseMatrix_Data(out), functions.m, functions.n) = rows;
  return 0;
}
int velocity_constraints(double, N_Vector q, N_Vector v, N_Vector out, void* self) {
  of(self).call("velocity_constraints", of(self).velocity_constraints, {of(self).n_velocity_constraints},
                N_VGetArrayPointer(out), Vector(view(q)), Vector(view(v)));
  return 0;
}
int force(double, N_Vector q, N_Vector v, N_Vector out, void* self) {
  of(self).call("force", of(self).force, {of(self).n}, N_VGetArrayPointer(out), Vector(view(q)), Vector(view(v)));
  return 0;
}

int switches(double, N_Vector q, N_Vector v, N_Vector out, void* self) {
  of(self).call("switches", of(self).switches, {of(self).n_switches}, N_VGetArrayPointer(out), Vector(view(q)),
                Vector(view(v)));
  return 0;
}

/// `functions` by name, None where there is none; constraints have `names`. Mass: a matrix.
std::shared_ptr<Instance> instance_of_functions(const std::string& coordinates, const Array& mass,
                                                const py::dict& functions, const std::vector<std::string>& names,
                                                const std::vector<double>& q0, const std::vector<double>& v0,
                                                Index n_velocity_constraints, Index n_switches) {
  auto given = std::make_shared<Functions>();
  const auto take = [&functions](const char* name, py::object& to) {
    to = functions[name];
    return !to.is_none();
  };
  const auto n = static_cast<Index>(q0.size()), m = static_cast<Index>(names.size());
  given->n = n;
  given->m = m;
  c_api::Callbacks callbacks;
  callbacks.context = given->context;
  callbacks.user_data = given.get();
  callbacks.n = n;
  callbacks.blocks = {{coordinates, 0, n}};
  const Eigen::Map<const Vector> q(q0.data(), n), v(v0.data(), n);
  callbacks.size = c_api::usual_size(q);
  callbacks.speed = c_api::usual_size(v);
  if (mass.ndim() == 1)
    callbacks.mass = Mass::diagonal(Eigen::Map<const Vector>(mass.data(), mass.shape(0)));
  else
    callbacks.mass = Mass::dense(Eigen::Map<const Matrix>(mass.data(), mass.shape(0), mass.shape(1)).transpose());
  take("potential", given->potential);
  callbacks.potential = potential;
  if (take("gradient", given->gradient)) callbacks.gradient = gradient;
  if (take("constraints", given->constraints) && m > 0) {
    callbacks.constraints.rows = m;
    callbacks.constraints.names = names;
    callbacks.constraints.function = constraints;
    if (take("jacobian", given->jacobian)) callbacks.constraints.jacobian.function = jacobian;
  }
  if (take("velocity_constraints", given->velocity_constraints)) {
    given->n_velocity_constraints = callbacks.n_velocity_constraints = n_velocity_constraints;
    callbacks.velocity_constraints = velocity_constraints;
  }
  if (take("force", given->force)) callbacks.force = force;
  if (take("switches", given->switches)) {
    given->n_switches = callbacks.n_switches = n_switches;
    callbacks.switches = switches;
  }
  const auto system = std::make_shared<c_api::CallbackSystem>(callbacks);
  if (callbacks.n_velocity_constraints > 0) system->watch_time(0, q, v);
  ProblemInstance problem;
  // The system and what it calls live and end together.
  struct Both {
    std::shared_ptr<Functions> functions;
    std::shared_ptr<c_api::CallbackSystem> system;
  };
  const auto both = std::make_shared<Both>(Both{given, system});
  problem.model = std::shared_ptr<const Model>(both, system.get());
  problem.q0 = q;
  problem.p0.resize(n);
  system->mass().apply(v, problem.p0);
  return std::make_shared<Instance>(std::move(problem), std::shared_ptr<const FunctionCalls>(given, &given->calls));
}

}  // namespace

void bind_functions(py::module_& module) {
  module.def("instance_of_functions", &instance_of_functions);
}

}  // namespace gnomon::python
