/// \file
/// Gears: the motions of joints in fixed ratios, sum_k c_k phi_k = 0. They act on motion k with -lambda c_k.

#include <cmath>

#include "gnomon/base/numbers.hpp"
#include "mechanism/bodies/joining_writer.hpp"

namespace gnomon::mechanism {

namespace {

class GearWriter : JoiningWriter {
 public:
  using JoiningWriter::JoiningWriter;

  void write() {
    for (const Gear& gear : all_.gears) write_gear(gear);
  }

 private:
  void write_gear(const Gear& gear) {
    const std::string& g = gear.name;
    const std::size_t count = gear.motions.size();
    std::vector<const Partner*> partners;
    std::string text;
    for (std::size_t k = 0; k < count; ++k) {
      const Gear::Motion& motion = gear.motions[k];
      const std::string factor = g + ".ratio" + std::to_string(k + 1);
      constant(factor, gear.place, [gear, k](const Poses& poses) { return coefficient(gear, poses, k); });
      text += (k ? " + " : "") + factor + "*";
      // Angles and distances of joints are zero at the start.
      if (motion.body) {
        const std::string start = g + ".start" + std::to_string(k + 1);
        constant(start, gear.place, [body = *motion.body](const Poses& poses) { return poses.angle(body); });
        text += "(" + motion.name + " - " + start + ")";
      } else {
        text += motion.name;
      }
      for (const Partner& partner : motion.partners) partners.push_back(&partner);
      output(g + (motion.turns ? ".torque" : ".force") + std::to_string(k + 1), "-lambda." + g + "*" + factor,
             motion.turns ? "N m" : "N", gear.place);
    }
    constraint(later(partners), g, text, gear.place);
  }
  static double coefficient(const Gear& gear, const Poses& poses, std::size_t k) {
    if (gear.ratios.size() == 1 && k == 1) return 1;
    const double ratio = poses.number(gear.ratios[gear.ratios.size() == 1 ? 0 : k]);
    if (!(std::isfinite(ratio) && ratio != 0))
      throw error_at(gear.place, "a ratio of gear " + gear.name + " is " + number_text(ratio) +
                                     ", expected a number that is not zero");
    return gear.ratios.size() == 1 ? -ratio : ratio;
  }
};

}  // namespace

void write_gears(const Bodies& all, WrittenTables& written) {
  GearWriter(all, written).write();
}

}  // namespace gnomon::mechanism
