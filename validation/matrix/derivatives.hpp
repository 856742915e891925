#pragma once
/// \file
/// Which derivatives of the motion there are of which kind of model: those of two steps, by an entry of the start.

#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "matrix/acceptance.hpp"

namespace gnomon::matrix {

struct Derivative {
  bool taken = false;     ///< the model, by the scheme
  std::string forwards;   ///< why there is none; empty: there is one
  std::string backwards;  ///< the same

  /// "B": gradients backwards too, "F": derivatives forwards alone, "!": a model that is taken has none, "-": refused.
  char mark() const { return !taken ? '-' : !forwards.empty() ? '!' : backwards.empty() ? 'B' : 'F'; }
};

struct DerivativeRow {
  std::string name;
  std::vector<Derivative> cells;  ///< one a kind
};

/// Two steps of all schemes are differentiated. rows: what acceptance() said.
std::vector<DerivativeRow> derivatives(const Registry& registry, const std::vector<ModelKind>& kinds,
                                       const std::vector<Row>& rows);

/// Why models that are taken have no derivative, each reason once.
std::vector<Reason> reasons(const std::vector<DerivativeRow>& rows);

}  // namespace gnomon::matrix
