#include "program/output/snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "program/output/gnuplot.hpp"

namespace gnomon::program {

namespace {

constexpr std::size_t most_in_a_panel = 51;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::shared_ptr<const CurveModel> required(std::shared_ptr<const CurveModel> model) {
  if (model) return model;
  throw Error(ErrorCode::refused,
              "--snapshots and --plot are for problems with curves to draw, and this problem has none");
}

}  // namespace

Snapshots::Snapshots(std::shared_ptr<const CurveModel> model, double t0, double every,
                     const std::optional<std::string>& file, const std::optional<std::string>& plot)
    : model_(required(std::move(model))), curves_(model_->curves()), t0_(t0), every_(every), plot_(plot) {
  if (file) {
    vtk_ = ends_with(*file, ".vtk");
    if (!vtk_ && !ends_with(*file, ".csv"))
      throw Error(ErrorCode::bad_value, "--snapshots = \"" + *file + "\" ends neither in .csv nor in .vtk");
    file_ = std::make_unique<OutputFile>(*file);
  }
  if (!plot_) return;
  OutputFile probe(*plot_);
  require_gnuplot();
}

bool Snapshots::observe(const State& z, long) {
  // The step that arrives is not late by rounding.
  if (z.t < t0_ + due_ * every_ * (1 - 1e-12) - 1e-9 * z.last_h) return true;
  due_ = std::max(due_, std::floor((z.t - t0_) / every_ + 1e-9)) + 1;
  Snapshot snapshot{z.t, {}};
  for (std::size_t k = 0; k < curves_.size(); ++k) {
    Matrix points(curves_[k].dimension, curves_[k].n_points);
    model_->curve_points(static_cast<Index>(k), z.t, z.q.value(), points);
    snapshot.curves.push_back(std::move(points));
  }
  snapshots_.push_back(std::move(snapshot));
  return true;
}

void Snapshots::finish(const std::string& title) {
  if (file_) {
    if (vtk_)
      write_vtk(file_->stream(), title);
    else
      write_csv(file_->stream());
    file_->commit();
  }
  if (plot_) draw(script(title));
}

void Snapshots::write_csv(std::FILE* out) const {
  const bool space = std::any_of(curves_.begin(), curves_.end(), [](const Curve& c) { return c.dimension == 3; });
  fmt::print(out, "t,curve,point,x,y{}\n", space ? ",z" : "");
  for (const Snapshot& snapshot : snapshots_)
    for (std::size_t k = 0; k < curves_.size(); ++k)
      for (Index i = 0; i < snapshot.curves[k].cols(); ++i) {
        fmt::print(out, "{:.17g},{},{}", snapshot.t, curves_[k].name, i);
        for (Index c = 0; c < (space ? 3 : 2); ++c)
          fmt::print(out, ",{:.17g}", c < snapshot.curves[k].rows() ? snapshot.curves[k](c, i) : 0.0);
        fmt::print(out, "\n");
      }
}

void Snapshots::write_vtk(std::FILE* out, const std::string& title) const {
  Index points = 0;
  for (const Curve& curve : curves_) points += curve.n_points;
  const std::size_t count = snapshots_.size(), lines = count * curves_.size();
  const std::size_t total = count * static_cast<std::size_t>(points);
  fmt::print(out, "# vtk DataFile Version 3.0\n{:.200}\nASCII\nDATASET POLYDATA\nPOINTS {} double\n", title, total);
  for (const Snapshot& snapshot : snapshots_)
    for (const Matrix& curve : snapshot.curves)
      for (Index i = 0; i < curve.cols(); ++i)
        fmt::print(out, "{:.17g} {:.17g} {:.17g}\n", curve(0, i), curve(1, i), curve.rows() > 2 ? curve(2, i) : 0.0);
  fmt::print(out, "LINES {} {}\n", lines, lines + total);
  Index first = 0;
  for (std::size_t s = 0; s < count; ++s)
    for (const Curve& curve : curves_) {
      fmt::print(out, "{}", curve.n_points);
      for (Index i = 0; i < curve.n_points; ++i) fmt::print(out, " {}", first + i);
      fmt::print(out, "\n");
      first += curve.n_points;
    }
  fmt::print(out, "CELL_DATA {}\nSCALARS t double 1\nLOOKUP_TABLE default\n", lines);
  for (const Snapshot& snapshot : snapshots_)
    for (std::size_t k = 0; k < curves_.size(); ++k) fmt::print(out, "{:.17g}\n", snapshot.t);
  fmt::print(out, "SCALARS curve int 1\nLOOKUP_TABLE default\n");
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t k = 0; k < curves_.size(); ++k) fmt::print(out, "{}\n", k);
}

/// A panel for every 50 intervals, all with the same axes; the colour is the time.
std::string Snapshots::script(const std::string& title) const {
  const bool space = curves_.front().dimension == 3;
  double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
  for (const Snapshot& snapshot : snapshots_)
    for (const Matrix& curve : snapshot.curves)
      for (Index c = 0; c < curve.rows(); ++c) {
        low[c] = std::min(low[c], curve.row(c).minCoeff());
        high[c] = std::max(high[c], curve.row(c).maxCoeff());
      }
  const std::size_t panels =
      std::max<std::size_t>((snapshots_.size() + most_in_a_panel - 3) / (most_in_a_panel - 1), 1);
  std::string script = fmt::format(
      "set terminal svg size {},700 background 'white' enhanced\nset output {}\nset multiplot layout 1,{} title {} "
      "noenhanced\nset grid\nset palette rgb 33,13,10\nset cblabel 't'\nset cbrange [{:.6g}:{:.6g}]\n",
      750 * panels, quoted(*plot_), panels, quoted(title), snapshots_.front().t,
      std::max(snapshots_.back().t, snapshots_.front().t + 1e-9));
  if (curves_.front().to_scale)
    script += space ? "set view equal xyz\nset xyplane relative 0.05\n" : "set size ratio -1\n";
  for (int c = 0; c < (space ? 3 : 2); ++c) {
    const double margin = 0.03 * std::max(high[c] - low[c], 1e-9);
    script += fmt::format("set {}range [{:.8g}:{:.8g}]\n", "xyz"[c], low[c] - margin, high[c] + margin);
  }
  for (std::size_t panel = 0; panel < panels; ++panel) {
    const std::size_t first = panel * (most_in_a_panel - 1);
    const std::size_t end = std::min(first + most_in_a_panel, snapshots_.size());
    script += fmt::format("set title 't = {:.6g} .. {:.6g}'\n{} '-' with lines linecolor palette notitle\n",
                          snapshots_[first].t, snapshots_[end - 1].t, space ? "splot" : "plot");
    for (std::size_t s = first; s < end; ++s)
      for (const Matrix& curve : snapshots_[s].curves) {
        for (Index i = 0; i < curve.cols(); ++i) {
          for (Index c = 0; c < curve.rows(); ++c) script += fmt::format("{:.7g} ", curve(c, i));
          script += fmt::format("{:.7g}\n", snapshots_[s].t);
        }
        script += space ? "\n\n" : "\n";
      }
    script += "e\n";
  }
  return script + "unset multiplot\n";
}

}  // namespace gnomon::program
