#pragma once
/// \file
/// The switches of a model whose functions are tapes.

#include <memory>
#include <string>
#include <vector>

#include "gnomon/formula/recorded.hpp"
#include "gnomon/formula/tape_function.hpp"
#include "gnomon/model/parts.hpp"

namespace gnomon::model {

class GNOMON_EXPORT RecordedSwitches final : public Switches {
 public:
  /// Numbers the switches of the tapes, with blocks of (q), (q, v) or (q, v, lambda), after `angles` angles. Null where
  /// there are none.
  static std::shared_ptr<const Switches> number(const std::vector<Tape*>& tapes,
                                                const std::array<Index, Tape::n_blocks>& block_sizes, Index angles);

  Index n_switches() const override { return static_cast<Index>(names_.size()); }
  std::string switch_name(Index i) const override { return names_[static_cast<std::size_t>(i)]; }
  bool switches_use_multipliers() const override { return use_multipliers_; }
  void switches(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                VectorRef out) const override;
  void switch_rates(double t, const ConstVectorRef& q, const ConstVectorRef& v, const ConstVectorRef& lambda,
                    VectorRef out) const override;

 private:
  RecordedSwitches(Tape functions, std::vector<std::string> names);
  /// Zeros where they are not used.
  const double* multipliers(const ConstVectorRef& lambda) const {
    return use_multipliers_ ? lambda.data() : no_multipliers_.data();
  }

  std::vector<std::string> names_;
  TapeFunction functions_;
  std::vector<char> of_motion_;  ///< depends on v or lambda
  bool use_multipliers_;
  Vector no_multipliers_;
};

}  // namespace gnomon::model
