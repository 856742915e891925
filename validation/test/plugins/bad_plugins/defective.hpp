#pragma once
/// \file
/// Small pendulums with one defect each, for the tests of what the loader and the program refuse.

#include <limits>

#include "gnomon/model/autodiff_system.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"

namespace gnomon::test {

enum class Defect {
  none,
  position,      ///< the start violates g = 0
  velocity,      ///< the start violates G v = 0
  rank,          ///< the same constraint twice
  nan_start,     ///< U is NaN at the start
  throws_start,  ///< U throws at the start
  nan_later,     ///< U is NaN below y = -1/2, which the motion reaches
  throws_later,  ///< U throws there
};

/// Unit mass on a unit rod, unit gravity, released from the horizontal.
template <int M>
struct Pendulum : AutodiffModel<2, M> {
  Defect defect = Defect::none;

  SystemTraits describe() const {
    SystemTraits traits;
    traits.name = "defective pendulum";
    traits.potential_degree = 1;
    traits.constraint_degree = 2;
    traits.constraint_names = {"rod"};
    if (M == 2) traits.constraint_names.push_back("rod again");
    return traits;
  }
  Mass mass() const { return Mass::diagonal(Vector::Ones(2)); }

  template <class S>
  S potential(const S&, const S* q) const {
    const bool later = value_of(q[1]) < -0.5;
    if (defect == Defect::throws_start || (defect == Defect::throws_later && later))
      throw CannotEvaluate("the table of the potential ends here");
    if (defect == Defect::nan_start || (defect == Defect::nan_later && later))
      return q[1] * std::numeric_limits<double>::quiet_NaN();
    return q[1];
  }
  template <class S>
  void constraints(const S&, const S* q, S* g) const {
    for (int i = 0; i < M; ++i) g[i] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
  }
};

class DefectiveProblem final : public Problem {
 public:
  DefectiveProblem(std::string name, Defect defect) : name_(std::move(name)), defect_(defect) {}

  std::string name() const override { return name_; }
  std::string description() const override { return "a pendulum with a defect"; }
  std::string equations() const override { return "U = y, g = (x^2 + y^2 - 1)/2"; }
  std::string source() const override { return ""; }
  OptionSpecs parameters() const override { return {}; }
  ProblemInstance build(const Options&) const override {
    ProblemInstance instance;
    if (defect_ == Defect::rank)
      instance.model = system<2>();
    else
      instance.model = system<1>();
    instance.q0 = Vector::Unit(2, 0) * (defect_ == Defect::position ? 1.01 : 1.0);
    instance.p0 = Vector::Unit(2, 1);
    if (defect_ == Defect::velocity) instance.p0[0] = 0.25;
    return instance;
  }

 private:
  template <int M>
  std::shared_ptr<const System> system() const {
    Pendulum<M> model;
    model.defect = defect_;
    return std::make_shared<AutodiffSystem<Pendulum<M>>>(model);
  }

  std::string name_;
  Defect defect_;
};

}  // namespace gnomon::test
