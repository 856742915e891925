#include "gnomon/model/autodiff/found_traits.hpp"

#include <cxxabi.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/tape_function.hpp"

namespace gnomon::model {

namespace {

constexpr int not_polynomial = SystemTraits::not_polynomial;

std::string degree_text(int degree) {
  return degree == not_polynomial ? "no polynomial" : "a polynomial of degree " + std::to_string(degree);
}

/// The degree to go by, and its check against the declared one.
void complete_degree(const SystemTraits& traits, const std::optional<RecordedPart>& part, const char* what,
                     int& declared) {
  if (!part || !part->recorded() || part->tape.outputs.empty()) return;
  const int found = part->tape.degree().total;
  if (declared != not_polynomial && (found == not_polynomial || found > declared))
    throw Error(ErrorCode::bad_value, "system " + traits.name + ": " + what + " declared " + degree_text(declared) +
                                          " in q, but the terms show " + degree_text(found) +
                                          "; leave the declaration out, it is found");
  if (part->complete()) declared = found;
}

bool uses_time(const std::optional<RecordedPart>& part, bool declared) {
  if (!part) return false;
  if (!part->recorded()) return declared;
  return part->tape.uses_time || (declared && !part->complete());
}

Error bad_mass(const SystemTraits& traits, const std::string& why) {
  return Error(ErrorCode::bad_value, "system " + traits.name + ": " + why);
}

void check_size(const SystemTraits& traits, Index rows) {
  if (rows != traits.n)
    throw Error(ErrorCode::bad_size, "system " + traits.name + ": the mass matrix has " + std::to_string(rows) +
                                         " rows, expected " + std::to_string(traits.n));
}

template <class Entry>
void check_diagonal(const SystemTraits& traits, const Entry& entry) {
  for (Index j = 0; j < traits.n; ++j)
    if (!(entry(j) > 0))
      throw bad_mass(traits, coordinate_name(traits, j) + " has the mass " + number_text(entry(j)) +
                                 ", expected a positive one: every coordinate needs a mass");
}

std::string branches_of(const RecordedParts& parts) {
  std::string text;
  for (const auto& [part, name] : {std::pair{&parts.potential, "potential"},
                                   {&parts.constraints, "constraints"},
                                   {&parts.velocity_constraints, "velocity_constraints"},
                                   {&parts.obstacles, "obstacles"},
                                   {&parts.slips, "slips"},
                                   {&parts.force, "force"},
                                   {&parts.mass_matrix, "mass_matrix"}}) {
    if (!*part || (*part)->complete()) continue;
    if (!text.empty()) text += "; ";
    text +=
        std::string(name) + ((*part)->recorded() ? ": " + (*part)->tape.branch : ": not recorded, " + (*part)->failure);
  }
  return text;
}

void check_restitutions(const FoundTraits& traits) {
  const Vector& e = traits.restitutions;
  if (e.size() > 0 && e.size() != traits.n_obstacles)
    throw Error(ErrorCode::bad_value, "system " + traits.name + " has " + std::to_string(e.size()) +
                                          " restitutions, expected one for each of its " +
                                          std::to_string(traits.n_obstacles) + " obstacles, or none");
  for (Index i = 0; i < e.size(); ++i) {
    if (std::isnan(e[i]) || (e[i] >= 0 && e[i] <= 1)) continue;
    const auto k = static_cast<std::size_t>(i);
    throw Error(ErrorCode::bad_value,
                "system " + traits.name + ": the restitution of obstacle " +
                    (k < traits.obstacle_names.size() ? traits.obstacle_names[k] : "c[" + std::to_string(i) + "]") +
                    " is " + number_text(e[i]) + ", expected 0 to 1, or NaN for that of the run");
  }
}

}  // namespace

void complete_traits(FoundTraits& traits, const RecordedParts& parts) {
  traits.branches = branches_of(parts);
  complete_degree(traits, parts.potential, "the potential is", traits.potential_degree);
  complete_degree(traits, parts.regular_potential, "the potential beside the invariants is", traits.regular_degree);
  complete_degree(traits, parts.constraints, "the constraints are", traits.constraint_degree);
  complete_degree(traits, parts.obstacles, "the obstacles are", traits.obstacle_degree);
  traits.time_dependent = uses_time(parts.potential, traits.time_dependent) ||
                          uses_time(parts.constraints, traits.time_dependent) ||
                          uses_time(parts.velocity_constraints, traits.time_dependent);
  // Psi has all derivatives, in the places of those of g.
  if (parts.velocity_constraints) traits.constraint_degree = SystemTraits::not_polynomial;
  traits.time_dependent_force = uses_time(parts.force, traits.time_dependent_force);
}

void leave_out_constant(FoundTraits& traits, RecordedParts& parts, double t, const Vector& x) {
  if (!parts.potential || !parts.potential->complete()) return;
  const auto at_start = [&](const Tape& tape) {
    double u = 0;
    TapeFunction(tape, TapeFunction::Patterns::none).value(t, {x.data(), nullptr, nullptr}, &u);
    return std::abs(u);
  };
  Tape without = parts.potential->tape;
  const auto constant = static_cast<double>(without.take_constant());
  if (constant == 0 || !(2 * at_start(without) < at_start(parts.potential->tape))) return;
  parts.potential->tape = std::move(without);
  traits.energy_constant = constant;
}

void check_friction(const FoundTraits& traits, bool slips) {
  check_restitutions(traits);
  const Vector& mu = traits.friction_coefficients;
  const auto refuse = [&](const std::string& why) { throw Error(ErrorCode::bad_value, "system " + traits.name + why); };
  if (!slips && mu.size() > 0)
    refuse(" has " + std::to_string(mu.size()) + " friction coefficients, but no member function \"slips\"");
  if (slips && mu.size() != traits.n_obstacles)
    refuse(" has " + std::to_string(mu.size()) + " friction coefficients, expected one for each of its " +
           std::to_string(traits.n_obstacles) + " obstacles");
  for (Index i = 0; i < mu.size(); ++i)
    if (!(mu[i] >= 0 && std::isfinite(mu[i])))
      refuse(": the friction coefficient of contact " + std::to_string(i) + " is " + number_text(mu[i]) +
             ", expected a finite one of at least zero");
}

void check_slip_velocities(const FoundTraits& traits, const RecordedPart& part) {
  const auto refuse = [&](const std::string& why) { throw Error(ErrorCode::bad_value, "system " + traits.name + why); };
  const std::vector<Index>& contacts = traits.slips_in_space;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const Index i = contacts[k];
    if (i < 0 || i >= traits.n_obstacles || (k > 0 && i <= contacts[k - 1]))
      refuse(": slips_in_space names obstacle " + std::to_string(i) + ", expected ascending ones of its " +
             std::to_string(traits.n_obstacles) + " obstacles");
  }
  if (part.recorded() && part.tape.outputs.size() != 2 * contacts.size())
    refuse(" has " + std::to_string(part.tape.outputs.size()) + " slip velocities, expected two for each of the " +
           std::to_string(contacts.size()) + " obstacles that slip in space");
}

std::vector<std::string> FoundTraits::velocity_constraint_names() const {
  std::vector<std::string> names;
  for (Index i = position_constraints(); i < m; ++i) {
    const auto k = static_cast<std::size_t>(i);
    names.push_back(k < constraint_names.size() && !constraint_names[k].empty() ? constraint_names[k]
                                                                                : "g[" + std::to_string(i) + "]");
  }
  return names;
}

void check_velocity_constraints(const FoundTraits& traits, const RecordedPart& part) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::refused, "system " + traits.name + " has constraints of velocities, and " + why);
  };
  if (!part.complete()) refuse("they branch on a value (" + part.tape.branch + "), which is not supported");
  if (!part.tape.switches.empty())
    refuse("they have switches (" + part.tape.switches.front().name + "), which is not supported");
}

std::string class_name(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? text.get() : mangled;
  name = name.substr(0, name.find('<'));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::string coordinate_name(const SystemTraits& traits, Index j) {
  std::string name = "coordinate " + std::to_string(j);
  for (const Block& block : traits.blocks)
    if (j >= block.offset && j < block.offset + block.size) name += " (" + block.name + ")";
  return name;
}

Mass given_mass(const SystemTraits& traits, const Mass& mass) {
  check_size(traits, mass.size());
  return mass;
}

Mass given_mass(const SystemTraits& traits, const Vector& diagonal) {
  check_size(traits, diagonal.size());
  check_diagonal(traits, [&](Index j) { return diagonal[j]; });
  try {
    return Mass::diagonal(diagonal);
  } catch (const Error& error) {
    throw bad_mass(traits, error.what());
  }
}

Mass given_mass(const SystemTraits& traits, const Matrix& matrix) {
  check_size(traits, matrix.rows());
  check_size(traits, matrix.cols());
  check_diagonal(traits, [&](Index j) { return matrix(j, j); });
  const double scale = thresholds::asymmetry * matrix.cwiseAbs().maxCoeff();
  bool diagonal = true;
  for (Index i = 0; i < traits.n; ++i)
    for (Index j = 0; j < i; ++j) {
      if (!(std::abs(matrix(i, j) - matrix(j, i)) <= scale))
        throw bad_mass(traits, "the mass matrix is not symmetric: entry (" + std::to_string(i) + ", " +
                                   std::to_string(j) + ") = " + number_text(matrix(i, j)) + ", entry (" +
                                   std::to_string(j) + ", " + std::to_string(i) + ") = " + number_text(matrix(j, i)));
      diagonal = diagonal && matrix(i, j) == 0;
    }
  if (diagonal) return given_mass(traits, Vector(matrix.diagonal()));
  try {
    return Mass::dense(matrix);
  } catch (const Error& error) {
    throw bad_mass(traits, error.what());
  }
}

}  // namespace gnomon::model
