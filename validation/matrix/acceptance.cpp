#include "matrix/acceptance.hpp"

#include <algorithm>
#include <cctype>

#include "gnomon/base/error.hpp"

namespace gnomon::matrix {

namespace {

/// The sentence without what only names who refuses whom, where it begins with that, and without who takes it.
std::string reason_of(std::string sentence, const std::string& model) {
  sentence = sentence.substr(0, std::min(sentence.find("; it is taken by "), sentence.find("; no scheme takes it")));
  for (const std::string& ending :
       {" does not take system \"" + model + "\": ", "system \"" + model + "\" cannot be taken as an ",
        ": system " + model + " ", "system " + model + " "}) {
    const auto at = sentence.find(ending);
    if (at == std::string::npos) continue;
    const std::string rest = sentence.substr(at + ending.size());
    return ending.find("cannot") == std::string::npos ? rest : "is no " + rest;
  }
  return sentence;
}

Answer::Kind kind_of(const Promises& promises) {
  return promises.energy            ? Answer::Kind::energy
         : promises.discrete_energy ? Answer::Kind::discrete_energy
                                    : Answer::Kind::accepted;
}

Answer::Kind start(const Registry& registry, const std::string& name, bool is_reference,
                   const ProblemInstance& instance) {
  if (!is_reference) return kind_of(registry.integrator(instance, name, "kinsol-newton").promises());
  const Reference& reference = registry.reference(name);
  reference.start(instance, Options("reference " + name, reference.options()));
  return Answer::Kind::accepted;
}

Answer ask(const Registry& registry, const std::string& name, bool is_reference, const ProblemInstance& instance) {
  try {
    return {start(registry, name, is_reference, instance), ""};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    return {Answer::Kind::refused, reason_of(error.what(), instance.model->name())};
  }
}

char letter(Answer::Kind kind) {
  switch (kind) {
    case Answer::Kind::energy:
      return 'E';
    case Answer::Kind::discrete_energy:
      return 'D';
    case Answer::Kind::accepted:
      return 'X';
    case Answer::Kind::refused:
      break;
  }
  return '-';
}

}  // namespace

std::string Cell::mark() const {
  std::string text;
  if (any.kind != Answer::Kind::refused || refused()) text += letter(any.kind);
  if (partial()) text += static_cast<char>(std::tolower(letter(quadratic->kind)));
  return text;
}

std::vector<Row> acceptance(const Registry& registry, const std::vector<ModelKind>& kinds) {
  std::vector<Row> rows;
  const auto append = [&](const std::string& name, bool is_reference) {
    Row row{name, is_reference, {}};
    for (const ModelKind& kind : kinds) {
      Cell cell{ask(registry, name, is_reference, kind.any), std::nullopt};
      if (kind.quadratic) cell.quadratic = ask(registry, name, is_reference, *kind.quadratic);
      row.cells.push_back(std::move(cell));
    }
    rows.push_back(std::move(row));
  };
  for (const auto& name : registry.schemes()) append(name, false);
  for (const auto& name : registry.references()) append(name, true);
  return rows;
}

void add(std::vector<Reason>& all, const std::string& text, bool partial, const std::string& name, std::size_t column) {
  auto reason =
      std::find_if(all.begin(), all.end(), [&](const Reason& r) { return r.text == text && r.partial == partial; });
  if (reason == all.end()) reason = all.insert(all.end(), Reason{text, partial, {}});
  if (reason->places.empty() || reason->places.back().name != name) reason->places.push_back({name, {}});
  reason->places.back().columns.push_back(column);
}

std::vector<Reason> reasons(const std::vector<Row>& rows) {
  std::vector<Reason> all;
  for (const bool partial : {false, true})
    for (const Row& row : rows)
      for (std::size_t column = 0; column < row.cells.size(); ++column) {
        const Cell& cell = row.cells[column];
        if (cell.any.kind != Answer::Kind::refused || cell.refused() == partial) continue;
        add(all, partial ? cell.any.reason : cell.best().reason, partial, row.name, column);
      }
  return all;
}

}  // namespace gnomon::matrix
