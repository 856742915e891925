#include "kernels/line_integral/line_integral_degrees.hpp"

#include <string>

#include "gnomon/base/error.hpp"

namespace gnomon::kernels {

void check_degrees(const Scheme& scheme, Index k, Index s, Index r) {
  const auto refuse = [&](const std::string& option, Index value, const std::string& expected) {
    throw Error(ErrorCode::bad_value, "option " + option + " of scheme " + scheme.name() + " is " +
                                          std::to_string(value) + ", expected at " + expected +
                                          " s = " + std::to_string(s));
  };
  if (k < s) refuse("k", k, "least as many quadrature nodes as the degree");
  if (r > s) refuse("r", r, "most as many multiplier coefficients as the degree");
}

Index exact_nodes(Index s, int degree) {
  return (s * degree + 1) / 2;
}

bool nodes_are_exact(Index k, Index s, int degree) {
  return degree != SystemTraits::not_polynomial && k >= exact_nodes(s, degree);
}

}  // namespace gnomon::kernels
