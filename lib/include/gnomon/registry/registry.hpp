#pragma once
/// \file
/// Registry: names to schemes, solvers, algebra, problems and references; built in or loaded from shared modules.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gnomon/model/problem.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/run/integrator.hpp"
#include "gnomon/run/reference.hpp"
#include "gnomon/scheme/scheme.hpp"
#include "gnomon/solve/linear_algebra.hpp"

namespace gnomon {

using RegisterFunction = void (*)(Registrar&);

/// Owns what is registered. Not copyable; no global instance exists.
class GNOMON_EXPORT Registry {
 public:
  Registry();
  ~Registry();
  Registry(Registry&&) noexcept;

  /// Runs a registration function; all of its entries come in or, on an Error (a taken name), none.
  void add(RegisterFunction function, const std::string& origin);
  /// Loads a shared module: checks its manifest, then registers. Throws Error(bad_plugin) with the reason, and leaves
  /// the registry as it was. The module stays loaded for the life of the process.
  void load(const std::string& path);

  /// Where model files are sought that are not found by their path, e.g. "gallery/trebuchet.toml".
  void add_model_folder(const std::string& folder);
  /// The text of a model file under a name that ends in .toml, in place of a file of that name. Throws Error(bad_value)
  /// for what is wrong in it.
  void add_model_text(const std::string& name, const std::string& toml);

  /// Look-ups throw Error(unknown_name) with the nearest known name.
  const Scheme& scheme(const std::string& name) const;
  const SolverFactory& solver(const std::string& name) const;
  const AlgebraFactory& algebra(const std::string& name) const;
  /// A problem by its name, or that of a model file, NAME.toml: it is read when it is asked for first, and what is
  /// wrong in it is thrown as read_model_file does.
  const Problem& problem(const std::string& name) const;
  const Reference& reference(const std::string& name) const;

  std::vector<std::string> schemes() const;
  std::vector<std::string> solvers() const;
  std::vector<std::string> algebras() const;
  std::vector<std::string> problems() const;
  std::vector<std::string> references() const;
  /// All algebra that is registered, now or later, for a solver that is not: see AttachedSolver.
  const AlgebraTable& algebra_table() const;
  /// "built in" or the module's path.
  const std::string& origin(const std::string& name) const;

  /// An integrator that has not started. Where the scheme refuses the model the sentence names others that take it.
  Integrator new_integrator(const ProblemInstance& instance, const std::string& scheme, const SolverFactory& solver,
                            const Assignments& scheme_options = {}, const Assignments& solver_options = {},
                            IntegratorOptions options = {}) const;
  /// Everything by name, started: for programs and tests.
  Integrator integrator(const ProblemInstance& instance, const std::string& scheme, const std::string& solver,
                        const Assignments& scheme_options = {}, const Assignments& solver_options = {},
                        const IntegratorOptions& options = {}) const;
  ProblemInstance build(const std::string& problem, const Assignments& parameters = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Registers everything in the gnomon_builtin library (generated table).
GNOMON_EXPORT void register_builtin(Registry& registry);

}  // namespace gnomon
