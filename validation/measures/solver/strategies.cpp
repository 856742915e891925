#include "measures/solver/strategies.hpp"

namespace gnomon::validation {

std::string Strategy::label() const {
  std::string text = solver;
  for (const auto& [name, value] : options) text += " " + value;
  return text;
}

std::vector<Strategy> strategies(const Registry& registry) {
  std::vector<Strategy> all;
  for (const auto& solver : registry.solvers()) {
    std::vector<std::string> matrices{""};
    for (const auto& spec : registry.solver(solver).options())
      if (spec.name == "matrix") matrices = spec.choices;
    for (const auto& matrix : matrices) {
      if (matrix == "auto") continue;
      all.push_back({solver, {}});
      if (!matrix.empty()) all.back().options.emplace_back("matrix", matrix);
    }
  }
  return all;
}

}  // namespace gnomon::validation
