#include "mechanism/formula_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

namespace gnomon::mechanism {

ModelTraits FormulaParts::describe() const {
  ModelTraits traits;
  const ModelText& text = *all->text;
  traits.name = text.name;
  for (std::size_t k = 0; k < text.coordinates.size(); ++k)
    traits.blocks.push_back(
        {text.coordinates[k].name, all->values.coordinates[k].offset, all->values.coordinates[k].size()});
  traits.constraint_names = all->constraint_names;
  traits.obstacle_names = all->obstacle_names;
  traits.friction_coefficients = Eigen::Map<const Vector>(all->friction_coefficients.data(),
                                                          static_cast<Index>(all->friction_coefficients.size()));
  traits.restitutions =
      Eigen::Map<const Vector>(all->restitutions.data(), static_cast<Index>(all->restitutions.size()));
  traits.slips_in_space = all->slips_in_space;
  traits.n_symmetries = static_cast<Index>(all->symmetries.size());
  traits.n_integrals = static_cast<Index>(all->integrals.size());
  traits.angles = all->angles;
  traits.absent.constraints = all->m == 0;
  traits.absent.force = all->force.empty();
  traits.absent.friction = all->friction.empty();
  traits.absent.mass_matrix = !all->mass_depends_on_positions;
  traits.absent.symmetries = all->symmetries.empty();
  traits.absent.integrals = all->integrals.empty();
  return traits;
}

Mass FormulaParts::make_mass(const Vector& start) const {
  SystemTraits traits = describe();
  traits.n = all->n;
  if (all->mass_depends_on_positions) {
    Matrix matrix = Matrix::Zero(all->n, all->n);
    mass_matrix(start.data(), matrix.data());
    return model::given_mass(traits, Matrix(matrix.transpose()));
  }
  if (!all->dense_mass) {
    Vector diagonal(all->n);
    fill<double>(all->mass, {}, diagonal.data());
    if (all->couplings.empty()) return model::given_mass(traits, diagonal);
    return coupled_mass(diagonal);
  }
  Matrix matrix(all->n, all->n);
  fill<double>(all->mass, {}, matrix.data());
  return model::given_mass(traits, Matrix(matrix.transpose()));
}

Mass FormulaParts::coupled_mass(const Vector& diagonal) const {
  const Index n = all->n;
  PatternBuilder entries(n, n);
  for (Index j = 0; j < n; ++j) entries.add(j, j);
  for (const auto& [line, column] : all->couplings) {
    entries.add(line.entry, column);
    entries.add(column, line.entry);
  }
  const SparsityPattern pattern = entries.build();
  Vector values = Vector::Zero(pattern.nonzeros());
  for (Index j = 0; j < n; ++j) values[pattern.find(j, j)] = diagonal[j];
  DefinitionValues<double> definitions(all->values);
  for (const auto& [line, column] : all->couplings)
    values[pattern.find(line.entry, column)] = values[pattern.find(column, line.entry)] =
        value<double>(line, {}, definitions);
  return Mass::sparse(pattern, values);
}

void FormulaParts::velocities(const double* q, const double* p, double* v) const {
  const Index n = all->n;
  const Eigen::Map<const Vector> momentum(p, n);
  Eigen::Map<Vector> out(v, n);
  if (!all->mass_depends_on_positions) {
    mass_.solve(momentum, out);
    return;
  }
  double* const memory = static_cast<double*>(thread_workspace(static_cast<std::size_t>(n * n) * sizeof(double)));
  std::fill_n(memory, n * n, 0.0);
  mass_matrix(q, memory);
  Eigen::Map<Matrix> matrix(memory, n, n);
  const Eigen::LLT<Eigen::Ref<Matrix>> factor(matrix);
  out = momentum;
  factor.solveInPlace(out);
}

double FormulaParts::integral(Index a, double t, const double* q, const double* p) const {
  thread_local std::vector<double> v;
  v.resize(static_cast<std::size_t>(all->n));
  velocities(q, p, v.data());
  DefinitionValues<double> definitions(all->values);
  return value<double>({&all->integrals[static_cast<std::size_t>(a)]->formula, {}, 0}, {&t, q, v.data(), nullptr},
                       definitions);
}

std::optional<NoNumber> not_finite_formula(const Elaborated& all, double t, const ConstVectorRef& q,
                                           const ConstVectorRef& v) {
  std::vector<Dual1> x(static_cast<std::size_t>(2 * all.n));
  for (Index j = 0; j < all.n; ++j) {
    x[static_cast<std::size_t>(j)] = Dual1(q[j]);
    x[static_cast<std::size_t>(j)].grad[0] = v[j];
    x[static_cast<std::size_t>(all.n + j)] = Dual1(v[j]);
  }
  Dual1 time(t);
  time.grad[0] = 1;
  const auto coordinate = [&](Index j) {
    std::size_t k = all.values.coordinates.size() - 1;
    while (all.values.coordinates[k].offset > j) --k;
    const Family& family = all.values.coordinates[k];
    return all.text->coordinates[k].name + (family.ranges.empty() ? "" : "[" + std::to_string(j - family.offset) + "]");
  };
  const auto nothing = [](Index) { return std::string(); };
  const auto of = [](const std::vector<std::string>& names) {
    return [&names](Index i) { return " " + names[static_cast<std::size_t>(i)]; };
  };
  const auto on = [&](Index j) { return " of " + coordinate(j); };
  using Name = std::function<std::string(Index)>;
  DefinitionValues<Dual1> definitions(all.values);
  for (const auto& [lines, what, name] :
       {std::tuple<const std::vector<Line>&, const char*, Name>{all.potential, "the potential", nothing},
        {all.invariants, "an invariant", nothing},
        {all.constraints, "constraint", of(all.constraint_names)},
        {all.velocity_constraints, "constraint", [&](Index i) { return of(all.constraint_names)(all.m + i); }},
        {all.obstacles, "obstacle", of(all.obstacle_names)},
        {all.slips, "the slip of obstacle", of(all.obstacle_names)},
        {all.slip_velocities, "the slip of obstacle",
         [&](Index i) { return of(all.obstacle_names)(all.slips_in_space[static_cast<std::size_t>(i / 2)]); }},
        {all.mass, "the mass", nothing},
        {all.force, "the force", on}})
    for (const Line& line : lines) {
      const Dual1 value = Evaluation<Dual1>(all.values, {&time, x.data(), x.data() + all.n, nullptr}, line.slots,
                                            &definitions)(*line.formula);
      if (std::isfinite(value.value) && std::isfinite(value.grad[0])) continue;
      const bool derivative = std::isfinite(value.value);
      return NoNumber{line.formula, what + name(line.entry), derivative ? value.grad[0] : value.value, derivative};
    }
  return std::nullopt;
}

std::string FormulaParts::not_finite(double t, const ConstVectorRef& q, const ConstVectorRef& v) const {
  const std::optional<NoNumber> found = not_finite_formula(*all, t, q, v);
  if (!found) return {};
  return to_text(found->formula->place) + found->name + ", \"" + found->formula->text + "\", " +
         (found->derivative ? "has a derivative that is " : "is ") + finite_text(found->value) +
         " at t = " + number_text(t);
}

}  // namespace gnomon::mechanism
