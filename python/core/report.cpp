/// The page of runs, as `gnomon run --report` writes it.
#include <limits>
#include <tuple>

#include "core.hpp"
#include "gnomon/base/error.hpp"
#include "pages/page.hpp"
#include "traces/run_page.hpp"

namespace gnomon::python {

namespace {

/// Of the motion of all runs together, see RunTrace::Spec.
constexpr std::size_t most_numbers = 200000;

class Report {
 public:
  Report(std::string title, std::string subtitle, double t_end, std::size_t runs)
      : page_(std::move(title), std::move(subtitle)),
        t_end_(t_end),
        numbers_(most_numbers / std::max<std::size_t>(runs, 1)) {}

  /// Shows what has to be seen first.
  void notice(const std::string& title, const std::vector<std::string>& paragraphs, bool bad) {
    page_.add(pages::Notice{bad ? pages::Mark::bad : pages::Mark::warn, title, paragraphs});
  }
  /// A run at its times; own_steps: these are its steps. energy_error is of length 0 where it is not known. events:
  /// (time, kind, where).
  void add(const Instance& instance, const std::string& name, bool reference, bool own_steps, const Array& t,
           const FArray& y, const FArray& lambda, const Array& energy_error, const Facts& facts,
           const std::vector<std::tuple<double, std::string, std::string>>& events, bool stopped) {
    const Index count = t.size(), m = instance.multipliers();
    const auto fits = [&](const FArray& a, Index rows) {
      return a.ndim() == 2 && a.shape(0) == rows && a.shape(1) == count;
    };
    if (!fits(y, instance.width()) || !fits(lambda, m) || (energy_error.size() > 0 && energy_error.size() != count))
      throw Error(ErrorCode::bad_size, "the states of " + name + " do not fit its times and its model");
    traces::RunTrace::Spec spec;
    spec.name = name;
    spec.reference = reference && !traces_.empty();
    spec.own_steps = own_steps;
    spec.t_end = t_end_;
    spec.most_numbers = numbers_;
    if (spec.reference && own_steps)
      for (const auto& sample : traces_.front()->samples()) spec.targets.push_back(sample.t);
    auto trace = std::make_unique<traces::RunTrace>(instance.problem(), std::move(spec));
    {
      const py::gil_scoped_release unlocked;
      const Eigen::Map<const Matrix> states(y.data(), instance.width(), count), multipliers(lambda.data(), m, count);
      const double unknown = std::numeric_limits<double>::quiet_NaN();
      for (Index k = 0; k < count; ++k) {
        const double error = energy_error.size() > 0 ? energy_error.data()[k] : unknown;
        trace->add(instance.state(t.data()[k], states.col(k), multipliers.col(k)), {error, unknown});
      }
    }
    std::vector<traces::RunTrace::Event> happened;
    for (const auto& [time, kind, where] : events) happened.push_back({time, kind, where});
    trace->set_events(std::move(happened), stopped);
    traces_.push_back(std::move(trace));
    pages::Facts block;
    block.title = name;
    for (const auto& [label, text] : facts) block.rows.emplace_back(label, text);
    facts_.push_back(std::move(block));
  }

  std::string html() {
    std::vector<const traces::RunTrace*> runs;
    for (const auto& trace : traces_) runs.push_back(trace.get());
    for (pages::Block& block : traces::run_blocks(runs)) page_.add(std::move(block));
    page_.add(pages::Section{"Where it came from", ""});
    for (pages::Facts& block : facts_) page_.add(std::move(block));
    return page_.html();
  }

 private:
  pages::Page page_;
  double t_end_;
  std::size_t numbers_;
  std::vector<std::unique_ptr<traces::RunTrace>> traces_;
  std::vector<pages::Facts> facts_;
};

}  // namespace

void bind_report(py::module_& module) {
  py::class_<Report>(module, "Report")
      .def(py::init<std::string, std::string, double, std::size_t>())
      .def("notice", &Report::notice)
      .def("add", &Report::add)
      .def("html", &Report::html);
}

}  // namespace gnomon::python
