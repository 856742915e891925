#pragma once
/// \file
/// What the references that run an integrator of SUNDIALS know of a model: its unknowns (y, z), a consistent start with
/// its slopes and sizes, and what a report says. Of a mechanical System y = q and z = v, or
/// z = p where the mass depends on q.

#include <memory>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/start/overdetermined_consistency.hpp"
#include "references/kernels/state_sizes.hpp"

namespace gnomon::kernels {

/// r += grad U + G^T lambda - Q; values: G on the constraint pattern
void add_forces(const System& system, double t, const Vector& q, const Vector& v, const Vector& lambda, Vector& values,
                VectorRef r);

class ReferenceModel {
 public:
  virtual ~ReferenceModel() = default;

  Index ny() const { return start_.y.size(); }
  Index nz() const { return start_.z.size(); }
  Index m() const { return start_.psi.size(); }
  const StartSlopes& start() const { return start_; }
  const StateSizes& sizes() const { return sizes_; }
  /// Of a System that has some; else null.
  const ContinuousAngles* angles() const { return angles_; }
  const std::vector<int>& turns() const { return turns_; }

  /// Null of an overdetermined DAE.
  virtual const System* mechanical() const { return nullptr; }
  /// p(y,z)
  virtual Vector momentum(const Vector& y, const Vector& z) const = 0;
  /// Whether the energy is constant.
  virtual bool conservative() const = 0;
  /// Energy, and the largest of its parts; both constraint levels, of length m.
  struct Levels {
    double energy = 0, size = 0;
    Vector position, velocity;
  };
  virtual void levels(double t, const Vector& y, const Vector& z, Levels& out) const = 0;
  /// What the energy changes by on natural lengths from the start.
  virtual double energy_size() const = 0;
  /// The multipliers for which the hidden constraint stays satisfied; `near` chooses where there are several. Throws
  /// where there is none.
  virtual Vector multipliers(double t, const Vector& y, const Vector& z, const Vector& near) = 0;

 protected:
  void count_turns(const System& system, const ProblemInstance& instance);

  StartSlopes start_;
  StateSizes sizes_;
  const ContinuousAngles* angles_ = nullptr;
  std::vector<int> turns_;  ///< at the start
};

/// A System without friction.
class MechanicalModel final : public ReferenceModel {
 public:
  /// Throws Error when the start is not consistent.
  explicit MechanicalModel(const ProblemInstance& instance);

  const std::shared_ptr<const System>& system() const { return system_; }
  const System* mechanical() const override { return system_.get(); }

  Vector momentum(const Vector&, const Vector& z) const override;
  bool conservative() const override { return !system_->parts().force && !system_->parts().time_dependence; }
  double energy_size() const override;
  void levels(double t, const Vector& q, const Vector& z, Levels& out) const override;
  Vector multipliers(double t, const Vector& q, const Vector& z, const Vector&) override;

 private:
  std::shared_ptr<const System> system_;
};

/// An OverdeterminedSystem, the model's own or that of a System with friction.
class OverdeterminedModel final : public ReferenceModel {
 public:
  /// Throws Error when the start is not consistent, or the System has no form as an overdetermined one.
  explicit OverdeterminedModel(const ProblemInstance& instance);

  const OverdeterminedSystem& system() const { return *system_; }

  Vector momentum(const Vector& y, const Vector& z) const override;
  bool conservative() const override { return system_->has_energy() && system_->traits().hamiltonian; }
  double energy_size() const override { return 1; }
  void levels(double, const Vector& y, const Vector& z, Levels& out) const override;
  Vector multipliers(double, const Vector& y, const Vector& z, const Vector& near) override;

 private:
  void solve(const Vector& y, const Vector& z, Vector& w, Vector& psi);
  Matrix derivative(Term term, Argument argument) const;

  std::shared_ptr<const OverdeterminedSystem> system_;
  Index1 index1_;
};

/// What is not mechanical, or has friction, is integrated as an overdetermined DAE.
bool is_overdetermined(const ProblemInstance& instance);

/// Throws Error(refused) when the problem has what none of the references treats, or makes too many unknowns y, z and
/// so many times its multipliers, those of obstacles among them.
void check_reference_fits(const ProblemInstance& instance, const std::string& reference, Index multiplier_sets);

}  // namespace gnomon::kernels
