#include "gnomon/scheme/newton_matrix.hpp"

#include "gnomon/solve/jacobian_system.hpp"

namespace gnomon {

namespace {

class ChosenMatrix final : public NewtonMatrix {
 public:
  ChosenMatrix(NonlinearEquations& equations, const AlgebraTable& table)
      : scaled_(equations, JacobianSource::analytic) {
    matrix_.attach(scaled_, AlgebraChoice(table, Options("Newton matrix", {algebra_option(table)})),
                   scaled_.size() > ApproximateInverse::few_unknowns);
    for (Vector* v : {&xs_, &columns_, &rows_, &f_}) v->setZero(scaled_.size());
  }

  void prepare(const ConstVectorRef& x) override {
    scale(x);
    matrix_.prepare(xs_);
  }
  bool factorise(const ConstVectorRef& x) override {
    scale(x);
    matrix_.begin();
    return matrix_.evaluate(xs_) == EvaluationStatus::ok && matrix_.factorise();
  }
  bool solve(VectorRef f) override {
    f_ = f.cwiseQuotient(rows_);
    if (!matrix_.solve(f_)) return false;
    f = f_.cwiseProduct(columns_);
    return true;
  }

 private:
  void scale(const ConstVectorRef& x) {
    scaled_.update_scales();
    scaled_.equations().scales(columns_, rows_);
    scaled_.to_scaled(x, xs_);
  }

  ScaledEquations scaled_;
  JacobianSystem matrix_;
  Vector xs_, columns_, rows_, f_;
};

}  // namespace

std::unique_ptr<NewtonMatrix> newton_matrix(NonlinearEquations& equations, const AlgebraTable& table) {
  return std::make_unique<ChosenMatrix>(equations, table);
}

}  // namespace gnomon
