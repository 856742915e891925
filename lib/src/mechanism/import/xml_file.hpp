#pragma once
/// \file
/// XML of robots, by tinyxml2: bounded in size and depth, without entities from elsewhere.

#ifdef GNOMON_HAS_TINYXML2

#include <tinyxml2.h>

#include <string>
#include <vector>

#include "gnomon/base/error.hpp"
#include "mechanism/import/robot.hpp"

namespace gnomon::mechanism {

class GNOMON_EXPORT XmlFile {
 public:
  using XMLElement = tinyxml2::XMLElement;
  /// Throws Error(bad_value) for what is no XML or too large, and where the outermost element has another name.
  XmlFile(const std::string& xml, const std::string& file, const std::string& outermost);

  const XMLElement& root() const { return *document_.RootElement(); }
  [[noreturn]] void fail(int line, const std::string& sentence) const;

  /// An attribute that must be there.
  static bool is(const XMLElement& element, const char* name) { return std::string(element.Name()) == name; }
  std::string text(const XMLElement& element, const char* attribute) const;
  double value(const XMLElement& element, const char* attribute, const std::string& what) const;
  std::vector<double> numbers(const XMLElement& element, const char* attribute, const std::string& what) const;

 private:
  std::string file_;
  tinyxml2::XMLDocument document_;
};

}  // namespace gnomon::mechanism

#endif
