/// \file
/// exact: the closed form that a problem carries, with the index-1 multipliers
///     [M G^T; G 0] (a; lambda) = (Q - grad U; -bias)
/// at the exact q and v = M^-1 p, or those of the overdetermined DAE
///     p_z w + p_y v = f + r(psi),    h_y v + h_z w = 0
/// at the exact y and z.
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/run/reference.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"

namespace {

using gnomon::ReferenceReport;
using gnomon::Vector;

class ExactSolution final : public gnomon::ReferenceSolution {
 public:
  explicit ExactSolution(gnomon::ProblemInstance instance)
      : instance_(std::move(instance)), system_(instance_.model->mechanical()) {
    if (system_ && (!system_->parts().friction || system_->parts().obstacles)) return;
    dae_ = gnomon::overdetermined_from(instance_.model);
    index1_ = std::make_unique<gnomon::Index1>(*dae_);
    psi_.setZero(dae_->m());
    try {
      evaluate(instance_.t0);  // of several multipliers the one that the start has is followed
    } catch (...) {
      psi_.setZero();
    }
  }

  ReferenceReport advance_to(double t) override {
    try {
      return evaluate(t);
    } catch (...) {
      ReferenceReport report;
      report.t = t;
      report.message = "the closed form failed at t = " + gnomon::number_text(t) + ": " + gnomon::thrown_text();
      return report;
    }
  }

 private:
  ReferenceReport evaluate(double t) {
    ReferenceReport report;
    report.t = t;
    report.q.resize(instance_.q0.size());
    report.p.resize(instance_.p0.size());
    instance_.exact(t, report.q, report.p);
    if (!report.q.allFinite() || !report.p.allFinite()) {
      report.message = "the closed form is not finite at t = " + gnomon::number_text(t);
      return report;
    }
    if (index1_)
      add_multipliers(report);
    else if (!system_->parts().mass) {
      Vector v(system_->n()), a;
      system_->mass().solve(report.p, v);
      gnomon::acceleration(*system_, t, report.q, v, a, report.lambda);
    }
    report.success = true;
    return report;
  }

  /// Of an overdetermined DAE, whose closed form is that of y and z; p becomes p(y,z).
  void add_multipliers(ReferenceReport& report) {
    Vector z = report.p, w(z.size());
    if (system_) system_->mass().solve(report.p, z);
    index1_->solve(report.q, z, w, psi_);
    report.lambda = psi_;
    if (!system_) dae_->evaluate(gnomon::Term::momentum, {report.q, z, psi_}, report.p);
  }

  gnomon::ProblemInstance instance_;
  const gnomon::System* system_;                             // null: an overdetermined DAE
  std::shared_ptr<const gnomon::OverdeterminedSystem> dae_;  // that, or a System with friction
  std::unique_ptr<gnomon::Index1> index1_;                   // of it
  Vector psi_;
};

class Exact final : public gnomon::Reference {
 public:
  std::string name() const override { return "exact"; }
  std::string description() const override { return "the problem's closed-form solution"; }
  std::unique_ptr<gnomon::ReferenceSolution> start(const gnomon::ProblemInstance& instance,
                                                   const gnomon::Options&) const override {
    if (!instance.exact)
      throw gnomon::Error(gnomon::ErrorCode::refused, "reference exact: the problem with system " +
                                                          instance.model->name() + " has no closed-form solution");
    return std::make_unique<ExactSolution>(instance);
  }
};

}  // namespace

GNOMON_PLUGIN(exact) {
  registrar.add(std::unique_ptr<gnomon::Reference>(new Exact));
}
