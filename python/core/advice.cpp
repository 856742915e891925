/// gnomon.advise: bench::advise on a thread of its own, beside which the interpreter's signals are looked for.
#include <chrono>
#include <future>
#include <utility>

#include "advice/advise_page.hpp"
#include "core.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon::python {

namespace {

using bench::Choice;
using bench::Contender;
using bench::WorkPrecisionRow;

/// Runs `work` on a thread and returns when it has ended. A signal whose handler raises sets `interrupt`; what it
/// raised is returned, or None. Called and returned from with the interpreter's lock, which the work does not have.
template <class Work>
py::object beside_signals(volatile std::sig_atomic_t& interrupt, Work work) {
  std::optional<py::error_already_set> raised;
  std::future<void> ended = std::async(std::launch::async, std::move(work));
  {
    const py::gil_scoped_release unlocked;
    while (ended.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
      const py::gil_scoped_acquire locked;
      if (PyErr_CheckSignals() == 0) continue;
      if (!raised) raised.emplace();
      PyErr_Clear();
      interrupt = 1;
    }
  }
  ended.get();
  return raised ? raised->value() : py::none();
}

/// The arguments of gnomon.solve beside model and start.
py::dict arguments(const Contender& contender, double parameter) {
  py::dict out(py::arg("scheme") = contender.name);
  if (!contender.options.empty()) {
    py::dict options;
    for (const auto& [name, value] : contender.options) options[py::str(name)] = value;
    out["options"] = options;
  }
  if (contender.ours) out["solver"] = contender.solver;
  out[contender.ours && !contender.controlled ? "step" : "rtol"] = parameter;
  return out;
}

std::string call_text(const Choice& choice, const std::string& given) {
  std::string text = "gn.solve(" + given;
  for (const auto& [name, value] : arguments(choice.contender, choice.parameter))
    text += ", " + py::cast<std::string>(name) + "=" + py::cast<std::string>(py::repr(value));
  return text + ")";
}

py::dict row_of(const Contender& contender, const WorkPrecisionRow& row, const std::string& remark) {
  const bool ran = row.failure.empty();
  const auto number = [ran](double x) { return ran ? py::object(py::float_(x)) : py::none(); };
  return py::dict(py::arg("method") = contender.label, py::arg("name") = contender.name,
                  py::arg("kind") = contender.ours ? "scheme" : "reference",
                  py::arg("options") = arguments(contender, row.parameter).attr("get")("options", py::dict()),
                  py::arg("steps_of") = contender.ours && !contender.controlled ? "step" : "rtol",
                  py::arg("parameter") = row.parameter, py::arg("seconds") = number(row.seconds),
                  py::arg("error") = number(row.largest), py::arg("energy") = number(row.energy),
                  py::arg("position") = number(row.constraint), py::arg("velocity") = number(row.velocity),
                  py::arg("remark") = ran ? remark : row.failure);
}

py::object choice_of(const std::optional<Choice>& choice) {
  if (!choice) return py::none();
  py::dict out = row_of(choice->contender, choice->run, "");
  out.attr("pop")("remark");
  out["steps"] = choice->contender.ours ? py::object(py::int_(choice->steps)) : py::none();
  out["arguments"] = arguments(choice->contender, choice->parameter);
  return out;
}

/// `given`: model and start as they stand in a call of gnomon.solve; `start`: the start time as text.
py::tuple advise(const Instance& instance, const std::string& name, double until, double error, double budget,
                 const std::string& given, const std::string& start, const Facts& surroundings) {
  volatile std::sig_atomic_t interrupt = 0;
  bench::AdviceRequest request;
  request.problem = name;
  request.until = until;
  request.error = error;
  request.budget = budget;
  request.interrupt = &interrupt;
  bench::Advice found;
  const py::object raised = beside_signals(
      interrupt, [&] { found = bench::advise(registry(), instance.problem(), request, [](const auto&) {}); });

  const advice::Words words{[&given](const Choice& choice) { return call_text(choice, given); },
                            [&start](double t) { return "t_span=(" + start + ", " + number_text(t, 6) + ")"; }};
  py::list rows, left_out;
  for (const bench::Series* series : advice::by_cost(found, error))
    for (const WorkPrecisionRow& row : series->rows)
      rows.append(row_of(series->contender, row, &row == &series->rows.back() ? series->end : ""));
  for (const auto& [method, reason] : found.left_out)
    left_out.append(py::dict(py::arg("name") = method, py::arg("reason") = reason));
  pages::Facts machine{"Program and machine", {}};
  for (const auto& [label, text] : surroundings) machine.rows.emplace_back(label, text);
  const bench::TrustedSolution& truth = found.reference;
  py::dict reference(py::arg("source") = truth.truth.source, py::arg("uncertainty") = truth.truth.uncertainty,
                     py::arg("confirmed_by") = truth.confirmed_by, py::arg("agreement") = truth.agreement,
                     py::arg("good") = truth.good_for(error), py::arg("agreed_until") = truth.agreed_until,
                     py::arg("message") = truth.failure);
  py::dict out(py::arg("best") = choice_of(found.ours), py::arg("exact_energy") = choice_of(found.exact_energy),
               py::arg("best_reference") = choice_of(found.theirs), py::arg("table") = rows,
               py::arg("left_out") = left_out, py::arg("reference") = reference,
               py::arg("interrupted") = found.interrupted, py::arg("seconds") = found.seconds,
               py::arg("_text") = advice::reference_text(truth, request) + advice::advice_text(found, request, words),
               py::arg("_page") = advice::advise_page(found, request, words, std::move(machine)).html());
  return py::make_tuple(out, raised);
}

}  // namespace

void bind_advice(py::module_& module) {
  module.def("advise", &advise);
}

}  // namespace gnomon::python
