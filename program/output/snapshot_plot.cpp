#include "program/output/snapshot_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "program/output/gnuplot.hpp"

namespace gnomon::program {

namespace {

/// From light to dark, apart for the colour-blind and in grey (samples of the map "plasma" of matplotlib, reversed).
constexpr std::array<const char*, 5> colours{"#fca636", "#e16462", "#b12a90", "#6a00a8", "#0d0887"};
constexpr std::size_t poses = colours.size(), most_faint = 41, most_in_a_panel = 51, most_panels = 12, most_traced = 4;
constexpr double mechanism_pixels = 560, field_pixels = 480;  ///< of a picture in space
constexpr double frame_scale = 0.55;                          ///< of frames, beside a picture alone
constexpr Index field_points = 10;                            ///< curves of a field have so many points at least

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  double size() const { return std::max(high - low, 0.0); }
};

class SnapshotPlot {
 public:
  SnapshotPlot(const SnapshotPicture& picture, const std::string& path) : picture_(picture), path_(path) {
    find_fixed();
    choose_axes();
  }

  std::string script() {
    if (!picture_.frames.empty()) return frames_script();
    const bool field = std::none_of(moving_.begin(), moving_.end(), [this](std::size_t k) {
      return picture_.curves[k].n_points < field_points || is_rigid(k);
    });
    return field ? field_script() : mechanism_script();
  }

 private:
  /// Whether all its points keep their distances from the first one and from the middle, as those of the outline of a
  /// body do.
  bool is_rigid(std::size_t k) const {
    constexpr double bends = 1e-4;
    const auto distances = [&](const Snapshot& s, Index from) {
      return (s.curves[k].colwise() - s.curves[k].col(from)).colwise().norm().eval();
    };
    const std::vector<Snapshot>& all = picture_.snapshots;
    for (const Index from : {Index(0), all.front().curves[k].cols() / 2}) {
      const auto first = distances(all.front(), from);
      for (const Snapshot& s : all)
        if ((distances(s, from) - first).cwiseAbs().maxCoeff() > bends * first.maxCoeff()) return false;
    }
    return true;
  }
  /// Curves that are the same in all snapshots, unless all are.
  void find_fixed() {
    const std::vector<Snapshot>& all = picture_.snapshots;
    for (std::size_t k = 0; k < picture_.curves.size(); ++k) {
      const Matrix& first = all.front().curves[k];
      const bool stays = std::all_of(all.begin(), all.end(), [&](const Snapshot& s) { return s.curves[k] == first; });
      (stays ? fixed_ : moving_).push_back(k);
    }
    if (!moving_.empty()) return;
    moving_ = fixed_;
    fixed_.clear();
  }

  template <class Point>
  void widen(const Point& x) {
    for (Index c = 0; c < x.size(); ++c) {
      Range& range = ranges_[static_cast<std::size_t>(c)];
      if (!std::isfinite(x[c])) continue;
      range.low = std::min(range.low, x[c]);
      range.high = std::max(range.high, x[c]);
    }
  }
  /// The axes that are drawn, the one that points upwards last.
  void choose_axes() {
    constexpr double flat = 1e-3;
    const Curve& look = picture_.curves.front();
    to_scale_ = look.to_scale;
    for (const Snapshot& snapshot : picture_.snapshots)
      for (const Matrix& curve : snapshot.curves)
        for (Index i = 0; i < curve.cols(); ++i) widen(curve.col(i));
    for (const Path& path : picture_.paths)
      for (const Vector& point : path.points) widen(point);
    double largest = 0;
    for (const Range& range : ranges_) largest = std::max(largest, range.size());
    const int dimension =
        std::max_element(picture_.curves.begin(), picture_.curves.end(), [](const Curve& a, const Curve& b) {
          return a.dimension < b.dimension;
        })->dimension;
    axes_ = {0, 1};
    const int up = std::clamp(look.up, 0, 2);
    if (dimension == 3) axes_ = {(up + 1) % 3, (up + 2) % 3, up};
    for (auto axis = axes_.begin(); axes_.size() == 3 && axis != axes_.end();) {
      const bool thin = ranges_[static_cast<std::size_t>(*axis)].size() <= flat * largest;
      axis = thin ? axes_.erase(axis) : axis + 1;
    }
    for (int axis : axes_) {
      Range& range = ranges_[static_cast<std::size_t>(axis)];
      if (!(range.low <= range.high)) range.low = range.high = 0;
      const double margin = std::max(0.05 * range.size(), to_scale_ ? 0.03 * largest : 1e-9);
      range.low -= margin + 1e-9 * std::abs(range.low);
      range.high += margin + 1e-9 * std::abs(range.high);
    }
  }
  const Range& range(std::size_t axis) const { return ranges_[static_cast<std::size_t>(axes_[axis])]; }

  /// Steps of the ticks, of one, two or five units, some five in the largest range.
  static double tick_step(double size) {
    const double power = std::pow(10, std::floor(std::log10(size / 5)));
    for (const double step : {1.0, 2.0, 5.0})
      if (size / (step * power) <= 6) return step * power;
    return 10 * power;
  }
  std::string axes_script() const {
    const char* const names = "xyz";
    const std::string& unit = picture_.curves.front().unit;
    std::string script = "set tics textcolor rgb '#333333'\n";
    double largest = 0;
    for (std::size_t a = 0; a < axes_.size(); ++a) largest = std::max(largest, range(a).size());
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const std::string label = std::string(1, names[axes_[a]]) + (unit.empty() ? "" : " [" + unit + "]");
      script += fmt::format("set {0}range [{1:.10g}:{2:.10g}]\nset {0}label {3} noenhanced\n", names[a], range(a).low,
                            range(a).high, gnuplot_text(label));
      const bool narrow =
          space() && a < 2 && range(a).size() < 0.2 * largest;  // too narrow for labels beside each other
      if (narrow)
        script += fmt::format("unset {}tics\n", names[a]);
      else if (to_scale_)
        script += fmt::format("set {}tics {:.6g}\n", names[a], tick_step(largest));
    }
    if (space())
      script += fmt::format(
          "set view equal xyz\nset xyplane at {:.10g}\nset border 31 lc rgb '#888888'\n"
          "set xlabel offset -1,-0.6\nset ylabel offset 1.5,-0.6\n",
          range(2).low);
    else
      script += "set border lc rgb '#666666'\n";
    if (!space() && to_scale_) script += "set size ratio -1\n";
    return script + "set grid lc rgb '#e6e6e6' lt 1 lw 0.6\n";
  }
  bool space() const { return axes_.size() == 3; }

  /// The points of a curve as lines of text, and what separates it from the next one.
  template <class Points>
  void add_points(const Points& points, const std::string& more, std::string& data) const {
    for (Index i = 0; i < points.cols(); ++i) {
      for (const int axis : axes_) data += fmt::format("{:.7g} ", axis < points.rows() ? points(axis, i) : 0.0);
      data += more + "\n";
    }
    data += "\n\n";
  }

  /// A block of data and how it is drawn, if there is any.
  void add(const std::string& data, const std::string& style) {
    if (!data.empty()) plot_.add(data, style);
  }
  /// Curves of one snapshot: the lines, dots, or joints.
  enum class Part { lines, dots, joints };
  std::string curves_of(const Snapshot& snapshot, const std::vector<std::size_t>& which, Part part) const {
    std::string data;
    for (const std::size_t k : which) {
      const Curve::Kind kind = picture_.curves[k].kind;
      const Part own = kind == Curve::Kind::joint       ? Part::joints
                       : snapshot.curves[k].cols() == 1 ? Part::dots
                                                        : Part::lines;
      if (own == part && kind != Curve::Kind::trace)
        add_points(kind == Curve::Kind::spring && !space() ? zigzag(snapshot.curves[k]) : snapshot.curves[k], "", data);
    }
    return data;
  }
  /// A spring of the plane between two points.
  Matrix zigzag(const Matrix& ends) const {
    constexpr int teeth = 9;
    const Vector along = ends.col(1) - ends.col(0);
    const double width = 0.02 * std::max(range(0).size(), range(1).size()), length = along.norm();
    Vector across(2);
    across << -along[1], along[0];
    if (length > 0) across *= width / length;
    Matrix points(2, teeth + 3);
    points.col(0) = ends.col(0);
    for (int k = 0; k <= teeth; ++k)
      points.col(k + 1) = ends.col(0) + (0.15 + 0.7 * k / teeth) * along +
                          (k == 0 || k == teeth ? 0
                           : k % 2              ? 1
                                                : -1) *
                              across;
    points.col(teeth + 2) = ends.col(1);
    return points;
  }
  /// `count` of them from the first to the last.
  std::vector<std::size_t> chosen(std::size_t count) const {
    const std::size_t all = picture_.snapshots.size(), n = std::min(count, all);
    std::vector<std::size_t> which;
    for (std::size_t k = 0; k < n; ++k) which.push_back(n == 1 ? 0 : (k * (all - 1) + (n - 1) / 2) / (n - 1));
    return which;
  }
  /// `count` of them, among them the first and the last one, between which points move equally far.
  std::vector<std::size_t> equally_far(std::size_t count) const {
    const std::vector<Snapshot>& all = picture_.snapshots;
    std::vector<double> way{0};
    for (std::size_t s = 1; s < all.size(); ++s) {
      double sum = 0;
      for (const std::size_t k : moving_) sum += (all[s].curves[k] - all[s - 1].curves[k]).colwise().norm().mean();
      way.push_back(way.back() + (std::isfinite(sum) ? sum : 0));
    }
    if (!(way.back() > 0)) return chosen(count);
    std::vector<std::size_t> which;
    for (std::size_t k = 0; k < count; ++k) {
      const double wanted = way.back() * static_cast<double>(k) / static_cast<double>(count - 1);
      const auto at = std::lower_bound(way.begin(), way.end(), wanted);
      const auto s = static_cast<std::size_t>(std::min(at, way.end() - 1) - way.begin());
      const bool before = s > 0 && wanted - way[s - 1] < way[s] - wanted;
      if (const std::size_t one = before ? s - 1 : s; which.empty() || one > which.back()) which.push_back(one);
    }
    return which;
  }
  /// Moving dots: all, or only the last ones where there are many.
  std::string path_data() const {
    std::vector<const Path*> moving;
    for (const Path& path : picture_.paths)
      if (path.points.size() > 2 && std::find(moving_.begin(), moving_.end(), path.curve) != moving_.end())
        moving.push_back(&path);
    if (moving.size() > most_traced) moving.erase(moving.begin(), moving.end() - most_traced);
    std::string data;
    for (const Path* path : moving) {
      Matrix points(path->points.front().size(), static_cast<Index>(path->points.size()));
      for (Index i = 0; i < points.cols(); ++i) points.col(i) = path->points[static_cast<std::size_t>(i)];
      add_points(points, "", data);
    }
    return data;
  }

  std::string mechanism_script() {
    const std::vector<Snapshot>& all = picture_.snapshots;
    std::string faint;
    for (const std::size_t s : chosen(most_faint)) faint += curves_of(all[s], moving_, Part::lines);
    add(faint, "with lines lc rgb '#e0e0e0' lw 0.8 notitle");
    add(path_data(), "with lines lc rgb '#7f93a6' lw 1.1 title 'path'");
    add(curves_of(all.front(), fixed_, Part::lines), "with lines lc rgb '#555555' lw 1.6 notitle");
    const std::vector<std::size_t> bold = equally_far(poses);
    for (std::size_t k = 0; k < bold.size(); ++k) {
      const Snapshot& pose = all[bold[k]];
      const char* const colour = colours[bold.size() == 1 ? poses - 1 : k * (poses - 1) / (bold.size() - 1)];
      const std::string title = fmt::format("title 't = {:.3g}'", pose.t);
      const std::string lines = curves_of(pose, moving_, Part::lines), dots = curves_of(pose, moving_, Part::dots);
      add(lines, fmt::format("with lines lc rgb '{}' lw 2.4 {}", colour, title));
      add(dots, fmt::format("with points pt 7 ps 1.0 lc rgb '{}' {}", colour, lines.empty() ? title : "notitle"));
      const std::string joints = curves_of(pose, moving_, Part::joints);
      add(joints, "with points pt 7 ps 0.8 lc rgb '#ffffff' notitle");
      add(joints, fmt::format("with points pt 6 ps 0.8 lw 1.6 lc rgb '{}' notitle", colour));
    }
    add(curves_of(all.front(), fixed_, Part::joints), "with points pt 6 ps 1.1 lw 1.6 lc rgb '#333333' notitle");
    add(curves_of(all.front(), fixed_, Part::dots), "with points pt 9 ps 1.3 lc rgb '#333333' title 'fixed'");
    const char* const key = "vertical Left reverse samplen 2 spacing 1.15";
    if (space()) return begin_view(key) + axes_script() + plot_.text("splot");
    return begin(1, 1) + axes_script() + fmt::format("set key outside right top {}\n", key) +
           fmt::format("set title {} noenhanced font ',11'\n", gnuplot_text(picture_.title)) + plot_.text("plot");
  }

  std::string field_script() {
    const std::vector<Snapshot>& all = picture_.snapshots;
    const std::vector<std::size_t> which = chosen(most_panels * (most_in_a_panel - 1) + 1);
    const std::size_t panels = std::max<std::size_t>((which.size() + most_in_a_panel - 3) / (most_in_a_panel - 1), 1);
    const std::size_t columns = std::min<std::size_t>(panels, 3), rows = (panels + columns - 1) / columns;
    std::string script = begin(columns, rows);
    script += fmt::format("set multiplot layout {},{} title {} noenhanced\nset palette defined (", rows, columns,
                          gnuplot_text(picture_.title));
    for (std::size_t k = 0; k < poses; ++k) script += fmt::format("{}{} '{}'", k == 0 ? "" : ", ", k, colours[k]);
    script += fmt::format(")\nset cblabel 't'\nset cbrange [{:.6g}:{:.6g}]\n", all.front().t,
                          std::max(all.back().t, all.front().t + 1e-9));
    script += axes_script();
    if (space()) script += view_script(View(*this, field_pixels), 640);
    for (std::size_t panel = 0; panel < panels; ++panel) {
      const std::size_t first = panel * (most_in_a_panel - 1), end = std::min(first + most_in_a_panel, which.size());
      std::string data;
      for (std::size_t s = first; s < end; ++s)
        for (const std::size_t k : moving_)
          add_points(all[which[s]].curves[k], fmt::format("{:.7g}", all[which[s]].t), data);
      plot_ = {};
      add(curves_of(all.front(), fixed_, Part::lines), "with lines lc rgb '#555555' lw 1.6 notitle");
      add(data, "with lines linecolor palette notitle");
      add(curves_of(all.front(), fixed_, Part::dots), "with points pt 9 ps 1.3 lc rgb '#333333' notitle");
      script += fmt::format("set title 't = {:.4g} .. {:.4g}'\n", all[which[first]].t, all[which[end - 1]].t) +
                plot_.text(space() ? "splot" : "plot");
    }
    return script + "unset multiplot\n";
  }

  /// A panel a frame, with one pair of displaced snapshots each. In space the panels are as large as the box and what
  /// stands around it, each in the middle of a square that they share.
  std::string frames_script() {
    constexpr double region = 1000, left = 115, right = 60, below = 65, above = 45, title = 30;
    const std::vector<Snapshot>& all = picture_.snapshots;
    const std::size_t columns = std::min<std::size_t>(picture_.frames.size(), 3);
    const std::size_t rows = (picture_.frames.size() + columns - 1) / columns;
    double wide = 0, high = 0, width = 0, height = 0, middle = 0;
    std::string script;
    if (space()) {
      const View view(*this, frame_scale * mechanism_pixels);
      wide = left + view.width_pixels + right;
      high = above + view.height_pixels + below;
      middle = below + view.height_pixels / 2;
      width = std::max(wide * static_cast<double>(columns), 560.0);
      height = high * static_cast<double>(rows) + title;
      script = terminal(path_, static_cast<std::size_t>(width), static_cast<std::size_t>(height)) +
               fmt::format("set multiplot title {} noenhanced\n", gnuplot_text(picture_.title)) + axes_script() +
               view_script(view, region) + fmt::format("set size {:.6g},{:.6g}\n", region / width, region / height);
    } else {
      script =
          begin(columns, rows, frame_scale) +
          fmt::format("set multiplot layout {},{} title {} noenhanced\n", rows, columns, gnuplot_text(picture_.title)) +
          axes_script();
    }
    for (std::size_t k = 0; k < picture_.frames.size(); ++k) {
      plot_ = {};
      add(curves_of(all.front(), fixed_, Part::lines), "with lines lc rgb '#555555' lw 1.6 notitle");
      add_pose(all.front(), "#b8b8b8", 1.6, 0.7);
      add_pose(all[2 * k + 2], colours.front(), 1.6, 0.7);
      add_pose(all[2 * k + 1], colours.back(), 2.2, 0.8);
      add(curves_of(all.front(), fixed_, Part::joints), "with points pt 6 ps 0.9 lw 1.4 lc rgb '#333333' notitle");
      add(curves_of(all.front(), fixed_, Part::dots), "with points pt 9 ps 1.0 lc rgb '#333333' notitle");
      const std::string label = gnuplot_text(picture_.frames[k]);
      if (space()) {
        const double x = static_cast<double>(k % columns) * wide + (wide + left - right) / 2;
        const double bottom = height - title - static_cast<double>(k / columns + 1) * high;
        script += fmt::format("set origin {:.6g},{:.6g}\n", (x - region / 2) / width,
                              (bottom + middle - region / 2) / height);
        script += fmt::format("set label 1 {} at screen {:.6g},{:.6g} center noenhanced font ',10'\n", label, x / width,
                              (bottom + high - above / 3) / height);
      } else {
        script += fmt::format("set title {} noenhanced font ',10'\n", label);
      }
      script += plot_.text(space() ? "splot" : "plot");
    }
    return script + "unset multiplot\n";
  }
  /// What moves, in one colour.
  void add_pose(const Snapshot& pose, const char* colour, double width, double dot) {
    add(curves_of(pose, moving_, Part::lines), fmt::format("with lines lc rgb '{}' lw {} notitle", colour, width));
    add(curves_of(pose, moving_, Part::dots), fmt::format("with points pt 7 ps {} lc rgb '{}' notitle", dot, colour));
    const std::string joints = curves_of(pose, moving_, Part::joints);
    add(joints, fmt::format("with points pt 7 ps {} lc rgb '#ffffff' notitle", dot));
    add(joints, fmt::format("with points pt 6 ps {} lw 1.4 lc rgb '{}' notitle", dot, colour));
  }

  /// How large the box of a picture in space is: seen from `height` degrees above and turned by `turn`, with so many
  /// pixels for a unit that it is at most `most` pixels wide and high.
  struct View {
    static constexpr double height = 66, turn = 36;
    double width_pixels, height_pixels, pixels, side;
    View(const SnapshotPlot& plot, double most) {
      const double radian = std::acos(-1.0) / 180, c = std::cos(turn * radian), s = std::sin(turn * radian);
      const double x = plot.range(0).size(), y = plot.range(1).size(), z = plot.range(2).size();
      const double wide = x * c + y * s,
                   high = z * std::sin(height * radian) + (x * s + y * c) * std::cos(height * radian);
      pixels = std::min(most / wide, most / high);
      width_pixels = pixels * wide;
      height_pixels = pixels * high;
      side = std::max(x, y);
    }
  };
  /// In a square of `region` pixels gnuplot gives the longer side of the floor .573 region - 42.5 pixels (measured).
  static std::string view_script(const View& view, double region) {
    return fmt::format("set view {},{},{:.6g}\n", View::height, View::turn,
                       view.pixels * view.side / (.573 * region - 42.5));
  }
  /// One picture in space: the canvas is as large as the box and what stands around it.
  std::string begin_view(const std::string& key) const {
    constexpr double region = 1000, left = 105, below = 75, above = 45, beside = 190;
    const View view(*this, mechanism_pixels);
    const double width = std::max(left + view.width_pixels + beside, 560.0);
    const double height = std::max(below + view.height_pixels + above, 260.0);
    const double x = left + view.width_pixels / 2, y = below + view.height_pixels / 2;
    return terminal(path_, static_cast<std::size_t>(width), static_cast<std::size_t>(height)) +
           fmt::format("set size {:.6g},{:.6g}\nset origin {:.6g},{:.6g}\n", region / width, region / height,
                       (x - region / 2) / width, (y - region / 2) / height) +
           view_script(view, region) +
           fmt::format(
               "set key at screen {:.6g},{:.6g} left top {}\nset label {} at screen 0.5,{:.6g} center noenhanced font "
               "',11'\n",
               (width - 165) / width, (height - 40) / height, key, gnuplot_text(picture_.title),
               (height - 16) / height);
  }

  /// The terminal for panels of the shape of what is drawn; scale: of its part of a panel.
  std::string begin(std::size_t columns, std::size_t rows, double scale = 1) const {
    double width = 620, height = 470;
    if (space()) {
      width = height = 640;
    } else if (to_scale_) {
      const double aspect = range(1).size() / range(0).size();
      width = std::clamp(560 / std::sqrt(aspect), 380.0, 900.0);
      height = std::clamp(width * aspect, 200.0, 900.0);
    }
    const double beside = scale < 1 ? 90 : 210;
    return terminal(path_, static_cast<std::size_t>(scale * width + beside) * columns,
                    static_cast<std::size_t>(scale * height + 110) * rows);
  }

  const SnapshotPicture& picture_;
  const std::string& path_;
  std::vector<std::size_t> fixed_, moving_;  // numbers of curves
  std::array<Range, 3> ranges_;
  std::vector<int> axes_;
  bool to_scale_ = true;
  PlotCommand plot_;
};

}  // namespace

std::string snapshot_plot(const SnapshotPicture& picture, const std::string& path) {
  return SnapshotPlot(picture, path).script();
}

}  // namespace gnomon::program
