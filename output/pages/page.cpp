#include "pages/page.hpp"

#include <fmt/format.h>
#include <json/json.h>

#include <algorithm>
#include <cmath>

#include "pages/arrays.hpp"
#include "pages/assets.hpp"
#include "pages/encode.hpp"

namespace gnomon::pages {

namespace {

/// How many bytes of a valid UTF-8 character begin at `text[k]`; 0 where none does.
std::size_t character(const std::string& text, std::size_t k) {
  const auto byte = [&text](std::size_t j) { return j < text.size() ? static_cast<unsigned char>(text[j]) : 0u; };
  const unsigned first = byte(k), second = byte(k + 1);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xc2 && first < 0xe0 ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  for (std::size_t j = 1; j < length; ++j)
    if (byte(k + j) < 0x80 || byte(k + j) > 0xbf) return 0;
  const bool too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return length > 1 && (too_long || no_character) ? 0 : length;
}

/// What is no UTF-8 becomes U+FFFD.
std::string valid(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    const std::size_t length = character(text, k);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++k;
    } else {
      out.append(text, k, length);
      k += length;
    }
  }
  return out;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : valid(text)) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

/// JSON inside a script element: no "<", so that nothing in it ends the element.
std::string script_json(const Json::Value& value) {
  Json::StreamWriterBuilder builder;
  builder["indentation"] = "";
  builder["emitUTF8"] = true;
  std::string out;
  for (const char c : valid(Json::writeString(builder, value)))
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

constexpr const char* before = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
)";

}  // namespace

Page::Page(std::string title, std::string subtitle) : title_(std::move(title)), subtitle_(std::move(subtitle)) {}

void Page::add(Block block) {
  check(block);
  blocks_.push_back(std::move(block));
}

std::vector<const Chart*> Page::charts() const {
  std::vector<const Chart*> out;
  for (const Block& block : blocks_)
    if (const auto* chart = std::get_if<Chart>(&block)) out.push_back(chart);
  return out;
}

std::string Page::html() const {
  Arrays arrays;
  Json::Value data;
  data["blocks"] = Json::Value(Json::arrayValue);
  for (const Block& block : blocks_) data["blocks"].append(encode(block, arrays));
  data["arrays"] = arrays.json();
  std::string out = before;
  out += fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n", escaped(title_), assets::styles);
  out += fmt::format("<header><h1>{}</h1>\n<p>{}</p></header>\n<main id=\"page\"></main>\n", escaped(title_),
                     escaped(subtitle_));
  out +=
      "<noscript><p>This report draws its tables and curves with JavaScript, which is switched off.</p></noscript>\n";
  out += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", script_json(data));
  out += fmt::format("<script>\n/*\nuPlot: {}*/\n{}</script>\n", assets::license, assets::library);
  const auto has_solids = [](const Block& block) {
    const auto* motion = std::get_if<Motion>(&block);
    return motion && !motion->solids.empty();
  };
  if (std::any_of(blocks_.begin(), blocks_.end(), has_solids))
    out += fmt::format("<script>\n/*\nthree.js: {}*/\n{}</script>\n", assets::license_of_space, assets::space);
  out += fmt::format("<script>\n(() => {{\n\"use strict\";\n{}}})();\n</script>\n</body>\n</html>\n", assets::program);
  return out;
}

std::string cell_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : "";
}

}  // namespace gnomon::pages
