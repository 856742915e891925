#pragma once
/// \file
/// What was thrown, whatever it is: a model's functions may throw more than exceptions.

#include <exception>
#include <string>

namespace gnomon {

/// In a handler: the text of the exception at hand.
inline std::string thrown_text() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "a callback threw something that is no std::exception";
  }
}

}  // namespace gnomon
