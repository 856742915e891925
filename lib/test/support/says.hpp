#pragma once
/// \file
/// What an exception must say, for BOOST_CHECK_EXCEPTION.

#include <boost/test/unit_test.hpp>
#include <exception>
#include <string>

namespace gnomon::test {

inline auto says(const std::string& part) {
  return [part](const std::exception& error) {
    BOOST_TEST_MESSAGE(error.what());
    return std::string(error.what()).find(part) != std::string::npos;
  };
}

}  // namespace gnomon::test
