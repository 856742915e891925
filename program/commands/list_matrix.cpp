#include "program/commands/list_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "matrix/acceptance.hpp"
#include "matrix/derivatives.hpp"
#include "program/cli/say.hpp"

namespace gnomon::program {

namespace {

constexpr const char* legend =
    "marks\n"
    "  E  taken, and the energy is promised at rounding level (with a penalty, H and the penalty together)\n"
    "  D  taken, and a discrete energy of the scheme's own is promised\n"
    "  X  taken\n"
    "  e, d, x  the same, where U, g and c are at most quadratic in q (after a capital: what holds there beyond it)\n"
    "  -  refused\n"
    "Schemes and references have their default options, a composition its default inner scheme; obstacles are held by\n"
    "the scheme or met by contact events.\n"
    "Derivatives of two steps by the start: F  forwards (run --sensitivity), B  gradients backwards, too.\n";

/// Columns by number, "1-3 7".
std::string ranges(const std::vector<std::size_t>& columns) {
  std::string text;
  for (std::size_t i = 0, end; i < columns.size(); i = end) {
    end = i + 1;
    while (end < columns.size() && columns[end] == columns[end - 1] + 1) ++end;
    text += fmt::format(" {}", columns[i] + 1);
    if (end - i > 1) text += fmt::format("-{}", columns[end - 1] + 1);
  }
  return text.substr(1);
}

void print_places(const matrix::Reason& reason) {
  say("  {}\n", reason.text);
  for (const auto& place : reason.places) say("      {:34} {}\n", place.name, ranges(place.columns));
}

/// Reasons of whole cells, then those of a part of them.
void print_reasons(const char* heading, const char* of_part, const std::vector<matrix::Reason>& reasons) {
  for (const bool partial : {false, true}) {
    bool first = true;
    for (const matrix::Reason& reason : reasons) {
      if (reason.partial != partial) continue;
      if (first) say("\n{}\n", partial ? of_part : heading);
      first = false;
      print_places(reason);
    }
  }
}

}  // namespace

void print_matrix(const Registry& registry, bool with_reasons) {
  const auto kinds = matrix::model_kinds();
  const auto rows = matrix::acceptance(registry, kinds);
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  const auto heading = [&](const char* what) {
    say("{:{}}", what, width + 2);
    for (std::size_t column = 1; column <= kinds.size(); ++column) say("{:>4}", column);
    say("\n");
  };
  for (const bool references : {false, true}) {
    heading(references ? "references" : "schemes");
    for (const auto& row : rows) {
      if (row.is_reference != references) continue;
      say("  {:{}}", row.name, width);
      for (const auto& cell : row.cells) say("{:>4}", cell.mark());
      say("\n");
    }
    say("\n");
  }
  const auto derivatives = matrix::derivatives(registry, kinds, rows);
  heading("derivatives of the motion");
  for (const auto& row : derivatives) {
    say("  {:{}}", row.name, width);
    for (const auto& cell : row.cells) say("{:>4}", cell.mark());
    say("\n");
  }
  say("\nmodels with\n");
  for (std::size_t column = 0; column < kinds.size(); ++column) say("  {:2}  {}\n", column + 1, kinds[column].what);
  say_lines(std::string("\n") + legend);
  if (!with_reasons) return;
  print_reasons("refused, because", "only where U, g and c are at most quadratic, because otherwise",
                matrix::reasons(rows));
  print_reasons("no derivatives, because", "no gradients backwards, because", matrix::reasons(derivatives));
}

}  // namespace gnomon::program
