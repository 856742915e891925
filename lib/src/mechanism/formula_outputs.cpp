#include "mechanism/formula_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanism/bodies/solids.hpp"

namespace gnomon::mechanism {

namespace {

/// lambda has one entry a constraint, then one an obstacle, then its tangential force, and in space the second one.
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

class FormulaCurves final : public CurveModel {
 public:
  explicit FormulaCurves(std::shared_ptr<const Elaborated> all) : all_(std::move(all)) {}

  std::vector<Curve> curves() const override {
    std::vector<Curve> curves;
    for (const CurveLine& line : all_->curves) {
      const auto& points = line.curve->points;
      Curve curve;
      curve.name = line.name;
      curve.n_points = static_cast<Index>(points.size());
      curve.dimension = static_cast<int>(points.front().size());
      curve.kind = line.curve->kind;
      if (all_->text->mechanism) curve.unit = "m";
      curves.push_back(curve);
    }
    return curves;
  }
  void curve_points(Index k, double t, const ConstVectorRef& q, Matrix& points) const override {
    const CurveLine& line = all_->curves[static_cast<std::size_t>(k)];
    DefinitionValues<double> definitions(all_->values);
    for (Index i = 0; i < points.cols(); ++i)
      for (Index c = 0; c < points.rows(); ++c)
        points(c, i) = Evaluation<double>(all_->values, {&t, q.data(), nullptr, nullptr}, line.slots,
                                          &definitions)(formula(line, i, c));
  }
  void check(double t, const Vector& q) const {
    Matrix points;
    const std::vector<Curve> all = curves();
    for (std::size_t k = 0; k < all.size(); ++k) {
      points.resize(all[k].dimension, all[k].n_points);
      curve_points(static_cast<Index>(k), t, q, points);
      for (Index i = 0; i < points.cols(); ++i)
        for (Index c = 0; c < points.rows(); ++c)
          if (!std::isfinite(points(c, i)))
            throw error_at(formula(all_->curves[k], i, c).place,
                           "a point of curve " + all[k].name + " is " + finite_text(points(c, i)) + " at the start");
    }
  }

 private:
  static const Formula& formula(const CurveLine& line, Index i, Index c) {
    return line.curve->points[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
  }

  std::shared_ptr<const Elaborated> all_;
};

class FormulaSolids final : public SolidModel {
 public:
  FormulaSolids(std::shared_ptr<const Elaborated> all, std::vector<Solid> solids)
      : all_(std::move(all)), solids_(std::move(solids)) {}
  const std::vector<Solid>& solids() const override { return solids_; }
  void pose(Index k, double t, const ConstVectorRef& q, Matrix& pose) const override {
    const CurveText& frame = all_->text->frames[static_cast<std::size_t>(k)];
    DefinitionValues<double> definitions(all_->values);
    Evaluation<double> evaluation(all_->values, {&t, q.data(), nullptr, nullptr}, {}, &definitions);
    pose.resize(3, 4);
    for (Index i = 0; i < 4; ++i)
      for (Index c = 0; c < 3; ++c)
        pose(c, i) = evaluation(frame.points[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)]);
  }

 private:
  std::shared_ptr<const Elaborated> all_;
  std::vector<Solid> solids_;
};

}  // namespace

std::shared_ptr<const SolidModel> make_solids(const std::shared_ptr<const Elaborated>& all, const Poses& poses) {
  if (all->text->frames.empty()) return nullptr;
  return std::make_shared<const FormulaSolids>(all, solids_of(all->text->mechanism->bodies, poses));
}

std::shared_ptr<const OutputModel> formula_outputs(std::shared_ptr<const Elaborated> all, const Vector& q,
                                                   const Vector& v) {
  if (all->outputs.empty()) return nullptr;
  const Vector lambda = Vector::Zero(
      static_cast<Index>(all->constraint_names.size() + 2 * all->obstacles.size() + all->slips_in_space.size()));
  Vector values(static_cast<Index>(all->outputs.size()));
  auto outputs = std::make_shared<const FormulaOutputs>(std::move(all));
  outputs->evaluate(0, q, v, lambda, values);
  return outputs;
}

std::shared_ptr<const CurveModel> make_curves(const std::shared_ptr<const Elaborated>& all, double t, const Vector& q) {
  if (all->curves.empty()) return nullptr;
  auto curves = std::make_shared<const FormulaCurves>(all);
  curves->check(t, q);
  return curves;
}

}  // namespace gnomon::mechanism
