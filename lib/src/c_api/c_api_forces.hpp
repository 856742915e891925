#pragma once
/// \file
/// The callbacks of a C program, how they are called, and the parts of a system that they are without U and g: force,
/// friction, switches, symmetries and first integrals.

#include <memory>
#include <string>

#include "c_api/c_api_callbacks.hpp"

namespace gnomon::c_api {

class CallbackForces : public Force, public Friction, public Symmetries, public FirstIntegrals, public Switches {
 public:
  explicit CallbackForces(const Callbacks& callbacks);
  ~CallbackForces() override;

  void force(double t, const ConstVectorRef& q, const ConstVectorRef& v, VectorRef out) const override;
  const SparsityPattern& force_pattern(ForceArgument by) const override;
  void force_jacobian(ForceArgument by, double t, const ConstVectorRef& q, const ConstVectorRef& v,
                      VectorRef values) const override;
  bool force_depends_on_time() const override { return force_depends_on_time_; }
  void friction(const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override;
  const SparsityPattern& friction_pattern(ForceArgument by) const override;
  void friction_jacobian(ForceArgument by, const ConstVectorRef& q, const ConstVectorRef& v,
                         const ConstVectorRef& lambda, VectorRef values) const override;
  Index n_switches() const override { return calls_.n_switches; }
  std::string switch_name(Index i) const override { return "switch " + std::to_string(i); }
  bool sides_are_held() const override { return false; }
  bool switches_use_multipliers() const override { return false; }
  void switches(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override;
  void switch_rates(double, const ConstVectorRef&, const ConstVectorRef&, const ConstVectorRef&,
                    VectorRef out) const override {
    out.setConstant(std::nan(""));
  }
  Index n_symmetries() const override { return static_cast<Index>(calls_.symmetries.size()); }
  std::string symmetry_name(Index a) const override;
  void symmetry_generator(Index a, const ConstVectorRef& q, VectorRef out) const override;
  Index n_integrals() const override { return static_cast<Index>(calls_.integrals.size()); }
  std::string integral_name(Index a) const override;
  double integral(Index a, double t, const ConstVectorRef& q, const ConstVectorRef& p) const override;

  /// A callback returned < 0.
  bool failed_for_good() const { return !fatal_->empty(); }

 protected:
  struct Derivative;
  struct Rows;
  struct VelocityScratch;
  struct Scratch;
  template <class Call>
  void call(const char* name, Call&& callback) const;
  /// values = the matrix that the user's function fills; false where there is no function.
  template <class Function, class... Arguments>
  bool filled(const char* name, Function function, Derivative& derivative, VectorRef values,
              Arguments... arguments) const;
  double size_of(const ConstVectorRef& q) const;
  static int lower(int degree) { return degree > 0 ? degree - 1 : degree; }

  Callbacks calls_;
  bool force_depends_on_time_ = false;
  std::shared_ptr<std::string> fatal_ =
      std::make_shared<std::string>();  // which callback ended it; open and closed share it
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace gnomon::c_api
