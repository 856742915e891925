/// Ensembles: many runs of one model on several threads, their rows in one array of NumPy.
#include "gnomon/ensemble/ensemble.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <optional>

#include "core.hpp"
#include "ensembles/ensemble_blocks.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/interrupt.hpp"
#include "gnomon/base/numbers.hpp"
#include "pages/page.hpp"
#include "recorder.hpp"

namespace gnomon::python {

namespace {

/// Writes rows to an array, and asks for signals.
class ArrayWork final : public EnsembleWork {
 public:
  ArrayWork(const Ensemble& ensemble, int threads, volatile std::sig_atomic_t& interrupt)
      : values_({static_cast<py::ssize_t>(ensemble.runs()), static_cast<py::ssize_t>(ensemble.columns().size())}),
        status_(static_cast<py::ssize_t>(ensemble.runs())),
        width_(ensemble.columns().size()),
        threads_(threads),
        runs_(ensemble.runs()),
        range_(0, ensemble.runs()),
        interrupt_(&interrupt) {
    std::fill_n(status_.mutable_data(), ensemble.runs(), not_done);
    std::fill_n(values_.mutable_data(), values_.size(), std::numeric_limits<double>::quiet_NaN());
    to_values_ = values_.mutable_data();
    to_status_ = status_.mutable_data();
  }

  bool take(long& begin, long& end) override { return !abandoned_ && range_.take(threads_, begin, end); }
  void done(const EnsembleRow& row) override {
    std::copy_n(row.values, width_, to_values_ + static_cast<std::size_t>(row.run) * width_);
    to_status_[row.run] = static_cast<std::int8_t>(row.status);
    ++done_;
    if (row.status != RunStatus::success && messages_.size() < most_messages) messages_.emplace(row.run, row.message);
  }
  /// progress is called with the part of the runs that are done.
  void tell(py::object progress) {
    signals_.tell(std::move(progress), [this] { return static_cast<double>(done_) / static_cast<double>(runs_); });
  }
  void tick() override {
    if (signals_.pending()) set_flag(*interrupt_, 1);
  }
  void abandon() override { abandoned_ = true; }

  py::dict take_all(const Ensemble& ensemble) {
    py::dict messages;
    for (const auto& [run, text] : messages_) messages[py::int_(run)] = text;
    return py::dict(py::arg("columns") = ensemble.columns(), py::arg("values") = values_, py::arg("status") = status_,
                    py::arg("messages") = messages, py::arg("raised") = signals_.raised());
  }

 private:
  static constexpr std::int8_t not_done = -1;
  static constexpr std::size_t most_messages = 1000;
  py::array_t<double> values_;
  py::array_t<std::int8_t> status_;
  double* to_values_;
  std::int8_t* to_status_;
  std::size_t width_;
  int threads_;
  long runs_;
  std::atomic<long> done_{0};
  RangeOfRuns range_;
  std::atomic<bool> abandoned_{false};
  std::map<long, std::string> messages_;
  Signals signals_;
  volatile std::sig_atomic_t* interrupt_;
};

template <class T>
T get(const py::dict& from, const char* name) {
  return from[name].cast<T>();
}

/// The arguments of gnomon.ensemble, as it has put them together.
py::dict run_ensemble(const py::dict& what) {
  // A model file of one's own is known to a registry of its own.
  std::optional<Registry> own;
  EnsembleSetup setup;
  setup.problem = get<std::string>(what, "problem");
  if (const auto text = get<std::optional<std::string>>(what, "toml")) {
    own.emplace();
    register_builtin(*own);
    own->add_model_text(setup.problem, *text);
  }
  const Registry& all = own ? *own : registry();
  setup.parameters = get<Assignments>(what, "parameters");
  setup.t0 = get<double>(what, "t0");
  const auto vector = [&what](const char* name) -> std::optional<Vector> {
    const auto values = get<std::optional<std::vector<double>>>(what, name);
    if (!values) return std::nullopt;
    return Vector(Eigen::Map<const Vector>(values->data(), static_cast<Index>(values->size())));
  };
  setup.q0 = vector("q0");
  setup.v0 = vector("v0");
  setup.scheme = get<std::string>(what, "scheme");
  setup.solver = get<std::string>(what, "solver");
  setup.scheme_options = get<Assignments>(what, "options");
  setup.solver_options = get<Assignments>(what, "solver_options");
  setup.integrator.contact = contact_options(get<Assignments>(what, "contact"));
  setup.integrator.project_start = get<bool>(what, "project_start");
  setup.step = get<double>(what, "step");
  if (const double rtol = get<double>(what, "rtol"); rtol > 0)
    setup.tolerances.emplace(rtol, get<double>(what, "atol"));
  setup.until = get<double>(what, "until");
  setup.keep = get<std::vector<std::string>>(what, "keep");
  setup.time_limit = get<double>(what, "time_limit");
  volatile std::sig_atomic_t interrupt = 0;
  setup.integrator.interrupt = &interrupt;
  std::vector<Variable> variables;
  for (const auto& [name, values] : get<Assignments>(what, "vary"))
    variables.push_back({name, Distribution("vary " + name, values)});
  Design design(std::move(variables), sampling_named(get<std::string>(what, "sampling")), get<long>(what, "runs"),
                get<std::uint64_t>(what, "seed"));
  const auto threads = get<int>(what, "threads");
  const Ensemble ensemble(all, std::move(setup), std::move(design));
  ArrayWork work(ensemble, threads, interrupt);
  work.tell(what["progress"]);
  {
    const py::gil_scoped_release unlocked;
    ensemble.run(threads, work);
  }
  return work.take_all(ensemble);
}

/// The page of an ensemble: its definition as JSON, see definition_of, and what run_ensemble gave.
std::string ensemble_page(const std::string& title, const std::string& definition_text,
                          const py::array_t<double, py::array::c_style>& values,
                          const py::array_t<std::int8_t, py::array::c_style>& status,
                          const std::map<long, std::string>& messages) {
  const Json::Value definition = ensembles::object_of(definition_text, "the definition");
  const long runs = status.size();
  const std::size_t width = definition["columns"].size();
  const auto message = [&messages](long run) {
    const auto found = messages.find(run);
    return found == messages.end() ? std::string() : found->second;
  };
  const ensembles::Rows rows = [&](const ensembles::UseRow& use) {
    for (long run = 0; run < runs; ++run)
      if (status.data()[run] >= 0)
        use(run, static_cast<RunStatus>(status.data()[run]), values.data() + static_cast<std::size_t>(run) * width);
  };
  // What varied in a run, as the arguments of gnomon.solve have it.
  const auto numbers = [&](long run) {
    std::string text;
    for (Json::ArrayIndex j = 0; j < definition["vary"].size(); ++j) {
      const std::string name = definition["columns"][j].asString();
      const double value = values.data()[static_cast<std::size_t>(run) * width + j];
      const Json::Value& words = definition["words"][name];
      text += (j > 0 ? ", " : "") + name + " = ";
      text += words.isArray() ? words[static_cast<Json::ArrayIndex>(value)].asString() : shortest_text(value);
    }
    return text;
  };
  const ensembles::SweepSummary summary = ensembles::summarise(definition, rows, message);
  pages::Page page(title, std::to_string(summary.runs) + " runs");
  for (pages::Block& block : ensembles::ensemble_blocks(definition, summary, numbers)) page.add(std::move(block));
  return page.html();
}

}  // namespace

void bind_ensemble(py::module_& module) {
  module.def("run_ensemble", &run_ensemble);
  module.def("run_statuses", &run_statuses);
  module.def("ensemble_page", &ensemble_page);
}

}  // namespace gnomon::python
