#pragma once
/// \file
/// The local error of a projected-rk step with stages of index 1, of order p: how far its stages are from those of a
/// Gauss method of higher order, by finer_solution.hpp, and what the projections leave of that (tangent_error.hpp):
///
///     Gauss, s stages            p = 2s        Gauss, s + 1 stages
///     Radau IIA, s stages        p = 2s - 1    Gauss, s stages
///     Lobatto IIIC, s stages     p = 2s - 2    Gauss, s stages
///
/// Stages of index 1 are those of an ordinary differential equation, so that the order of the Gauss methods holds.

#include "kernels/common/finer_solution.hpp"
#include "projected_rk/finer_stages.hpp"
#include "projected_rk/tangent_error.hpp"

namespace gnomon::kernels {

template <class Inertia>
class ProjectedRkError {
 public:
  /// The table and the scales outlive this object; the scales are those of the step.
  ProjectedRkError(const System& system, const AlgebraTable& table, const RkTableau& own, const ProjectionRule& rule,
                   const StepScales& scales)
      : finer_(own.symmetric ? gauss_tableau(own.stages + 1) : gauss_tableau(own.stages)),
        stages_(system, own, finer_, scales),
        solution_(stages_.equations(), stages_.inverse(), table, system.mass().diagonal_entries().cwiseSqrt(),
                  system.parts().mass ? Vector(system.mass().diagonal_entries().cwiseSqrt().cwiseInverse())
                                      : Vector(system.mass().diagonal_entries().cwiseSqrt())),
        tangent_(system, rule) {
    x_.setZero(stages_.equations().size());
    for (Vector* v : {&error_q_, &error_v_}) v->setZero(system.n());
  }

  /// FinerSolution::spare
  void spare(bool on) { solution_.spare(on); }
  /// x: the stages of the step from z0 with the velocity v0 to z1 over h
  bool estimate(const State& z0, const Vector& v0, const State& z1, double h, const ConstVectorRef& x,
                VectorRef error_q, VectorRef error_v) {
    stages_.begin(z0, v0, h);
    stages_.start(x, x_);
    const auto measure = [this](const Vector& d, Vector& of_q, Vector& second) { stages_.errors(d, of_q, second); };
    if (!solution_.estimate(x_, static_cast<int>(finer_.stages), measure)) return false;
    error_q_ = solution_.error_q();
    error_v_ = solution_.error_v();
    stages_.add_rest(x, error_q_, error_v_);
    if (!tangent_.project(z1, h, error_q_, error_v_)) return false;
    error_q = error_q_;
    error_v = error_v_;
    return error_q.allFinite() && error_v.allFinite();
  }

 private:
  RkTableau finer_;
  FinerStages<Inertia> stages_;
  FinerSolution solution_;
  TangentError tangent_;
  Vector x_, error_q_, error_v_;
};

extern template class ProjectedRkError<ConstantRkInertia>;
extern template class ProjectedRkError<ConfigurationRkInertia>;

}  // namespace gnomon::kernels
