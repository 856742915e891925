#pragma once
/// \file
/// A system of equations written as a table: rows that are sums of terms of an OverdeterminedSystem, each at a point
/// made of known and unknown vectors of the step.
///
///     stage, momentum  sum of +p(y,z) and +-h f(y,z), +-h a r(y,z,psi)  -  p0  = 0
///     position rows    dy - h v(y,z) = 0
///     constraint rows  g(y) = 0,     hidden rows  g_y v (y,z) = 0
///
/// Residual, exact directional derivative and Jacobian all come from the one table. A term is taken at the time of its
/// y: t0 with y0, t1 with y1.

#include <array>
#include <vector>

#include "gnomon/model/overdetermined.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"

namespace gnomon::kernels {

/// The vectors of one step: start, end, stage Z and end of z, and two multipliers.
enum class Slot { y0, y1, z0, Z, z1, first, second };
constexpr std::size_t n_slots = 7;

Argument argument_of(Slot slot);

/// factor * h^power * term(y, z, psi)
struct Addend {
  double factor;
  int power;
  Term term;
  Slot y, z, psi;

  bool uses(Slot slot) const { return y == slot || z == slot || psi == slot; }
};

Addend momentum(Slot y, Slot z);
Addend velocity(Slot y, Slot z);
Addend force(Slot y, Slot z);
Addend multiplier_force(Slot y, Slot z, Slot psi);
Addend constraint(Slot y);
Addend hidden(Slot y, Slot z);
/// a * h * addend
Addend h_times(double a, Addend addend);

/// A stage row is a momentum row inside the step; the momentum row of its end repeats its forces.
enum class Row { stage, momentum, position, constraint, hidden };

struct RowBlock {
  Row kind;
  std::vector<Addend> addends;
};

/// One system: what is unknown in it, and its rows.
struct TermTable {
  std::vector<Slot> unknowns;
  std::vector<RowBlock> rows;
};

/// What a method file says: its systems in order, and its multiplier at the end as a combination of its two.
struct EulerTables {
  std::vector<TermTable> systems;
  double first = 0, second = 1;  ///< psi = first * psi0 + second * psi1
  bool booked_at_start = false;  ///< psi belongs to the start of the step: so does the power, see EulerStep::finish
};

/// A change of every vector of a step.
using StepChange = std::array<Vector, n_slots>;

/// The values of all vectors of a step, and the sizes by which unknowns and rows are scaled.
struct EulerPoint {
  explicit EulerPoint(const OverdeterminedSystem& system);
  Vector& operator[](Slot slot) { return value[static_cast<std::size_t>(slot)]; }
  const Vector& operator[](Slot slot) const { return value[static_cast<std::size_t>(slot)]; }
  /// Unknowns are increments from here: from y0 or z0, from zero for multipliers.
  const Vector* base(Slot slot) const;

  std::array<Vector, n_slots> value;
  const Compensated* p0 = nullptr;
  double h = 0;
  Vector z_size, z_row, y_size, psi_size, constraint_size;  ///< y, psi and g without their powers of h
  double floor = 1e-15;
};

class TermEquations final : public NonlinearEquations {
 public:
  /// system, end: the system at t0 and at t1, the same where it does not depend on time.
  TermEquations(const OverdeterminedSystem& system, const OverdeterminedSystem& end, EulerPoint& point,
                TermTable table);

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  Index offset(Slot slot) const { return offset_[static_cast<std::size_t>(slot)]; }

  /// Sums up what is known before the solve. The vectors that are not unknown here must be set.
  void begin();
  void residual(const ConstVectorRef& x, VectorRef f) override;
  void tangent(const ConstVectorRef& x, const ConstVectorRef& w, VectorRef jw) override;

  /// out = the derivative of F, at the vectors that were placed last, along changes of the step's vectors and of p0 for
  /// fixed x: an unknown vector changes as its base does.
  void known_tangent(const StepChange& change, const ConstVectorRef& dp0, VectorRef out);
  void jacobian(const ConstVectorRef& x, VectorRef values) override;
  void scales(VectorRef columns, VectorRef row_scales) const override;
  double rounding_floor() const override { return point_->floor; }

  /// Writes the unknowns into the step's vectors.
  void place(const ConstVectorRef& x);

  /// The first term that is not finite at the vectors that were placed last although they are; nullptr: none.
  /// Allocates.
  const Addend* not_finite() const;

 private:
  struct Derivative {
    Addend addend;
    Argument argument;
    BlockMap map;
  };

  static const char* block_name(Slot slot);
  static Slot slot_of(const Addend& addend, Argument argument);
  static bool is_balance(Row kind) { return kind == Row::stage || kind == Row::momentum; }
  Index rows(Row kind) const;
  bool is_unknown(const Addend& addend) const;
  double coefficient(const Addend& addend) const;
  const OverdeterminedSystem& system_of(const Addend& addend) const { return addend.y == Slot::y0 ? *system_ : *end_; }
  OverdeterminedPoint at(const Addend& addend) const;
  void add(Index row, const Addend& addend, VectorRef f);
  void add_tangent(Index row, const Addend& addend, const StepChange& change, VectorRef f);
  void add_increment(const ConstVectorRef& x, VectorRef f) const;
  template <class F>
  void for_each_addend(F&& f) const;

  const OverdeterminedSystem *system_, *end_;
  EulerPoint* point_;
  TermTable table_;
  std::array<Index, n_slots> offset_;
  std::vector<Index> row_offset_;
  std::vector<Block> blocks_;
  SparsityPattern pattern_, position_map_;
  std::vector<Derivative> derivatives_;
  BlockMap position_;
  Vector one_, values_, known_, term_;
  StepChange direction_;
};

}  // namespace gnomon::kernels
