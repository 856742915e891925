#pragma once
/// \file
/// JSON that the program has printed or written.

#include <json/json.h>

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>

namespace gnomon::test {

inline Json::Value parse(const std::string& text) {
  Json::Value value;
  std::istringstream in(text);
  std::string errors;
  BOOST_REQUIRE(Json::parseFromStream(Json::CharReaderBuilder(), in, &value, &errors));
  return value;
}

}  // namespace gnomon::test
