#include "mechanism/bodies/bodies.hpp"

namespace gnomon::mechanism {

std::string description_of(const Bodies& bodies) {
  constexpr std::size_t most = 12;  // of one kind
  std::string text;
  const auto list = [&](const char* what, const auto& all, const auto& of_one) {
    if (all.empty()) return;
    text += what + std::string(" (") + std::to_string(all.size()) + "): ";
    for (std::size_t k = 0; k < all.size() && k < most; ++k) text += (k ? "; " : "") + of_one(all[k]);
    text += all.size() > most ? "; ...\n" : "\n";
  };
  const auto name = [](const auto& one) { return one.name; };
  const auto ends = [](const auto& one) { return one.name + " " + one.a.name + " to " + one.b.name; };
  const bool planar = bodies.dimension == 2;
  list("particles", bodies.particles, name);
  list("bodies", bodies.bodies,
       [&](const Body& body) { return body.name + (body.massless ? " (a place of another one)" : ""); });
  list("joints", bodies.joints, [&](const Joint& joint) { return ends(joint) + " (" + joint.type->name + ")"; });
  list("rolling", bodies.rollings, [](const Rolling& rolling) { return rolling.b.name + " on " + rolling.a.name; });
  list("bushings", bodies.bushings, ends);
  list("rods", bodies.rods, ends);
  list("springs", bodies.springs, ends);
  list("ropes", bodies.ropes, [](const Rope& rope) {
    std::string text = rope.name + " through ";
    for (std::size_t k = 0; k < rope.through.size(); ++k) text += (k ? ", " : "") + rope.through[k].name;
    return text;
  });
  list("gears", bodies.gears, [](const Gear& gear) {
    std::string text = gear.name + " of ";
    for (std::size_t k = 0; k < gear.motions.size(); ++k) text += (k ? ", " : "") + gear.motions[k].name;
    return text;
  });
  list("motors", bodies.motors,
       [&](const Motor& motor) { return motor.name + " of " + bodies.joints[motor.joint].name + ": " + motor.value; });
  list("loads", bodies.loads, [](const Load& load) { return load.name + " on " + load.on.name; });
  list("contacts", bodies.contacts, name);
  if (!bodies.bodies.empty())
    text += planar
                ? "bodies in the plane: q = (r, d1), T = m |r'|^2/2 + J |d1'|^2/2, (d1.d1 - 1)/2 = 0\n"
                : "bodies: q = (r, d1, d2, d3), T = m |r'|^2/2 + sum_ij E_ij d_i'.d_j'/2, (d_i.d_j - delta_ij)/2 = 0\n";
  return text;
}

}  // namespace gnomon::mechanism
