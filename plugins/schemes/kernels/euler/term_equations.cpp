#include "kernels/euler/term_equations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gnomon::kernels {

Argument argument_of(Slot slot) {
  if (slot == Slot::y0 || slot == Slot::y1) return Argument::y;
  return slot == Slot::first || slot == Slot::second ? Argument::psi : Argument::z;
}

Addend momentum(Slot y, Slot z) {
  return {1, 0, Term::momentum, y, z, Slot::first};
}

Addend velocity(Slot y, Slot z) {
  return {1, 0, Term::velocity, y, z, Slot::first};
}

Addend force(Slot y, Slot z) {
  return {1, 0, Term::force, y, z, Slot::first};
}

Addend multiplier_force(Slot y, Slot z, Slot psi) {
  return {1, 0, Term::multiplier_force, y, z, psi};
}

Addend constraint(Slot y) {
  return {1, 0, Term::constraint, y, Slot::z0, Slot::first};
}

Addend hidden(Slot y, Slot z) {
  return {1, 0, Term::hidden, y, z, Slot::first};
}

Addend h_times(double a, Addend addend) {
  addend.factor *= a;
  addend.power += 1;
  return addend;
}

EulerPoint::EulerPoint(const OverdeterminedSystem& system) {
  for (std::size_t k = 0; k < n_slots; ++k) value[k].setZero(system.traits().size(argument_of(static_cast<Slot>(k))));
  z_size = z_row = Vector::Ones(system.traits().nz);
  y_size = Vector::Ones(system.traits().ny);
  psi_size = constraint_size = Vector::Ones(system.traits().m);
}

const Vector* EulerPoint::base(Slot slot) const {
  const Argument argument = argument_of(slot);
  if (argument == Argument::psi) return nullptr;
  return argument == Argument::y ? &(*this)[Slot::y0] : &(*this)[Slot::z0];
}

TermEquations::TermEquations(const OverdeterminedSystem& system, const OverdeterminedSystem& end, EulerPoint& point,
                             TermTable table)
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

void TermEquations::begin() {
  known_.setZero();
  for_each_addend([&](Index row, const Addend& addend) {
    if (!is_unknown(addend)) add(row, addend, known_);
  });
  for (std::size_t b = 0; b < table_.rows.size(); ++b)
    if (is_balance(table_.rows[b].kind))
      known_.segment(row_offset_[b], rows(Row::momentum)) -= point_->p0->value() + point_->p0->tail();
}

void TermEquations::residual(const ConstVectorRef& x, VectorRef f) {
  place(x);
  f = known_;
  for_each_addend([&](Index row, const Addend& addend) {
    if (is_unknown(addend)) add(row, addend, f);
  });
  add_increment(x, f);
}

void TermEquations::tangent(const ConstVectorRef& x, const ConstVectorRef& w, VectorRef jw) {
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

void TermEquations::known_tangent(const StepChange& change, const ConstVectorRef& dp0, VectorRef out) {
  out.setZero();
  for_each_addend([&](Index row, const Addend& addend) { add_tangent(row, addend, change, out); });
  for (std::size_t b = 0; b < table_.rows.size(); ++b)
    if (is_balance(table_.rows[b].kind)) out.segment(row_offset_[b], dp0.size()) -= dp0;
}

void TermEquations::jacobian(const ConstVectorRef& x, VectorRef values) {
  place(x);
  values.setZero();
  position_.add(values, one_, 1);
  for (const Derivative& d : derivatives_) {
    auto part = values_.head(system_->pattern(d.addend.term, d.argument).nonzeros());
    system_of(d.addend).jacobian(d.addend.term, d.argument, at(d.addend), part);
    d.map.add(values, part, coefficient(d.addend));
  }
}

void TermEquations::scales(VectorRef columns, VectorRef row_scales) const {
  const double h = std::abs(point_->h);
  for (const Slot slot : table_.unknowns) {
    auto part = columns.segment(offset(slot), system_->traits().size(argument_of(slot)));
    switch (argument_of(slot)) {
      case Argument::y:
        part = h * point_->y_size;
        break;
      case Argument::z:
        part = point_->z_size;
        break;
      case Argument::psi:
        part = point_->psi_size / h;
        break;
    }
  }
  for (std::size_t b = 0; b < table_.rows.size(); ++b) {
    auto part = row_scales.segment(row_offset_[b], rows(table_.rows[b].kind));
    switch (table_.rows[b].kind) {
      case Row::stage:
      case Row::momentum:
        part = point_->z_row;
        break;
      case Row::position:
        part = h * point_->y_size;
        break;
      case Row::constraint:
        part = h * point_->constraint_size;
        break;
      case Row::hidden:
        part = point_->constraint_size;
        break;
    }
  }
}

void TermEquations::place(const ConstVectorRef& x) {
  for (const Slot slot : table_.unknowns) {
    Vector& value = (*point_)[slot];
    value = x.segment(offset(slot), value.size());
    if (const Vector* base = point_->base(slot)) value += *base;
  }
}

const Addend* TermEquations::not_finite() const {
  for (const RowBlock& block : table_.rows)
    for (const Addend& addend : block.addends) {
      const OverdeterminedPoint here = at(addend);
      Vector out(system_->traits().rows(addend.term));
      system_of(addend).evaluate(addend.term, here, out);
      if (!out.allFinite() && here.y.allFinite() && here.z.allFinite() && here.psi.allFinite()) return &addend;
    }
  return nullptr;
}

const char* TermEquations::block_name(Slot slot) {
  static constexpr const char* names[] = {"y0", "dy", "z0", "dZ", "dz", "psi0", "psi1"};
  return names[static_cast<std::size_t>(slot)];
}

Slot TermEquations::slot_of(const Addend& addend, Argument argument) {
  return argument == Argument::y ? addend.y : argument == Argument::z ? addend.z : addend.psi;
}

Index TermEquations::rows(Row kind) const {
  const OverdeterminedTraits& traits = system_->traits();
  return is_balance(kind) ? traits.nz : kind == Row::position ? traits.ny : traits.m;
}

bool TermEquations::is_unknown(const Addend& addend) const {
  return std::any_of(table_.unknowns.begin(), table_.unknowns.end(), [&](Slot slot) {
    return addend.uses(slot) && system_->pattern(addend.term, argument_of(slot)).nonzeros() > 0;
  });
}

double TermEquations::coefficient(const Addend& addend) const {
  return addend.power == 0 ? addend.factor : addend.factor * point_->h;
}

OverdeterminedPoint TermEquations::at(const Addend& addend) const {
  return {(*point_)[addend.y], (*point_)[addend.z], (*point_)[addend.psi]};
}

void TermEquations::add(Index row, const Addend& addend, VectorRef f) {
  auto out = term_.head(system_->traits().rows(addend.term));
  system_of(addend).evaluate(addend.term, at(addend), out);
  f.segment(row, out.size()) += coefficient(addend) * out;
}

void TermEquations::add_tangent(Index row, const Addend& addend, const StepChange& change, VectorRef f) {
  const auto along = [&](Slot slot) -> const Vector& { return change[static_cast<std::size_t>(slot)]; };
  auto out = term_.head(system_->traits().rows(addend.term));
  system_of(addend).tangent(addend.term, at(addend), {along(addend.y), along(addend.z), along(addend.psi)}, out);
  f.segment(row, out.size()) += coefficient(addend) * out;
}

void TermEquations::add_increment(const ConstVectorRef& x, VectorRef f) const {
  for (std::size_t b = 0; b < table_.rows.size(); ++b)
    if (table_.rows[b].kind == Row::position)
      f.segment(row_offset_[b], one_.size()) += x.segment(offset(Slot::y1), one_.size());
}

template <class F>
void TermEquations::for_each_addend(F&& f) const {
  for (std::size_t b = 0; b < table_.rows.size(); ++b)
    for (const Addend& addend : table_.rows[b].addends) f(row_offset_[b], addend);
}

}  // namespace gnomon::kernels
