#pragma once
/// \file
/// AutodiffModel: the base of a model whose U and g are written once, templated on the scalar.

#include <string>
#include <type_traits>

#include "gnomon/base/error.hpp"
#include "gnomon/base/types.hpp"

namespace gnomon {

/// A size that an AutodiffModel gets at run time.
inline constexpr int Dynamic = -1;

/// Base of a model with n coordinates and m constraints. A model derives from AutodiffModel<n, m>, or from
/// AutodiffModel<Dynamic, Dynamic> with the sizes as arguments of the base's constructor, and has the member functions
/// of its parts, each const, and those with S templates on the scalar. Only the mass and the potential are required:
///
///     S potential(const S& t, const S* q) const;                            // U, or U2 with invariants
///     Mass mass() const;                                                    // or a Vector (diagonal), or a Matrix
///     void mass_matrix(const S* q, S* m) const;                             // M(q), n x n, row by row
///     void constraints(const S& t, const S* q, S* g) const;                 // with m > 0, and only then
///     void velocity_constraints(const S& t, const S* q, const S* v, S* psi) const;  // A(q,t) v + b(q,t), beside those
///     void force(const S& t, const S* q, const S* v, S* f) const;           // Q(q,v,t)
///     void friction(const S* q, const S* v, const S* lambda, S* f) const;   // R(q,v,lambda)
///     void obstacles(const S* q, S* c) const;                               // c(q) >= 0
///     void slips(const S* q, S* d) const;                                   // Coulomb friction, one an obstacle
///     void slip_velocities(const S* q, const S* v, S* u) const;             // S(q) v, two for each that slips so
///     void invariants(const S* q, S* pi) const;                             // and then
///     S invariant_potential(int k, const S& pi) const;                      //   V_k(pi_k)
///     S penalty_function(const S& y) const;                                 // r(y)
///     void symmetry_generator(Index a, const double* q, double* xi) const;  // and std::string symmetry_name(Index a)
///     double integral(Index a, double t, const double* q, const double* p) const;         // and integral_name(a)
///     SystemTraits describe() const;                                        // names; all else is found
///
/// A flag `static constexpr bool has_switches = true` keeps a small model on tapes, as larger ones and those with sizes
/// at run time are: then comparisons, abs, min, max and choose(s, a, b) are switches, at which steps end.
///
/// The argument t may be left out. A part exists when its member function does. Outputs are zero before the call, so
/// that entries left unset are zero. Of a model with mass_matrix alone, mass() is M at the start that AutodiffSystem
/// was given; a mass_matrix that does not use q is a constant mass.
template <int N, int M>
struct AutodiffModel {
  static_assert(N > 0 && M >= 0, "AutodiffModel<n, m>: n must be positive and m not negative, or both Dynamic");
  static constexpr int n = N;
  static constexpr int m = M;
  static constexpr Index coordinates() { return N; }
  static constexpr Index multipliers() { return M; }
};

template <>
struct AutodiffModel<Dynamic, Dynamic> {
  AutodiffModel(Index coordinates, Index multipliers) : coordinates_(coordinates), multipliers_(multipliers) {
    if (coordinates < 1 || multipliers < 0)
      throw Error(ErrorCode::bad_size, "a model has " + std::to_string(coordinates) + " coordinates and " +
                                           std::to_string(multipliers) +
                                           " constraints, expected at least one and at least none");
  }
  Index coordinates() const { return coordinates_; }
  Index multipliers() const { return multipliers_; }

 private:
  Index coordinates_, multipliers_;
};

namespace model {

template <int N, int M>
struct Sizes {
  static constexpr int n = N, m = M;
};
template <int N, int M>
Sizes<N, M> sizes_of(const AutodiffModel<N, M>*);
struct NoSizes {
  static constexpr int n = Dynamic, m = Dynamic;
};
GNOMON_EXPORT NoSizes sizes_of(...);

/// The sizes of the base class, whatever members called n and m the model has.
template <class Model>
struct ModelSizes : decltype(sizes_of(static_cast<const Model*>(nullptr))) {
  static_assert(!std::is_same_v<decltype(sizes_of(static_cast<const Model*>(nullptr))), NoSizes>,
                "a model derives publicly from AutodiffModel<n, m> or AutodiffModel<Dynamic, Dynamic>");
};
template <class Model>
Index coordinates_of(const Model& model) {
  return static_cast<const AutodiffModel<ModelSizes<Model>::n, ModelSizes<Model>::m>&>(model).coordinates();
}
template <class Model>
Index multipliers_of(const Model& model) {
  return static_cast<const AutodiffModel<ModelSizes<Model>::n, ModelSizes<Model>::m>&>(model).multipliers();
}

}  // namespace model
}  // namespace gnomon
