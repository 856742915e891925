#include "gnomon/model/system.hpp"

namespace gnomon {

long double ConfigurationMass::kinetic_compensated(const ConstVectorRef& q, const ConstVectorRef& q_tail,
                                                   const ConstVectorRef& p, const ConstVectorRef& p_tail, VectorRef t_q,
                                                   VectorRef t_p) const {
  kinetic_gradient(q, p, t_q, t_p);
  return static_cast<long double>(kinetic_energy(q, p)) + t_q.dot(q_tail) + t_p.dot(p_tail);
}

long double System::potential_to_first_order(double t, const ConstVectorRef& q, const ConstVectorRef& tail,
                                             VectorRef gradient) const {
  potential_gradient(t, q, gradient);
  return static_cast<long double>(potential(t, q)) + gradient.dot(tail);
}

void System::constraints_to_first_order(double t, const ConstVectorRef& q, const ConstVectorRef& tail, VectorRef out,
                                        VectorRef g_values) const {
  constraints(t, q, out);
  constraint_jacobian(t, q, g_values);
  const SparsityPattern& pattern = constraint_pattern();
  for (Index i = 0; i < pattern.rows; ++i)
    for (Index k = pattern.offsets[i]; k < pattern.offsets[i + 1]; ++k)
      out[i] += g_values[k] * tail[pattern.indices[k]];
}

}  // namespace gnomon
