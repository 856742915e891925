#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/base/uniform.hpp"
#include "gnomon/model/overdetermined.hpp"
#include "gnomon/model/system.hpp"
#include "gnomon/start/consistency.hpp"
#include "gnomon/start/verify.hpp"
#include "start/natural_size.hpp"

namespace gnomon {

namespace {

/// So far away, in parts of the size of the argument, a function is looked at of which rounding leaves nothing near the
/// start.
constexpr std::array<double, 4> far_away{1, 1e3, 1e6, 1e9};
/// What rounding makes of a value, in parts of it; its terms may be larger than their sum.
constexpr double rounding = 1e4 * std::numeric_limits<double>::epsilon();

/// Found by this check, and not by the model itself.
class Contradiction : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

double size_of(const Vector& x) {
  return max_norm(x) > 0 ? max_norm(x) : 1;
}

/// Entries in [-1, 1], the largest of them 1.
Vector direction(Uniform& uniform, Index size) {
  Vector out(size);
  uniform.fill(out);
  return out / size_of(out);
}

/// False where a callback fails beside the start: nothing follows from that.
template <class Evaluate>
bool evaluated(Evaluate&& evaluate) {
  try {
    return evaluate();
  } catch (...) {
    return false;
  }
}

/// One entry of a derivative, over the distances at which it was looked at.
struct Entry {
  bool agrees = false, contradicts = false, moves = false;
  double last = std::numeric_limits<double>::quiet_NaN(), last_noise = 0;

  void take(double formula, double quotient, double noise, double scale, bool resolved) {
    agrees =
        agrees || formula == quotient ||
        (noise <= scale / 10 && std::abs(formula - quotient) <= thresholds::contradicting_derivative * scale + noise);
    if (agrees || noise > scale / 10 || !resolved) return;
    // Quotients that agree with each other have converged, and not to the formula.
    contradicts = std::abs(quotient - last) <= thresholds::contradicting_derivative * scale / 10 + noise + last_noise;
    last = quotient;
    last_noise = noise;
  }
};

class Declarations {
 public:
  explicit Declarations(std::string name) : name_(std::move(name)) {}

 protected:
  using Function = std::function<Vector(const Vector&)>;

  /// `formula`, the derivative of f along w at x, against difference quotients of f, entry by entry; `size` is what
  /// such derivatives are like in other directions. The noise of a quotient is what rounding of the values makes of
  /// it, and how far it is from that over half the distance: terms may be larger than their sum. Below it nothing is
  /// decided.
  void derivative(const std::string& what, const Function& f, const Vector& x, const Vector& w, const Vector& formula,
                  double size = 0) const {
    if (formula.size() == 0 || !formula.allFinite() || !std::isfinite(size)) return;
    std::vector<Entry> entries(static_cast<std::size_t>(formula.size()));
    for (const double spacing : thresholds::tried_spacings) {
      const double s = spacing * size_of(x);
      Vector change, half, values;
      if (!evaluated([&] {
            const Vector after = f(x + s * w), before = f(x - s * w);
            change = after - before;
            half = f(x + s / 2 * w) - f(x - s / 2 * w);
            values = after.cwiseAbs().cwiseMax(before.cwiseAbs());
            return change.allFinite() && half.allFinite();
          }))
        continue;
      const Vector quotient = change / (2 * s);
      const double scale = std::max({size, max_norm(formula), max_norm(quotient)});
      bool settled = true;
      for (Index i = 0; i < formula.size(); ++i) {
        Entry& one = entries[static_cast<std::size_t>(i)];
        const bool moves = change[i] != 0 || half[i] != 0;
        one.moves = one.moves || moves;
        const double noise = rounding * values[i] / s + std::abs(quotient[i] - half[i] / s);
        one.take(formula[i], quotient[i], noise, scale, moves);
        if (one.contradicts) refuse_derivative(what, formula, i, quotient[i]);
        settled = settled && one.agrees;
      }
      if (settled) return;
    }
    // A function that does not move near the start may be below the rounding of its terms there.
    for (Index i = 0; i < formula.size(); ++i) {
      const Entry& one = entries[static_cast<std::size_t>(i)];
      if (formula[i] != 0 && !one.agrees && !one.moves && stays(f, x, w, i)) refuse_derivative(what, formula, i, 0);
    }
  }
  [[noreturn]] void refuse_derivative(const std::string& what, const Vector& formula, Index i, double quotient) const {
    refuse(what + entry(formula, i) + " is " + number_text(formula[i]) +
           ", and difference quotients near the start are " + number_text(quotient));
  }
  /// Entry i of f is the same far away, wherever it can be evaluated.
  static bool stays(const Function& f, const Vector& x, const Vector& w, Index i) {
    bool seen = false;
    for (const double distance : far_away) {
      double here = 0, there = 0;
      if (!evaluated([&] {
            here = f(x)[i];
            there = f(x + distance * size_of(x) * w)[i];
            return std::isfinite(there);
          }))
        continue;
      if (here != there) return false;
      seen = true;
    }
    return seen;
  }

  /// The (d+1)-th difference of a polynomial of degree d vanishes.
  void degree(const char* what, int declared, const Function& f, const Vector& x, const Vector& w) const {
    if (declared < 0) return;
    constexpr double apart = 0.05;
    Vector sum;
    double binomial = 1, size = 0;
    if (!evaluated([&] {
          for (int k = 0; k <= declared + 1; ++k) {
            const Vector term = (k % 2 ? -binomial : binomial) * f(x + apart * k * size_of(x) * w);
            sum = k ? Vector(sum + term) : term;
            size = std::max(size, max_norm(term));
            binomial *= static_cast<double>(declared + 1 - k) / (k + 1);
          }
          return sum.allFinite();
        }))
      return;
    Index worst = 0;
    if (sum.cwiseAbs().maxCoeff(&worst) <= thresholds::vanishing_difference * size) return;
    refuse("the degree of " + std::string(what) + " is declared as " + std::to_string(declared) +
           ", and its difference of order " + std::to_string(declared + 1) + " near the start" + entry(sum, worst) +
           " is " + number_text(sum[worst]) + ", beside values of " + number_text(size));
  }

  /// f(t) where nothing declares that it depends on time, at other times, whatever the unit of time.
  void still(const char* what, const std::function<Vector(double)>& f, double t) const {
    Vector now, later;
    if (!evaluated([&] { return now = f(t), now.allFinite(); })) return;
    for (const double unit : {1.0, 0x1p-30, 0x1p30}) {
      const double then = t + 0.3828 * std::max(unit, std::abs(t));  // no usual period
      if (!evaluated([&] { return later = f(then), later.allFinite(); })) continue;
      Index worst = 0;
      if ((later - now).cwiseAbs().maxCoeff(&worst) <= rounding * max_norm(now)) continue;
      refuse(std::string(what) + entry(now, worst) + " is not declared to depend on time, and is " +
             number_text(now[worst]) + " at t = " + number_text(t) + " and " + number_text(later[worst]) +
             " at t = " + number_text(then) + " in one position");
    }
  }

  [[noreturn]] void refuse(const std::string& why) const { throw Contradiction("system " + name_ + ": " + why); }

 private:
  static std::string entry(const Vector& of, Index i) {
    return of.size() > 1 ? " (entry " + std::to_string(i) + ")" : "";
  }

  std::string name_;
};

class SystemDeclarations final : public Declarations {
 public:
  SystemDeclarations(const System& system, double t, const Vector& q, const Vector& p)
      : Declarations(system.name()), s_(system), n_(system.n()), m_(system.m()), t_(t), q_(q), p_(p) {
    Uniform uniform(1);
    w_ = direction(uniform, n_);
    lambda_ = direction(uniform, m_);
    const Vector beside = q + thresholds::beside * natural_size(system, t, q, p) * direction(uniform, n_);
    if (evaluated([&] { return potential(t_, beside).allFinite() && constraints(t_, beside).allFinite(); }))
      q_ = beside;
  }

  void check() const {
    check_potential();
    if (m_ > 0) check_constraints();
    if (s_.parts().mass) check_mass();
    if (s_.parts().force) check_force();
  }

 private:
  Vector potential(double t, const Vector& q) const { return Vector::Constant(1, s_.potential(t, q)); }
  Vector constraints(double t, const Vector& q) const {
    Vector out(m_);
    if (m_ > 0) s_.constraints(t, q, out);
    return out;
  }
  Vector gradient(const Vector& q) const {
    Vector out(n_);
    s_.potential_gradient(t_, q, out);
    return out;
  }
  Vector jacobian(const Vector& q) const {
    Vector out(s_.constraint_pattern().nonzeros());
    s_.constraint_jacobian(t_, q, out);
    return out;
  }
  /// Of a gradient: what its products with directions like w_ are like.
  double usual(const Vector& gradient) const {
    return gradient.norm() * w_.norm() / std::sqrt(static_cast<double>(n_));
  }

  void check_potential() const {
    const auto u = [this](const Vector& q) { return potential(t_, q); };
    degree("the potential U", s_.traits().potential_degree, u, q_, w_);
    if (!s_.parts().time_dependence)
      still(
          "the potential U", [this](double t) { return potential(t, q_); }, t_);
    const Vector slope = gradient(q_);
    Vector hw(n_);
    s_.potential_hessian_times(t_, q_, w_, hw);
    derivative("grad U . w along a direction w", u, q_, w_, Vector::Constant(1, slope.dot(w_)), usual(slope));
    derivative(
        "(Hess U) w along a direction w", [this](const Vector& q) { return gradient(q); }, q_, w_, hw);
  }

  void check_constraints() const {
    const auto g = [this](const Vector& q) { return constraints(t_, q); };
    degree("the constraints g", s_.traits().constraint_degree, g, q_, w_);
    if (!s_.parts().time_dependence)
      still(
          "the constraints g", [this](double t) { return constraints(t, q_); }, t_);
    Vector gw(m_), hw(n_);
    multiply(s_.constraint_pattern(), jacobian(q_), w_, gw);
    gw.tail(s_.parts().n_velocity_constraints()).setZero();  // whose g is zero everywhere
    s_.constraint_hessian_times(t_, q_, lambda_, w_, hw);
    const auto pull = [this](const Vector& q) {
      Vector out(n_);
      multiply_transposed(s_.constraint_pattern(), jacobian(q), lambda_, out);
      return out;
    };
    if (const Index r = s_.parts().n_velocity_constraints(); r > 0 && !s_.parts().time_dependence) {
      Vector at_rest(m_);
      s_.constraint_velocity(t_, q_, Vector::Zero(n_), at_rest);
      Index i = 0;
      if (at_rest.tail(r).cwiseAbs().maxCoeff(&i) != 0)
        refuse("the constraints of velocities are taken as A(q) v, and number " + std::to_string(i) + " of them is " +
               number_text(at_rest[m_ - r + i]) + " near the start at rest");
    }
    derivative("G w along a direction w", g, q_, w_, gw);
    derivative("d(G^T lambda)/dq w along a direction w", pull, q_, w_, hw);
  }

  void check_mass() const {
    const ConfigurationMass& part = *s_.parts().mass;
    check_symmetry(part);
    Vector t_q(n_), t_p(n_);
    part.kinetic_gradient(q_, p_, t_q, t_p);
    const double energy = std::abs(part.kinetic_energy(q_, p_));
    const auto of_q = [&](const Vector& q) { return Vector::Constant(1, part.kinetic_energy(q, p_)).eval(); };
    const auto of_p = [&](const Vector& p) { return Vector::Constant(1, part.kinetic_energy(q_, p)).eval(); };
    derivative("T_q . w along a direction w", of_q, q_, w_, Vector::Constant(1, t_q.dot(w_)),
               std::max(usual(t_q), energy / size_of(q_)));
    derivative("T_p . w along a direction w", of_p, p_, w_, Vector::Constant(1, t_p.dot(w_)),
               std::max(usual(t_p), energy / size_of(p_)));
  }

  /// M(q) beside the start, where entries that vanish at the start do not.
  void check_symmetry(const ConfigurationMass& part) const {
    Matrix mass(n_, n_);
    part.mass_matrix(q_, mass);
    Index i = 0, j = 0;
    if (!mass.allFinite() ||
        (mass - mass.transpose()).cwiseAbs().maxCoeff(&i, &j) <= thresholds::asymmetry * mass.cwiseAbs().maxCoeff())
      return;
    const auto entry_text = [&](Index row, Index column) {
      return "entry (" + std::to_string(row) + ", " + std::to_string(column) + ") is " + number_text(mass(row, column));
    };
    refuse("the mass matrix is not symmetric near the start: " + entry_text(i, j) + ", and " + entry_text(j, i));
  }

  void check_force() const {
    const Force& part = *s_.parts().force;
    Vector v(n_), scratch(n_), along(n_);
    s_.velocity(q_, p_, scratch, v);
    const auto at = [&](const Vector& q, const Vector& speed) {
      Vector out(n_);
      part.force(t_, q, speed, out);
      return out;
    };
    for (const ForceArgument by : {ForceArgument::q, ForceArgument::v}) {
      const bool by_q = by == ForceArgument::q;
      Vector values(part.force_pattern(by).nonzeros());
      part.force_jacobian(by, t_, q_, v, values);
      multiply(part.force_pattern(by), values, w_, along);
      derivative(
          by_q ? "(dQ/dq) w along a direction w" : "(dQ/dv) w along a direction w",
          [&](const Vector& x) { return by_q ? at(x, v) : at(q_, x); }, by_q ? q_ : v, w_, along);
    }
  }

  const System& s_;
  Index n_, m_;
  double t_;
  Vector q_;  // where derivatives are compared
  const Vector& p_;
  Vector w_, lambda_;
};

/// The tangent of each term, along one direction in (y, z) at psi = 0.
class OverdeterminedDeclarations final : public Declarations {
 public:
  explicit OverdeterminedDeclarations(const OverdeterminedSystem& system) : Declarations(system.name()), s_(system) {}

  void check(const Vector& y, const Vector& z) const {
    const OverdeterminedTraits& traits = s_.traits();
    Uniform uniform(1);
    const Vector psi = Vector::Zero(traits.m), w = direction(uniform, traits.ny + traits.nz);
    Vector x(w.size());
    x << y, z;
    for (const Term term : all_terms) {
      if (term == Term::multiplier_force) continue;  // may not be differentiable at psi = 0
      const Index rows = traits.rows(term);
      const auto value = [&](const Vector& at) {
        Vector out(rows);
        s_.evaluate(term, {at.head(traits.ny), at.tail(traits.nz), psi}, out);
        return out;
      };
      Vector formula(rows);
      s_.tangent(term, {y, z, psi}, {w.head(traits.ny), w.tail(traits.nz), psi}, formula);
      derivative(std::string("the tangent of the ") + to_string(term) + " along a direction", value, x, w, formula);
    }
  }

 private:
  const OverdeterminedSystem& s_;
};

}  // namespace

void check_declarations(const Model& model, double t0, const Vector& q0, const Vector& p0) try {
  if (const System* system = model.mechanical())
    SystemDeclarations(*system, t0, q0, p0).check();
  else
    OverdeterminedDeclarations(*model.overdetermined()).check(q0, p0);
} catch (const Contradiction& found) {
  throw Error(ErrorCode::bad_value, found.what());
} catch (...) {
  // check_start has evaluated all of it: a callback that fails only now says nothing about the model.
}

}  // namespace gnomon
