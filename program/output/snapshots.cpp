#include "program/output/snapshots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gnomon/base/error.hpp"
#include "gnomon/base/visible_text.hpp"
#include "program/output/gnuplot.hpp"
#include "program/output/vtk_series.hpp"
#include "tables/csv_field.hpp"

namespace gnomon::program {

namespace {

constexpr std::size_t most_paths = 40, most_points_of_a_path = 4000;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::shared_ptr<const CurveModel> required(std::shared_ptr<const CurveModel> model) {
  if (model && !model->curves().empty()) return model;
  throw Error(ErrorCode::refused,
              "--snapshots and --plot are for problems with curves to draw, and this problem has none");
}

}  // namespace

Snapshots::Snapshots(const ProblemInstance& instance, double t0, double every, const std::optional<std::string>& file,
                     const std::optional<std::string>& plot)
    : kept_(instance.model),
      model_(required(instance.curves)),
      curves_(model_->curves()),
      t0_(t0),
      every_(every),
      plot_(plot) {
  if (file) {
    vtk_ = ends_with(*file, ".vtk");
    if (ends_with(*file, ".pvd"))
      series_ = file;
    else if (!vtk_ && !ends_with(*file, ".csv"))
      throw Error(ErrorCode::bad_value, "--snapshots = \"" + *file + "\" ends in none of .csv, .vtk and .pvd");
    auto opened = std::make_unique<tables::OutputFile>(*file);
    if (!series_) file_ = std::move(opened);
  }
  if (!plot_) return;
  require_picture(*plot_);
  for (std::size_t k = 0; k < curves_.size(); ++k)
    if (curves_[k].n_points == 1) paths_.push_back({k, {}});
  if (paths_.size() > most_paths) paths_.clear();
  system_ = kept_->mechanical();
  jumps_ = system_ && system_->parts().obstacles;
}

Snapshots::Place Snapshots::place(std::size_t curve, const State& z, const Vector& v) const {
  Matrix point(curves_[curve].dimension, 1);
  const auto at = [&](double shift) {
    const Vector q = shift == 0 ? z.q.value() : Vector(z.q.value() + shift * v);
    model_->curve_points(static_cast<Index>(curve), z.t + shift, q, point);
    return Vector(point.col(0));
  };
  Place here{z.t, at(0), Vector::Zero(point.rows())};
  const double small = 1e-4 * (z.last_h > 0 ? z.last_h : every_);
  if (v.size() > 0) here.rate = (at(small) - at(-small)) / (2 * small);
  return here;
}

/// The places of the dots at every step or, of long runs, at every second, fourth, ... one. Between the ends of long
/// steps they are on the cubic through places and velocities.
void Snapshots::note_paths(const State& z) {
  if (paths_.empty() || steps_++ % stride_ != 0) return;
  if (paths_.front().points.size() >= most_points_of_a_path) {
    for (Path& path : paths_) {
      for (std::size_t i = 0; 2 * i < path.points.size(); ++i) path.points[i] = path.points[2 * i];
      path.points.resize((path.points.size() + 1) / 2);
    }
    stride_ *= 2;
  }
  Vector v, scratch;
  const bool smooth = system_ && stride_ == 1;
  if (smooth) {
    v.resize(system_->n());
    scratch.resize(system_->n());
    system_->velocity(z.q.value(), z.p.value(), scratch, v);
  }
  const bool first = last_.empty();
  last_.resize(paths_.size());
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    const Place here = place(paths_[k].curve, z, v);
    const Place& before = last_[k];
    const double h = here.t - before.t;
    // With an impact in between the trapezoidal rule is off by the jump, except in the middle.
    const bool jumped = jumps_ && !first && smooth &&
                        (here.x - before.x - h / 2 * (here.rate + before.rate)).norm() >
                            0.02 * h * std::max(here.rate.norm(), before.rate.norm());
    const int pieces =
        first || !smooth || jumped ? 1 : static_cast<int>(std::clamp(std::ceil(8 * h / every_), 1.0, 12.0));
    for (int i = 1; i < pieces; ++i) {
      const double s = static_cast<double>(i) / pieces, r = 1 - s;
      paths_[k].points.emplace_back(r * r * ((1 + 2 * s) * before.x + s * h * before.rate) +
                                    s * s * ((1 + 2 * r) * here.x - r * h * here.rate));
    }
    paths_[k].points.push_back(here.x);
    last_[k] = here;
  }
}

std::vector<Matrix> Snapshots::points(double t, const Vector& q) const {
  std::vector<Matrix> out;
  for (std::size_t k = 0; k < curves_.size(); ++k) {
    out.emplace_back(curves_[k].dimension, curves_[k].n_points);
    model_->curve_points(static_cast<Index>(k), t, q, out.back());
  }
  return out;
}

/// Central differences along the velocity.
std::vector<Matrix> Snapshots::rates(const State& z) const {
  const double small = 1e-4 * (z.last_h > 0 ? z.last_h : every_);
  Vector v(z.q.value().size()), scratch(v.size());
  kept_->velocity(z.view(), scratch, v);
  std::vector<Matrix> out = points(z.t + small, z.q.value() + small * v);
  const std::vector<Matrix> before = points(z.t - small, z.q.value() - small * v);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = (out[k] - before[k]) / (2 * small);
  return out;
}

bool Snapshots::observe(const State& z, long) {
  note_paths(z);
  // The step that arrives is not late by rounding.
  if (z.t < t0_ + due_ * every_ * (1 - 1e-12) - 1e-9 * z.last_h) return true;
  due_ = std::max(due_, std::floor((z.t - t0_) / every_ + 1e-9)) + 1;
  Snapshot snapshot;
  snapshot.t = z.t;
  snapshot.curves = points(z.t, z.q.value());
  if (series_) snapshot.rates = rates(z);
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
  if (series_) write_vtk_series(*series_, curves_, snapshots_);
  if (plot_) draw(snapshot_plot({curves_, snapshots_, paths_, title}, *plot_), *plot_);
}

void Snapshots::write_csv(std::FILE* out) const {
  const bool space = std::any_of(curves_.begin(), curves_.end(), [](const Curve& c) { return c.dimension == 3; });
  fmt::print(out, "t,curve,point,x,y{}\n", space ? ",z" : "");
  for (const Snapshot& snapshot : snapshots_)
    for (std::size_t k = 0; k < curves_.size(); ++k)
      for (Index i = 0; i < snapshot.curves[k].cols(); ++i) {
        fmt::print(out, "{:.17g},{},{}", snapshot.t, tables::csv_field(curves_[k].name), i);
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
  fmt::print(out, "# vtk DataFile Version 3.0\n{:.200}\nASCII\nDATASET POLYDATA\nPOINTS {} double\n", visible(title),
             total);
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

}  // namespace gnomon::program
