// Models with one mistake each, which must not compile: wrong_models.cmake compiles this file once for every CASE and
// looks for the sentence in the compiler's output. CASE 0 has no mistake and must compile.
#include "gnomon/model/autodiff_system.hpp"

using gnomon::Dynamic;
using gnomon::Matrix;
using gnomon::Vector;

#if CASE == 12 || CASE == 13
struct Base : gnomon::AutodiffModel<2, CASE == 12 ? 1 : 0> {
#else
struct Base : gnomon::AutodiffModel<2, 1> {
#endif
  Vector mass() const {
    return Vector::Ones(2);
  }
};
struct Model : Base {
#if CASE != 10
  template <class S>
  S potential(const S& t, const S* q) const {
    return q[0] + t;
  }
#endif
#if CASE != 1 && CASE != 2 && CASE != 12
  template <class S>
  void constraints(const S*, S* g) const {
    g[0] = S(0.0);
  }
#endif
#if CASE == 1  // EXPECT did you mean "constraints"?
  template <class S>
  void constraint(const S*, S*) const {}
#elif CASE == 2   // EXPECT the member function "constraints" of the model must be
  template <class S>
  void constraints(const S*, const S&, S*) const {}
#elif CASE == 3   // EXPECT did you mean "force"?
  template <class S>
  void forces(const S*, const S*, S*) const {}
#elif CASE == 4   // EXPECT the member function "force" of the model must be
  template <class S>
  void force(const S*, const S*, S*) {}  // not const
#elif CASE == 5   // EXPECT did you mean "obstacles"?
  template <class S>
  void obstacle(const S*, S*) const {}
#elif CASE == 6   // EXPECT did you mean "mass_matrix"?
  template <class S>
  void mass_matrices(const S*, S*) const {}
#elif CASE == 7   // EXPECT did you mean "friction"?
  template <class S>
  void frictions(const S*, const S*, const S*, S*) const {}
#elif CASE == 8   // EXPECT did you mean "symmetry_generator"?
  void symmetries(const double*, double*) const {}
#elif CASE == 9   // EXPECT "has_force" contradicts
  static constexpr bool has_force = true;
#elif CASE == 10  // EXPECT did you mean "potential"?
  template <class S>
  S energy(const S&, const S* q) const {
    return q[0];
  }
#elif CASE == 11  // EXPECT "constant_mass" is false, but it has no member function "mass_matrix"
  static constexpr bool constant_mass = false;
#elif CASE == 12  // EXPECT m > 0 constraints in AutodiffModel<n, m>, but no member function "constraints"
#elif CASE == 13  // EXPECT but no constraints (m = 0) in AutodiffModel<n, m>
#elif CASE == 14  // EXPECT the member functions "invariants" and "invariant_potential" of the model go together
  template <class S>
  void invariants(const S*, S*) const {}
#elif CASE == 15  // EXPECT the member function "friction" of the model must be
  template <class S>
  void friction(const S*, const S*, S*) const {}
#endif
};

// Parameters may have any name, and helpers the name of a misspelling when the part is there.
struct Right : gnomon::AutodiffModel<2, 1> {
  double m = 1, n = 2, force = 3, energy_scale = 4;
  template <class S>
  void mass_matrix(const S*, S* a) const {
    a[0] = a[3] = S(m);
  }
  template <class S>
  S energy(const S* q) const {
    return n * q[0];
  }
  template <class S>
  S potential(const S* q) const {
    return energy(q);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    g[0] = q[1] - force * t;
  }
};

#if CASE == 0
using Checked = gnomon::AutodiffSystem<Right>;
#else
using Checked = gnomon::AutodiffSystem<Model>;
#endif
static_assert(sizeof(Checked) > 0);
