#include "mechanism/formula_angles.hpp"

#include <string>
#include <utility>
#include <vector>

#include "gnomon/formula/recorded.hpp"
#include "gnomon/formula/tape_function.hpp"
#include "mechanism/evaluation.hpp"

namespace gnomon::mechanism {

namespace {

/// Where an angle is written.
struct AngleText {
  const Definition* definition;
  Formula::NodeIndex node;
};

/// In the order of their numbers.
std::vector<AngleText> angles_of(const ModelText& text) {
  std::vector<AngleText> angles;
  for (const Definition& definition : text.definitions)
    for (std::size_t k = 0; k < definition.formula.nodes.size(); ++k) {
      const Formula::Node& node = definition.formula.nodes[k];
      if (node.kind == Formula::Kind::function && node.id == static_cast<int>(FormulaFunction::winding))
        angles.push_back({&definition, static_cast<Formula::NodeIndex>(k)});
    }
  return angles;
}

class FormulaAngles final : public ContinuousAngles {
 public:
  explicit FormulaAngles(const std::shared_ptr<const Elaborated>& all)
      : texts_(angles_of(*all->text)), angles_(recorded(*all, texts_), TapeFunction::Patterns::none) {
    for (const AngleText& angle : texts_) names_.push_back(angle.definition->target.name);
  }
  Index n_angles() const override { return static_cast<Index>(names_.size()); }
  std::string angle_name(Index i) const override { return names_[static_cast<std::size_t>(i)]; }
  void angles(double t, const ConstVectorRef& q, VectorRef out) const override {
    angles_.value(t, {q.data(), nullptr, nullptr}, out.data());
  }

 private:
  static Tape recorded(const Elaborated& all, const std::vector<AngleText>& texts) {
    const auto count = static_cast<Index>(texts.size());
    return record({all.n, 0, 0}, count, ordinary_point(all.n), [&](const Recorded& t, const auto& x, Recorded* out) {
      DefinitionValues<Recorded> definitions(all.values);
      Evaluation<Recorded> evaluation(all.values, {&t, x[0], nullptr, nullptr}, {}, &definitions);
      for (Index i = 0; i < count; ++i) {
        const AngleText& text = texts[static_cast<std::size_t>(i)];
        out[i] = evaluation.node(text.definition->formula, text.node);
      }
    });
  }

  std::vector<AngleText> texts_;
  std::vector<std::string> names_;
  TapeFunction angles_;
};

}  // namespace

std::shared_ptr<const ContinuousAngles> formula_angles(const std::shared_ptr<const Elaborated>& all) {
  if (all->text->n_angles == 0) return nullptr;
  return std::make_shared<const FormulaAngles>(all);
}

}  // namespace gnomon::mechanism
