#pragma once
/// \file
/// One line of the validation report.

#include <string>

#include "measures/case.hpp"

namespace gnomon::validation {

enum class Verdict {
  pass,
  fail,
  known_failure,    ///< outside its gate, as the case says it is, with the reason
  unexpected_pass,  ///< not outside its gate, although the case says that it is
  better,           ///< outside its gate on the side that is better than what was promised or printed
  information,      ///< no gate
};
const char* to_string(Verdict verdict);
/// What makes `gnomon validate` end with status 1.
inline bool is_bad(Verdict verdict) {
  return verdict == Verdict::fail || verdict == Verdict::unexpected_pass;
}

struct Row {
  std::string case_name;    ///< kind/name
  std::string former_name;  ///< the same with the case's old name; "" for none
  Quantity quantity;        ///< with the gate that was applied
  Verdict verdict = Verdict::information;
  std::string reason;  ///< of a known failure, or why it is better than promised
  /// What the report sorts by: the case's note and paper, what was run and how it was measured.
  std::string note, source, scheme, problem, measure;
};

}  // namespace gnomon::validation
