#include "mechanism/import/xml_file.hpp"

#ifdef GNOMON_HAS_TINYXML2

#include <cmath>
#include <sstream>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"
#include "mechanism/formula.hpp"

namespace gnomon::mechanism {

namespace {

constexpr std::size_t most_bytes = 16u << 20;
constexpr int most_depth = 100;

/// An element that is nested too deeply, or null.
const tinyxml2::XMLElement* too_deep(const tinyxml2::XMLElement& element, int depth) {
  if (depth > most_depth) return &element;
  for (const auto* one = element.FirstChildElement(); one; one = one->NextSiblingElement())
    if (const auto* deep = too_deep(*one, depth + 1)) return deep;
  return nullptr;
}

}  // namespace

XmlFile::XmlFile(const std::string& xml, const std::string& file, const std::string& outermost) : file_(file) {
  if (xml.size() > most_bytes)
    throw Error(ErrorCode::bad_value, file + ": it has " + std::to_string(xml.size()) + " bytes, expected at most " +
                                          std::to_string(most_bytes));
  if (document_.Parse(xml.data(), xml.size()) != tinyxml2::XML_SUCCESS)
    fail(document_.ErrorLineNum(), std::string("not XML: ") + document_.ErrorName());
  const XMLElement* first = document_.RootElement();
  if (!first) fail(1, "not XML: there is no element");
  if (first->Name() != outermost)
    fail(first->GetLineNum(), "the outermost element is \"" + std::string(first->Name()) + "\", expected " + outermost);
  if (const XMLElement* deep = too_deep(*first, 1))
    fail(deep->GetLineNum(), "elements are nested more than " + std::to_string(most_depth) + " deep");
}

void XmlFile::fail(int line, const std::string& sentence) const {
  std::string plain;
  for (const char c : sentence) plain += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  throw error_at({file_, line, 1}, plain);
}

std::string XmlFile::text(const XMLElement& element, const char* attribute) const {
  const char* const value = element.Attribute(attribute);
  if (!value) fail(element.GetLineNum(), std::string(element.Name()) + " has no " + attribute);
  return value;
}

double XmlFile::value(const XMLElement& element, const char* attribute, const std::string& what) const {
  const std::string given = text(element, attribute);
  double x = 0;
  if (!read_number(given, x) || !std::isfinite(x))
    fail(element.GetLineNum(), std::string(attribute) + " of " + what + " is \"" + given + "\", expected a number");
  return x;
}

std::vector<double> XmlFile::numbers(const XMLElement& element, const char* attribute, const std::string& what) const {
  std::istringstream words(text(element, attribute));
  std::vector<double> out;
  for (std::string word; words >> word;) {
    double x = 0;
    if (!read_number(word, x) || !std::isfinite(x)) break;
    out.push_back(x);
  }
  if (out.size() != 3 || !(words >> std::ws).eof())
    fail(element.GetLineNum(),
         std::string(attribute) + " of " + what + " is \"" + text(element, attribute) + "\", expected three numbers");
  return out;
}

}  // namespace gnomon::mechanism

#endif
