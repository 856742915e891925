#include "composition/coefficients.hpp"

#include <cmath>
#include <initializer_list>
#include <iterator>

namespace gnomon::kernels {
namespace {

/// c_1, c_2, ... up to the middle one, which follows from sum c_i = 1.
Coefficients symmetric(std::initializer_list<double> half) {
  Coefficients c(half);
  double sum = 0;
  for (const double x : half) sum += x;
  c.push_back(1 - 2 * sum);
  c.insert(c.end(), std::make_reverse_iterator(half.end()), std::make_reverse_iterator(half.begin()));
  return c;
}

/// Yoshida, Phys. Lett. A 150 (1990), table 1, solution A.
Coefficients yoshida_6() {
  return symmetric(
      {.784513610477557263819497633866, .235573213359358133684793182979, -1.17767998417887100694641568096});
}

/// Suzuki, Umeno, Springer Proceedings in Physics 76 (1993); Hairer, Lubich, Wanner, Geometric Numerical Integration,
/// V.3.2, (3.10).
Coefficients suzuki_umeno_8() {
  return symmetric({.74167036435061295344822780, -.40910082580003159399730010, .19075471029623837995387626,
                    -.57386247111608226665638773, .29906418130365592384446354, .33462491824529818378495798,
                    .31529309239676659663205666});
}

/// Kahan, Li, Math. Comp. 66 (1997), 1089; Hairer, Lubich, Wanner, V.3.2.
Coefficients kahan_li_6() {
  return symmetric({.39216144400731413928, .33259913678935943860, -.70624617255763935981, .082213596293550800230});
}

/// The same, (3.11).
Coefficients kahan_li_8() {
  return symmetric({.13020248308889008088, .56116298177510838456, -.38947496264484728641, .15884190655515560090,
                    -.39590389413323757734, .18453964097831570709, .25837438768632204729, .29501172360931029887});
}

/// Every substep of `outer` replaced by the substeps of `inner`.
Coefficients refined(const Coefficients& outer, const Coefficients& inner) {
  Coefficients product;
  for (const double a : outer)
    for (const double b : inner) product.push_back(a * b);
  return product;
}

}  // namespace

Coefficients composition_coefficients(CompositionKind kind, int from, int to) {
  if (kind == CompositionKind::yoshida && from == 2 && to == 6) return yoshida_6();
  if (kind == CompositionKind::yoshida && from == 2 && to == 8) return suzuki_umeno_8();
  if (kind == CompositionKind::optimal && from == 2 && to == 6) return kahan_li_6();
  if (kind == CompositionKind::optimal && from == 2 && to == 8) return kahan_li_8();
  Coefficients c{1};
  for (int order = from; order < to; order += 2) {
    const bool three = kind == CompositionKind::yoshida;
    const double copies = three ? 2 : 4, a = 1 / (copies - std::pow(copies, 1. / (order + 1))), rest = 1 - copies * a;
    c = refined(three ? Coefficients{a, rest, a} : Coefficients{a, a, rest, a, a}, c);
  }
  return c;
}

}  // namespace gnomon::kernels
