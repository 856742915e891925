#include "mechanism/formula_outputs.hpp"

#include <algorithm>

namespace gnomon::mechanism {

namespace {

/// lambda has one entry a constraint, then one an obstacle.
class FormulaOutputs final : public OutputModel {
 public:
  explicit FormulaOutputs(std::shared_ptr<const Elaborated> all) : all_(std::move(all)) {}

  std::vector<Output> outputs() const override { return all_->output_names; }
  bool uses_multipliers() const override {
    return std::any_of(all_->outputs.begin(), all_->outputs.end(),
                       [](const Line& line) { return (line.formula->uses & of_multipliers) != 0; });
  }
  void evaluate(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override {
    const Arguments<double> arguments{&t, q.data(), v.data(), lambda.data()};
    DefinitionValues<double> definitions(all_->values);
    for (const Line& line : all_->outputs)
      out[line.entry] = Evaluation<double>(all_->values, arguments, line.slots, &definitions)(*line.formula);
  }

 private:
  std::shared_ptr<const Elaborated> all_;
};

}  // namespace

std::shared_ptr<const OutputModel> formula_outputs(std::shared_ptr<const Elaborated> all, const Vector& q,
                                                   const Vector& v) {
  if (all->outputs.empty()) return nullptr;
  const Vector lambda = Vector::Zero(all->m + static_cast<Index>(all->obstacles.size()));
  Vector values(static_cast<Index>(all->outputs.size()));
  auto outputs = std::make_shared<const FormulaOutputs>(std::move(all));
  outputs->evaluate(0, q, v, lambda, values);
  return outputs;
}

}  // namespace gnomon::mechanism
