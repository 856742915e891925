#include "program/cli/man_page.hpp"

#include <algorithm>

namespace gnomon::program {

namespace {

/// As roff reads it: no line begins with a control character, hyphens of flags stay what they are typed as.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  if (!out.empty() && out.front() == '.') out.insert(0, "\\&");
  return out;
}

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// "--step H" with the flag in bold and what follows in italics.
std::string term(const std::string& name) {
  const std::size_t space = name.rfind(' ');
  const bool value = space != std::string::npos && name[space - 1] != ',';
  if (!value) return ".B " + roff(name) + "\n";
  return ".BI \"" + roff(name.substr(0, space)) + " \" \"" + roff(name.substr(space + 1)) + "\"\n";
}

}  // namespace

std::string man_name(const CommandPage& page) {
  std::string name = page.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const CommandPage& page) {
  const bool program = page.name.find(' ') == std::string::npos;
  std::string out = ".TH " + capitals(roff(man_name(page))) + " 1 \"\" \"gnomon " GNOMON_VERSION "\" \"Gnomon\"\n";
  out += ".SH NAME\n" + roff(man_name(page)) + " \\- " + roff(page.description) + "\n";
  out += ".SH SYNOPSIS\n.B " + roff(page.usage) + "\n";
  if (!page.footer.empty()) out += ".SH DESCRIPTION\n" + roff(page.footer) + "\n";
  if (!page.examples.empty()) {
    out += ".SH EXAMPLES\n.nf\n";
    for (const std::string& example : page.examples) out += roff(example) + "\n";
    out += ".fi\n";
  }
  std::string see_also;
  for (const PageGroup& group : page.groups) {
    out += ".SH " + capitals(roff(group.title)) + "\n";
    for (const PageEntry& entry : group.entries) {
      out += ".TP\n" + term(entry.name) + (entry.text.empty() ? "" : roff(entry.text) + "\n");
      if (program && entry.flags.empty() && entry.values.empty())
        see_also += (see_also.empty() ? "" : ",\n") + std::string(".BR gnomon\\-") + roff(entry.name) + " (1)";
    }
  }
  if (program)
    out +=
        ".SH EXIT STATUS\n0 where all went well, 1 where a verdict is bad, 2 for misuse, 3 for numerical failure "
        "during a run, 130 after a signal.\n"
        ".SH ENVIRONMENT\n.TP\n.B GNOMON_PLUGIN_PATH\nfolders with plug\\-in modules, separated by colons\n"
        ".TP\n.B NO_COLOR\nwhere it is set, nothing is printed in colour\n";
  // .BR takes the comma as its third part.
  std::string references = program ? "" : ".BR gnomon (1)\n";
  if (program) {
    for (std::size_t from = 0; from < see_also.size();) {
      const std::size_t end = std::min(see_also.find('\n', from), see_also.size());
      references += see_also.substr(from, end - from) + "\n";
      from = end + 1;
    }
  }
  return out + ".SH SEE ALSO\n" + references;
}

}  // namespace gnomon::program
