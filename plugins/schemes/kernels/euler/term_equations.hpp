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

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "gnomon/base/thresholds.hpp"
#include "gnomon/scheme/equations.hpp"
#include "gnomon/scheme/state.hpp"
#include "kernels/euler/term_tables.hpp"

namespace gnomon::kernels {

/// A change of every vector of a step.
using StepChange = std::array<Vector, n_slots>;

/// The values of all vectors of a step, and the sizes by which unknowns and rows are scaled.
struct EulerPoint {
  explicit EulerPoint(const OverdeterminedSystem& system) {
    for (std::size_t k = 0; k < n_slots; ++k) value[k].setZero(system.traits().size(argument_of(static_cast<Slot>(k))));
    z_size = z_row = Vector::Ones(system.traits().nz);
    y_size = Vector::Ones(system.traits().ny);
    psi_size = constraint_size = Vector::Ones(system.traits().m);
  }
  Vector& operator[](Slot slot) { return value[static_cast<std::size_t>(slot)]; }
  const Vector& operator[](Slot slot) const { return value[static_cast<std::size_t>(slot)]; }
  /// Unknowns are increments from here: from y0 or z0, from zero for multipliers.
  const Vector* base(Slot slot) const {
    const Argument argument = argument_of(slot);
    if (argument == Argument::psi) return nullptr;
    return argument == Argument::y ? &(*this)[Slot::y0] : &(*this)[Slot::z0];
  }

  std::array<Vector, n_slots> value;
  const Compensated* p0 = nullptr;
  double h = 0;
  Vector z_size, z_row, y_size, psi_size, constraint_size;  ///< y, psi and g without their powers of h
  double floor = thresholds::residual_rounding;
};

class TermEquations final : public NonlinearEquations {
 public:
  /// system, end: the system at t0 and at t1, the same where it does not depend on time.
  TermEquations(const OverdeterminedSystem& system, const OverdeterminedSystem& end, EulerPoint& point, TermTable table)
      : system_(&system), end_(&end), point_(&point), table_(std::move(table)) {
    const OverdeterminedTraits& traits = system.traits();
    Index size = 0;
    offset_.fill(-1);
    for (const Slot slot : table_.unknowns) {
      offset_[static_cast<std::size_t>(slot)] = size;
      blocks_.push_back({block_name(slot), size, traits.size(argument_of(slot))});
      size += blocks_.back().size;
    }
    PatternBuilder builder(size, size);
    Index row = 0;
    for (const RowBlock& block : table_.rows) {
      row_offset_.push_back(row);
      if (block.kind == Row::position)
        for (Index j = 0; j < traits.ny; ++j) builder.add(row + j, offset(Slot::y1) + j);
      for (const Addend& addend : block.addends)
        for (const Argument argument : all_arguments)
          if (const Index column = offset(slot_of(addend, argument)); column >= 0)
            builder.add(system.pattern(addend.term, argument), row, column);
      row += rows(block.kind);
    }
    pattern_ = builder.build();

    Index most = 0;
    for (std::size_t b = 0; b < table_.rows.size(); ++b) {
      const RowBlock& block = table_.rows[b];
      for (const Addend& addend : block.addends)
        for (const Argument argument : all_arguments) {
          const Index column = offset(slot_of(addend, argument));
          const SparsityPattern& part = system.pattern(addend.term, argument);
          if (column < 0 || part.nonzeros() == 0) continue;
          derivatives_.push_back({addend, argument, BlockMap(pattern_, part, row_offset_[b], column)});
          most = std::max(most, part.nonzeros());
        }
    }
    position_map_ = SparsityPattern::diagonal(traits.ny);
    for (std::size_t b = 0; b < table_.rows.size(); ++b)
      if (table_.rows[b].kind == Row::position)
        position_ = BlockMap(pattern_, position_map_, row_offset_[b], offset(Slot::y1));
    one_ = Vector::Ones(traits.ny);
    values_.setZero(most);
    known_.setZero(size);
    term_.setZero(std::max({traits.ny, traits.nz, traits.m}));
    for (std::size_t k = 0; k < n_slots; ++k) direction_[k].setZero(traits.size(argument_of(static_cast<Slot>(k))));
  }

  const SparsityPattern& pattern() const override { return pattern_; }
  const std::vector<Block>& blocks() const override { return blocks_; }
  Index offset(Slot slot) const { return offset_[static_cast<std::size_t>(slot)]; }

  /// Sums up what is known before the solve. The vectors that are not unknown here must be set.
  void begin() {
    known_.setZero();
    for_each_addend([&](Index row, const Addend& addend) {
      if (!is_unknown(addend)) add(row, addend, known_);
    });
    for (std::size_t b = 0; b < table_.rows.size(); ++b)
      if (is_balance(table_.rows[b].kind))
        known_.segment(row_offset_[b], rows(Row::momentum)) -= point_->p0->value() + point_->p0->tail();
  }
  void residual(const ConstVectorRef& x, VectorRef f) override {
    place(x);
    f = known_;
    for_each_addend([&](Index row, const Addend& addend) {
      if (is_unknown(addend)) add(row, addend, f);
    });
    add_increment(x, f);
  }
  void tangent(const ConstVectorRef& x, const ConstVectorRef& w, VectorRef jw) override {
    place(x);
    for (const Slot slot : table_.unknowns) {
      Vector& d = direction_[static_cast<std::size_t>(slot)];
      d = w.segment(offset(slot), d.size());
    }
    jw.setZero();
    for_each_addend([&](Index row, const Addend& addend) {
      if (is_unknown(addend)) add_tangent(row, addend, direction_, jw);
    });
    add_increment(w, jw);
  }

  /// out = the derivative of F, at the vectors that were placed last, along changes of the step's vectors and of p0 for
  /// fixed x: an unknown vector changes as its base does.
  void known_tangent(const StepChange& change, const ConstVectorRef& dp0, VectorRef out) {
    out.setZero();
    for_each_addend([&](Index row, const Addend& addend) { add_tangent(row, addend, change, out); });
    for (std::size_t b = 0; b < table_.rows.size(); ++b)
      if (is_balance(table_.rows[b].kind)) out.segment(row_offset_[b], dp0.size()) -= dp0;
  }
  void jacobian(const ConstVectorRef& x, VectorRef values) override {
    place(x);
    values.setZero();
    position_.add(values, one_, 1);
    for (const Derivative& d : derivatives_) {
      auto part = values_.head(system_->pattern(d.addend.term, d.argument).nonzeros());
      system_of(d.addend).jacobian(d.addend.term, d.argument, at(d.addend), part);
      d.map.add(values, part, coefficient(d.addend));
    }
  }
  void scales(VectorRef columns, VectorRef row_scales) const override {
    const double h = std::abs(point_->h);
    for (const Slot slot : table_.unknowns) {
      auto part = columns.segment(offset(slot), system_->traits().size(argument_of(slot)));
      if (argument_of(slot) == Argument::y)
        part = h * point_->y_size;
      else if (argument_of(slot) == Argument::z)
        part = point_->z_size;
      else
        part = point_->psi_size / h;
    }
    for (std::size_t b = 0; b < table_.rows.size(); ++b) {
      const Row kind = table_.rows[b].kind;
      auto part = row_scales.segment(row_offset_[b], rows(kind));
      if (is_balance(kind))
        part = point_->z_row;
      else if (kind == Row::position)
        part = h * point_->y_size;
      else
        part = (kind == Row::constraint ? h : 1) * point_->constraint_size;
    }
  }
  double rounding_floor() const override { return point_->floor; }

  /// Writes the unknowns into the step's vectors.
  void place(const ConstVectorRef& x) {
    for (const Slot slot : table_.unknowns) {
      Vector& value = (*point_)[slot];
      value = x.segment(offset(slot), value.size());
      if (const Vector* base = point_->base(slot)) value += *base;
    }
  }

  /// The first term that is not finite at the vectors that were placed last although they are; nullptr: none.
  /// Allocates.
  const Addend* not_finite() const {
    for (const RowBlock& block : table_.rows)
      for (const Addend& addend : block.addends) {
        const OverdeterminedPoint here = at(addend);
        Vector out(system_->traits().rows(addend.term));
        system_of(addend).evaluate(addend.term, here, out);
        if (!out.allFinite() && here.y.allFinite() && here.z.allFinite() && here.psi.allFinite()) return &addend;
      }
    return nullptr;
  }

 private:
  struct Derivative {
    Addend addend;
    Argument argument;
    BlockMap map;
  };

  static const char* block_name(Slot slot) {
    static constexpr const char* names[] = {"y0", "dy", "z0", "dZ", "dz", "psi0", "psi1"};
    return names[static_cast<std::size_t>(slot)];
  }
  static Slot slot_of(const Addend& addend, Argument argument) {
    return argument == Argument::y ? addend.y : argument == Argument::z ? addend.z : addend.psi;
  }
  static bool is_balance(Row kind) { return kind == Row::stage || kind == Row::momentum; }
  Index rows(Row kind) const {
    const OverdeterminedTraits& traits = system_->traits();
    return is_balance(kind) ? traits.nz : kind == Row::position ? traits.ny : traits.m;
  }
  bool is_unknown(const Addend& addend) const {
    return std::any_of(table_.unknowns.begin(), table_.unknowns.end(), [&](Slot slot) {
      return addend.uses(slot) && system_->pattern(addend.term, argument_of(slot)).nonzeros() > 0;
    });
  }
  double coefficient(const Addend& addend) const {
    return addend.power == 0 ? addend.factor : addend.factor * point_->h;
  }
  const OverdeterminedSystem& system_of(const Addend& addend) const { return addend.y == Slot::y0 ? *system_ : *end_; }
  OverdeterminedPoint at(const Addend& addend) const {
    return {(*point_)[addend.y], (*point_)[addend.z], (*point_)[addend.psi]};
  }
  void add(Index row, const Addend& addend, VectorRef f) {
    auto out = term_.head(system_->traits().rows(addend.term));
    system_of(addend).evaluate(addend.term, at(addend), out);
    f.segment(row, out.size()) += coefficient(addend) * out;
  }
  void add_tangent(Index row, const Addend& addend, const StepChange& change, VectorRef f) {
    const auto along = [&](Slot slot) -> const Vector& { return change[static_cast<std::size_t>(slot)]; };
    auto out = term_.head(system_->traits().rows(addend.term));
    system_of(addend).tangent(addend.term, at(addend), {along(addend.y), along(addend.z), along(addend.psi)}, out);
    f.segment(row, out.size()) += coefficient(addend) * out;
  }
  void add_increment(const ConstVectorRef& x, VectorRef f) const {
    for (std::size_t b = 0; b < table_.rows.size(); ++b)
      if (table_.rows[b].kind == Row::position)
        f.segment(row_offset_[b], one_.size()) += x.segment(offset(Slot::y1), one_.size());
  }
  template <class F>
  void for_each_addend(F&& f) const {
    for (std::size_t b = 0; b < table_.rows.size(); ++b)
      for (const Addend& addend : table_.rows[b].addends) f(row_offset_[b], addend);
  }

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
