// A plug-in whose registration fails after good entries of several kinds.
#include <stdexcept>

#include "defective.hpp"
#include "gnomon/solve/nonlinear_solver.hpp"

namespace {

class HalfSolver final : public gnomon::SolverFactory {
 public:
  std::string name() const override { return "half-registered-solver"; }
  std::string description() const override { return "never seen"; }
  std::unique_ptr<gnomon::NonlinearSolver> create(const gnomon::Options&) const override { return nullptr; }
};

}  // namespace

GNOMON_PLUGIN(throwing) {
  for (const char* name : {"half-registered", "also-registered"})
    registrar.add(
        std::unique_ptr<gnomon::Problem>(new gnomon::test::DefectiveProblem(name, gnomon::test::Defect::none)));
  registrar.add(std::make_unique<HalfSolver>());
  throw std::runtime_error("its licence has expired");
}
