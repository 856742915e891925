/// Figures 4.1-4.4 of Small, Jay, Symplectic Euler methods for overdetermined differential-algebraic equations: errors
/// of y and z at t = 1, row by row of the table for one method, problem and alpha; and what they tend to.
#include <fmt/format.h>

#include <limits>

#include "gnomon/base/error.hpp"
#include "measures/measure.hpp"
#include "measures/order/convergence.hpp"
#include "measures/setup.hpp"
#include "measures/table_file.hpp"

namespace gnomon::validation {

namespace {

constexpr double euler_gate = 1e-6;         // relative, of the errors against the table's: rounding and little else
constexpr double limit_gate = 1e-3;         // relative, of the extrapolated errors: what is of second order in h
constexpr double first_order_from = 0.011;  // from this step on the errors of the consistent methods lie on a line

/// The table's names of the schemes.
std::string table_method(const std::string& scheme) {
  const std::pair<const char*, const char*> names[] = {{"symplectic-euler-natural", "natural"},
                                                       {"symplectic-euler-true", "true"},
                                                       {"symplectic-euler-conjugate-natural", "conj_natural"},
                                                       {"symplectic-euler-conjugate-true", "conj_true"}};
  for (const auto& [ours, theirs] : names)
    if (scheme == ours) return theirs;
  throw Error(ErrorCode::refused, "the figures of Small and Jay have no scheme " + scheme);
}

struct EulerRow {
  double h = 0, error_y = 0, error_z = 0;
};

/// Rows of one method, problem and alpha, by falling step.
std::vector<EulerRow> table_rows(const std::string& path, const std::string& problem, const std::string& method,
                                 double alpha) {
  std::vector<EulerRow> rows;
  for (const TableFile::Row& row : TableFile(path))
    if (row.text(0) == problem && row.text(1) == method && row.number(2) == alpha)
      rows.push_back({row.number(3), row.number(4), row.number(5)});
  return rows;
}

/// The state without its part of first order in h, from two steps.
Vector extrapolated(const Vector& coarse, const Vector& fine, double ratio) {
  return fine + (fine - coarse) / (ratio - 1);
}

}  // namespace

Quantities measure_published_euler(const Registry& registry, const Case& c) {
  const ProblemInstance instance = build(registry, c);
  const std::string method = table_method(c.method.scheme), path = c.data_folder + "/" + c.table.file;
  const double alpha =
      Options("scheme " + c.method.scheme, registry.scheme(c.method.scheme).options(), c.method.options).real("alpha");
  const auto rows = table_rows(path, c.table.name, method, alpha);
  if (rows.size() < 2)
    throw Error(ErrorCode::bad_file, fmt::format("table \"{}\" has no rows \"{}\", \"{}\" with alpha = {}", path,
                                                 c.table.name, method, alpha));
  Phase expected;
  if (instance.exact) {
    instance.exact(c.until, expected.q, expected.p);
  } else {
    Case reference = c;
    reference.table = {"odae_reference_t1.csv", c.problem + "-kept"};
    expected = table_state(reference, instance);
  }

  Quantities out;
  std::vector<Phase> ends;
  std::vector<double> steps, y_errors, z_errors;
  for (const EulerRow& row : rows) {
    const long count = whole_steps(c.until - instance.t0, row.h);
    const double h = (c.until - instance.t0) / static_cast<double>(count);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    std::string failure;
    try {
      ends.push_back(state_after(registry, instance, c.method, count, h));
    } catch (const RunFailed& failed) {  // a row of its own, so that the others are still tested
      ends.push_back({Vector::Constant(expected.q.size(), missing), Vector::Constant(expected.p.size(), missing)});
      failure = failed.what();
    }
    const double y = (ends.back().q - expected.q).norm(), z = (ends.back().p - expected.p).norm();
    const auto add = [&](const char* name, double value, double printed) {
      out.push_back({fmt::format("{}-{}", name, count), value,
                     failure.empty() ? fmt::format("h = {:.4g}, expected {:.6e}", h, printed) : failure,
                     Gate::around(printed, euler_gate * printed)});
    };
    add("error-y", y, row.error_y);
    add("error-z", z, row.error_z);
    if (row.h > first_order_from) continue;
    steps.push_back(h);
    y_errors.push_back(y);
    z_errors.push_back(z);
  }

  // What the method tends to, and how.
  const std::size_t last = rows.size() - 1;
  const double ratio = rows[last - 1].h / rows[last].h;
  const Vector y = extrapolated(ends[last - 1].q, ends[last].q, ratio) - expected.q;
  const Vector z = extrapolated(ends[last - 1].p, ends[last].p, ratio) - expected.p;
  const auto limit = table_rows(path, c.table.name, method + "_limitODE", alpha);
  const auto add = [&](const char* name, double value, const double* printed) {
    Quantity quantity{name, value, "error extrapolated to h = 0 from the two finest steps"};
    if (printed != nullptr) quantity.gate = Gate::around(*printed, limit_gate * *printed);
    out.push_back(quantity);
  };
  add("limit-y", y.norm(), limit.empty() ? nullptr : &limit.front().error_y);
  add("limit-z", z.norm(), limit.empty() ? nullptr : &limit.front().error_z);
  const std::string note = fmt::format("slope over h = {:.0e} .. {:.0e}", steps.front(), steps.back());
  out.push_back({"order-y", log_slope(steps, y_errors), note});
  out.push_back({"order-z", log_slope(steps, z_errors), note});
  out.push_back({"declared-order", static_cast<double>(started(registry, instance, c.method).promises().order),
                 "by the scheme, for this system"});
  return out;
}

}  // namespace gnomon::validation
