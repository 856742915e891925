#pragma once
/// \file
/// Tape: the operations of one evaluation of f(t, x), and what their structure shows.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gnomon/base/sparsity.hpp"

namespace gnomon {

/// X(f) for the functions of one argument that a tape and a formula know.
#define GNOMON_ELEMENTARY_FUNCTIONS(X) \
  X(sqrt)                              \
  X(cbrt)                              \
  X(exp)                               \
  X(expm1)                             \
  X(log)                               \
  X(log1p)                             \
  X(sin)                               \
  X(cos)                               \
  X(tan)                               \
  X(sinh)                              \
  X(cosh)                              \
  X(tanh)                              \
  X(asin)                              \
  X(acos)                              \
  X(atan)                              \
  X(erf)

enum class Operation : std::uint8_t {
  input,
  constant,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,  ///< exponent: a node, or a constant
  atan2,
  winding,  ///< atan2 of an angle that counts its turns, see winding.hpp
  hypot,
  select,  ///< one of two nodes, by the side of a switch, see Tape::Switch
#define GNOMON_OPERATION(f) f,
  GNOMON_ELEMENTARY_FUNCTIONS(GNOMON_OPERATION)
#undef GNOMON_OPERATION
};

/// f(t, x) with x in up to three blocks (q, v, lambda). Node 0 is t, nodes 1 .. size_of_x are x, then the constants,
/// then the operations, each after its arguments.
class GNOMON_EXPORT Tape {
 public:
  static constexpr int not_polynomial = -1;
  static constexpr std::size_t n_blocks = 3;
  using Node = std::int32_t;
  struct Step {
    Operation operation;
    Node a, b;
  };

  std::array<Index, n_blocks> block_sizes{};
  std::vector<long double> constants;
  std::vector<Step> steps;
  std::vector<Node> outputs;
  std::vector<std::size_t> angles;  ///< which angle of the model each winding is, in the order of the steps

  /// It decides which of its two arguments a select is: the side that a run holds, else the sign of a node.
  struct Switch {
    /// Where the first argument is taken, of the node: above zero, at and above it, at it. The last is no switch that
    /// a run holds: it is for values that a formula cannot give in one point.
    enum class Takes : std::uint8_t { positive, not_negative, zero };
    Node node = 0;
    Takes takes = Takes::positive;
    std::size_t number = unnumbered;  ///< of the value that Windings holds: 1 takes the first argument, -1 the second
    std::string name;                 ///< what it is in the text of the model

    static constexpr std::size_t unnumbered = static_cast<std::size_t>(-1);
    template <class S>
    bool first(const S& value) const {
      return takes == Takes::positive ? value > S(0.0) : takes == Takes::zero ? value == S(0.0) : value >= S(0.0);
    }
  };
  std::vector<Switch> switches;  ///< one a select, in the order of the steps

  /// A branch on a value that depends on t or x: the tape is only the branch that was taken. Empty: there was none.
  std::string branch;
  /// t is an argument of some operation, or of a branch.
  bool uses_time = false;

  Index inputs() const { return block_sizes[0] + block_sizes[1] + block_sizes[2]; }
  Index block_begin(std::size_t block) const;
  Index first_constant() const { return 1 + inputs(); }
  Index first_step() const { return first_constant() + static_cast<Index>(constants.size()); }
  Index nodes() const { return first_step() + static_cast<Index>(steps.size()); }

  /// Degrees in x, as far as structure shows them: sums, products, whole powers, quotients by what does not depend on
  /// x; every other operation on x is not polynomial. Cancellation is not found.
  struct Degree {
    int total = 0;   ///< of the whole, or not_polynomial
    int timed = -1;  ///< of the monomials whose coefficient depends on t; -1: there are none
    bool polynomial() const { return total != not_polynomial; }
  };
  /// One per output.
  std::vector<Degree> degrees() const;
  /// The largest over the outputs.
  Degree degree() const;

  /// Which entries of one block each output depends on: outputs x block.
  SparsityPattern dependences(std::size_t block) const;
  /// Takes the additive constant off output 0, as far as sums, differences, and products and quotients with constants
  /// show one, and returns it.
  long double take_constant();

  /// Pairs of entries of block 0 that some output depends on nonlinearly, symmetric.
  SparsityPattern interactions() const;

 private:
  struct Reach;
};

}  // namespace gnomon
