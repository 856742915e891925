#pragma once
/// \file
/// Checks of the sentence of an exception.

#include <boost/test/unit_test.hpp>
#include <exception>
#include <string>

#include "gnomon/base/error.hpp"

namespace gnomon::test {

/// For BOOST_CHECK_EXCEPTION.
inline auto says(const std::string& part) {
  return [part](const std::exception& error) {
    BOOST_TEST_MESSAGE(error.what());
    return std::string(error.what()).find(part) != std::string::npos;
  };
}

/// The Error with which a call is refused.
struct Refusal {
  ErrorCode code{};
  std::string sentence;
  bool says(const std::string& part) const {
    const bool found = sentence.find(part) != std::string::npos;
    if (!found) BOOST_TEST_MESSAGE("\"" << sentence << "\" does not say " << part);
    return found;
  }
};

template <class F>
Refusal refusal(F call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  BOOST_ERROR("was not refused");
  return {};
}

}  // namespace gnomon::test
