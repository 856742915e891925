#include "motion.hpp"

#include <pybind11/eigen.h>

#include <utility>

#include "signals.hpp"

namespace gnomon::python {

Motion::Motion(const Instance& instance, Integrator& run, const std::vector<std::string>& quantities,
               std::vector<Sensitivities::Parameter> parameters, Adjoint::Make make, std::vector<double> times,
               Index states)
    : integrator_(run),
      quantities_(instance.problem(), quantities),
      adjoint_(run, std::move(parameters), std::move(make),
               {std::move(times), quantities_.size(),
                [this](Variant& of, const State& z, VectorRef out) { quantities_.measure(of, z, out); }, states}) {}

void Motion::run(double t_end, double step) {
  adjoint_.observe(integrator_.state(), 0);
  integrator_.add_observer(adjoint_);
  report_ = step != 0 ? integrator_.advance_to(t_end, step) : integrator_.advance_to(t_end);
}

py::tuple Motion::pull_back(const FArray& weights) {
  Signals signals;
  Vector gradient;
  bool found = false;
  const Eigen::Map<const Matrix> given(weights.data(), weights.shape(0), weights.shape(1));
  {
    const py::gil_scoped_release unlocked;
    found = adjoint_.gradient(given, gradient, [&signals] { return !signals.pending(); });
  }
  return py::make_tuple(found ? py::object(array_of(gradient)) : py::none(), adjoint_.failure(), signals.raised());
}

void bind_motion(py::module_& module) {
  module.def("quantities", [](const Instance& instance) { return all_quantities(instance.problem()); });
  py::class_<Motion>(module, "Motion")
      .def_property_readonly("success", [](const Motion& m) { return m.report().success(); })
      .def_property_readonly("message", [](const Motion& m) { return m.report().message; })
      .def_property_readonly("raised", [](const Motion& m) { return m.raised; })
      .def_property_readonly("t", [](const Motion& m) { return py::array(py::cast(m.adjoint().times())); })
      .def_property_readonly("values", [](const Motion& m) { return m.adjoint().values(); })
      .def_property_readonly("warning", [](const Motion& m) { return m.adjoint().warning(); })
      .def_property_readonly("repeated", [](const Motion& m) { return m.adjoint().repeated(); })
      .def("pull_back", &Motion::pull_back);
}

}  // namespace gnomon::python
