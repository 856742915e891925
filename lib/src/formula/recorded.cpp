#include "gnomon/formula/recorded.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "gnomon/base/error.hpp"
#include "tape_sweeps.hpp"

namespace gnomon {

namespace {

/// What one recording has written so far. Nodes: t, x, then constants and operations in the order of their first use.
struct Recorder {
  struct Entry {
    Operation operation;
    Tape::Node a, b;
    bool timed;             // depends on t
    std::size_t which = 0;  // angle of a winding, switch of a select
  };
  std::vector<Entry> entries;
  std::vector<long double> constants;
  std::unordered_map<long double, Tape::Node> constant_nodes;
  std::unordered_map<std::uint64_t, Tape::Node> known;  // an operation on the same arguments is done once
  std::vector<Tape::Switch> switches;
  std::map<std::tuple<Tape::Node, Tape::Switch::Takes, Tape::Node, Tape::Node>, Tape::Node> known_selects;
  std::string branch;
  bool timed_branch = false;

  // With both branches: the way of the path that is recorded at its first comparisons, and all that it came to.
  struct Decision {
    const char* operation;
    Tape::Switch::Takes takes;
    Recorded s;
    bool way;
  };
  Branches branches = Branches::one;
  std::vector<bool> path;
  std::vector<Decision> decisions;
  std::string what;

  Tape::Node append(Operation operation, Tape::Node a, Tape::Node b, bool timed) {
    if (entries.size() >= (std::size_t(1) << 29) - 2)
      throw Error(ErrorCode::refused, "the recording of a function has more than 536 million operations");
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

void require_recorder() {
  if (recorder == nullptr)
    throw Error(ErrorCode::bad_value, "a recorded number was used after the recording it belongs to had ended");
}

/// The result of an operation; a constant, where its arguments are.
Recorded store(Operation operation, const Recorded& a, const Recorded& b, long double value, std::size_t angle = 0) {
  if (!varies(a) && !varies(b)) return Recorded(value);
  require_recorder();
  const Tape::Node na = recorder->node_of(a), nb = recorder->node_of(b);
  const std::uint64_t key = static_cast<std::uint64_t>(operation) << 58 | static_cast<std::uint64_t>(na) << 29 |
                            static_cast<std::uint64_t>(nb);
  const auto found = recorder->known.find(key);
  if (found != recorder->known.end()) return Recorded(value, found->second);
  const Tape::Node node = recorder->append(operation, na, nb, recorder->timed(na) || recorder->timed(nb));
  recorder->entries.back().which = angle;
  recorder->known.emplace(key, node);
  return Recorded(value, node);
}

}  // namespace

namespace {

/// The tape is only the branch that was taken.
void mark_branch(const char* operation, const Recorded& a, const Recorded& b) {
  if (recorder == nullptr || (!varies(a) && !varies(b))) return;
  if (recorder->branch.empty()) recorder->branch = operation;
  for (const Recorded* x : {&a, &b})
    if (varies(*x) && recorder->timed(x->node())) recorder->timed_branch = true;
}

bool records_both(const Recorded& a, const Recorded& b) {
  return recorder != nullptr && recorder->branches == Branches::both && (varies(a) || varies(b));
}

/// Which way a path goes at a comparison: as it is told, then as the values say.
bool decided(const char* operation, Tape::Switch::Takes takes, const Recorded& s, bool natural) {
  if (!varies(s)) return natural;
  const std::size_t k = recorder->decisions.size();
  const bool way = k < recorder->path.size() ? recorder->path[k] : natural;
  recorder->decisions.push_back({operation, takes, s, way});
  return way;
}

}  // namespace

bool Recorded::compare(const char* operation, Takes takes, const Recorded& a, const Recorded& b) {
  const bool natural = takes == Takes::positive       ? a.value_ > b.value_
                       : takes == Takes::not_negative ? a.value_ >= b.value_
                                                      : a.value_ == b.value_;
  if (records_both(a, b)) return decided(operation, takes, a - b, natural);
  mark_branch(operation, a, b);
  return natural;
}

Recorded choose(const Recorded& s, const Recorded& positive, const Recorded& otherwise) {
  if (!records_both(s, s)) return s > Recorded(0) ? positive : otherwise;
  return select(Tape::Switch::Takes::positive, s, positive, otherwise, recorder->what + ", choose");
}
Recorded abs(const Recorded& a) {
  if (records_both(a, a)) return select(Tape::Switch::Takes::not_negative, a, a, -a, recorder->what + ", abs");
  mark_branch("abs", a, a);
  return a.value() < 0 ? -a : a;
}
Recorded min(const Recorded& a, const Recorded& b) {
  if (records_both(a, b)) return select(Tape::Switch::Takes::positive, a - b, b, a, recorder->what + ", min");
  mark_branch("min", a, b);
  return b.value() < a.value() ? b : a;
}
Recorded max(const Recorded& a, const Recorded& b) {
  if (records_both(a, b)) return select(Tape::Switch::Takes::positive, b - a, b, a, recorder->what + ", max");
  mark_branch("max", a, b);
  return a.value() < b.value() ? b : a;
}

Recorded::operator double() const {
  mark_branch("conversion to double", *this, *this);
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
Recorded select(Tape::Switch::Takes takes, const Recorded& at, const Recorded& first, const Recorded& second,
                const std::string& name) {
  Tape::Switch found{0, takes, Tape::Switch::unnumbered, name};
  const bool takes_first = found.first(at.value());
  // Numbers that are equal may be others in a model beside this one: which switches there are does not depend on it.
  const bool same = varies(first) && first.node() == second.node();
  if (!varies(at) || same) return takes_first ? first : second;
  require_recorder();
  const Tape::Node s = recorder->node_of(at), a = recorder->node_of(first), b = recorder->node_of(second);
  const long double value = takes_first ? first.value() : second.value();
  const auto [known, fresh] = recorder->known_selects.try_emplace({s, takes, a, b}, 0);
  if (fresh) {
    found.node = s;
    known->second =
        recorder->append(Operation::select, a, b, recorder->timed(s) || recorder->timed(a) || recorder->timed(b));
    recorder->entries.back().which = recorder->switches.size();
    recorder->switches.push_back(std::move(found));
  }
  return Recorded(value, known->second);
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
    if (e.operation == Operation::select) needed[static_cast<std::size_t>(from.switches[e.which].node)] = 1;
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
    if (e.operation == Operation::winding) tape.angles.push_back(e.which);
    if (e.operation == Operation::select) {
      tape.switches.push_back(from.switches[e.which]);
      Tape::Node& node = tape.switches.back().node;
      node = place[static_cast<std::size_t>(node)];
    }
    tape.steps.push_back({e.operation, place[static_cast<std::size_t>(e.a)], place[static_cast<std::size_t>(e.b)]});
  }
  for (std::size_t i = 0; i < count; ++i)
    if (varies(out[i])) outputs[i] = place[static_cast<std::size_t>(out[i].node())];
  tape.outputs = std::move(outputs);
  return tape;
}

constexpr int most_paths = 64;

/// Records all paths that begin as recorder->path does, and chooses between their outputs. False: there are too many.
template <class Call>
bool record_beyond(const Call& call, std::vector<Recorded>& out, int& paths) {
  call(out);
  const std::size_t k = recorder->path.size();
  if (recorder->decisions.size() <= k) return ++paths <= most_paths;
  const Recorder::Decision at = recorder->decisions[k];
  std::array<std::vector<Recorded>, 2> of;
  for (const bool way : {at.way, !at.way}) {
    recorder->path.push_back(way);
    if (!record_beyond(call, of[way], paths)) return false;
    recorder->path.pop_back();
  }
  const std::string name = recorder->what + ", " + at.operation;
  for (std::size_t i = 0; i < out.size(); ++i) {
    Recorded &yes = of[1][i], &no = of[0][i];
    out[i] = yes;
    if (yes.is_unset() && no.is_unset()) continue;
    for (Recorded* x : {&yes, &no})
      if (x->is_unset()) *x = Recorded(0);
    out[i] = select(at.takes, at.s, yes, no, name);
  }
  return true;
}

template <class Call>
bool record_paths(const Call& call, std::vector<Recorded>& out) {
  int paths = 0;
  try {
    return record_beyond(call, out, paths) && recorder->branch.empty();
  } catch (...) {
    return false;  // where it is on the path of the point it is thrown again
  }
}

}  // namespace

Tape record(const std::array<Index, Tape::n_blocks>& block_sizes, Index outputs, const RecordingPoint& at,
            const RecordedFunction& f, const std::string& what, Branches branches) {
  constexpr std::size_t margin = 64, room = 65536;  // behind the last output: what is written there is noticed
  const auto inputs = static_cast<std::size_t>(block_sizes[0] + block_sizes[1] + block_sizes[2]);
  const std::size_t expected = outputs == any_number ? room + 16 * inputs : static_cast<std::size_t>(outputs);
  Recorder now;
  std::vector<Recorded> x(inputs), out;
  const auto open = [&](Branches how) {
    now = Recorder();
    now.branches = how;
    now.what = what;
    now.append(Operation::input, 0, 0, true);
    for (std::size_t j = 0; j < inputs; ++j)
      x[j] = Recorded(at.x[static_cast<Index>(j)], now.append(Operation::input, 0, 0, false));
  };
  {
    const Guard guard(now);
    const auto first = static_cast<std::size_t>(block_sizes[0]), second = static_cast<std::size_t>(block_sizes[1]);
    const auto call = [&](std::vector<Recorded>& to) {
      to.assign(expected + margin, Recorded::unset());
      now.decisions.clear();
      f(Recorded(at.t, 0), {x.data(), x.data() + first, x.data() + first + second}, to.data());
    };
    open(branches);
    if (branches == Branches::one || !record_paths(call, out)) {
      open(Branches::one);
      call(out);
    }
  }
  std::size_t written = out.size();
  while (written > 0 && out[written - 1].is_unset()) --written;
  if (written > expected)
    throw Error(ErrorCode::bad_size, what + " writes to entry " + std::to_string(written - 1) +
                                         " of its output, which has " + std::to_string(expected) +
                                         (expected == 1 ? " entry" : " entries"));
  return finish(now, block_sizes, out.data(), outputs == any_number ? written : expected);
}

Tape number_switches(const std::vector<Tape*>& tapes, const std::array<Index, Tape::n_blocks>& block_sizes,
                     std::size_t first, std::vector<std::string>& names) {
  const auto has_switches = [](const Tape* tape) { return !tape->switches.empty(); };
  if (std::none_of(tapes.begin(), tapes.end(), has_switches)) return {};
  const Index size = block_sizes[0] + block_sizes[1] + block_sizes[2];
  Tape functions =
      record(block_sizes, any_number, ordinary_point(size), [&](const Recorded& t, const auto& x, Recorded* out) {
        std::unordered_map<Tape::Node, std::size_t> numbers;
        for (Tape* tape : tapes) {
          std::vector<Recorded> at(static_cast<std::size_t>(tape->nodes()));
          at[0] = t;
          for (std::size_t block = 0; block < Tape::n_blocks; ++block)
            for (Index j = 0; j < tape->block_sizes[block]; ++j)
              at[static_cast<std::size_t>(tape->block_begin(block) + j)] = x[block][j];
          forward(*tape, at.data());
          for (Tape::Switch& one : tape->switches) {
            if (one.takes == Tape::Switch::Takes::zero) continue;
            const Recorded& s = at[static_cast<std::size_t>(one.node)];
            if (s.is_constant()) continue;
            const auto [found, fresh] = numbers.try_emplace(s.node(), numbers.size());
            one.number = first + found->second;
            if (!fresh) continue;
            names.push_back(one.name);
            out[found->second] = s;
          }
        }
      });
  for (Tape::Switch& one : functions.switches) {  // a switch inside another's function
    const auto found = std::find(functions.outputs.begin(), functions.outputs.end(), one.node);
    if (one.takes != Tape::Switch::Takes::zero && found != functions.outputs.end())
      one.number = first + static_cast<std::size_t>(found - functions.outputs.begin());
  }
  return functions;
}

}  // namespace gnomon
