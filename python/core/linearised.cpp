/// Linearisations and monodromy matrices for Python.
#include <pybind11/complex.h>
#include <pybind11/eigen.h>

#include <cmath>

#include "core.hpp"
#include "gnomon/formula/winding.hpp"

namespace gnomon::python {

namespace {

py::dict modes_dict(const Linearisation& linear) {
  const std::vector<Mode> modes = modes_of(linear);
  Eigen::VectorXcd s(static_cast<Index>(modes.size()));
  Eigen::MatrixXcd shapes(linear.positions.rows(), s.size());
  py::array_t<bool> rigid(s.size());
  for (Index k = 0; k < s.size(); ++k) {
    const Mode& mode = modes[static_cast<std::size_t>(k)];
    s[k] = mode.s;
    shapes.col(k) = mode.shape;
    rigid.mutable_at(k) = mode.rigid;
  }
  return py::dict(py::arg("matrix") = linear.matrix, py::arg("positions") = linear.positions,
                  py::arg("momenta") = linear.momenta, py::arg("s") = s, py::arg("shapes") = shapes,
                  py::arg("rigid") = rigid);
}

}  // namespace

py::dict linearised(const Instance& instance, const LinearisedAt& at, const std::optional<Inputs>& inputs,
                    const py::object& variant) {
  Linearisation linear;
  LinearResponse response;
  {
    const py::gil_scoped_release unlocked;
    const Windings turns(at.turns);
    linear = linearise(*instance.system(), at.t, at.q, at.p, at.lambda, at.closed);
  }
  const Index states = linear.matrix.cols();
  response.B.resize(states, 0);
  response.C.resize(0, states);
  response.D.resize(0, 0);
  if (inputs) {
    std::vector<ModelInput> all;
    for (const auto& [name, size] : *inputs) all.push_back({name, size});
    const auto changed = [&variant](std::size_t input, double change) {
      const py::gil_scoped_acquire locked;
      return variant(input, change).cast<std::shared_ptr<Instance>>()->problem();
    };
    const py::gil_scoped_release unlocked;
    response = linear_response(instance.problem(), at, linear, all, changed);
  }
  py::dict out = modes_dict(linear);
  out["B"] = response.B;
  out["C"] = response.C;
  out["D"] = response.D;
  return out;
}

py::dict monodromy_of(const Instance& instance, const StartedRun& run, double period, double step) {
  const long steps = step > 0 ? std::max(1L, std::lround(period / step)) : 0;
  const auto over = [&](Integrator& integrator) {
    return steps > 0 ? integrator.advance(steps, period / static_cast<double>(steps))
                     : integrator.advance_to(instance.problem().t0 + period);
  };
  Monodromy found;
  {
    const py::gil_scoped_release unlocked;
    found = monodromy(instance.problem(), run, period, over);
  }
  Eigen::VectorXcd multipliers(static_cast<Index>(found.multipliers.size()));
  for (Index k = 0; k < multipliers.size(); ++k) multipliers[k] = found.multipliers[static_cast<std::size_t>(k)];
  return py::dict(py::arg("matrix") = found.matrix, py::arg("multipliers") = multipliers,
                  py::arg("positions") = found.linear.positions, py::arg("momenta") = found.linear.momenta,
                  py::arg("period") = found.period, py::arg("steps") = found.steps, py::arg("gap") = found.gap,
                  py::arg("remainder") = found.remainder, py::arg("stopped") = found.stopped);
}

}  // namespace gnomon::python
