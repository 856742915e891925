#pragma once
/// \file
/// A solver with the option `algebra`, as a plug-in registers it.

#include <memory>
#include <string>
#include <utility>

#include "gnomon/solve/linear_algebra.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"

namespace gnomon::kernels {

class SolverOnAlgebra final : public SolverFactory {
 public:
  using ListOptions = OptionSpecs (*)(const AlgebraTable&);
  using Create = std::unique_ptr<NonlinearSolver> (*)(const AlgebraTable&, const Options&);

  SolverOnAlgebra(std::string name, std::string description, ListOptions options, Create create,
                  const AlgebraTable& algebras)
      : name_(std::move(name)),
        description_(std::move(description)),
        options_(options),
        create_(create),
        algebras_(&algebras) {}
  std::string name() const override { return name_; }
  std::string description() const override { return description_; }
  OptionSpecs options() const override { return options_(*algebras_); }
  std::unique_ptr<NonlinearSolver> create(const Options& options) const override {
    return create_(*algebras_, options);
  }

 private:
  std::string name_, description_;
  ListOptions options_;
  Create create_;
  const AlgebraTable* algebras_;
};

/// SolverOnAlgebra::Create of a class made from both.
template <class Solver>
std::unique_ptr<NonlinearSolver> make_solver(const AlgebraTable& algebras, const Options& options) {
  return std::make_unique<Solver>(algebras, options);
}

}  // namespace gnomon::kernels
