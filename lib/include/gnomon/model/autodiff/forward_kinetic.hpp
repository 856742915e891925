#pragma once
/// \file
/// The part of a ForwardSystem that a mass M(q) adds.

#include <algorithm>

#include "gnomon/model/autodiff/forward_seeds.hpp"
#include "gnomon/model/autodiff/kinetic_energy.hpp"
#include "gnomon/model/autodiff/recorded_model.hpp"

namespace gnomon::model {

template <class Parts, int N>
class ForwardKinetic : public System, public ConfigurationMass {
  using Seeds = ForwardSeeds<N>;

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
    if constexpr (Parts::mass_matrix_exists) gradient(q.data(), p.data(), t_q.data(), t_p.data());
  }
  bool extended_kinetic_gradient(const ConstVectorRef& q, const ConstVectorRef& q_tail, const ConstVectorRef& p,
                                 const ConstVectorRef& p_tail, VectorRefOf<Extended> out) const final {
    if constexpr (Parts::mass_matrix_exists)
      gradient(Seeds::extended(q, q_tail).data(), Seeds::extended(p, p_tail).data(), out.data(), out.data() + N);
    return true;
  }
  void kinetic_hessian_times(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                             const ConstVectorRef& w_p, VectorRef out_q, VectorRef out_p) const final {
    if constexpr (Parts::mass_matrix_exists) {
      using Along = Dual<double, 1>;
      std::array<Along, N> x, y, t_q, t_p;
      for (int j = 0; j < N; ++j) {
        x[j].value = q[j];
        x[j].grad[0] = w_q[j];
        y[j].value = p[j];
        y[j].grad[0] = w_p[j];
      }
      gradient(x.data(), y.data(), t_q.data(), t_p.data());
      for (int j = 0; j < N; ++j) {
        out_q[j] = t_q[j].grad[0];
        out_p[j] = t_p[j].grad[0];
      }
    }
  }

  void kinetic_third(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w_q,
                     const ConstVectorRef& w_p, const ConstVectorRef& u_q, const ConstVectorRef& u_p, VectorRef out_q,
                     VectorRef out_p) const final {
    if constexpr (Parts::mass_matrix_exists) {
      using Along2 = Dual<Dual<double, 1>, 1>;
      std::array<Along2, N> x, y, t_q, t_p;
      const auto seed = [](Along2& z, double value, double w, double u) {
        z.value.value = value;
        z.value.grad[0] = w;
        z.grad[0].value = u;
      };
      for (int j = 0; j < N; ++j) {
        seed(x[j], q[j], w_q[j], u_q[j]);
        seed(y[j], p[j], w_p[j], u_p[j]);
      }
      gradient(x.data(), y.data(), t_q.data(), t_p.data());
      for (int j = 0; j < N; ++j) {
        out_q[j] = t_q[j].grad[0].grad[0];
        out_p[j] = t_p[j].grad[0].grad[0];
      }
    }
  }

  void kinetic_hessian(const ConstVectorRef& q, const ConstVectorRef& p, VectorRef, Matrix& out) const final {
    if constexpr (Parts::mass_matrix_exists) {
      const auto factors = hessian(q.data(), p.data(), p.data(), out);
      out.topLeftCorner(N, N) *= 0.5;
      std::array<double, N> unit{}, column;
      for (int j = 0; j < N; ++j) {  // T_pp = M^-1
        unit[j] = 1;
        solve_factors(factors.data(), unit.data(), column.data(), N);
        for (int i = 0; i < N; ++i) out(N + i, N + j) = column[i];
        unit[j] = 0;
      }
    }
  }
  void velocity_hessian(const ConstVectorRef& q, const ConstVectorRef& p, const ConstVectorRef& w, VectorRef,
                        Matrix& out) const final {
    if constexpr (Parts::mass_matrix_exists) hessian(q.data(), p.data(), w.data(), out);
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
  /// The gradient of T by M alone: v = M^-1 p, T_p = v, T_q = -(v^T M_q v)/2. Derivatives of it along directions come
  /// from a dual S, so that M is factorised at S and never with all N derivatives.
  template <class S>
  void gradient(const S* q, const S* p, S* t_q, S* t_p) const {
    const std::array<Dual<S, N>, N> x = Seeds::seed_first(q);
    std::array<Dual<S, N>, N * N> m;
    calls_.mass_matrix(x.data(), m.data(), N);
    std::array<S, N * N> factors;
    for (int i = 0; i < N * N; ++i) factors[i] = m[i].value;
    kinetic_velocity(factors.data(), p, t_p, N);
    for (int j = 0; j < N; ++j) t_q[j] = S(0.0);
    for (int a = 0; a < N; ++a)
      for (int b = 0; b <= a; ++b) {
        const S weight = t_p[a] * t_p[b] * (a == b ? -0.5 : -1.0);
        for (int j = 0; j < N; ++j) t_q[j] += weight * m[a * N + b].grad[j];
      }
  }
  /// Hess (p^T M^-1 w) by (q,p), w constant: with v = M^-1 p and u = M^-1 w,
  ///
  ///     qq_jk = -v^T M_jk u + (M_j v)^T M^-1 M_k u + (M_j u)^T M^-1 M_k v,    pq column j = -M^-1 M_j u,    pp = 0
  ///
  /// from one evaluation of M with its second derivatives, those by q_k of `width` k at a time. Returns the factors of
  /// M.
  std::array<double, N * N> hessian(const double* q, const double* p, const double* w, Matrix& out) const {
    constexpr int width = N < 8 ? N : 8;
    using Two = Dual<Dual<double, width>, N>;
    std::array<double, N * N> factors;
    std::array<double, N> v, u;
    std::array<std::array<double, N>, N> of_v{}, of_u{}, solved;  // M_j v, M_j u, and M^-1 of the latter
    for (int first = 0; first < N; first += width) {
      const int count = std::min(width, N - first);
      std::array<Two, N> x;
      for (int j = 0; j < N; ++j) {
        x[j].value.value = q[j];
        x[j].grad[j].value = 1;
      }
      for (int k = 0; k < count; ++k) x[first + k].value.grad[k] = 1;
      std::array<Two, N * N> m;
      calls_.mass_matrix(x.data(), m.data(), N);
      if (first == 0) {
        for (int i = 0; i < N * N; ++i) factors[i] = m[i].value.value;
        factorise(factors.data(), N);
        solve_factors(factors.data(), p, v.data(), N);
        solve_factors(factors.data(), w, u.data(), N);
      }
      for (int j = 0; j < N; ++j) {
        std::array<double, width> sum{};
        for (int a = 0; a < N; ++a)
          for (int b = 0; b <= a; ++b) {
            const auto& derivative = m[a * N + b].grad[j];
            const double weight = a == b ? v[a] * u[a] : v[a] * u[b] + v[b] * u[a];
            for (int k = 0; k < width; ++k) sum[k] -= weight * derivative.grad[k];
            if (first > 0) continue;
            of_v[j][a] += derivative.value * v[b];
            of_u[j][a] += derivative.value * u[b];
            if (a == b) continue;
            of_v[j][b] += derivative.value * v[a];
            of_u[j][b] += derivative.value * u[a];
          }
        for (int k = 0; k < count; ++k) out(j, first + k) = sum[k];
      }
    }
    for (int j = 0; j < N; ++j) solve_factors(factors.data(), of_u[j].data(), solved[j].data(), N);
    for (int j = 0; j < N; ++j)
      for (int k = 0; k < N; ++k) {
        double sum = 0;
        for (int i = 0; i < N; ++i) sum += of_v[j][i] * solved[k][i] + solved[j][i] * of_v[k][i];
        out(j, k) += sum;
        out(N + j, k) = out(k, N + j) = -solved[k][j];
        out(N + j, N + k) = 0;
      }
    return factors;
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
