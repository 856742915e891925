#pragma once
/// \file
/// TapeText: the outputs of a tape as formulas, what is used more than once as definitions.

#include <string>
#include <vector>

#include "gnomon/formula/tape.hpp"

namespace gnomon::mechanism {

/// The text as a string of a model file, on one line.
std::string toml_string(const std::string& text);

class TapeText {
 public:
  /// \param inputs      names of t and of x, in the order of the tape's nodes
  /// \param definitions what is used more than once is appended here, "name = formula" with the names prefix1, ...
  TapeText(const Tape& tape, std::vector<std::string> inputs, const std::string& prefix,
           std::vector<std::pair<std::string, std::string>>& definitions);

  std::string output(std::size_t i) const { return text(tape_.outputs[i], 0); }
  /// Output i is the constant zero.
  bool vanishes(std::size_t i) const;

 private:
  std::string text(Tape::Node node, int precedence) const;
  std::string operation(const Tape::Step& step, int precedence) const;
  /// That of a select.
  const Tape::Switch& switch_of(const Tape::Step& step) const {
    return tape_.switches[switch_of_[static_cast<std::size_t>(&step - tape_.steps.data())]];
  }

  const Tape& tape_;
  std::vector<std::string> names_;      ///< of nodes that have one; "" of others
  std::vector<std::size_t> switch_of_;  ///< one a step
};

}  // namespace gnomon::mechanism
