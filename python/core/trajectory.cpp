#include "trajectory.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "gnomon/scheme/state.hpp"

namespace gnomon::python {

namespace {
constexpr double none = std::numeric_limits<double>::quiet_NaN();
}

void Trajectory::reserve(std::size_t states) {
  for (Rows* rows : {&t_, &y_, &lambda_, &error_, &turns_}) rows->reserve(states);
}

void Trajectory::add_rest(double t, const Vector& lambda, double energy_error) {
  *t_.add() = t;
  *error_.add() = energy_error;
  double* const row = lambda_.add();
  const std::size_t known = std::min(static_cast<std::size_t>(lambda.size()), lambda_.width());
  if (known > 0) std::memcpy(row, lambda.data(), known * sizeof(double));
  std::fill(row + known, row + lambda_.width(), none);
}

void Trajectory::add(const Instance& instance, const State& z, double energy_error) {
  const Index n = z.q.value().size();
  Eigen::Map<Vector> row(y_.add(), static_cast<Index>(y_.width()));
  row.head(n) = z.q.value();
  instance.second_half(z.q.value(), z.p.value(), z.scheme_data, row.tail(row.size() - n));
  add_rest(z.t, z.lambda, energy_error);
  double* const turns = turns_.add();
  for (std::size_t k = 0; k < turns_.width(); ++k) turns[k] = k < z.turns.size() ? z.turns[k] : 0;
}

void Trajectory::add(double t, const ConstVectorRef& column, const Vector& lambda, double energy_error) {
  std::memcpy(y_.add(), column.data(), y_.width() * sizeof(double));
  add_rest(t, lambda, energy_error);
  std::fill_n(turns_.add(), turns_.width(), none);
}

void Trajectory::drop_last() {
  for (Rows* rows : {&t_, &y_, &lambda_, &error_, &turns_}) rows->drop_last();
}

py::dict Trajectory::take() {
  return py::dict(py::arg("t") = t_.take_vector(), py::arg("y") = y_.take_columns(),
                  py::arg("lam") = lambda_.take_columns(), py::arg("energy_error") = error_.take_vector(),
                  py::arg("turns") = turns_.take_columns());
}

py::list events_of(const std::vector<ContactEvent>& events) {
  py::list out;
  for (const ContactEvent& event : events)
    out.append(py::dict(py::arg("t") = event.t, py::arg("kind") = to_string(event.kind),
                        py::arg("contact") = event.contact, py::arg("energy_change") = event.energy_change));
  return out;
}

}  // namespace gnomon::python
