#include "gnomon/linear_algebra.hpp"

#include <algorithm>

#include "gnomon/error.hpp"

namespace gnomon {

namespace {

constexpr Index dense_limit = 60;
constexpr double dense_density = 1.0 / 3;

std::unique_ptr<LinearAlgebra> make(const AlgebraFactory& factory, const Assignments& assignments,
                                    const ScaledEquations& equations) {
  auto algebra = factory.create(Options("algebra " + factory.name(), factory.options(), assignments));
  try {
    algebra->attach(equations.pattern(), equations.equations().blocks());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
    throw Error(ErrorCode::refused, "algebra " + factory.name() + " does not suit the equations: " + error.what());
  }
  return algebra;
}

}  // namespace

std::string unknown_label(const std::vector<Block>& blocks, Index j) {
  for (const Block& block : blocks)
    if (j >= block.offset && j < block.offset + block.size)
      return block.name + "[" + std::to_string(j - block.offset) + "]";
  return "x[" + std::to_string(j) + "]";
}

double density(const SparsityPattern& pattern) {
  const double entries = static_cast<double>(pattern.rows) * static_cast<double>(pattern.cols);
  return entries > 0 ? static_cast<double>(pattern.nonzeros()) / entries : 1;
}

OptionSpec algebra_option(const AlgebraTable& table) {
  std::vector<std::string> names{"auto"};
  for (const std::string& name : table.algebras()) names.push_back(name);
  return OptionSpec::choice_with_options(
      "algebra", std::move(names),
      "linear algebra; auto is dense for at most 60 unknowns or a third nonzero, block-tree where small blocks form a "
      "tree, else klu");
}

AlgebraChoice::AlgebraChoice(const AlgebraTable& table, const Options& solver_options)
    : table_(&table), name_(solver_options.choice("algebra")), own_(solver_options.nested("algebra")) {
  if (name_ == "auto" && !own_.empty())
    throw Error(ErrorCode::bad_value, "algebra." + own_.front().first + " = \"" + own_.front().second +
                                          "\" was assigned while algebra = auto: name the algebra that it belongs to");
}

std::unique_ptr<LinearAlgebra> AlgebraChoice::attach(const ScaledEquations& equations) const {
  if (equations.attached_algebra() != nullptr) return make(*equations.attached_algebra(), {}, equations);
  if (name_ != "auto") return make(table_->algebra(name_), own_, equations);
  if (equations.singular_expected()) return make(table_->algebra("dense"), {{"rank", "revealing"}}, equations);
  if (equations.size() <= dense_limit || density(equations.pattern()) >= dense_density)
    return make(table_->algebra("dense"), {}, equations);
  try {
    return make(table_->algebra("block-tree"), {}, equations);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
  }
  return make(table_->algebra("klu"), {}, equations);
}

}  // namespace gnomon
