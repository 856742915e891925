#pragma once
/// \file
/// An OverdeterminedSystem from v, f, r, g (and p, where it is not z) written once, templated on the scalar.
/// Derivatives come from (nested) forward duals of compile-time width, on the stack: meant for models of up to some
/// twenty unknowns.

#include <array>
#include <utility>

#include "gnomon/formula/dual.hpp"
#include "gnomon/model/overdetermined.hpp"

namespace gnomon {

/// Base of a model. A model derives from AutodiffOverdeterminedModel<ny, nz, m> and provides
///
///     OverdeterminedTraits describe() const;              // name, affine, names; sizes are filled in
///     template <class S> void velocity(const S* y, const S* z, S* v) const;
///     template <class S> void force(const S* y, const S* z, S* f) const;
///     template <class S> void multiplier_force(const S* y, const S* z, const S* psi, S* r) const;
///     template <class S> void constraints(const S* y, S* g) const;
///
/// and, hiding the defaults here, momentum(y, z, p) where p is not z, and where the model has an energy
///
///     static constexpr bool has_energy = true;
///     template <class S> S energy(const S* y, const S* z) const;                // E
///     template <class S> S power(const S* y, const S* z, const S* psi) const;   // dE/dt, e.g. of friction
template <int NY, int NZ, int M>
struct AutodiffOverdeterminedModel {
  static constexpr int ny = NY;
  static constexpr int nz = NZ;
  static constexpr int m = M;
  static constexpr bool has_energy = false;

  template <class S>
  void momentum(const S*, const S* z, S* p) const {
    for (int j = 0; j < NZ; ++j) p[j] = z[j];
  }
};

/// Of a model that is written once.
template <class Written>
class AutodiffOverdetermined final : public OverdeterminedSystem {
  static constexpr int NY = Written::ny;
  static constexpr int NZ = Written::nz;
  static constexpr int M = Written::m;

 public:
  explicit AutodiffOverdetermined(Written model) : model_(std::move(model)), traits_(model_.describe()) {
    traits_.ny = NY;
    traits_.nz = NZ;
    traits_.m = M;
    traits_.has_energy = Written::has_energy;
    for (const Term term : all_terms)
      for (const Argument argument : all_arguments) {
        patterns_[index(term, argument)] =
            depends(term, argument) ? SparsityPattern::dense(traits_.rows(term), traits_.size(argument))
                                    : SparsityPattern::from_entries(traits_.rows(term), traits_.size(argument), {});
      }
  }

  const Written& model() const { return model_; }
  const OverdeterminedTraits& traits() const override { return traits_; }

  void evaluate(Term term, const OverdeterminedPoint& at, VectorRef out) const override {
    apply(term, at.y.data(), at.z.data(), at.psi.data(), out.data());
  }

  void tangent(Term term, const OverdeterminedPoint& at, const OverdeterminedPoint& direction,
               VectorRef out) const override {
    Point<Dual1> x(at);
    for (int j = 0; j < NY; ++j) x.y[j].grad[0] = direction.y[j];
    for (int j = 0; j < NZ; ++j) x.z[j].grad[0] = direction.z[j];
    for (int j = 0; j < M; ++j) x.psi[j].grad[0] = direction.psi[j];
    std::array<Dual1, largest> f;
    apply(term, x.y.data(), x.z.data(), x.psi.data(), f.data());
    for (Index i = 0; i < out.size(); ++i) out[i] = f[static_cast<std::size_t>(i)].grad[0];
  }

  const SparsityPattern& pattern(Term term, Argument argument) const override {
    return patterns_[index(term, argument)];
  }

  void jacobian(Term term, Argument argument, const OverdeterminedPoint& at, VectorRef values) const override {
    switch (argument) {
      case Argument::y:
        return derivative<NY>(term, at, values, [](auto& x) { return x.y.data(); });
      case Argument::z:
        return derivative<NZ>(term, at, values, [](auto& x) { return x.z.data(); });
      case Argument::psi:
        return derivative<M>(term, at, values, [](auto& x) { return x.psi.data(); });
    }
  }

  double energy(const OverdeterminedPoint& at) const override {
    if constexpr (Written::has_energy) return model_.energy(at.y.data(), at.z.data());
    return OverdeterminedSystem::energy(at);
  }
  double power(const OverdeterminedPoint& at) const override {
    if constexpr (Written::has_energy) return model_.power(at.y.data(), at.z.data(), at.psi.data());
    return OverdeterminedSystem::power(at);
  }

 private:
  static constexpr int largest = NY > NZ ? (NY > M ? NY : M) : (NZ > M ? NZ : M);

  template <class S>
  struct Point {
    explicit Point(const OverdeterminedPoint& at) {
      for (int j = 0; j < NY; ++j) y[j] = S(at.y[j]);
      for (int j = 0; j < NZ; ++j) z[j] = S(at.z[j]);
      for (int j = 0; j < M; ++j) psi[j] = S(at.psi[j]);
    }
    std::array<S, NY> y;
    std::array<S, NZ> z;
    std::array<S, M> psi;
  };

  static bool depends(Term term, Argument argument) {
    if (argument == Argument::psi) return term == Term::multiplier_force;
    return argument == Argument::y || term != Term::constraint;
  }
  static std::size_t index(Term term, Argument argument) {
    return 3 * static_cast<std::size_t>(term) + static_cast<std::size_t>(argument);
  }

  template <class S>
  void apply(Term term, const S* y, const S* z, const S* psi, S* out) const {
    switch (term) {
      case Term::velocity:
        return model_.velocity(y, z, out);
      case Term::momentum:
        return model_.momentum(y, z, out);
      case Term::force:
        return model_.force(y, z, out);
      case Term::multiplier_force:
        return model_.multiplier_force(y, z, psi, out);
      case Term::constraint:
        return model_.constraints(y, out);
      case Term::hidden: {  // the derivative of g along v
        std::array<S, NY> v;
        model_.velocity(y, z, v.data());
        std::array<Dual<S, 1>, NY> along;
        for (int j = 0; j < NY; ++j) {
          along[j].value = y[j];
          along[j].grad[0] = v[j];
        }
        std::array<Dual<S, 1>, M> g;
        model_.constraints(along.data(), g.data());
        for (int i = 0; i < M; ++i) out[i] = g[i].grad[0];
        return;
      }
    }
  }

  template <int N, class Select>
  void derivative(Term term, const OverdeterminedPoint& at, VectorRef values, Select select) const {
    using S = Dual<double, N>;
    Point<S> x(at);
    S* seeded = select(x);
    for (int j = 0; j < N; ++j) seeded[j].grad[j] = 1;
    std::array<S, largest> f;
    apply(term, x.y.data(), x.z.data(), x.psi.data(), f.data());
    for (Index i = 0; i < traits_.rows(term); ++i)
      for (int j = 0; j < N; ++j) values[i * N + j] = f[static_cast<std::size_t>(i)].grad[j];
  }

  Written model_;
  OverdeterminedTraits traits_;
  std::array<SparsityPattern, 18> patterns_;
};

}  // namespace gnomon
