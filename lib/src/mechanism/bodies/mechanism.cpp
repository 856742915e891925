#include "gnomon/mechanism/mechanism.hpp"

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "gnomon/mechanism/model_file.hpp"
#include "mechanism/tape_text.hpp"

namespace gnomon {

using mechanism::toml_string;

namespace {

std::string array(const Values3& values) {
  std::string out = "[";
  for (const Value& value : values) out += (out.size() > 1 ? ", " : "") + value.toml();
  return out + "]";
}

Values3 names_of(const std::vector<Attachment>& all) {
  Values3 names;
  for (const Attachment& one : all) names.emplace_back(one.name);
  return names;
}

std::string between(const Attachment& a, const Attachment& b) {
  return "[" + toml_string(a.name) + ", " + toml_string(b.name) + "]";
}

}  // namespace

Value::Value(double number) : toml_(number_text(number, 17)) {}
Value::Value(const char* formula) : toml_(toml_string(formula)) {}
Value::Value(const std::string& formula) : toml_(toml_string(formula)) {}

MechanismEntry& MechanismEntry::add(const std::string& key, std::string toml) {
  keys_.emplace_back(key, std::move(toml));
  return *this;
}
MechanismEntry& MechanismEntry::set(const std::string& key, const Value& value) {
  return add(key, value.toml());
}
MechanismEntry& MechanismEntry::set(const std::string& key, const Values3& values) {
  return add(key, array(values));
}

MechanismBody& MechanismBody::marker(const std::string& name, const Values3& position) {
  return set("markers." + toml_string(name), position);
}
MechanismBody& MechanismBody::orientation(const Values3& axis, const Value& angle) {
  return set("orientation.axis", axis).set("orientation.angle", angle);
}
MechanismBody& MechanismBody::place(const std::string& marker, const Attachment& at) {
  return set("place." + toml_string(marker), Value(at.name));
}
MechanismBody& MechanismBody::place(const std::string& marker, const Values3& at) {
  return set("place." + toml_string(marker), at);
}

Mechanism::Mechanism(std::string name, Space space) : name_(std::move(name)), space_(space) {}

MechanismEntry& Mechanism::entry(const std::string& table, const std::string& name) {
  MechanismEntry& entry = entries_.emplace_back();
  entry.table_ = table;
  entry.name_ = name;
  return entry;
}

void Mechanism::gravity(const Values3& acceleration) {
  gravity_ = array(acceleration);
}
void Mechanism::parameter(const std::string& name, double value) {
  parameters_ += toml_string(name) + " = " + Value(value).toml() + "\n";
}
Attachment Mechanism::point(const std::string& name, const Values3& position) {
  entry("points", name).set("position", position);
  return {name};
}
Attachment Mechanism::particle(const std::string& name, const Value& mass, const Values3& position) {
  entry("particles", name).set("mass", mass).set("position", position);
  return {name};
}
Attachment Mechanism::particle(const std::string& name, const Value& mass, const Values3& position,
                               const Values3& velocity) {
  entry("particles", name).set("mass", mass).set("position", position).set("velocity", velocity);
  return {name};
}
MechanismBody Mechanism::body(const std::string& name) {
  return MechanismBody(entry("bodies", name));
}
MechanismEntry& Mechanism::joint(const std::string& name, const std::string& type, const Attachment& a,
                                 const Attachment& b) {
  return entry("joints", name).set("type", type).add("between", between(a, b));
}
MechanismEntry& Mechanism::gear(const std::string& name, const std::string& first, const std::string& second,
                                const Value& ratio) {
  return entry("joints", name).set("type", "gear").set("of", Values3{first, second}).set("ratio", ratio);
}
MechanismEntry& Mechanism::gear(const std::string& name, const std::vector<std::string>& of, const Values3& ratios) {
  return entry("joints", name).set("type", "gear").set("of", Values3(of.begin(), of.end())).set("ratios", ratios);
}
MechanismEntry& Mechanism::rod(const std::string& name, const Attachment& a, const Attachment& b) {
  return entry("rods", name).add("between", between(a, b));
}
MechanismEntry& Mechanism::spring(const std::string& name, const Attachment& a, const Attachment& b) {
  return entry("springs", name).add("between", between(a, b));
}
MechanismEntry& Mechanism::rope(const std::string& name, const std::vector<Attachment>& through) {
  return entry("ropes", name).set("through", names_of(through));
}
MechanismEntry& Mechanism::motor(const std::string& name, const std::string& joint) {
  return entry("motors", name).set("joint", joint);
}
void Mechanism::load(const std::string& name, const Attachment& on, const Values3& force) {
  entry("loads", name).set("on", on.name).set("force", force);
}
MechanismEntry& Mechanism::contact(const std::string& name, const Values3& point, const Values3& normal,
                                   const std::vector<Attachment>& on) {
  return entry("contacts", name).set("plane.point", point).set("plane.normal", normal).set("on", names_of(on));
}
MechanismEntry& Mechanism::contact(const std::string& name, const Attachment& point, const Values3& normal,
                                   const std::vector<Attachment>& on) {
  return entry("contacts", name).set("plane.point", point.name).set("plane.normal", normal).set("on", names_of(on));
}

void Mechanism::table(const std::string& name, const Values3& x, const Values3& y) {
  entry("tables", name).set("x", x).set("y", y);
}

void Mechanism::hold(const std::string& name) {
  std::vector<std::string> known;
  for (MechanismEntry& entry : entries_) {
    if (entry.table_ != "bodies" && entry.table_ != "particles" && entry.table_ != "joints") continue;
    if (entry.name_ == name) {
      entry.add("hold", "true");
      return;
    }
    known.push_back(entry.name_);
  }
  throw unknown_name("body, particle or joint", name, known);
}

std::string Mechanism::text() const {
  std::string out = "format = 1\nname = " + toml_string(name_) + "\n";
  if (space_ == Space::planar) out += "planar = true\n";
  if (!gravity_.empty()) out += "gravity = " + gravity_ + "\n";
  for (const MechanismEntry& entry : entries_) {
    out += "\n[" + entry.table_ + "." + toml_string(entry.name_) + "]\n";
    for (const auto& [key, value] : entry.keys_) out += key + " = " + value + "\n";
  }
  if (!parameters_.empty()) out += "\n[parameters]\n" + parameters_;
  if (assemble_) out += "\n[start]\nassemble = true\n";
  return out + (further_.empty() ? "" : "\n" + further_);
}

std::unique_ptr<const Problem> Mechanism::problem() const {
  return read_model_text(text(), name_);
}

ProblemInstance Mechanism::build(const Assignments& parameters) const {
  const std::unique_ptr<const Problem> problem = this->problem();
  return problem->build(Options("mechanism " + name_, problem->parameters(), parameters));
}

}  // namespace gnomon
