#include "gnomon/model/autodiff/recorded_switches.hpp"

#include <limits>
#include <utility>

namespace gnomon::model {

std::shared_ptr<const Switches> RecordedSwitches::number(const std::vector<Tape*>& tapes,
                                                         const std::array<Index, Tape::n_blocks>& block_sizes,
                                                         Index angles) {
  std::vector<std::string> names;
  Tape functions = number_switches(tapes, block_sizes, static_cast<std::size_t>(angles), names);
  if (names.empty()) return nullptr;
  return std::shared_ptr<const Switches>(new RecordedSwitches(std::move(functions), std::move(names)));
}

RecordedSwitches::RecordedSwitches(Tape functions, std::vector<std::string> names)
    : names_(std::move(names)),
      functions_(std::move(functions), TapeFunction::Patterns::none),
      use_multipliers_(functions_.tape().dependences(2).nonzeros() > 0),
      no_multipliers_(Vector::Zero(functions_.block_sizes()[2])) {
  const SparsityPattern by_v = functions_.tape().dependences(1), by_lambda = functions_.tape().dependences(2);
  for (Index i = 0; i < n_switches(); ++i)
    of_motion_.push_back(by_v.offsets[i] < by_v.offsets[i + 1] || by_lambda.offsets[i] < by_lambda.offsets[i + 1]);
}

void RecordedSwitches::switches(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                const ConstVectorRef& lambda, VectorRef out) const {
  functions_.value(t, {q.data(), v.data(), multipliers(lambda)}, out.data());
}

void RecordedSwitches::switch_rates(double t, const ConstVectorRef& q, const ConstVectorRef& v,
                                    const ConstVectorRef& lambda, VectorRef out) const {
  functions_.along(t, {q.data(), v.data(), multipliers(lambda)}, v.data(), out.data(), nullptr);
  for (Index i = 0; i < n_switches(); ++i)
    if (of_motion_[static_cast<std::size_t>(i)]) out[i] = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace gnomon::model
