#pragma once
/// \file
/// Recorded: the scalar in which a function templated on its scalar is evaluated once, to get its Tape.
///
///     const Tape tape = record({n, 0, 0}, m, start, [&](const Recorded& t, const auto& x, Recorded* out) {
///       model.constraints(t, x[0], out);
///     });
///
/// A number carries its value, so that comparisons can be answered, and its node; constants have none and are folded.
/// A comparison of numbers that depend on t or x, and abs, min, max and choose of them, are switches (Tape::Switch)
/// where the recording is asked for both branches; otherwise, and at a conversion to double, they mark the tape as
/// branched. Recording is thread-safe: each thread writes to a recorder of its own.

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <type_traits>

#include "gnomon/formula/tape.hpp"
#include "gnomon/formula/winding.hpp"

namespace gnomon {

class GNOMON_EXPORT Recorded {
 public:
  Recorded() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Recorded(T constant) : value_(constant) {}  // NOLINT: arithmetic with constants must stay implicit
  Recorded(long double value, Tape::Node node) : value_(value), node_(node) {}

  /// The value at the point of recording; a branch.
  explicit operator double() const;

  bool is_constant() const { return node_ == constant_node; }
  /// An output that nobody has written to: see unset().
  bool is_unset() const { return node_ == unset_node; }
  long double value() const { return value_; }
  Tape::Node node() const { return node_; }
  static Recorded unset() { return Recorded(0, unset_node); }

  Recorded& operator+=(const Recorded& b) { return *this = *this + b; }
  Recorded& operator-=(const Recorded& b) { return *this = *this - b; }
  Recorded& operator*=(const Recorded& b) { return *this = *this * b; }
  Recorded& operator/=(const Recorded& b) { return *this = *this / b; }
  friend GNOMON_EXPORT Recorded operator+(const Recorded& a, const Recorded& b);
  friend GNOMON_EXPORT Recorded operator-(const Recorded& a, const Recorded& b);
  friend GNOMON_EXPORT Recorded operator*(const Recorded& a, const Recorded& b);
  friend GNOMON_EXPORT Recorded operator/(const Recorded& a, const Recorded& b);
  friend GNOMON_EXPORT Recorded operator-(const Recorded& a);
  friend Recorded operator+(const Recorded& a) { return a; }

  friend bool operator<(const Recorded& a, const Recorded& b) { return compare("<", Takes::positive, b, a); }
  friend bool operator>(const Recorded& a, const Recorded& b) { return compare(">", Takes::positive, a, b); }
  friend bool operator<=(const Recorded& a, const Recorded& b) { return compare("<=", Takes::not_negative, b, a); }
  friend bool operator>=(const Recorded& a, const Recorded& b) { return compare(">=", Takes::not_negative, a, b); }
  friend bool operator==(const Recorded& a, const Recorded& b) { return compare("==", Takes::zero, a, b); }
  friend bool operator!=(const Recorded& a, const Recorded& b) { return !compare("!=", Takes::zero, a, b); }

 private:
  static constexpr Tape::Node constant_node = -1, unset_node = -2;
  using Takes = Tape::Switch::Takes;
  /// a > b, a >= b or a == b, or what the path that is recorded says.
  static bool compare(const char* operation, Takes takes, const Recorded& a, const Recorded& b);

  long double value_ = 0;
  Tape::Node node_ = constant_node;
};

GNOMON_EXPORT Recorded pow(const Recorded& a, const Recorded& b);
GNOMON_EXPORT Recorded atan2(const Recorded& y, const Recorded& x);
GNOMON_EXPORT Recorded counted_angle(const Recorded& y, const Recorded& x, std::size_t which);
/// One of two values, by the side of a switch; both are recorded where it depends on t or x. `name`: see Tape::Switch.
GNOMON_EXPORT Recorded select(Tape::Switch::Takes takes, const Recorded& at, const Recorded& first,
                              const Recorded& second, const std::string& name);
/// `positive` where s > 0, else the other one.
GNOMON_EXPORT Recorded choose(const Recorded& s, const Recorded& positive, const Recorded& otherwise);
GNOMON_EXPORT Recorded abs(const Recorded& a);
inline Recorded fabs(const Recorded& a) {
  return abs(a);
}
GNOMON_EXPORT Recorded min(const Recorded& a, const Recorded& b);
GNOMON_EXPORT Recorded max(const Recorded& a, const Recorded& b);
GNOMON_EXPORT Recorded hypot(const Recorded& x, const Recorded& y);
#define GNOMON_RECORDED_FUNCTION(f) GNOMON_EXPORT Recorded f(const Recorded& a);
GNOMON_ELEMENTARY_FUNCTIONS(GNOMON_RECORDED_FUNCTION)
#undef GNOMON_RECORDED_FUNCTION

/// The value at the point of recording; a branch, as of Dual.
inline double value_of(const Recorded& a) {
  return static_cast<double>(a);
}

/// Where a function is recorded: t, and x with its blocks one after the other.
struct RecordingPoint {
  double t = 0;
  Vector x;
};
/// A point without special values (no zeros, no two entries alike), for functions recorded without a start.
GNOMON_EXPORT RecordingPoint ordinary_point(Index size_of_x);

/// The function to record: its outputs are zero before the call.
using RecordedFunction =
    std::function<void(const Recorded& t, const std::array<const Recorded*, Tape::n_blocks>& x, Recorded* out)>;

/// Numbers the switches of tapes from `first` on, one that is the same function of t and x in several of them once.
/// Returns these functions as the outputs of one tape, its blocks of `block_sizes`, which are those of the tapes or
/// more; `names` receives their names. Outputs of a tape without switches: none.
GNOMON_EXPORT Tape number_switches(const std::vector<Tape*>& tapes,
                                   const std::array<Index, Tape::n_blocks>& block_sizes, std::size_t first,
                                   std::vector<std::string>& names);

constexpr Index any_number = -1;
/// one: that of the point, and the tape is branched; both: of up to 64 paths through f, which is called for each, and
/// comparisons become switches. Where there are more, or another path throws, as `one`.
enum class Branches { one, both };
/// Records f with `outputs` outputs; with outputs = any_number, as many as f writes. Entries that f leaves unset are
/// zero. Throws Error(bad_size) when f writes to an entry behind the last one; `what` names f there.
GNOMON_EXPORT Tape record(const std::array<Index, Tape::n_blocks>& block_sizes, Index outputs, const RecordingPoint& at,
                          const RecordedFunction& f, const std::string& what = "function",
                          Branches branches = Branches::one);

}  // namespace gnomon
