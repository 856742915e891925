#include "mechanism/bodies/joining_writer.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace gnomon::mechanism {

std::string JoiningWriter::square(const Partner& a, const Partner& b) const {
  return sum([&](const std::string& c) { return apart(a, b, c) + "^2"; });
}

FormulaWriter::Texts JoiningWriter::negative(Texts vector) {
  for (std::string& text : vector) text = "-" + text;
  return vector;
}

std::string JoiningWriter::turned(const Partner& partner, const std::string& a, std::size_t i) const {
  const std::string omega = body_of(partner) + ".omega.", &j = letters[(i + 1) % 3], &k = letters[(i + 2) % 3];
  return omega + j + "*" + a + "." + k + " - " + omega + k + "*" + a + "." + j;
}

bool JoiningWriter::moves(const Partner& partner) const {
  return partner.kind == Partner::Kind::point && all_.points[partner.index].moves;
}

std::size_t JoiningWriter::later(const std::vector<const Partner*>& partners) const {
  if (!written_.near) return all_.bodies.size() + 1;
  std::size_t body = 0;
  for (const Partner* one : partners)
    if (one->kind == Partner::Kind::body) body = std::max(body, one->index + 1);
  return body;
}

bool is_large_tree(const Bodies& all) {
  constexpr std::size_t few = 16;
  if (all.bodies.size() <= few) return false;
  // Fixed points are one; then particles and bodies. Each points towards the root of what it is joined to.
  std::vector<std::size_t> towards(1 + all.particles.size() + all.bodies.size());
  std::iota(towards.begin(), towards.end(), std::size_t(0));
  const auto root = [&](const Partner& partner) {
    std::size_t at = partner.kind == Partner::Kind::point      ? 0
                     : partner.kind == Partner::Kind::particle ? 1 + partner.index
                                                               : 1 + all.particles.size() + partner.index;
    while (towards[at] != at) at = towards[at] = towards[towards[at]];
    return at;
  };
  const auto joins = [&](const Partner& a, const Partner& b) {
    const std::size_t from = root(a), to = root(b);
    towards[from] = to;
    return from != to;
  };
  for (const Joint& joint : all.joints)
    if (!joins(joint.a, joint.b)) return false;
  for (const Rod& rod : all.rods)
    if (!joins(rod.a, rod.b)) return false;
  return true;
}

void JoiningWriter::fixed_vector(const std::string& name, const Partner& partner,
                                 std::function<Vector3(const Poses&)> at, const Place& place) {
  if (!written_.vectors.insert(name).second) return;
  const bool of_body = partner.kind == Partner::Kind::body;
  for (std::size_t k = 0; k < dimension_; ++k)
    constant(name + "." + (of_body ? along_axes : letters)[k], place,
             [partner, at, k](const Poses& poses) { return poses.in_axes(partner, at(poses))[static_cast<Index>(k)]; });
  for (std::size_t c = 0; c < dimension_; ++c) {
    if (of_body) {
      const Body& body = all_.bodies[partner.index];
      define(name + "." + letters[c], in_space(name, body, c, false), place);
      define(name + ".v" + letters[c], in_space(name, body, c, true), place);
    } else {
      constant(name + ".v" + letters[c], place, [](const Poses&) { return 0.0; });
    }
  }
}

std::string JoiningWriter::unit(const Joint& joint, bool of_a, JointType::Vector which) {
  static const std::array<std::string, 3> names{"n", "e1", "e2"};
  const std::string name = joint.name + "." + names[which] + (of_a ? "a" : "b");
  fixed_vector(
      name, of_a ? joint.a : joint.b,
      [joint, of_a, which](const Poses& poses) -> Vector3 {
        const Poses::Frames frames = poses.frames(joint);
        return (of_a ? frames.a : frames.b).col(static_cast<Index>(which));
      },
      joint.place);
  return name;
}

void JoiningWriter::drive(const Joint& joint, const std::string& size, bool turning, const Place& place) {
  if (turning && planar()) {
    turn(joint.b, {size}, place);
    turn(joint.a, {"-(" + size + ")"}, place);
    return;
  }
  const std::string n = unit(joint, true, JointType::n);
  const Texts vector = components([&](const std::string& c) { return "(" + size + ")*" + n + "." + c; });
  if (turning) {
    turn(joint.b, vector, place);
    turn(joint.a, negative(vector), place);
  } else {
    act(joint.b, vector, place);
    act(joint.a, negative(vector), place);
  }
}

std::string JoiningWriter::with_names(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    const auto part = [&](std::size_t at) {
      return at < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_' || text[at] == '.');
    };
    std::size_t end = k;
    while (part(end)) ++end;
    if (end == k) {
      out += text[k++];
      continue;
    }
    const std::string word = text.substr(k, end - k);
    const auto other = names.find(word);
    out += other != names.end() ? other->second : word;
    k = end;
  }
  return out;
}

}  // namespace gnomon::mechanism
