#pragma once
/// \file
/// The part of a ForwardSystem that a mass M(q) adds.

#include "gnomon/model/autodiff/forward_seeds.hpp"
#include "gnomon/model/autodiff/kinetic_energy.hpp"
#include "gnomon/model/autodiff/recorded_model.hpp"

namespace gnomon::model {

template <class Parts, int N>
class ForwardKinetic : public System, public ConfigurationMass {
  using Seeds = ForwardSeeds<N>;
  using PhaseAlong = typename Seeds::PhaseAlong;
  using PhaseAlong2 = typename Seeds::PhaseAlong2;

 public:
  const SystemTraits& traits() const final { return traits_; }
  const Mass& mass() const final { return mass_; }

  void mass_matrix(const ConstVectorRef& q, Matrix& out) const final {
    if constexpr (Parts::mass_matrix_exists) {
      std::array<double, N * N> entries;
      calls_.mass_matrix(q.data(), entries.data(), N);
      for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) out(i, j) = entries[i * N + j];
    }
  }
  double kinetic_energy(const ConstVectorRef& q, const ConstVectorRef& p) const final {
    if constexpr (Parts::mass_matrix_exists) return kinetic(q.data(), p.data());
    return unused(q, p);
  }
  long double kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                  const ConstVectorRef& p_tail, VectorRef, VectorRef) const final {
    if constexpr (Parts::mass_matrix_exists)
      return kinetic(Seeds::extended(q, q_tail).data(), Seeds::extended(p, p_tail).data());
    return unused(q, q_tail, p, p_tail);
  }
  void kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef t_q, VectorRef t_p) const final {
    if constexpr (Parts::mass_matrix_exists) {
      const auto energy = seeded_kinetic(q.data(), p.data());
      for (int j = 0; j < N; ++j) {
        t_q[j] = energy.grad[j];
        t_p[j] = energy.grad[N + j];
      }
    }
  }
  bool extended_kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                 const ConstVectorRef& p_tail, VectorRefOf<Extended> out) const final {
    if constexpr (Parts::mass_matrix_exists) {
      const auto energy = seeded_kinetic(Seeds::extended(q, q_tail).data(), Seeds::extended(p, p_tail).data());
      for (int j = 0; j < 2 * N; ++j) out[j] = energy.grad[j];
    }
    return true;
  }
  void kinetic_hessian_times(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                             const ConstVectorRef& w_p, VectorRef out_q, VectorRef out_p) const final {
    if constexpr (Parts::mass_matrix_exists) {
      std::array<PhaseAlong, N> x, y;
      for (int j = 0; j < N; ++j) {
        x[j].value.value = q[j];
        x[j].value.grad[0] = w_q[j];
        x[j].grad[j].value = 1;
        y[j].value.value = p[j];
        y[j].value.grad[0] = w_p[j];
        y[j].grad[N + j].value = 1;
      }
      const PhaseAlong energy = kinetic(x.data(), y.data());
      for (int j = 0; j < N; ++j) {
        out_q[j] = energy.grad[j].grad[0];
        out_p[j] = energy.grad[N + j].grad[0];
      }
    }
  }

  void kinetic_third(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                     const ConstVectorRef& w_p, const ConstVectorRef& u_q, const ConstVectorRef& u_p, VectorRef out_q,
                     VectorRef out_p) const final {
    if constexpr (Parts::mass_matrix_exists) {
      std::array<PhaseAlong2, N> x, y;
      const auto seed = [](PhaseAlong2& z, double value, double w, double u, int j) {
        z.value.value.value = value;
        z.value.value.grad[0] = w;
        z.value.grad[0].value = u;
        z.grad[j].value.value = 1;
      };
      for (int j = 0; j < N; ++j) {
        seed(x[j], q[j], w_q[j], u_q[j], j);
        seed(y[j], p[j], w_p[j], u_p[j], N + j);
      }
      const PhaseAlong2 energy = kinetic(x.data(), y.data());
      for (int j = 0; j < N; ++j) {
        out_q[j] = energy.grad[j].grad[0].grad[0];
        out_p[j] = energy.grad[N + j].grad[0].grad[0];
      }
    }
  }

 protected:
  ForwardKinetic(const Parts& parts, FoundTraits traits, Mass mass)
      : calls_(parts), traits_(std::move(traits)), mass_(std::move(mass)) {
    if (!traits_.constant_mass) this->parts_.mass = this;
  }

  Parts calls_;
  FoundTraits traits_;
  Mass mass_;

 private:
  /// Of a model without mass_matrix, whose parts().mass is null: nobody calls it.
  template <class... Arguments>
  static double unused(const Arguments&...) {
    return 0;
  }
  /// T with all its first derivatives.
  template <class Real>
  Dual<Real, 2 * N> seeded_kinetic(const Real* q, const Real* p) const {
    std::array<Dual<Real, 2 * N>, N> x, y;
    for (int j = 0; j < N; ++j) {
      x[j].value = q[j];
      x[j].grad[j] = 1;
      y[j].value = p[j];
      y[j].grad[N + j] = 1;
    }
    return kinetic(x.data(), y.data());
  }
  template <class S>
  S kinetic(const S* q, const S* p) const {
    std::array<S, N * N> m;
    calls_.mass_matrix(q, m.data(), N);
    std::array<S, N> y;
    return model::kinetic_energy(m.data(), p, y.data(), N);
  }
};

}  // namespace gnomon::model
