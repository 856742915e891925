#include "gnomon/solve/scaled_equations.hpp"

#include <cmath>
#include <utility>

#include "gnomon/base/finite.hpp"
#include "gnomon/base/interrupt.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/thrown.hpp"

namespace gnomon {

namespace {

/// Central differences of fourth order in scaled unknowns, f'(x) ~ sum_k weight_k f(x + k step)/step: the rounding
/// error is eps/step, and the quotients of discrete derivatives at dq = 0 carry eps/step^2. (At second order the
/// truncation error, step^2/|x|^2 near such quotients, hides errors of a Jacobian.)
constexpr double difference_step = thresholds::fourth_order_spacing;
constexpr std::pair<double, double> difference_weights[] = {
    {-2, 1.0 / 12}, {-1, -2.0 / 3}, {1, 2.0 / 3}, {2, -1.0 / 12}};

/// Evaluates `out`, by make(); the message says what went wrong, or which `entry` of it is not finite.
template <class Make>
EvaluationStatus evaluated(std::string& message, const char* what, const VectorRef& out, const char* entry,
                           Make&& make) {
  try {
    make();
    if (all_finite(out)) return EvaluationStatus::ok;
    message = std::string(what) + ": " + entry + " is not finite";
  } catch (...) {
    message = std::string(what) + ": " + thrown_text();
  }
  return EvaluationStatus::failed;
}

}  // namespace

const char* to_string(JacobianSource source) {
  switch (source) {
    case JacobianSource::analytic:
      return "analytic";
    case JacobianSource::dual:
      return "dual";
    case JacobianSource::differences:
      return "differences";
  }
  return "";
}

ScaledEquations::ScaledEquations(NonlinearEquations& equations, JacobianSource source)
    : equations_(&equations), source_(source) {
  const Index size = equations.size();
  columns_.setOnes(size);
  rows_.setOnes(size);
  for (Vector* v : {&x_, &f_}) v->setZero(size);
  if (equations.approximate_inverse() != nullptr || equations.simplified_newton() != nullptr) w_.setZero(size);
  // What only products and differences need is sized by them.
  if (source != JacobianSource::analytic) colouring();
}

const Colouring& ScaledEquations::colouring() {
  if (colouring_.colours == 0) colouring_ = colour_columns(pattern());
  return colouring_;
}

void ScaledEquations::update_scales() {
  equations_->scales(columns_, rows_);
  rows_ = rows_.cwiseInverse();  // once a step, not once an entry
}

void ScaledEquations::fail(const char* what, const char* why) {
  message_ = std::string(what) + ": " + why;
}

bool ScaledEquations::interrupted(const char* what) {
  if (!flag_is_set(interrupt_)) return false;
  fail(what, "interrupted");
  return true;
}

EvaluationStatus ScaledEquations::residual(const ConstVectorRef& xs, VectorRef fs) {
  ++residuals_;
  if (interrupted("residual")) return EvaluationStatus::failed;
  return evaluated(message_, "residual", fs, "a value", [&] {
    x_ = xs.cwiseProduct(columns_);
    equations_->residual(x_, f_);
    fs = f_.cwiseProduct(rows_);
  });
}

EvaluationStatus ScaledEquations::extended_residual(const ConstVectorRef& x, const ConstVectorRef& low, VectorRef fs) {
  try {
    if (!equations_->extended_residual(x, low, f_)) return EvaluationStatus::failed;
  } catch (...) {
    return EvaluationStatus::failed;
  }
  fs = f_.cwiseProduct(rows_);
  return all_finite(fs) ? EvaluationStatus::ok : EvaluationStatus::failed;
}

EvaluationStatus ScaledEquations::jacobian(const ConstVectorRef& xs, VectorRef values, JacobianSource source) {
  ++jacobians_;
  if (interrupted("Jacobian")) return EvaluationStatus::failed;
  return evaluated(message_, "Jacobian", values, "a value", [&] {
    if (source != JacobianSource::analytic) return coloured(xs, values, source);
    x_ = xs.cwiseProduct(columns_);
    equations_->jacobian(x_, values);
    const SparsityPattern& p = pattern();
    const double *const column = columns_.data(), *const row = rows_.data();
    const Index *const offset = p.offsets.data(), *const index = p.indices.data();
    double* const value = values.data();
    const Index rows = p.rows;
    for (Index i = 0, k = 0; i < rows; ++i) {
      const double r = row[i];
      for (const Index end = offset[i + 1]; k < end; ++k) value[k] *= column[index[k]] * r;
    }
  });
}

void ScaledEquations::set_bodies(const std::vector<int>& of_coordinates) {
  const auto n = static_cast<Index>(of_coordinates.size());
  bodies_.clear();
  if (n == 0) return;
  bodies_.assign(static_cast<std::size_t>(size()), -1);
  for (const Block& block : equations_->blocks())
    for (Index i = 0; i < block.size && block.size % n == 0; ++i)
      bodies_[static_cast<std::size_t>(block.offset + i)] = of_coordinates[static_cast<std::size_t>(i % n)];
}

double ScaledEquations::part_of_allowed(const ConstVectorRef& d) {
  x_ = d.cwiseProduct(columns_);
  return allowed_->part(*equations_->end_errors(), x_);
}

EvaluationStatus ScaledEquations::product(const ConstVectorRef& xs, const ConstVectorRef& ws, VectorRef jw) {
  return evaluated(message_, "Jacobian product", jw, "a value", [&] {
    x_ = xs.cwiseProduct(columns_);
    w_ = ws.cwiseProduct(columns_);
    jw_.resize(size());
    equations_->tangent(x_, w_, jw_);
    jw = jw_.cwiseProduct(rows_);
  });
}

EvaluationStatus ScaledEquations::update_inverse(ApproximateInverse& inverse, const ConstVectorRef& xs) {
  try {
    x_ = xs.cwiseProduct(columns_);
    if (inverse.update(x_)) return EvaluationStatus::ok;
    fail("approximate inverse", "its matrix is singular");
  } catch (...) {
    fail("approximate inverse", thrown_text().c_str());
  }
  return EvaluationStatus::failed;
}

EvaluationStatus ScaledEquations::apply_inverse(ApproximateInverse& inverse, const ConstVectorRef& fs, VectorRef ds) {
  return evaluated(message_, "approximate inverse", ds, "a correction", [&] {
    f_ = fs.cwiseQuotient(rows_);
    w_.resize(size());
    inverse.solve(f_, w_);
    ds = w_.cwiseQuotient(columns_);
  });
}

void ScaledEquations::coloured(const ConstVectorRef& xs, VectorRef values, JacobianSource source) {
  std::size_t colour = 0;
  for (Vector* v : {&w_, &jw_}) v->resize(size());
  for (const auto& columns : colouring().columns) {
    if (source == JacobianSource::dual) {
      w_.setZero();
      for (const Index j : columns) w_[j] = columns_[j];
      x_ = xs.cwiseProduct(columns_);
      equations_->tangent(x_, w_, jw_);
    } else {
      w_.setZero();
      for (const auto& [steps, weight] : difference_weights) {
        xs_ = xs;
        for (const Index j : columns) xs_[j] += steps * difference_step;
        x_ = xs_.cwiseProduct(columns_);
        equations_->residual(x_, f_);
        w_ += weight * f_;
      }
      jw_ = w_ / difference_step;
    }
    for (const auto& [row, position] : colouring_.entries[colour++]) values[position] = jw_[row] * rows_[row];
  }
}

double compare_jacobians(ScaledEquations& equations, const ConstVectorRef& xs, JacobianSource a, JacobianSource b,
                         double* outside) {
  const SparsityPattern& p = equations.pattern();
  Vector va = Vector::Zero(p.nonzeros()), vb = Vector::Zero(p.nonzeros());
  if (equations.jacobian(xs, va, a) != EvaluationStatus::ok || equations.jacobian(xs, vb, b) != EvaluationStatus::ok)
    return std::numeric_limits<double>::infinity();
  const double largest = std::max(va.lpNorm<Eigen::Infinity>(), thresholds::no_division_by_zero);
  if (outside) {
    *outside = 0;
    const Index n = equations.size();
    Vector plus(n), minus(n), shifted(n);
    for (Index j = 0; j < n; ++j) {
      shifted = xs;
      shifted[j] += difference_step;
      equations.residual(shifted, plus);
      shifted[j] -= 2 * difference_step;
      equations.residual(shifted, minus);
      for (Index i = 0; i < n; ++i)
        if (p.find(i, j) < 0)
          *outside = std::max(*outside, std::abs(plus[i] - minus[i]) / (2 * difference_step) / largest);
    }
  }
  return (va - vb).lpNorm<Eigen::Infinity>() / largest;
}

}  // namespace gnomon
