// exact: the closed form that a problem carries, with the index-1 multipliers
//     [M G^T; G 0] (a; lambda) = (Q - grad U; -bias)
// at the exact q and v = M^-1 p.
#include <cmath>

#include "gnomon/consistency.hpp"
#include "gnomon/error.hpp"
#include "gnomon/plugin.hpp"

namespace {

using gnomon::ReferenceReport;
using gnomon::Vector;

class ExactSolution final : public gnomon::ReferenceSolution {
 public:
  explicit ExactSolution(gnomon::ProblemInstance instance) : instance_(std::move(instance)) {}

  ReferenceReport advance_to(double t) override {
    const gnomon::System& system = *instance_.system;
    ReferenceReport report;
    report.t = t;
    report.q.resize(system.n());
    report.p.resize(system.n());
    try {
      instance_.exact(t, report.q, report.p);
      if (!report.q.allFinite() || !report.p.allFinite()) {
        report.message = "the closed form is not finite at t = " + gnomon::number_text(t);
        return report;
      }
      if (system.traits().constant_mass) {
        Vector v(system.n()), a;
        system.mass().solve(report.p, v);
        gnomon::acceleration(system, t, report.q, v, a, report.lambda);
      }
      report.success = true;
    } catch (const std::exception& error) {
      report.message = "the closed form failed at t = " + gnomon::number_text(t) + ": " + error.what();
    }
    return report;
  }

 private:
  gnomon::ProblemInstance instance_;
};

class Exact final : public gnomon::Reference {
 public:
  std::string name() const override { return "exact"; }
  std::string description() const override { return "the problem's closed-form solution"; }
  std::unique_ptr<gnomon::ReferenceSolution> start(const gnomon::ProblemInstance& instance,
                                                   const gnomon::Options&) const override {
    if (!instance.exact)
      throw gnomon::Error(gnomon::ErrorCode::refused, "reference exact: the problem with system " +
                                                          instance.system->traits().name +
                                                          " has no closed-form solution; use ida-index1 or ida-ggl");
    return std::make_unique<ExactSolution>(instance);
  }
};

}  // namespace

GNOMON_PLUGIN(exact) {
  registrar.add(std::unique_ptr<gnomon::Reference>(new Exact));
}
