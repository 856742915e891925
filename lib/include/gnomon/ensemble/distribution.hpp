#pragma once
/// \file
/// Distribution: the values that one quantity takes over the runs of an ensemble.

#include <string>
#include <vector>

#include "gnomon/abi.h"

namespace gnomon {

/// A list of values, or a probability distribution that values are drawn from:
///
///     list(x1,x2,...)         these numbers or words, in this order
///     grid(a,b,n)             n numbers a + i (b - a)/(n - 1), i = 0..n-1; both ends are among them
///     log-grid(a,b,n)         n numbers a (b/a)^(i/(n - 1)), 0 < a, 0 < b
///     uniform(a,b)            density 1/(b - a) on [a, b]
///     log-uniform(a,b)        the logarithm is uniform on [log a, log b], 0 < a < b
///     normal(m,s)             mean m, standard deviation s > 0
class GNOMON_EXPORT Distribution {
 public:
  /// Of a text as above. Throws Error(bad_value), naming `what` and the text, for another form, ranges that are empty,
  /// and numbers that are not finite.
  Distribution(const std::string& what, const std::string& text);

  /// The text.
  const std::string& text() const { return text_; }
  /// Values are drawn, not listed.
  bool drawn() const { return count_ == 0; }
  /// How many values a list or grid has; 0 for one that values are drawn from.
  long count() const { return count_; }
  /// The words of a list that is not of numbers; empty for all others.
  const std::vector<std::string>& words() const { return words_; }

  /// Value i of a list or grid; of a list of words i itself.
  double listed(long i) const;
  /// The quantile at u, 0 < u < 1: the value x with P(X <= x) = u.
  double quantile(double u) const;
  /// A value as assignments write it: the word, or the fewest digits that give the same number.
  std::string value_text(double value) const;

 private:
  enum class Form { list, grid, log_grid, uniform, log_uniform, normal };
  Form form_ = Form::list;
  std::string text_;
  long count_ = 0;
  double a_ = 0, b_ = 0;
  std::vector<double> numbers_;
  std::vector<std::string> words_;
};

}  // namespace gnomon
