#pragma once
/// \file
/// What a page is made of: text, facts, tables, charts and motions, as values. A page shows them in the order in which
/// they were added.

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gnomon::pages {

/// How a value is judged; shown by a colour and by a sign.
enum class Mark { none, good, warn, bad };

struct Cell {
  std::string text;
  Mark mark = Mark::none;
  std::string note = "";  ///< shown where the pointer or the focus rests
  Cell() = default;
  Cell(std::string text_, Mark mark_ = Mark::none, std::string note_ = "")
      : text(std::move(text_)), mark(mark_), note(std::move(note_)) {}
  Cell(const char* text_) : text(text_) {}
};

/// Begins a part of the page: a heading, and an entry of the table of contents. `text` may be empty.
struct Section {
  std::string title, text = "";
};

/// Paragraphs; `title` may be empty, here and below.
struct Text {
  std::string title;
  std::vector<std::string> paragraphs;
};

/// Names with values.
struct Facts {
  std::string title;
  std::vector<std::pair<std::string, Cell>> rows;
};

/// A box with what has to be seen first: that a run stopped and why, for instance.
struct Notice {
  Mark mark = Mark::warn;
  std::string title;
  std::vector<std::string> paragraphs;
};

/// A command line, or any text to be copied, in a box with a button.
struct Command {
  std::string title, text;
};

/// Sorted by a click on a heading; from 30 rows on it can be searched. A column of numbers stands to the right.
struct Table {
  std::string title, note;
  std::vector<std::string> columns;     ///< the first one stays in view
  std::vector<std::vector<Cell>> rows;  ///< shorter rows are filled with empty cells
};

/// A table of short cells with names along both sides, as which scheme keeps what on which problem.
struct Matrix {
  std::string title, note;
  std::vector<std::string> rows, columns;
  std::vector<std::vector<Cell>> cells;  ///< one vector a row
};

struct Axis {
  std::string label, unit = "";
  bool logarithmic = false;  ///< where the page opens; a button changes it where the data allow
};

struct Series {
  enum class Style {
    line,
    points,
    line_points,
    guide  ///< grey and thin: a slope, a gate
  };
  std::string name;
  std::vector<double> x, y;  ///< of one length; NaN in y is a gap
  Style style = Style::line;
  int group = 0;  ///< the same group has the same colour in all charts of the page; dashes follow it too
  /// Shown where the pointer reads a point, one for every point or none at all.
  std::vector<std::string> notes = {};
};

/// On a logarithmic axis a value counts by its magnitude, and zeros are gaps. Where the abscissae of a series do not
/// increase, as of a phase plot, points are joined in the order given. Of more than most_points points the smallest and
/// the largest of equal intervals are kept.
struct Chart {
  std::string title, note;
  Axis x, y;
  std::vector<Series> series;
  bool small = false;  ///< two of these stand side by side where the window is wide
};
constexpr std::size_t most_points = 20000;

/// Curves of a mechanism that move: what is common to all runs of it.
struct MovingCurve {
  std::string name;
  std::size_t n_points = 1;  ///< one: a dot
  bool traced = false;       ///< of a dot: where it was is drawn behind it, fading
  bool fixed = false;        ///< drawn in grey
  /// line, outline (where there is no solid), spring, trace, joint or ground
  std::string kind = "line";
};

/// A surface of a mechanism that moves as a rigid body: what is common to all runs of it.
struct MovingSolid {
  std::string name, kind = "body";     ///< body, inertia (translucent), joint or contact
  std::vector<double> points;          ///< coordinates of the corners of its triangles, in its own axes
  std::vector<std::size_t> triangles;  ///< three corners each, anticlockwise from outside
};

/// The curves of one run at all times of the motion.
struct MovingRun {
  std::string name;
  int group = 0;           ///< as of Series
  bool reference = false;  ///< drawn translucent, behind the others
  /// By time, then by curve, then by point, then by coordinate; NaN: not there.
  std::vector<double> points = {};
  /// By time, then by solid: the three coordinates of its origin, of its first and of its second axis.
  std::vector<double> poses = {};
};

/// A tick below the slider of a motion.
struct MotionEvent {
  double t;
  std::string text;            ///< "landing of floor.a"
  std::string kind = "event";  ///< contact, friction, switch, stop or event: what has a colour of its own
};

/// An animated view with a slider of time. All runs move together, at a common list of times.
struct Motion {
  std::string title, note;
  int dimension = 2;      ///< 2 or 3
  int up = 2;             ///< in space: the axis that is drawn upwards, 0 to 2
  bool equal = true;      ///< the same scale on all axes; false: each axis fills the view, as of a graph (dimension 2)
  std::string unit = "";  ///< of the points
  std::vector<double> times;  ///< increasing
  std::string time_unit = "";
  std::vector<MovingCurve> curves;
  std::vector<MovingSolid> solids;  ///< of dimension 3
  std::vector<MovingRun> runs;      ///< at least one
  std::vector<MotionEvent> events = {};
};

/// Quantities over time: a table of their extremes, in which those are chosen that are drawn, a chart for each unit.
/// Beside a Motion that comes before.
struct Quantities {
  struct One {
    std::string name, unit;
    std::vector<double> values;  ///< one a time
    bool chosen = false;         ///< where the page opens
    double size = 0;             ///< beside which rounding is told from values
  };
  std::string title, note;
  std::vector<double> times;  ///< increasing
  std::string time_unit = "";
  std::vector<One> all;
};

using Block = std::variant<Section, Text, Notice, Facts, Command, Table, Matrix, Chart, Motion, Quantities>;

}  // namespace gnomon::pages
