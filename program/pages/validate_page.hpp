#pragma once
/// \file
/// The page of `gnomon validate`.

#include <optional>
#include <string>
#include <vector>

#include "pages/page.hpp"
#include "report/outcome.hpp"

namespace gnomon::program {

/// The result, the schemes with their promises by problem, orders, published numbers beside ours, what did not pass,
/// what came nearest to its gate, and every row.
pages::Page validate_page(const validation::Outcome& outcome, const std::string& filter);

/// Its parts. Each adds nothing where there are no rows for it.
void add_schemes(pages::Page& page, const std::vector<validation::Row>& rows);
void add_orders(pages::Page& page, const std::vector<validation::Row>& rows);
void add_published(pages::Page& page, const std::vector<validation::Row>& rows);
void add_not_passed(pages::Page& page, const std::vector<validation::Row>& rows);

/// The verdict as the page shows it; `note` where it has no reason.
pages::Cell verdict_cell(const validation::Row& row);
/// How much of its gate a row takes up: 1 at the edge. None without a gate or where a minimum is its only edge.
std::optional<double> share_of_gate(const validation::Row& row);

}  // namespace gnomon::program
