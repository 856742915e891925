#include "program/cli/help.hpp"

#include <algorithm>

namespace gnomon::program {

namespace {

constexpr std::size_t width = 100, column = 32;

/// The words of `text`, in lines that begin with `indent` spaces, the first one excepted.
std::string wrapped(const std::string& text, std::size_t at, std::size_t indent) {
  std::string out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    from = end + 1;
    if (word.empty()) continue;
    if (at + 1 + word.size() > width && at > indent) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (at > indent) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
  }
  return out;
}

void add_group(const PageGroup& group, std::string& out) {
  out += "\n" + group.title + "\n";
  for (const PageEntry& entry : group.entries) {
    out += "  " + entry.name;
    const std::size_t at = 2 + entry.name.size();
    out += at + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - at, ' ');
    out += wrapped(entry.text, column, column) + "\n";
  }
}

}  // namespace

std::string help_text(const CommandPage& page) {
  std::string out = wrapped(page.name + ": " + page.description, 0, 0) + "\n\n";
  for (const std::string& example : page.examples) out += "  " + example + "\n";
  if (!page.examples.empty()) out += "\n";
  out += "Usage: " + page.usage + "\n";
  if (!page.footer.empty()) out += "\n" + wrapped(page.footer, 0, 0) + "\n";
  for (const PageGroup& group : page.groups) add_group(group, out);
  return out;
}

}  // namespace gnomon::program
