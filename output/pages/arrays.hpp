#pragma once
/// \file
/// Numbers of a page: arrays in base64, little-endian, each stored once.

#include <json/json.h>

#include <map>
#include <string>
#include <vector>

namespace gnomon::pages {

/// Which digits of an array matter.
enum class Precision {
  exact,     ///< all: abscissae
  relative,  ///< seven of every number: what is shown on a logarithmic axis, points of a picture
  range      ///< so many that nothing moves visibly when all numbers fill a chart
};

class Arrays {
 public:
  /// {"i": place in json(), "t": "f4" or "f8"}
  Json::Value add(const std::vector<double>& numbers, Precision precision);
  /// Of "u2" or "u4".
  Json::Value add(const std::vector<std::size_t>& numbers);
  /// All that were added, as texts.
  const Json::Value& json() const { return json_; }

 private:
  Json::Value add_bytes(std::string bytes, const char* type);

  Json::Value json_ = Json::Value(Json::arrayValue);
  std::map<std::string, Json::Value> known_;  ///< by type and bytes
};

std::string base64(const std::string& bytes);

}  // namespace gnomon::pages
