#pragma once
/// \file
/// One line of the validation report.

#include <string>

#include "measures/case.hpp"

namespace gnomon::validation {

enum class Verdict {
  pass,
  fail,
  known_failure,    ///< fails, as the case says it does, with the reason
  unexpected_pass,  ///< passes although the case says that it fails
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
  std::string reason;  ///< of a known failure
};

}  // namespace gnomon::validation
