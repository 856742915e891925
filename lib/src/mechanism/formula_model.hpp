#pragma once
/// \file
/// The AutodiffModel that a model file is: FormulaModel, or SlippingModel with Coulomb friction at its obstacles.

#include <Eigen/Cholesky>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/formula/workspace.hpp"
#include "gnomon/model/autodiff_system.hpp"
#include "mechanism/elaborated.hpp"

namespace gnomon::mechanism {

/// What both have. Every part is there; which of them are used is said by describe().
struct FormulaParts : AutodiffModel<Dynamic, Dynamic> {
  std::shared_ptr<const Elaborated> all;

  /// Throws Error(bad_value) for a mass that is not positive definite, M(q) at the start.
  FormulaParts(std::shared_ptr<const Elaborated> elaborated, const Vector& start)
      : AutodiffModel(elaborated->n, elaborated->m), all(std::move(elaborated)), mass_(make_mass(start)) {}

  ModelTraits describe() const;
  /// The constant mass, or M(q) at the start.
  const Mass& mass() const { return mass_; }
  /// M v = p
  void velocities(const double* q, const double* p, double* v) const;

  template <class S>
  void mass_matrix(const S* q, S* out) const {
    const Index n = all->n;
    DefinitionValues<S> definitions(all->values);
    for (const Line& line : all->mass)
      out[all->dense_mass ? line.entry : line.entry * (n + 1)] =
          value<S>(line, {nullptr, q, nullptr, nullptr}, definitions);
    for (const auto& [line, column] : all->couplings)
      out[line.entry * n + column] = out[column * n + line.entry] =
          value<S>(line, {nullptr, q, nullptr, nullptr}, definitions);
  }
  template <class S>
  S potential(const S& t, const S* q) const {
    S total(0.0);
    DefinitionValues<S> definitions(all->values);
    for (const Line& line : all->potential) total = S(total + value<S>(line, {&t, q, nullptr, nullptr}, definitions));
    return total;
  }
  template <class S>
  void invariants(const S* q, S* pi) const {
    fill<S>(all->invariants, {nullptr, q, nullptr, nullptr}, pi);
  }
  template <class S>
  S invariant_potential(int k, const S& pi) const {
    const Line& line = all->invariant_potentials[static_cast<std::size_t>(k)];
    return Evaluation<S>(all->invariant_values, {nullptr, &pi, nullptr, nullptr}, line.slots)(*line.formula);
  }
  template <class S>
  void constraints(const S& t, const S* q, S* g) const {
    fill<S>(all->constraints, {&t, q, nullptr, nullptr}, g);
  }
  template <class S>
  void velocity_constraints(const S& t, const S* q, const S* v, S* psi) const {
    fill<S>(all->velocity_constraints, {&t, q, v, nullptr}, psi);
  }
  template <class S>
  void obstacles(const S* q, S* c) const {
    fill<S>(all->obstacles, {clock(q), q, nullptr, nullptr}, c);
  }
  template <class S>
  void force(const S& t, const S* q, const S* v, S* f) const {
    DefinitionValues<S> definitions(all->values);
    for (const Line& line : all->force)
      f[line.entry] = S(f[line.entry] + value<S>(line, {&t, q, v, nullptr}, definitions));
  }
  std::string symmetry_name(Index a) const { return all->text->symmetries[static_cast<std::size_t>(a)].name; }
  void symmetry_generator(Index a, const double* q, double* xi) const {
    fill<double>(all->symmetries[static_cast<std::size_t>(a)], {nullptr, q, nullptr, nullptr}, xi);
  }
  std::string integral_name(Index a) const { return all->integrals[static_cast<std::size_t>(a)]->name; }
  double integral(Index a, double t, const double* q, const double* p) const;
  /// See NamedFormulas.
  std::string not_finite(double t, const ConstVectorRef& q, const ConstVectorRef& v) const;

 protected:
  /// The time of obstacles.
  template <class S>
  const S* clock(const S* q) const {
    return all->text->clock ? q + (all->n - 1) : nullptr;
  }
  Mass make_mass(const Vector& start) const;
  Mass coupled_mass(const Vector& diagonal) const;
  template <class S>
  S value(const Line& line, const Arguments<S>& arguments, DefinitionValues<S>& definitions) const {
    return Evaluation<S>(all->values, arguments, line.slots, &definitions)(*line.formula);
  }
  template <class S>
  void fill(const std::vector<Line>& lines, const Arguments<S>& arguments, S* out) const {
    DefinitionValues<S> definitions(all->values);
    for (const Line& line : lines) out[line.entry] = value<S>(line, arguments, definitions);
  }

 private:
  Mass mass_;
};

/// A formula that is no number somewhere.
struct NoNumber {
  const Formula* formula;
  std::string name;  ///< of its entry
  double value;      ///< of the derivative, where the formula has a value
  bool derivative;
};

/// The first formula whose value is not finite at t, q and v, or its derivative along v.
std::optional<NoNumber> not_finite_formula(const Elaborated& all, double t, const ConstVectorRef& q,
                                           const ConstVectorRef& v);

struct FormulaModel : FormulaParts {
  using FormulaParts::FormulaParts;
  template <class S>
  void friction(const S* q, const S* v, const S* lambda, S* f) const {
    fill<S>(all->friction, {nullptr, q, v, lambda}, f);
  }
};

struct SlippingModel : FormulaModel {
  using FormulaModel::FormulaModel;
  template <class S>
  void slips(const S* q, S* d) const {
    fill<S>(all->slips, {clock(q), q, nullptr, nullptr}, d);
  }
  template <class S>
  void slip_velocities(const S* q, const S* v, S* u) const {
    fill<S>(all->slip_velocities, {clock(q), q, v, nullptr}, u);
  }
};

}  // namespace gnomon::mechanism
