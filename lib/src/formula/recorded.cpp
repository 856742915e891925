#include "gnomon/formula/recorded.hpp"

#include <unordered_map>
#include <utility>

#include "gnomon/base/error.hpp"

namespace gnomon {

namespace {

/// What one recording has written so far. Nodes: t, x, then constants and operations in the order of their first use.
struct Recorder {
  struct Entry {
    Operation operation;
    Tape::Node a, b;
    bool timed;             // depends on t
    std::size_t angle = 0;  // of a winding
  };
  std::vector<Entry> entries;
  std::vector<long double> constants;
  std::unordered_map<long double, Tape::Node> constant_nodes;
  std::unordered_map<std::uint64_t, Tape::Node> known;  // an operation on the same arguments is done once
  std::string branch;
  bool timed_branch = false;

  Tape::Node append(Operation operation, Tape::Node a, Tape::Node b, bool timed) {
    entries.push_back({operation, a, b, timed});
    return static_cast<Tape::Node>(entries.size()) - 1;
  }
  Tape::Node node_of(const Recorded& a) {
    if (a.node() >= 0) return a.node();
    const auto found = constant_nodes.find(a.value());
    if (found != constant_nodes.end()) return found->second;
    const auto index = static_cast<Tape::Node>(constants.size());
    constants.push_back(a.value());
    const Tape::Node node = append(Operation::constant, index, 0, false);
    // Two zeros have one hash, and NaN equals nothing: neither is shared.
    if (a.value() == a.value() && a.value() != 0) constant_nodes.emplace(a.value(), node);
    return node;
  }
  bool timed(Tape::Node node) const { return entries[static_cast<std::size_t>(node)].timed; }
};

thread_local Recorder* recorder = nullptr;

/// Puts the recorder of the thread back when a recording ends, also by an exception.
struct Guard {
  Recorder* before;
  explicit Guard(Recorder& now) : before(std::exchange(recorder, &now)) {}
  ~Guard() { recorder = before; }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
};

bool varies(const Recorded& a) {
  return a.node() >= 0;
}
bool is(const Recorded& a, long double value) {
  return !varies(a) && a.value() == value;
}

/// The result of an operation; a constant, where its arguments are.
Recorded store(Operation operation, const Recorded& a, const Recorded& b, long double value, std::size_t angle = 0) {
  if (!varies(a) && !varies(b)) return Recorded(value);
  if (recorder == nullptr)
    throw Error(ErrorCode::bad_value, "a recorded number was used after the recording it belongs to had ended");
  const Tape::Node na = recorder->node_of(a), nb = recorder->node_of(b);
  const std::uint64_t key = static_cast<std::uint64_t>(operation) << 58 | static_cast<std::uint64_t>(na) << 29 |
                            static_cast<std::uint64_t>(nb);
  const auto found = recorder->known.find(key);
  if (found != recorder->known.end()) return Recorded(value, found->second);
  if (recorder->entries.size() >= (std::size_t(1) << 29) - 2)
    throw Error(ErrorCode::refused, "the recording of a function has more than 536 million operations");
  const Tape::Node node = recorder->append(operation, na, nb, recorder->timed(na) || recorder->timed(nb));
  recorder->entries.back().angle = angle;
  recorder->known.emplace(key, node);
  return Recorded(value, node);
}

}  // namespace

void Recorded::branch(const char* operation, const Recorded& a, const Recorded& b) {
  if (recorder == nullptr || (!varies(a) && !varies(b))) return;
  if (recorder->branch.empty()) recorder->branch = operation;
  for (const Recorded* x : {&a, &b})
    if (varies(*x) && recorder->timed(x->node())) recorder->timed_branch = true;
}

Recorded::operator double() const {
  branch("conversion to double", *this, *this);
  return static_cast<double>(value_);
}

// What is zero or one whatever the argument is folded: a parameter of zero takes away what it multiplies.
Recorded operator+(const Recorded& a, const Recorded& b) {
  if (is(a, 0)) return varies(b) ? b : Recorded(b.value());
  if (is(b, 0)) return varies(a) ? a : Recorded(a.value());
  return store(Operation::add, a, b, a.value() + b.value());
}
Recorded operator-(const Recorded& a, const Recorded& b) {
  if (is(b, 0)) return varies(a) ? a : Recorded(a.value());
  if (is(a, 0)) return -b;
  if (varies(a) && a.node() == b.node()) return Recorded(0);
  return store(Operation::subtract, a, b, a.value() - b.value());
}
Recorded operator*(const Recorded& a, const Recorded& b) {
  if (is(a, 0) || is(b, 0)) return Recorded(0);
  if (is(a, 1)) return b;
  if (is(b, 1)) return a;
  return store(Operation::multiply, a, b, a.value() * b.value());
}
Recorded operator/(const Recorded& a, const Recorded& b) {
  if (is(a, 0) && varies(b)) return Recorded(0);
  if (is(b, 1)) return a;
  return store(Operation::divide, a, b, a.value() / b.value());
}
Recorded operator-(const Recorded& a) {
  return store(Operation::negate, a, a, -a.value());
}

Recorded pow(const Recorded& a, const Recorded& b) {
  if (is(b, 0)) return Recorded(1);
  if (is(b, 1)) return a;
  return store(Operation::power, a, b, std::pow(a.value(), b.value()));
}
Recorded atan2(const Recorded& y, const Recorded& x) {
  return store(Operation::atan2, y, x, std::atan2(y.value(), x.value()));
}
Recorded counted_angle(const Recorded& y, const Recorded& x, std::size_t which) {
  return store(Operation::winding, y, x, winding(y.value(), x.value(), Windings::of(which)), which);
}
Recorded hypot(const Recorded& x, const Recorded& y) {
  return store(Operation::hypot, x, y, std::hypot(x.value(), y.value()));
}

#define GNOMON_RECORDED_FUNCTION(f)                      \
  Recorded f(const Recorded& a) {                        \
    return store(Operation::f, a, a, std::f(a.value())); \
  }
GNOMON_ELEMENTARY_FUNCTIONS(GNOMON_RECORDED_FUNCTION)
#undef GNOMON_RECORDED_FUNCTION

RecordingPoint ordinary_point(Index size_of_x) {
  RecordingPoint point;
  point.t = 0.3819660112501052;
  point.x.resize(size_of_x);
  // The fractional parts of multiples of the golden ratio, moved to (0.25, 0.75): all different, none special.
  for (Index j = 0; j < size_of_x; ++j) {
    const double multiple = static_cast<double>(j + 1) * 0.6180339887498949;
    point.x[j] = 0.25 + 0.5 * (multiple - std::floor(multiple));
  }
  return point;
}

namespace {

/// The tape of what the outputs need of a recording.
Tape finish(const Recorder& from, const std::array<Index, Tape::n_blocks>& block_sizes, const Recorded* out,
            std::size_t count) {
  Tape tape;
  tape.block_sizes = block_sizes;
  tape.branch = from.branch;
  std::vector<char> needed(from.entries.size(), 0);
  for (std::size_t i = 0; i < count; ++i)
    if (varies(out[i])) needed[static_cast<std::size_t>(out[i].node())] = 1;
  for (std::size_t k = from.entries.size(); k-- > 0;) {
    const Recorder::Entry& e = from.entries[k];
    if (!needed[k] || e.operation == Operation::input || e.operation == Operation::constant) continue;
    needed[static_cast<std::size_t>(e.a)] = needed[static_cast<std::size_t>(e.b)] = 1;
  }
  tape.uses_time = needed[0] || from.timed_branch;

  std::vector<Tape::Node> place(from.entries.size(), 0);
  const auto inputs = static_cast<std::size_t>(tape.first_constant());
  for (std::size_t k = 0; k < inputs; ++k) place[k] = static_cast<Tape::Node>(k);
  for (std::size_t k = inputs; k < from.entries.size(); ++k)
    if (needed[k] && from.entries[k].operation == Operation::constant) {
      place[k] = static_cast<Tape::Node>(tape.first_step());
      tape.constants.push_back(from.constants[static_cast<std::size_t>(from.entries[k].a)]);
    }
  std::vector<Tape::Node> outputs(count);
  for (std::size_t i = 0; i < count; ++i)
    if (!varies(out[i])) {
      outputs[i] = static_cast<Tape::Node>(tape.first_step());
      tape.constants.push_back(out[i].value());
    }
  for (std::size_t k = inputs; k < from.entries.size(); ++k) {
    const Recorder::Entry& e = from.entries[k];
    if (!needed[k] || e.operation == Operation::constant) continue;
    place[k] = static_cast<Tape::Node>(tape.nodes());
    if (e.operation == Operation::winding) tape.angles.push_back(e.angle);
    tape.steps.push_back({e.operation, place[static_cast<std::size_t>(e.a)], place[static_cast<std::size_t>(e.b)]});
  }
  for (std::size_t i = 0; i < count; ++i)
    if (varies(out[i])) outputs[i] = place[static_cast<std::size_t>(out[i].node())];
  tape.outputs = std::move(outputs);
  return tape;
}

}  // namespace

Tape record(const std::array<Index, Tape::n_blocks>& block_sizes, Index outputs, const RecordingPoint& at,
            const RecordedFunction& f, const std::string& what) {
  constexpr std::size_t margin = 64, room = 65536;  // behind the last output: what is written there is noticed
  const auto inputs = static_cast<std::size_t>(block_sizes[0] + block_sizes[1] + block_sizes[2]);
  const std::size_t expected = outputs == any_number ? room + 16 * inputs : static_cast<std::size_t>(outputs);
  Recorder now;
  std::vector<Recorded> x(inputs), out(expected + margin, Recorded::unset());
  now.append(Operation::input, 0, 0, true);
  for (std::size_t j = 0; j < inputs; ++j)
    x[j] = Recorded(at.x[static_cast<Index>(j)], now.append(Operation::input, 0, 0, false));
  {
    const Guard guard(now);
    const auto first = static_cast<std::size_t>(block_sizes[0]), second = static_cast<std::size_t>(block_sizes[1]);
    f(Recorded(at.t, 0), {x.data(), x.data() + first, x.data() + first + second}, out.data());
  }
  std::size_t written = out.size();
  while (written > 0 && out[written - 1].is_unset()) --written;
  if (written > expected)
    throw Error(ErrorCode::bad_size, what + " writes to entry " + std::to_string(written - 1) +
                                         " of its output, which has " + std::to_string(expected) +
                                         (expected == 1 ? " entry" : " entries"));
  return finish(now, block_sizes, out.data(), outputs == any_number ? written : expected);
}

}  // namespace gnomon
