/// \file
/// Loads, and contacts with planes.

#include "mechanism/bodies/joining_writer.hpp"

namespace gnomon::mechanism {

namespace {

class ContactWriter : JoiningWriter {
 public:
  using JoiningWriter::JoiningWriter;

  void write() {
    for (const Load& load : all_.loads) write_load(load);
    for (const PlaneContact& contact : all_.contacts) write_contact(contact);
  }

 private:
  void write_load(const Load& load) {
    for (std::size_t c = 0; c < dimension_; ++c)
      define(load.name + "." + letters[c], load.components[c].first, load.components[c].second);
    act(load.on, point_of(load.name), load.place);
  }

  void write_contact(const PlaneContact& contact) {
    const std::string& name = contact.name;
    const auto direction = [contact](const Poses& poses) {
      return poses.direction(contact.normal, "the normal of contact " + contact.name);
    };
    fixed_vector(name + ".normal", contact.base.value_or(Partner{}), direction, contact.place);
    const std::string point = contact.base ? contact.base->name : name + ".point";
    if (!contact.base)
      for (std::size_t c = 0; c < dimension_; ++c) number(point + "." + letters[c], contact.point[c], contact.place);
    if (contact.restitution) number(name + ".restitution", *contact.restitution, contact.restitution->place);
    if (contact.friction) number(name + ".friction", *contact.friction, contact.friction->place);
    for (const Partner& on : contact.on) {
      const auto above = [&](const std::string& c) { return "(" + on.name + "." + c + " - " + point + "." + c + ")"; };
      std::string text = "{ formula = " +
                         toml_string(sum([&](const std::string& c) { return name + ".normal." + c + "*" + above(c); }));
      if (contact.restitution) text += ", restitution = " + toml_string(name + ".restitution");
      // The normal turned by a right angle is a vector of the plane, by which the point slips.
      if (contact.friction)
        text += ", slip = " + toml_string(name + ".normal.y*" + above("x") + " - " + name + ".normal.x*" + above("y")) +
                ", friction = " + toml_string(name + ".friction");
      line("obstacles", name + "." + on.name, text + " }", contact.place);
    }
  }
};

}  // namespace

void write_contacts(const Bodies& all, WrittenTables& written) {
  ContactWriter(all, written).write();
}

}  // namespace gnomon::mechanism
