#pragma once
/// \file
/// Impacts that gain energy, which Newton's restitution does beside friction.

#include <string>

#include "gnomon/base/error.hpp"
#include "gnomon/base/thresholds.hpp"
#include "gnomon/run/integrator.hpp"

namespace gnomon {

/// One sentence on the impacts that gained more than rounding, those of one time together; empty where none did.
inline std::string gained_energy(const Integrator& integrator) {
  const std::vector<ContactEvent>& events = integrator.events();
  long count = 0;
  double most = thresholds::impact_gain * integrator.state().energy_scale, t_most = 0;
  for (std::size_t first = 0, k = 0; first < events.size(); first = k) {
    double change = 0;
    for (k = first; k < events.size() && events[k].t == events[first].t; ++k) change += events[k].energy_change;
    if (!(change > thresholds::impact_gain * integrator.state().energy_scale)) continue;
    ++count;
    if (change > most) t_most = events[first].t;
    most = std::max(most, change);
  }
  if (count == 0) return {};
  return std::to_string(count) + (count == 1 ? " impact" : " impacts") + " gained energy, at most " +
         number_text(most) + " at t = " + number_text(t_most) +
         ": restitution beside friction may do so, without friction or with restitution = 0 none does";
}

}  // namespace gnomon
