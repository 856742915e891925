#include "references/kernels/graded_reference.hpp"

#include <cmath>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/run/stepwise_reference.hpp"

namespace gnomon::kernels {

namespace {

Options with_tolerance(const Options& options, double rtol) {
  const double atol = options.real("atol");
  return options.with("rtol", rtol).with("atol", atol > 0 ? atol : rtol / 10);
}

class GradedReference final : public ReferenceSolution, public StepwiseReference {
 public:
  GradedReference(const Options& options, StartWith start)
      : options_(options), start_(std::move(start)), rtol_(options.real("tightest")) {
    begin();
  }

  ReferenceReport advance_to(double t) override {
    ReferenceReport report = solution_->advance_to(t);
    report.rtol = rtol_;
    if (!report.success && !report.refused) looser(t, report);
    if (report.success && !stopped()) compare(t, report);
    return report;
  }

 private:
  /// From the start to t with one tolerance after the other. The report stays as it was where none arrives.
  void looser(double t, ReferenceReport& report) {
    while (rtol_ < thresholds::loosest_reference / 2 && !stopped()) {
      rtol_ *= 10;
      beside_.reset();
      begin();
      ReferenceReport now = solution_->advance_to(t);
      now.rtol = rtol_;
      if (!now.success) continue;
      report = std::move(now);
      return;
    }
  }
  void begin() {
    solution_ = start_(with_tolerance(options_, rtol_));
    solution_->stop_when([this] { return stopped(); });
    if (auto* const stepwise = dynamic_cast<StepwiseReference*>(solution_.get()))
      stepwise->watch_steps([this](const ReferenceStep& at) {
        // What a tighter solution has shown before it stopped stands.
        if (!begun_) start_time_ = shown_ = at.t;
        const bool news = !begun_ || std::abs(at.t - start_time_) > std::abs(shown_ - start_time_);
        begun_ = true;
        if (!news) return;
        shown_ = at.t;
        if (watched()) show(at);
      });
  }
  void compare(double t, ReferenceReport& report) {
    try {
      if (!beside_) {
        beside_ = start_(with_tolerance(options_, 10 * rtol_));
        beside_->stop_when([this] { return stopped(); });
      }
      const ReferenceReport other = beside_->advance_to(t);
      if (!other.success) return;
      const double size = report.q.norm();
      report.own_error = (report.q - other.q).norm() / (size > 0 ? size : 1);
    } catch (const Error&) {
      // Without the second one nothing is known of its error.
    }
  }

  Options options_;
  StartWith start_;
  double rtol_, start_time_ = 0, shown_ = 0;
  bool begun_ = false;
  std::unique_ptr<ReferenceSolution> solution_, beside_;
};

}  // namespace

std::unique_ptr<ReferenceSolution> graded_reference(const Options& options, StartWith start) {
  if (options.real("rtol") > 0) return start(with_tolerance(options, options.real("rtol")));
  return std::make_unique<GradedReference>(options, std::move(start));
}

}  // namespace gnomon::kernels
