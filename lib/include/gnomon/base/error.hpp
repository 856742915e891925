#pragma once
/// \file
/// Misuse is an exception, numerical failure is a report. This header is the exception half.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gnomon/abi.h"
#include "gnomon/flags.h"

namespace gnomon {

/// What kind of misuse an Error reports, with the (negative) flags of the C interface as values; the list, with their
/// messages, is in flags.h:
///
///     unknown_name        no scheme, solver, problem, reference or option of that name
///     bad_value           a number or a choice outside what was declared
///     bad_size            a vector or matrix of the wrong length
///     inconsistent_start  g(q0) != 0 or G v0 + g_t != 0
///     rank_deficient      the start is a singular position
///     not_finite          the start, or a callback at the start, is NaN or infinite
///     callback_failed     a callback threw at the start
///     refused             scheme, solver and system do not fit; the text says why
///     bad_plugin          not a plug-in, another version, or it failed to register
///     bad_file            a file that cannot be read or written
enum class ErrorCode {
#define GNOMON_ERROR_CODE(name, NAME, value, message) name = value,
  GNOMON_ERRORS(GNOMON_ERROR_CODE)
#undef GNOMON_ERROR_CODE
};

/// One full sentence that names the offending thing, its value and what was expected.
class GNOMON_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Short text for a code, e.g. "inconsistent start".
GNOMON_EXPORT const char* to_string(ErrorCode code);

/// The known name closest to `name` in edit distance, or "" when none is near enough to be a plausible typing error.
GNOMON_EXPORT std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// Error for a name that is not known: `unknown <kind> "<name>"; did you mean ...?` or the list of what is known.
GNOMON_EXPORT Error unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known);

/// A number for a sentence: up to nine significant digits.
GNOMON_EXPORT std::string number_text(double value);

/// A callback may throw this to say "cannot evaluate here" (recoverable: solvers shorten the step or give up the step).
class GNOMON_EXPORT CannotEvaluate : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gnomon
