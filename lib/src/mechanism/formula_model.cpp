#include "mechanism/formula_model.hpp"

#include <algorithm>

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

}  // namespace gnomon::mechanism
