#pragma once
/// \file
/// The steps that a reference takes by itself, for what shows its solution over time: no output time shortens them.

#include <functional>

#include "gnomon/base/types.hpp"

namespace gnomon {

/// The end of such a step.
struct ReferenceStep {
  double t;
  const Vector& q;  ///< of an overdetermined DAE y
  const Vector& p;  ///< and p(y,z)
  const Vector& z;  ///< of an overdetermined DAE; else without a meaning
  const Vector& lambda;
};

/// Implemented beside ReferenceSolution by those that take steps: dynamic_cast a solution to it. One that does not, as
/// a closed form, has values at every time that advance_to is asked for.
class GNOMON_EXPORT StepwiseReference {
 public:
  using Watch = std::function<void(const ReferenceStep&)>;
  virtual ~StepwiseReference() = default;
  /// From now on `watch` is called at the end of every step, and with obstacles after every event too. There the time
  /// may go back to that of an earlier step, which is taken again from there.
  void watch_steps(Watch watch) { watch_ = std::move(watch); }

 protected:
  bool watched() const { return static_cast<bool>(watch_); }
  void show(const ReferenceStep& step) const {
    if (watch_) watch_(step);
  }

 private:
  Watch watch_;
};

}  // namespace gnomon
