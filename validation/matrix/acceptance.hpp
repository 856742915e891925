#pragma once
/// \file
/// Which scheme and which reference takes which kind of model, as they say themselves when they are started.

#include <optional>
#include <string>
#include <vector>

#include "gnomon/registry/registry.hpp"
#include "matrix/model_kinds.hpp"

namespace gnomon::matrix {

/// What a scheme or a reference, with its default options, says to one model.
struct Answer {
  enum class Kind { refused, accepted, discrete_energy, energy };  ///< in this order: the last promises most
  Kind kind = Kind::refused;
  std::string reason;  ///< of a refusal, without the names of the scheme and of the model
};

struct Cell {
  Answer any;
  std::optional<Answer> quadratic;  ///< to ModelKind::quadratic

  /// The answer to the simplest model of the kind.
  const Answer& best() const { return quadratic ? *quadratic : any; }
  bool refused() const { return best().kind == Answer::Kind::refused; }
  /// Accepted for some models of the kind only, or promising the energy for some only.
  bool partial() const { return quadratic && quadratic->kind > any.kind; }
  /// A letter in capitals, a small one for what holds where U, g and c are at most quadratic, both, or "-".
  std::string mark() const;
};

struct Row {
  std::string name;
  bool is_reference = false;
  std::vector<Cell> cells;  ///< one a kind
};

/// All schemes, then all references.
std::vector<Row> acceptance(const Registry& registry, const std::vector<ModelKind>& kinds);

/// The cells that one reason closes: fully, or for all but quadratic U, g and c (of derivatives: backwards alone).
struct Reason {
  struct Place {
    std::string name;
    std::vector<std::size_t> columns;  ///< from 0
  };
  std::string text;
  bool partial = false;
  std::vector<Place> places;
};

/// One more place of a reason.
void add(std::vector<Reason>& all, const std::string& text, bool partial, const std::string& name, std::size_t column);

/// Every refusal, each reason once; those of whole cells come first.
std::vector<Reason> reasons(const std::vector<Row>& rows);

}  // namespace gnomon::matrix
