/// Parameters from measured motions for Python.
#include "gnomon/fit/fit.hpp"

#include <pybind11/eigen.h>

#include "core.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/fit/units.hpp"
#include "pages/page.hpp"
#include "signals.hpp"
#include "traces/fit_blocks.hpp"

namespace gnomon::python {

namespace {

template <class T>
T entry(const py::dict& from, const char* name) {
  return from[name].cast<T>();
}

/// (name, value) of what is sought or held; a value may be none.
std::vector<FitParameter> parameters_of(const py::handle& given) {
  std::vector<FitParameter> out;
  for (const auto& [name, value] : given.cast<std::vector<std::pair<std::string, std::optional<double>>>>())
    out.push_back({name, value});
  return out;
}

Record record_of(const py::dict& given) {
  Record record;
  record.name = entry<std::string>(given, "name");
  record.times = entry<std::vector<double>>(given, "times");
  record.columns = entry<std::vector<std::string>>(given, "columns");
  record.values = entry<Matrix>(given, "values");
  record.start_time = entry<std::optional<double>>(given, "start_time");
  return record;
}

FitColumn column_of(const py::dict& given) {
  FitColumn column;
  column.column = entry<std::string>(given, "column");
  column.quantity = entry<std::string>(given, "quantity");
  column.unit = entry<std::string>(given, "unit");
  column.factor = entry<std::optional<double>>(given, "factor");
  column.offset = entry<double>(given, "offset");
  column.sigma = entry<double>(given, "sigma");
  return column;
}

/// The arguments of gnomon.fit, as it has put them together: what was found, and what a signal handler raised.
py::tuple fitted(const ProblemSource& source, const py::dict& what) {
  FitSetup setup;
  setup.problem = &source.problem();
  setup.set = entry<Assignments>(what, "set");
  setup.step = entry<double>(what, "step");
  for (const py::handle& one : what["records"]) setup.records.push_back(record_of(one.cast<py::dict>()));
  for (const py::handle& one : what["columns"]) setup.columns.push_back(column_of(one.cast<py::dict>()));
  setup.free = parameters_of(what["free"]);
  setup.held = parameters_of(what["held"]);
  Signals signals;
  setup.stop = [&signals] { return signals.pending(); };
  if (!(setup.step > 0)) setup.tolerance = entry<double>(what, "rtol");
  IntegratorOptions options;
  options.project_start = true;
  const std::optional<Tolerances> tolerances =
      setup.step > 0 ? std::nullopt
                     : std::optional<Tolerances>(Tolerances(entry<double>(what, "rtol"), entry<double>(what, "atol")));
  setup.run = [&signals, options, tolerances, scheme = entry<std::string>(what, "scheme"),
               solver = entry<std::string>(what, "solver"), scheme_options = entry<Assignments>(what, "options"),
               solver_options = entry<Assignments>(what, "solver_options")](const ProblemInstance& problem) {
    if (signals.pending()) throw Error(ErrorCode::refused, "it was interrupted");
    Integrator run = registry().integrator(problem, scheme, solver, scheme_options, solver_options, options);
    if (tolerances) run.set_tolerances(*tolerances);
    return run;
  };
  FitResult result;
  try {
    const py::gil_scoped_release unlocked;
    setup.least_squares = &ceres_least_squares();
    result = fit(setup);
  } catch (const Error&) {
    if (!signals.failed()) throw;
    return py::make_tuple(py::none(), signals.raised());
  }
  return py::make_tuple(std::make_shared<FitResult>(std::move(result)), signals.raised());
}

std::string page_of(const FitResult& result, const std::string& title, const Facts& facts) {
  pages::Page page(title, "parameters from measured motions");
  for (pages::Block& block : traces::fit_blocks(result)) page.add(std::move(block));
  pages::Facts about{"How it was made", {}};
  for (const auto& [name, value] : facts) about.rows.emplace_back(name, value);
  page.add(std::move(about));
  return page.html();
}

template <class One, class Get>
auto listed(const std::vector<One>& all, const Get& get) {
  std::vector<decltype(get(all.front()))> out;
  for (const One& one : all) out.push_back(get(one));
  return out;
}

py::dict parameter_dict(const FittedParameter& one) {
  constexpr const char* words[] = {"determined", "not determined", "at minimum", "at maximum"};
  return py::dict(py::arg("name") = one.name, py::arg("unit") = one.unit, py::arg("began") = one.began,
                  py::arg("value") = one.value, py::arg("error") = one.error, py::arg("lower") = one.lower,
                  py::arg("upper") = one.upper, py::arg("state") = words[static_cast<std::size_t>(one.state)]);
}

py::dict column_dict(const FittedColumn& one) {
  return py::dict(py::arg("column") = one.column, py::arg("quantity") = one.quantity, py::arg("unit") = one.unit,
                  py::arg("sigma") = one.sigma, py::arg("sigma_given") = one.sigma_given, py::arg("count") = one.count,
                  py::arg("rms") = one.rms);
}

py::dict record_dict(const FittedRecord& one) {
  return py::dict(py::arg("name") = one.name, py::arg("times") = one.times, py::arg("measured") = one.measured,
                  py::arg("fitted") = one.fitted, py::arg("t0") = one.t0, py::arg("q0") = one.q0,
                  py::arg("v0") = one.v0, py::arg("growth") = one.growth, py::arg("lost") = one.lost);
}

}  // namespace

void bind_fit(py::module_& module) {
  py::class_<FitResult, std::shared_ptr<FitResult>>(module, "Fitted")
      .def_readonly("converged", &FitResult::converged)
      .def_readonly("message", &FitResult::message)
      .def_readonly("correlation", &FitResult::correlation)
      .def_readonly("covariance", &FitResult::covariance)
      .def_readonly("singular_values", &FitResult::singular_values)
      .def_readonly("chi_squared", &FitResult::chi_squared)
      .def_readonly("values", &FitResult::values)
      .def_readonly("determined", &FitResult::determined)
      .def_readonly("iterations", &FitResult::iterations)
      .def_readonly("runs", &FitResult::runs)
      .def_readonly("runs_with_derivatives", &FitResult::runs_with_derivatives)
      .def_readonly("warnings", &FitResult::warnings)
      .def_property_readonly("parameters", [](const FitResult& r) { return listed(r.parameters, parameter_dict); })
      .def_property_readonly("columns", [](const FitResult& r) { return listed(r.columns, column_dict); })
      .def_property_readonly("records", [](const FitResult& r) { return listed(r.records, record_dict); })
      .def("page", &page_of);
  module.def("fit", &fitted);
  module.def("unit_factor", &unit_factor);
}

}  // namespace gnomon::python
