#include "gnomon/solve/linear_response.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/formula/winding.hpp"
#include "gnomon/model/constraint_sizes.hpp"
#include "gnomon/model/outputs.hpp"
#include "gnomon/start/consistency.hpp"
#include "solve/held_constraints.hpp"
#include "solve/six_points.hpp"

namespace gnomon {

namespace {

/// A model at places beside the one that is linearised.
class Beside {
 public:
  Beside(const ProblemInstance& instance, const LinearisedAt& at)
      : instance_(instance),
        model_(*instance.model->mechanical()),
        held_(held_constraints(model_, at.closed)),
        system_(*held_.system),
        lambda_(held_.lambda(at.lambda)),
        t_(at.t) {}

  Index n() const { return system_.n(); }
  Index n_held() const { return static_cast<Index>(held_.rows.size()); }
  const HeldConstraints& held() const { return held_; }
  const System& system() const { return system_; }

  Vector velocity(const Vector& q, const Vector& p) const {
    Vector scratch(n()), v(n());
    system_.velocity(q, p, scratch, v);
    return v;
  }
  /// C(q), the rows that hold.
  Matrix rows(const Vector& q) const {
    Vector values(system_.constraint_pattern().nonzeros());
    system_.constraint_jacobian(t_, q, values);
    return rows_of(to_dense(system_.constraint_pattern(), values), held_.rows);
  }
  /// -T_q - U_q + Q
  Vector forces(const Vector& q, const Vector& p, const Vector& v) const {
    Vector out(n()), term(n()), rest(n());
    system_.potential_gradient(t_, q, out);
    if (system_.parts().mass) {
      system_.parts().mass->kinetic_gradient(q, p, term, rest);
      out += term;
    }
    if (system_.parts().force) {
      system_.parts().force->force(t_, q, v, term);
      out -= term;
    }
    return -out;
  }
  /// [T_p; -T_q - U_q - C^T lambda + Q; g; C T_p + c_t], lambda that of the place
  void rates(const Vector& q, const Vector& p, VectorRef out) const {
    const Vector v = velocity(q, p);
    Vector of_all(system_.m());
    out.head(n()) = v;
    out.segment(n(), n()) = forces(q, p, v);
    if (n_held() == 0) return;
    const Matrix C = rows(q);
    for (Index k = 0; k < n_held(); ++k) out.segment(n(), n()) -= lambda_[row(k)] * C.row(k).transpose();
    system_.constraints(t_, q, of_all);
    for (Index k = 0; k < n_held(); ++k) out[2 * n() + k] = of_all[row(k)];
    system_.constraint_velocity(t_, q, v, of_all);
    for (Index k = 0; k < n_held(); ++k) out[2 * n() + n_held() + k] = of_all[row(k)];
  }

  Index n_outputs() const { return instance_.outputs ? static_cast<Index>(instance_.outputs->outputs().size()) : 0; }
  /// rank: that of C at the place
  void outputs(const Vector& q, const Vector& p, Index rank, VectorRef out) const {
    if (n_outputs() == 0) return;
    const Vector v = velocity(q, p);
    const bool reads = instance_.outputs->uses_multipliers();
    instance_.outputs->evaluate(t_, q, v, reads ? multipliers(q, p, v, rank) : Vector(), out);
  }
  Index rank(const Vector& q) const {
    if (n_held() == 0) return 0;
    const Matrix R = scaled_rows(rows(q), Eigen::LLT<Matrix>(mass_at(system_, q)), nullptr);
    Eigen::ColPivHouseholderQR<Matrix> qr(R);
    qr.setThreshold(thresholds::rank);
    return qr.rank();
  }
  std::string name_of(Index held) const {
    const Index of_state = held_.multipliers[static_cast<std::size_t>(held)];
    if (of_state < model_.m()) return "constraint " + constraint_name(model_, of_state);
    const std::vector<std::string> names = model_.parts().obstacles->obstacle_names();
    const auto obstacle = static_cast<std::size_t>(of_state - model_.m());
    return "obstacle " + (obstacle < names.size() ? names[obstacle] : std::to_string(obstacle));
  }

 private:
  Index row(Index held) const { return held_.rows[static_cast<std::size_t>(held)]; }

  /// C L^-T, its rows of length one
  static Matrix scaled_rows(const Matrix& C, const Eigen::LLT<Matrix>& L, Vector* lengths) {
    Matrix R = L.matrixL().solve(C.transpose()).transpose();
    if (lengths) lengths->setOnes(R.rows());
    for (Index i = 0; i < R.rows(); ++i)
      if (const double length = R.row(i).norm(); length > 0) {
        R.row(i) /= length;
        if (lengths) (*lengths)[i] = length;
      }
    return R;
  }
  /// Those of constraints and obstacles that belong to the state: with L L^T = M, R = C L^-T and a = L^T v',
  ///     a = L^-1 (forces - C^T lambda) + L^T (v' at p' = 0),    R a = -bias
  Vector multipliers(const Vector& q, const Vector& p, const Vector& v, Index rank) const {
    Vector all = Vector::Zero(model_.m() + model_.parts().n_obstacles() + model_.parts().n_slips());
    if (n_held() == 0) return all;
    const Eigen::LLT<Matrix> L(mass_at(system_, q));
    Vector lengths;
    const Matrix R = scaled_rows(rows(q), L, &lengths);
    Vector free = L.matrixL().solve(forces(q, p, v)), bias(system_.m()), right(n_held());
    if (const ConfigurationMass* mass = system_.parts().mass) {
      Vector along_q(n()), along_p(n());
      mass->kinetic_hessian_times(q, p, v, Vector::Zero(n()), along_q, along_p);
      free += L.matrixU() * along_p;
    }
    system_.constraint_bias(t_, q, v, bias);
    for (Index k = 0; k < n_held(); ++k) right[k] = bias[row(k)] / lengths[k];
    // R = U S V^T, or R^T = Q T
    Vector solved;
    if (rank == n_held()) {
      const Eigen::HouseholderQR<Matrix> qr(R.transpose());
      const auto T = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
      solved = T.solve(Vector((qr.householderQ().transpose() * free).head(rank) + T.transpose().solve(right)));
    } else {
      // Rows that repeat others at the place do so beside it up to the square of the distance.
      const Eigen::BDCSVD<Matrix> svd(R, Eigen::ComputeThinU | Eigen::ComputeThinV);
      const Vector S = svd.singularValues().head(rank);
      const Matrix U = svd.matrixU().leftCols(rank), V = svd.matrixV().leftCols(rank);
      solved = U * (V.transpose() * free + (U.transpose() * right).cwiseQuotient(S)).cwiseQuotient(S);
    }
    for (Index k = 0; k < n_held(); ++k) all[held_.multipliers[static_cast<std::size_t>(k)]] = solved[k] / lengths[k];
    return all;
  }

  const ProblemInstance& instance_;
  const System& model_;
  const HeldConstraints held_;
  const System& system_;
  const Vector lambda_;
  const double t_;
};

/// Throws where the derivative by the input moves a constraint.
void require_place_stays(const Beside& model, const LinearisedAt& at, const ModelInput& input, const Vector& g_u,
                         const Vector& psi_u) {
  const System& system = model.system();
  if (model.n_held() == 0) return;
  Vector values(system.constraint_pattern().nonzeros()), sizes(system.m()), rates(system.m());
  system.constraint_jacobian(at.t, at.q, values);
  const Vector mass = system.mass().diagonal_entries();
  constraint_sizes(system.constraint_pattern(), values, mass, at.q, sizes);
  constraint_sizes(system.constraint_pattern(), values, mass, model.velocity(at.q, at.p), rates);
  for (Index k = 0; k < model.n_held(); ++k) {
    const Index row = model.held().rows[static_cast<std::size_t>(k)];
    const bool stays = std::abs(g_u[k]) * input.size <= thresholds::misfit * sizes[row] &&
                       std::abs(psi_u[k]) * input.size <= thresholds::misfit_of_velocity * rates[row];
    if (stays) continue;
    throw Error(ErrorCode::refused, "input " + input.name + " moves " + model.name_of(k) +
                                        ", and inputs of a linearisation act where constraints stay as they are");
  }
}

/// One output a block, from this entry on; one without a derivative is NaN.
void add_outputs(const ProblemInstance& instance, Index from, std::vector<EntriesOf>& blocks) {
  if (!instance.outputs) return;
  for (const Output& output : instance.outputs->outputs()) blocks.push_back({++from, "output " + output.name, false});
}

/// The largest entry, or one.
double size_or_one(const Vector& x) {
  const double size = x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0;
  return size > 0 ? size : 1;
}

}  // namespace

LinearResponse linear_response(const ProblemInstance& instance, const LinearisedAt& at, const Linearisation& linear,
                               const std::vector<ModelInput>& inputs, const ChangedInput& changed) {
  const Beside here(instance, at);
  const Index n = here.n(), held = here.n_held(), N = linear.n_positions(), w = linear.n_velocities();
  std::vector<int> turns = at.turns;
  if (const ContinuousAngles* angles = here.system().parts().angles; angles && turns.empty()) {
    turns.assign(static_cast<std::size_t>(angles->n_angles()), 0);
    Vector found(angles->n_angles());
    angles->count(at.t, at.q, turns, found);
  }
  const Windings near(turns);
  const bool reads = instance.outputs && instance.outputs->uses_multipliers();
  const Index outputs = here.n_outputs(), rank = reads ? here.rank(at.q) : 0;
  LinearResponse response;

  // N^T M and W^T, whose columns are those of 1/M of the columns of N and of M W.
  const Matrix M = mass_at(here.system(), at.q);
  const Matrix W = Eigen::LLT<Matrix>(M).solve(linear.momenta);
  response.B.resize(N + w, static_cast<Index>(inputs.size()));
  response.D.resize(outputs, response.B.cols());
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const auto f = [&](double change, VectorRef out) {
      const ProblemInstance other = changed(k, change);
      const Beside beside(other, at);
      beside.rates(at.q, at.p, out.head(2 * (n + held)));
      beside.outputs(at.q, at.p, rank, out.tail(outputs));
    };
    std::vector<EntriesOf> blocks{{n, "the velocity"}, {2 * n, "the force"}};
    for (Index i = 0; i < 2 * held; ++i) blocks.push_back({2 * n + i + 1, here.name_of(i % held)});
    add_outputs(instance, 2 * (n + held), blocks);
    const Vector by = six_point_derivative(f, inputs[k].size, blocks, "input " + inputs[k].name);
    require_place_stays(here, at, inputs[k], by.segment(2 * n, held), by.segment(2 * n + held, held));
    const auto column = static_cast<Index>(k);
    response.B.col(column) << linear.positions.transpose() * (M * by.head(n)), W.transpose() * by.segment(n, n);
    response.D.col(column) = by.tail(outputs);
  }

  response.C.resize(outputs, N + w);
  if (outputs == 0) return response;
  std::vector<EntriesOf> blocks;
  add_outputs(instance, 0, blocks);
  const double place = size_or_one(at.q), speed = size_or_one(here.velocity(at.q, at.p));
  for (Index j = 0; j < N + w; ++j) {
    const Vector dq = j < N ? Vector(linear.positions.col(j)) : Vector::Zero(n);
    const Vector dp = j < N ? linear.carried.col(j) : linear.momenta.col(j - N);
    const double size = j < N ? place / size_or_one(dq) : speed / size_or_one(W.col(j - N));
    const auto f = [&](double change, VectorRef out) {
      here.outputs(at.q + change * dq, at.p + change * dp, rank, out);
    };
    response.C.col(j) = six_point_derivative(f, size, blocks, j < N ? "positions" : "velocities");
  }
  return response;
}

}  // namespace gnomon
