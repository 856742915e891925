/// \file
/// projected-rk: an implicit Runge-Kutta method in accelerations, then projections onto the constraints and the energy.
///
///     stages           M W_i + grad U(Q_i,t_i) + G(Q_i,t_i)^T Lambda_i - F(Q_i,V_i,t_i) = 0,  t_i = t0 + c_i h,
///                      and  g(Q_i,t_i) = 0  or  its second derivative along the motion, G W_i + b(Q_i,V_i,t_i) = 0
///     end              q^ = q0 + h v0 + h^2 b^T A W,  v^ = v0 + h b^T W
///     projection       (q^, v^) -> (q1, v1) on g = 0 (p), G v + g_t = 0 (v), H = H* (e), all at t1, along the
///                      directions at (q1, v1) (manifold_projection.hpp) or at (q^, v^) (frozen_projection.hpp); or
///                      symmetric: p and v, with the same multipliers at the start of the stages
///                      (symmetric_projection.hpp)
///     accelerations    w^ = R w0 + d^T W, lambda^ = R lambda0 + d^T Lambda, then w^ -> w1 on G w + b(q1,v1,t1) = 0
///                      (a); or both from the equations of motion at (q1, v1, t1) (carry=kkt), where (a) is implied
///     work             E = h sum_i b_i [F_i.V_i + U_t(Q_i,t_i) + Lambda_i.g_t(Q_i,t_i)], booked in every step
///
/// b = v^T (Hess g) v + 2 G_t v + g_tt, and F is the force outside the potential (Q in System). d^T = b^T A^-1,
/// R = 1 - sum d_i (R = -1 for Gauss with three stages: the carried part alternates for ever). H* is the energy at the
/// start of the step plus E (pvae-n, pve) or at the start of the run plus every E since (pvae-0): since dH/dt = F.v +
/// U_t + lambda.g_t and the quadrature E has the order of the method, so has the projection (stage_work.hpp). Without F
/// and time E = 0.
///
/// A mass M(q): all of it in (q, p), for Hamilton's equations with T = p.M(q)^-1 p/2. Their method is that of q' = T_p,
/// p' = -(T_q + grad U + G^T lambda - F) (rk_stages.hpp), which has the order that a constant mass gives; the velocity
/// level is G T_p + g_t = 0, the metric M that at the place of the direction (manifold_projection.hpp), the
/// acceleration w is v' = T_pq v + T_pp p', and its equation
///
///     M w + G^T lambda = M T_pq v - T_q - grad U + F,    G w + b = 0
///
/// Constraints of velocities, A v + b = 0, with the force -A^T mu: their derivative along the motion holds at the
/// stages, the constraints themselves at the end, as rows of the velocity level. They leave positions free: the
/// projection moves q^ only by what they allow, A(q^) (q1 - q^) = 0. The work is mu.b.
///
/// Source: Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), (10), (11), (19), (23)-(30): tableau=gauss stages=3
/// index=3 metric=euclidean carry=paper, and without F and time. The defaults are better: stages of index 1 keep the
/// order 2s of the Gauss methods in q, v and lambda, where index 3 leaves less; the mass metric does not depend on
/// units; and carry=kkt satisfies the equation of motion that the paper's carry leaves violated by O(h^2).
/// projection=symmetric makes the Gauss methods symmetric on the constraints: Hairer, BIT 40 (2000).
///
/// Local errors, with stages of index 1 and projections of positions and velocities: from a Gauss method of higher
/// order (projected_rk/projected_rk_error.hpp).
///
/// Cost: one system of s (n + m) unknowns, one of 2 (n + m) (+ 1) (frozen: 2 m (+ 1), dense) and one linear of n + m a
/// step; the symmetric projection joins the first two in s (n + m) + 4 n + 2 m unknowns; the energy projection
/// factorises a dense m x m matrix. With M(q) the stages have s (2 n + m) unknowns, and all matrices are dense.

#include "gnomon/base/error.hpp"
#include "gnomon/base/options.hpp"
#include "gnomon/registry/plugin.hpp"
#include "gnomon/scheme/requirements.hpp"
#include "projected_rk/projected_rk_step.hpp"

namespace {

using namespace gnomon;
using kernels::ProjectedRkMethod;

class ProjectedRk final : public MechanicalScheme {
 public:
  explicit ProjectedRk(const AlgebraTable& algebras) : algebras_(&algebras) {}

  std::string name() const override { return "projected-rk"; }
  std::string description() const override {
    return "implicit Runge-Kutta methods of any order, projected onto constraints and energy";
  }
  std::string source() const override {
    return "Wei, Deng, Li, Wang, Appl. Math. Mech. 37 (2016), eqs. (10), (11), (19), (23)-(30); symmetric projection: "
           "Hairer, BIT 40 (2000); index 1, mass metric and frozen directions are additions";
  }
  OptionSpecs options() const override {
    return {OptionSpec::choice("tableau", {"gauss", "radau-iia", "lobatto-iiic"}, "Runge-Kutta coefficients"),
            OptionSpec::integer("stages", 3, 1, 5, "number of stages; lobatto-iiic has at least 2"),
            OptionSpec::choice("index", {"1", "3"},
                               "what holds at the stages: the second derivative of g (1) or g (3, the paper)"),
            OptionSpec::choice("projection", {"pv", "none", "p", "pve", "pva", "pvae-n", "pvae-0", "symmetric"},
                               "levels projected: position, velocity, acceleration, energy (of the step's start: pve, "
                               "pvae-n; of the run's: pvae-0; plus the work done since); symmetric: position and "
                               "velocity, mirrored at both ends "
                               "of the step"),
            OptionSpec::choice("directions", {"end", "frozen"},
                               "where the directions of the projections are taken: at its result, stacked with it (the "
                               "paper), or before it, with 2 m + 1 unknowns; not for symmetric"),
            OptionSpec::choice("signs", {"auto", "plus-plus", "plus-minus"},
                               "signs of the two halves of the symmetric projection: plus-plus for index 1 and for an "
                               "even number of stages of index 3, plus-minus for an odd one; the others are singular"),
            OptionSpec::choice("metric", {"mass", "euclidean"}, "metric of the projections; the paper: euclidean"),
            OptionSpec::choice("carry", {"kkt", "paper"},
                               "accelerations and multipliers at the end of a step: from the equations of motion, or "
                               "extrapolated from the stages")};
  }
  Promises promises() const override {
    Promises p;
    p.order = 6;
    p.energy = p.position = p.hidden = p.symmetric = p.variable_steps = true;
    return p;
  }
  std::string refuses_velocity_constraints() const override { return {}; }
  Binding bind(const System& system, const Options& options) const override {
    require_no_friction(*this, system, "the accelerations at the end of a step are linear in the multipliers");
    if (system.parts().velocity_constraints && (options.is("index", "3") || options.is("projection", "symmetric")))
      refuse(*this, system,
             "it has constraints of velocities, which hold at stages of index = 1 and at the end of a step, expected "
             "index = 1 and a projection other than symmetric");
    const ProjectedRkMethod method = method_of(options);
    Promises promised;
    promised.order = method.index1 ? method.tableau.order : order_of_index_3(method, system);
    promised.position = method.project || (!method.index1 && method.tableau.stiffly_accurate);
    promised.hidden = method.project && method.rule.velocity;
    promised.variable_steps = promised.hidden && method.index1;
    promised.energy = method.project && method.rule.energy;
    promised.symmetric = method.mirror_sign != 0 || (!method.project && method.tableau.symmetric && method.index1);
    promised = ledger_promises(system, promised);
    const int estimated = promised.variable_steps ? promised.order : 0;
    return {kernels::projected_rk_step(system, method, estimated, *algebras_), promised};
  }

 private:
  ProjectedRkMethod method_of(const Options& options) const {
    const long stages = options.integer("stages");
    if (options.is("tableau", "lobatto-iiic") && stages < 2)
      throw Error(ErrorCode::bad_value, "scheme projected-rk: option stages = " + std::to_string(stages) +
                                            ", but tableau lobatto-iiic has at least 2 stages");
    ProjectedRkMethod method;
    method.tableau = options.is("tableau", "gauss")       ? kernels::gauss_tableau(stages)
                     : options.is("tableau", "radau-iia") ? kernels::radau_iia_tableau(stages)
                                                          : kernels::lobatto_iiic_tableau(stages);
    method.index1 = options.is("index", "1");
    method.kkt = options.is("carry", "kkt");
    const std::string& projection = options.choice("projection");
    method.project = projection != "none";
    method.rule.velocity = projection != "p";
    method.rule.energy = projection.rfind("pve", 0) == 0 || projection.rfind("pvae", 0) == 0;
    method.rule.mass_metric = options.is("metric", "mass");
    method.project_acceleration = projection.rfind("pva", 0) == 0;
    method.from_start = projection == "pvae-0";
    method.frozen = options.is("directions", "frozen");
    if (projection == "symmetric")
      method.mirror_sign = mirror_sign(method, options);
    else if (!options.is("signs", "auto"))
      throw Error(ErrorCode::bad_value, "scheme projected-rk: signs = " + options.choice("signs") +
                                            " is for projection = symmetric, but projection = " + projection);
    if (method.frozen && !method.project)
      throw Error(ErrorCode::bad_value,
                  "scheme projected-rk: directions = frozen is for a projection, but projection = none");
    return method;
  }

  /// A displacement of the start arrives at the end times R(infinity): (-1)^s with stages of index 3, else 1.
  static double mirror_sign(const ProjectedRkMethod& method, const Options& options) {
    const auto refuse = [](const std::string& why) {
      return Error(ErrorCode::bad_value, "scheme projected-rk: projection = symmetric " + why);
    };
    if (!method.tableau.symmetric)
      throw refuse("needs a symmetric tableau, tableau = " + options.choice("tableau") + " is not: expected gauss");
    if (method.frozen) throw refuse("has its directions at both ends of the step: directions = frozen does not apply");
    const std::string stages = std::to_string(method.tableau.stages);
    const double sign = method.index1 || method.tableau.stages % 2 == 0 ? 1 : -1;
    if (!options.is("signs", "auto") && options.is("signs", sign > 0 ? "plus-minus" : "plus-plus"))
      throw refuse("with index = " + options.choice("index") + " and stages = " + stages + " is singular for signs = " +
                   options.choice("signs") + ": what the first half adds the second takes away, expected " +
                   (sign > 0 ? "plus-plus" : "plus-minus"));
    return sign;
  }

  /// Measured, for up to three stages (symmetric projection: five); 0 promises nothing. In the mass metric the error of
  /// the multipliers drops out of the projection; stiffly accurate methods keep their full order then.
  static int order_of_index_3(const ProjectedRkMethod& method, const System& system) {
    const int s = static_cast<int>(method.tableau.stages);
    if (method.mirror_sign != 0) return s + s % 2;
    if (!method.project || !method.rule.velocity || s > 3) return 0;
    const Mass& mass = system.mass();
    const Vector& entries = mass.diagonal_entries();
    const bool mass_metric = method.rule.mass_metric ||
                             (!system.parts().mass && mass.is_diagonal() && entries.maxCoeff() == entries.minCoeff());
    if (method.tableau.stiffly_accurate) return mass_metric ? method.tableau.order : method.tableau.order - s;
    return mass_metric ? s : s - 1;
  }

  const AlgebraTable* algebras_;
};

}  // namespace

GNOMON_PLUGIN(projected_rk) {
  registrar.add(std::make_unique<ProjectedRk>(registrar.algebras()));
}
