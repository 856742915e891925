#include "gnomon/run/stop_cause.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gnomon/base/error.hpp"
#include "gnomon/base/finite.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/model/named_formulas.hpp"
#include "gnomon/start/consistency.hpp"
#include "start/rank_condition.hpp"

namespace gnomon {

namespace {

/// How much larger than at the start the condition of G is where it is said to lose rank, and the force of a constraint
/// than all others where it is out of proportion.
constexpr double weak_condition = 30, large_force = 1e6;

class StopCause {
 public:
  StopCause(const System& system, const State& z, const StopSearch& search) : system_(system), z_(z), search_(search) {
    q_ = z.q.value();
    v_.setZero(system.n());
    Vector scratch(system.n());
    system.velocity(q_, z.p.value(), scratch, v_);
  }

  std::string formula() const {
    const auto* named = dynamic_cast<const NamedFormulas*>(&system_);
    std::string said;
    return named && ahead([&](double t, const Vector& q) {
             said = named->not_finite(t, q, v_);
             return !said.empty();
           })
               ? said
               : "";
  }

  /// The constraints of the combination of rows of G that is nearest to zero, where that is nearest.
  std::string rank() const {
    RankCondition condition(system_);
    if (!condition.estimates() || system_.m() <= search_.repeats) return {};
    double worst = weak_condition * search_.condition, t_there = 0;
    Vector rows;
    ahead([&](double t, const Vector& q) {
      const RankCondition::Weakest found = condition.weakest(t, q, search_.repeats);
      if (found.condition > worst) {
        worst = found.condition;
        rows = found.rows;
        t_there = t;
      }
      return false;
    });
    if (rows.size() == 0) return {};
    Vector moved(system_.m());
    system_.constraint_velocity(t_there, q_, Vector::Zero(system_.n()), moved);
    std::vector<Index> order(static_cast<std::size_t>(rows.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index i, Index j) { return std::abs(rows[i]) > std::abs(rows[j]); });
    std::vector<std::string> weak, moving;
    for (const Index i : order) {
      if (std::abs(rows[i]) < 0.05 * std::abs(rows[order[0]])) break;
      add(weak, part_of(i));
      if (moved[i] != 0) add(moving, part_of(i));
    }
    return "near t = " + number_text(t_there) + " constraints lose rank, those of " + listed(weak) +
           ": a dead centre or a locked position" +
           (moving.empty() ? "" : ", beyond which " + listed(moving) + ", which moves with time, cannot be followed");
  }

  /// A constraint whose force is beyond everything else that acts.
  std::string force() const {
    if (z_.lambda.size() != system_.m() || system_.m() == 0) return {};
    const SparsityPattern& pattern = system_.constraint_pattern();
    Vector gradient(system_.n()), values(pattern.nonzeros());
    system_.potential_gradient(z_.t, q_, gradient);
    system_.constraint_jacobian(z_.t, q_, values);
    const double length = max_norm(q_), turning = length > 0 ? std::abs(z_.p.value().dot(v_)) / length : 0;
    const double others = std::max(max_norm(gradient), turning);
    Index largest = 0;
    double most = 0;
    for (Index i = 0; i < pattern.rows; ++i)
      for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
        if (const double force = std::abs(z_.lambda[i] * values[k]); force > most) {
          most = force;
          largest = i;
        }
    if (!(most > large_force * others) || !(others > 0)) return {};
    return "constraint " + constraint_name(system_, largest) + " holds by a force of " + number_text(most) +
           ", where everything else that acts is at most " + number_text(others) +
           ": what it joins does not fit together here";
  }

 private:
  /// Asks at the state and at points up to the reach, the next ones first, until one says true.
  template <class Ask>
  bool ahead(const Ask& ask) const {
    constexpr int halvings = 30;
    for (int k = halvings + 1; k >= 0; --k) {
      const double s = k > halvings ? 0 : std::ldexp(search_.reach, -k);
      if (ask(z_.t + s, q_ + s * v_)) return true;
    }
    return false;
  }
  /// "crank.right" of "crank.right.x" and of "crank.right[0]": what a person knows it by.
  std::string part_of(Index i) const {
    const std::string name = constraint_name(system_, i);
    const std::size_t end = name.find_last_of(".[");
    return end == std::string::npos || end == 0 || name.compare(0, 2, "g[") == 0 ? name : name.substr(0, end);
  }
  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  static std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 6;
    std::string text;
    for (std::size_t k = 0; k < std::min(names.size(), most); ++k)
      text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
    return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " others" : text;
  }

  const System& system_;
  const State& z_;
  const StopSearch& search_;
  Vector q_, v_;
};

}  // namespace

std::string stop_cause(const Model& model, const State& z, const StopSearch& search) try {
  const System* system = model.mechanical();
  if (system == nullptr) return {};
  const StopCause cause(*system, z, search);
  std::string text = cause.formula();
  if (text.empty() && !search.formulas_only) text = cause.rank();
  if (text.empty() && !search.formulas_only) text = cause.force();
  return text;
} catch (...) {  // what failed may fail here too
  return {};
}

}  // namespace gnomon
