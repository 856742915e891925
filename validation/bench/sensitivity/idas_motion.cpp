#include "bench/sensitivity/idas_motion.hpp"

#include <idas/idas.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "gnomon/base/error.hpp"
#include "gnomon/base/sparsity.hpp"
#include "gnomon/base/thrown.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/sundials/sun_linear_system.hpp"

namespace gnomon::bench {

namespace {

/// Unknowns up to which the Jacobian is dense.
constexpr Index most_dense = 150;

/// Central differences of order six and of order two: weights by pairs +-a, +-2a, +-3a, and a in sizes.
constexpr std::array<double, 3> sixth{3. / 4, -3. / 20, 1. / 60}, second{1. / 2, 0, 0};
constexpr double sixth_change = 0x1p-13, second_change = 0x1p-17;

struct FreeIdas {
  void operator()(void* memory) const { IDAFree(&memory); }
};

/// Rows 2 and 3 of F.
void residual_rows(const System& system, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                   const ConstVectorRef& a, VectorRef of_momentum, VectorRef of_constraints) {
  const Index n = system.n(), m = system.m();
  Vector gradient(n), reaction(n), bias(m), values(system.constraint_pattern().nonzeros());
  system.mass().apply(a, of_momentum);
  system.potential_gradient(0, q, gradient);
  system.constraint_jacobian(0, q, values);
  multiply_transposed(system.constraint_pattern(), values, lambda, reaction);
  of_momentum += gradient + reaction;
  system.constraint_bias(0, q, v, bias);
  multiply(system.constraint_pattern(), values, a, of_constraints);
  of_constraints += bias;
}

}  // namespace

struct IdasMotion::Run {
  Run(std::vector<Sensitivities::Parameter> all, const Sensitivities::Make& make, const IdasOptions& with)
      : parameters(std::move(all)),
        options(with),
        weights(with.exact ? sixth : second),
        same(make(0, 0)),
        system(same->integrator.system()),
        n(system.n()),
        m(system.m()),
        size(2 * n + m) {
    refuse_parts();
    if (!options.derivatives) parameters.clear();
    set_start(make);
    set_matrix();
    restart();
  }

  void refuse_parts() const {
    const Parts& parts = system.parts();
    if (parts.mass || parts.time_dependence || parts.velocity_constraints || parts.force || parts.friction ||
        parts.obstacles || parts.penalty)
      throw Error(ErrorCode::refused,
                  "system \"" + system.traits().name +
                      "\" has more than a constant mass, a potential and constraints, which is what "
                      "IDAS is compared on");
  }
  std::size_t pairs() const { return options.exact ? 3 : 1; }

  /// x and x' of a variant's start; the slopes of the multipliers, which only predict, are zero.
  void start_of(const Variant& variant, Vector& at, Vector& slope) const {
    const System& of = variant.integrator.system();
    const State& z = variant.integrator.state();
    const Vector start = z.q.value();
    Vector scratch(n), velocity(n), a, lambda;
    of.velocity(start, z.p.value(), scratch, velocity);
    acceleration(of, 0, start, velocity, a, lambda);
    at.resize(size);
    slope.setZero(size);
    at << start, velocity, lambda;
    slope.head(n) = velocity;
    slope.segment(n, n) = a;
  }
  void set_start(const Sensitivities::Make& make) {
    t0 = same->integrator.state().t;
    start_of(*same, x0, slope0);
    Vector x, slope;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const double change = (options.exact ? sixth_change : second_change) * parameters[i].size;
      changes.push_back(change);
      variants.emplace_back();
      dx0.push_back(Vector::Zero(size));
      dslope0.push_back(Vector::Zero(size));
      for (std::size_t k = 0; k < pairs(); ++k)
        for (const double sign : {1., -1.}) {
          auto variant = make(i, sign * static_cast<double>(k + 1) * change);
          start_of(*variant, x, slope);
          dx0.back() += sign * weights[k] / change * x;
          dslope0.back() += sign * weights[k] / change * slope;
          if (parameters[i].of_model) variants.back().push_back(std::move(variant));
        }
    }
  }

  /// The pattern of F_x + c F_x', and where its blocks lie.
  void set_matrix() {
    PatternBuilder builder(size, size);
    const SparsityPattern diagonal = SparsityPattern::diagonal(n);
    builder.add(diagonal, 0, 0);
    builder.add(diagonal, 0, n);
    builder.add(system.hessian_pattern(), n, 0);
    builder.add(system.mass().pattern(), n, n);
    builder.add(system.constraint_pattern(), n, 2 * n, true);
    builder.add(system.constraint_pattern(), 2 * n, 0);
    builder.add(system.constraint_pattern(), 2 * n, n);
    pattern = builder.build();
    first_diagonal = BlockMap(pattern, diagonal, 0, 0);
    second_diagonal = BlockMap(pattern, diagonal, 0, n);
    of_hessian = BlockMap(pattern, system.hessian_pattern(), n, 0);
    of_mass = BlockMap(pattern, system.mass().pattern(), n, n);
    of_reaction = BlockMap(pattern, system.constraint_pattern(), n, 2 * n, true);
    by_positions = BlockMap(pattern, system.constraint_pattern(), 2 * n, 0);
    by_velocities = BlockMap(pattern, system.constraint_pattern(), 2 * n, n);
    values.resize(pattern.nonzeros());
    const Index entries = system.constraint_pattern().nonzeros();
    g.resize(entries);
    by_v.resize(entries);
    by_q.resize(entries);
    third.resize(entries);
    hessian.resize(system.hessian_pattern().nonzeros());
  }

  void check(int flag, const char* call) const {
    if (flag != 0)
      throw Error(ErrorCode::refused, std::string(call) + " of IDAS returned " + std::to_string(flag) +
                                          (message.text.empty() ? "" : ": " + message.text));
  }
  Eigen::Map<Vector> map(N_Vector vector) const { return {N_VGetArrayPointer(vector), size}; }

  void restart() {
    memory.reset();
    y = serial_vector(size, context);
    yp = serial_vector(size, context);
    tolerances = serial_vector(size, context);
    differential = serial_vector(size, context);
    map(y.get()) = x0;
    map(yp.get()) = slope0;
    const double of_q = x0.head(n).lpNorm<Eigen::Infinity>(), of_a = slope0.segment(n, n).lpNorm<Eigen::Infinity>();
    const double of_v = std::max(x0.segment(n, n).lpNorm<Eigen::Infinity>(), std::sqrt(of_q * of_a));
    map(tolerances.get()).head(n).setConstant(options.rtol * of_q);
    map(tolerances.get()).segment(n, n).setConstant(options.rtol * of_v);
    const double of_lambda = m > 0 ? x0.tail(m).lpNorm<Eigen::Infinity>() : 0;
    map(tolerances.get()).tail(m).setConstant(of_lambda > 0 ? of_lambda : 1);
    map(differential.get()).setOnes();
    map(differential.get()).tail(m).setZero();

    memory.reset(IDACreate(context));
    void* ida = memory.get();
    GNOMON_CAPTURE_MESSAGES(IDASetErrHandlerFn, ida, context, &message);
    check(IDASetUserData(ida, this), "IDASetUserData");
    check(IDAInit(ida, residual, t0, y.get(), yp.get()), "IDAInit");
    check(IDASVtolerances(ida, options.rtol, tolerances.get()), "IDASVtolerances");
    check(IDASetId(ida, differential.get()), "IDASetId");
    check(IDASetSuppressAlg(ida, 1), "IDASetSuppressAlg");
    check(IDASetMaxNumSteps(ida, 1000000), "IDASetMaxNumSteps");
    const bool dense = size <= most_dense;
    matrix.reset(dense ? SUNDenseMatrix(size, size, context)
                       : SUNSparseMatrix(size, size, pattern.nonzeros(), CSR_MAT, context));
    linear.reset(dense ? SUNLinSol_Dense(y.get(), matrix.get(), context)
                       : SUNLinSol_KLU(y.get(), matrix.get(), context));
    check(IDASetLinearSolver(ida, linear.get(), matrix.get()), "IDASetLinearSolver");
    check(IDASetJacFn(ida, jacobian), "IDASetJacFn");
    check(IDASetNonlinConvCoef(ida, options.newton), "IDASetNonlinConvCoef");
    start_sensitivities();
  }
  void start_sensitivities() {
    if (parameters.empty()) return;
    void* ida = memory.get();
    sizes.clear();
    yS.clear();
    ypS.clear();
    all_yS.clear();
    all_ypS.clear();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      sizes.push_back(parameters[i].size);
      yS.push_back(serial_vector(size, context));
      ypS.push_back(serial_vector(size, context));
      map(yS.back().get()) = dx0[i];
      map(ypS.back().get()) = dslope0[i];
      all_yS.push_back(yS.back().get());
      all_ypS.push_back(ypS.back().get());
    }
    check(IDASensInit(ida, static_cast<int>(parameters.size()), IDA_SIMULTANEOUS, sensitivity_residual, all_yS.data(),
                      all_ypS.data()),
          "IDASensInit");
    check(IDASetSensParams(ida, nullptr, sizes.data(), nullptr), "IDASetSensParams");
    check(IDASensEEtolerances(ida), "IDASensEEtolerances");  // those of x, over the size of the parameter
    check(IDASetSensErrCon(ida, 1), "IDASetSensErrCon");
  }

  std::string advance_to(double t) {
    try {
      check(IDASetStopTime(memory.get(), t), "IDASetStopTime");
      double reached = t0;
      const int flag = IDASolve(memory.get(), t, &reached, y.get(), yp.get(), IDA_NORMAL);
      if (flag < 0)
        return "IDAS stopped at t = " + std::to_string(reached) + ": " + (failure.empty() ? message.text : failure);
      if (!parameters.empty()) check(IDAGetSens(memory.get(), &reached, all_yS.data()), "IDAGetSens");
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }

  /// Nothing may be thrown through IDAS.
  template <class F>
  int guarded(F evaluate) noexcept {
    try {
      evaluate();
      return 0;
    } catch (...) {
      failure = thrown_text();
    }
    return -1;
  }

  static int residual(SunReal, N_Vector at, N_Vector slope, N_Vector out, void* self) {
    auto& me = *static_cast<Run*>(self);
    return me.guarded([&] {
      const auto x = me.map(at), xp = me.map(slope);
      auto r = me.map(out);
      const Index n = me.n, m = me.m;
      r.head(n) = xp.head(n) - x.segment(n, n);
      residual_rows(me.system, x.head(n), x.segment(n, n), x.tail(m), xp.segment(n, n), r.segment(n, n), r.tail(m));
    });
  }

  /// G, 2 D(v), D(v') + D3 and Hess(U + lambda.g) at a point.
  void derivatives(const Eigen::Map<Vector>& x, const Eigen::Map<Vector>& xp) {
    system.constraint_jacobian(0, x.head(n), g);
    system.constraint_jacobian_derivative(0, x.head(n), x.segment(n, n), by_v);
    by_v *= 2;
    system.constraint_jacobian_derivative(0, x.head(n), xp.segment(n, n), by_q);
    system.constraint_third(0, x.head(n), x.segment(n, n), x.segment(n, n), third);
    by_q += third;
    system.lagrangian_hessian(0, x.head(n), x.tail(m), hessian);
  }

  static int jacobian(SunReal, SunReal c, N_Vector at, N_Vector slope, N_Vector, SUNMatrix out, void* self, N_Vector,
                      N_Vector, N_Vector) {
    auto& me = *static_cast<Run*>(self);
    return me.guarded([&] {
      me.derivatives(me.map(at), me.map(slope));
      me.values.setZero();
      me.first_diagonal.add(me.values, c);
      me.second_diagonal.add(me.values, -1);
      me.of_hessian.add(me.values, me.hessian, 1);
      me.of_mass.add(me.values, me.system.mass().values(), c);
      me.of_reaction.add(me.values, me.g, 1);
      me.by_positions.add(me.values, me.by_q, 1);
      me.by_velocities.add(me.values, me.g, c);
      me.by_velocities.add(me.values, me.by_v, 1);
      me.write(out);
    });
  }
  void write(SUNMatrix out) const {
    if (size <= most_dense) {
      Eigen::Map<Matrix> to(SUNDenseMatrix_Data(out), size, size);
      to.setZero();
      for (Index i = 0; i < size; ++i)
        for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k) to(i, pattern.indices[k]) = values[k];
      return;
    }
    std::copy(pattern.offsets.begin(), pattern.offsets.end(), SUNSparseMatrix_IndexPointers(out));
    std::copy(pattern.indices.begin(), pattern.indices.end(), SUNSparseMatrix_IndexValues(out));
    std::copy(values.begin(), values.end(), SUNSparseMatrix_Data(out));
  }

  static int sensitivity_residual(int count, SunReal, N_Vector at, N_Vector slope, N_Vector, N_Vector* dx,
                                  N_Vector* dxp, N_Vector* out, void* self, N_Vector, N_Vector, N_Vector) {
    auto& me = *static_cast<Run*>(self);
    return me.guarded([&] {
      const Index n = me.n, m = me.m;
      const auto x = me.map(at), xp = me.map(slope);
      me.derivatives(x, xp);
      const SparsityPattern& constraints = me.system.constraint_pattern();
      Vector part(n), row(m);
      for (int i = 0; i < count; ++i) {
        const auto d = me.map(dx[i]), dp = me.map(dxp[i]);
        auto r = me.map(out[i]);
        r.head(n) = dp.head(n) - d.segment(n, n);
        me.system.mass().apply(dp.segment(n, n), r.segment(n, n));
        multiply(me.system.hessian_pattern(), me.hessian, d.head(n), part);
        r.segment(n, n) += part;
        multiply_transposed(constraints, me.g, d.tail(m), part);
        r.segment(n, n) += part;
        multiply(constraints, me.g, dp.segment(n, n), r.tail(m));
        multiply(constraints, me.by_v, d.segment(n, n), row);
        r.tail(m) += row;
        multiply(constraints, me.by_q, d.head(n), row);
        r.tail(m) += row;
        me.add_by_parameter(static_cast<std::size_t>(i), x, xp, r);
      }
    });
  }
  /// r += F_s
  void add_by_parameter(std::size_t i, const Eigen::Map<Vector>& x, const Eigen::Map<Vector>& xp,
                        Eigen::Map<Vector>& r) const {
    Vector of_momentum(n), of_constraints(m);
    for (std::size_t k = 0; k < variants[i].size(); ++k) {
      residual_rows(variants[i][k]->integrator.system(), x.head(n), x.segment(n, n), x.tail(m), xp.segment(n, n),
                    of_momentum, of_constraints);
      const double weight = (k % 2 == 0 ? 1 : -1) * weights[k / 2] / changes[i];
      r.segment(n, n) += weight * of_momentum;
      r.tail(m) += weight * of_constraints;
    }
  }

  /// dM/ds v + M dv
  Matrix momenta() const {
    Matrix out(n, static_cast<Index>(parameters.size()));
    const Vector v = map(y.get()).segment(n, n);
    Vector p(n);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      auto column = out.col(static_cast<Index>(i));
      system.mass().apply(map(yS[i].get()).segment(n, n), p);
      column = p;
      for (std::size_t k = 0; k < variants[i].size(); ++k) {
        variants[i][k]->integrator.system().mass().apply(v, p);
        column += (k % 2 == 0 ? 1 : -1) * weights[k / 2] / changes[i] * p;
      }
    }
    return out;
  }

  std::vector<Sensitivities::Parameter> parameters;
  IdasOptions options;
  std::array<double, 3> weights;
  std::unique_ptr<Variant> same;
  const System& system;
  Index n, m, size;
  double t0 = 0;
  Vector x0, slope0;
  std::vector<Vector> dx0, dslope0;  ///< by parameter
  std::vector<double> changes, sizes;
  std::vector<std::vector<std::unique_ptr<Variant>>> variants;  ///< at a, -a, 2a, ..; none of a start

  SparsityPattern pattern;
  BlockMap first_diagonal, second_diagonal, of_hessian, of_mass, of_reaction, by_positions, by_velocities;
  Vector values, g, by_v, by_q, third, hessian;

  SunMessage message;
  std::string failure;
  SunContext context;
  SunOwner<N_Vector> y, yp, tolerances, differential;
  std::vector<SunOwner<N_Vector>> yS, ypS;
  std::vector<N_Vector> all_yS, all_ypS;
  SunOwner<SUNMatrix> matrix;
  SunOwner<SUNLinearSolver> linear;
  std::unique_ptr<void, FreeIdas> memory;
};

IdasMotion::IdasMotion(std::vector<Sensitivities::Parameter> parameters, const Sensitivities::Make& make,
                       const IdasOptions& options)
    : run_(std::make_unique<Run>(std::move(parameters), make, options)) {}
IdasMotion::~IdasMotion() = default;

void IdasMotion::restart() {
  run_->restart();
}
std::string IdasMotion::advance_to(double t) {
  return run_->advance_to(t);
}
double IdasMotion::start_time() const {
  return run_->t0;
}
long IdasMotion::steps() const {
  long count = 0;
  IDAGetNumSteps(run_->memory.get(), &count);
  return count;
}
Vector IdasMotion::q() const {
  return run_->map(run_->y.get()).head(run_->n);
}
Vector IdasMotion::v() const {
  return run_->map(run_->y.get()).segment(run_->n, run_->n);
}
Matrix IdasMotion::positions() const {
  Matrix out(run_->n, static_cast<Index>(run_->parameters.size()));
  for (std::size_t i = 0; i < run_->parameters.size(); ++i)
    out.col(static_cast<Index>(i)) = run_->map(run_->yS[i].get()).head(run_->n);
  return out;
}
Matrix IdasMotion::velocities() const {
  Matrix out(run_->n, static_cast<Index>(run_->parameters.size()));
  for (std::size_t i = 0; i < run_->parameters.size(); ++i)
    out.col(static_cast<Index>(i)) = run_->map(run_->yS[i].get()).segment(run_->n, run_->n);
  return out;
}
Matrix IdasMotion::momenta() const {
  return run_->momenta();
}

}  // namespace gnomon::bench
