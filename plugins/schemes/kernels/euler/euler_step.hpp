#pragma once
/// \file
/// One step of a symplectic Euler method for an overdetermined DAE: one or two tables of terms, solved in order.
///
/// State: q = y, p = p(y,z), scheme_data = z. The start value of Newton's method matters more than elsewhere: from Z =
/// z0, y1 = y0 it may end, without any sign of failure, at another root. So unknowns are extrapolated in units of their
/// powers of h (dZ/h, dy/h, psi), from the slopes of the consistent start in the first step.
///
/// Time is a coordinate beside y, t' = 1: every term is taken at the time of its y, f(y0,Z) at t0, r(y1,z1,psi), g(y1)
/// and h(y1,z1) = g_y v + g_t at t1. That is the same method for the system of (y,t), with its order and its adjoint.

#include <memory>
#include <string>
#include <vector>

#include "gnomon/model/overdetermined_in_time.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "kernels/euler/euler_tangent.hpp"
#include "kernels/euler/term_equations.hpp"

namespace gnomon::kernels {

class EulerStep final : public StepEquations {
 public:
  EulerStep(std::shared_ptr<const Model> model, const EulerTables& tables);

  Index n_systems() const override { return static_cast<Index>(equations_.size()); }
  NonlinearEquations& system(Index k) override { return *equations_[static_cast<std::size_t>(k)]; }

  void prepare(State& z) const override;
  void begin(const State& z0, double h) override;
  void predict(Index k, VectorRef x) override;
  Next accept(Index k, const ConstVectorRef& x) override;

  /// The work of the forces outside the energy, w' = P(y,z,psi), is one more equation of the system, integrated by the
  /// same method: by the rectangle at the end of the step, or by its adjoint at the start. So are U_t and psi.g_t of a
  /// system that moves.
  void finish(State& next) override;
  const char* diagnosis(Index solve) const override;
  bool differentiate(Matrix* changes) override;

 private:
  void book(const Vector& psi, Work& work);

  template <class F>
  void for_each_unknown(F&& f) const;

  /// With w_j = |p_z|_jj: z ~ w^-1/2, y ~ h w^-1/2 (where y and z are of one length), p ~ w^1/2; a constraint counts in
  /// the velocity by which z can change it, a multiplier by the velocity that it gives over h.
  void scale();

  mutable OverdeterminedInTime start_;    // at t0; its time is no part of the step's state
  OverdeterminedInTime end_;              // at t1
  const OverdeterminedSystem* system_;    // of start_
  std::shared_ptr<const System> moving_;  // the model where U or g depends on time, else null
  double start_time_ = 0, end_time_ = 0;
  double first_, second_;
  bool booked_at_start_;
  EulerPoint point_;
  EulerTangent tangent_;
  Matrix* changes_ = nullptr;
  std::vector<std::unique_ptr<TermEquations>> equations_;
  std::vector<std::vector<Slot>> unknowns_;
  std::vector<Index> start_of_;
  Index size_ = 0;
  const State* z0_ = nullptr;
  mutable std::string diagnosis_;
  Vector shape_, guess_, dp_, dy_, hidden_z_, r_psi_, p_z_, rest_, rate_;
};

}  // namespace gnomon::kernels
