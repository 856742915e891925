#include "pages/encode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <unordered_map>

namespace gnomon::pages {

namespace {

/// A table of so many rows is stored column by column, each text once.
constexpr std::size_t many_rows = 200;

const char* name(Mark mark) {
  switch (mark) {
    case Mark::good:
      return "good";
    case Mark::warn:
      return "warn";
    case Mark::bad:
      return "bad";
    case Mark::none:
      break;
  }
  return "";
}

const char* name(Series::Style style) {
  switch (style) {
    case Series::Style::points:
      return "points";
    case Series::Style::line_points:
      return "line_points";
    case Series::Style::guide:
      return "guide";
    case Series::Style::line:
      break;
  }
  return "line";
}

/// A text, or [text, mark] or [text, mark, note].
Json::Value encode(const Cell& cell) {
  if (cell.mark == Mark::none && cell.note.empty()) return cell.text;
  Json::Value out(Json::arrayValue);
  out.append(cell.text);
  out.append(name(cell.mark));
  if (!cell.note.empty()) out.append(cell.note);
  return out;
}

Json::Value encode(const std::string& text) {
  return text;
}

template <class T>
Json::Value encode(const std::vector<T>& all) {
  Json::Value out(Json::arrayValue);
  for (const T& one : all) out.append(encode(one));
  return out;
}

Json::Value encode(const Axis& axis) {
  Json::Value out;
  out["label"] = axis.label;
  out["unit"] = axis.unit;
  out["log"] = axis.logarithmic;
  return out;
}

/// The cells of one column: {"cells": the different ones, "at": which one each row has}.
Json::Value encode_column(const Table& table, std::size_t column, Arrays& arrays) {
  Json::Value out;
  out["cells"] = Json::Value(Json::arrayValue);
  std::unordered_map<std::string, std::size_t> known;
  std::vector<std::size_t> at;
  at.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    const Cell cell = column < row.size() ? row[column] : Cell();
    const std::string key = cell.text + '\0' + name(cell.mark) + '\0' + cell.note;
    const auto [place, added] = known.try_emplace(key, known.size());
    if (added) out["cells"].append(encode(cell));
    at.push_back(place->second);
  }
  out["at"] = arrays.add(at);
  return out;
}

Json::Value named(const char* kind, const std::string& title) {
  Json::Value out;
  out["kind"] = kind;
  out["title"] = title;
  return out;
}

/// Times, and for each the place of its text and kind among the different ones.
Json::Value encode_events(const std::vector<MotionEvent>& events, Arrays& arrays) {
  Json::Value out;
  out["texts"] = Json::Value(Json::arrayValue);
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  std::vector<double> times;
  std::vector<std::size_t> at;
  for (const MotionEvent& event : events) {
    const auto [place, added] = known.try_emplace({event.text, event.kind}, known.size());
    if (added) {
      Json::Value text(Json::arrayValue);
      text.append(event.text);
      text.append(event.kind);
      out["texts"].append(text);
    }
    times.push_back(event.t);
    at.push_back(place->second);
  }
  out["times"] = arrays.add(times, Precision::exact);
  out["at"] = arrays.add(at);
  return out;
}

struct Encoder {
  Arrays& arrays;

  Json::Value operator()(const Section& block) const {
    Json::Value out = named("section", block.title);
    out["text"] = block.text;
    return out;
  }
  Json::Value operator()(const Text& block) const {
    Json::Value out = named("text", block.title);
    out["paragraphs"] = encode(block.paragraphs);
    return out;
  }
  Json::Value operator()(const Notice& block) const {
    Json::Value out = named("notice", block.title);
    out["mark"] = name(block.mark);
    out["paragraphs"] = encode(block.paragraphs);
    return out;
  }
  Json::Value operator()(const Facts& block) const {
    Json::Value out = named("facts", block.title);
    out["rows"] = Json::Value(Json::arrayValue);
    for (const auto& [what, cell] : block.rows) {
      Json::Value row(Json::arrayValue);
      row.append(what);
      row.append(encode(cell));
      out["rows"].append(row);
    }
    return out;
  }
  Json::Value operator()(const Command& block) const {
    Json::Value out = named("command", block.title);
    out["text"] = block.text;
    return out;
  }
  Json::Value operator()(const Table& block) const {
    Json::Value out = named("table", block.title);
    out["note"] = block.note;
    out["columns"] = encode(block.columns);
    out["count"] = Json::UInt64(block.rows.size());
    if (block.rows.size() < many_rows) {
      out["rows"] = encode(block.rows);
    } else {
      out["data"] = Json::Value(Json::arrayValue);
      for (std::size_t k = 0; k < block.columns.size(); ++k) out["data"].append(encode_column(block, k, arrays));
    }
    return out;
  }
  Json::Value operator()(const Matrix& block) const {
    Json::Value out = named("matrix", block.title);
    out["note"] = block.note;
    out["rows"] = encode(block.rows);
    out["columns"] = encode(block.columns);
    out["cells"] = encode(block.cells);
    return out;
  }
  Json::Value operator()(const Chart& block) const {
    Json::Value out = named("chart", block.title);
    out["note"] = block.note;
    out["x"] = encode(block.x);
    out["y"] = encode(block.y);
    out["small"] = block.small;
    out["series"] = Json::Value(Json::arrayValue);
    for (const Series& given : block.series) {
      Series series = given;
      thin(series, most_points);
      Json::Value one;
      one["name"] = series.name;
      one["style"] = name(series.style);
      one["group"] = series.group;
      one["x"] = arrays.add(series.x, Precision::exact);
      one["y"] = arrays.add(series.y, block.y.logarithmic ? Precision::relative : Precision::range);
      if (!series.notes.empty()) one["notes"] = encode(series.notes);
      if (series.x.size() < given.x.size()) one["of"] = Json::UInt64(given.x.size());
      out["series"].append(one);
    }
    return out;
  }
  Json::Value operator()(const Motion& block) const {
    Json::Value out = named("motion", block.title);
    out["note"] = block.note;
    out["dimension"] = block.dimension;
    out["up"] = block.up;
    out["equal"] = block.equal;
    out["unit"] = block.unit;
    out["times"] = arrays.add(block.times, Precision::exact);
    out["time_unit"] = block.time_unit;
    out["curves"] = Json::Value(Json::arrayValue);
    for (const MovingCurve& curve : block.curves) {
      Json::Value one;
      one["name"] = curve.name;
      one["n"] = Json::UInt64(curve.n_points);
      one["traced"] = curve.traced;
      one["fixed"] = curve.fixed;
      one["shape"] = curve.kind;
      out["curves"].append(one);
    }
    out["runs"] = Json::Value(Json::arrayValue);
    for (const MovingRun& run : block.runs) {
      Json::Value one;
      one["name"] = run.name;
      one["group"] = run.group;
      one["reference"] = run.reference;
      one["points"] = arrays.add(run.points, Precision::range);
      if (!run.poses.empty()) one["poses"] = arrays.add(run.poses, Precision::range);
      out["runs"].append(one);
    }
    if (!block.events.empty()) out["events"] = encode_events(block.events, arrays);
    out["solids"] = Json::Value(Json::arrayValue);
    for (const MovingSolid& solid : block.solids) {
      Json::Value one;
      one["name"] = solid.name;
      one["shape"] = solid.kind;
      one["points"] = arrays.add(solid.points, Precision::range);
      one["triangles"] = arrays.add(solid.triangles);
      out["solids"].append(one);
    }
    return out;
  }
  Json::Value operator()(const Quantities& block) const {
    Json::Value out = named("quantities", block.title);
    out["note"] = block.note;
    out["times"] = arrays.add(block.times, Precision::exact);
    out["time_unit"] = block.time_unit;
    out["all"] = Json::Value(Json::arrayValue);
    for (const Quantities::One& given : block.all) {
      Json::Value one;
      one["name"] = given.name;
      one["unit"] = given.unit;
      one["chosen"] = given.chosen;
      one["size"] = given.size;
      one["values"] = arrays.add(given.values, Precision::range);
      out["all"].append(one);
    }
    return out;
  }
};

[[noreturn]] void misfit(const std::string& block, const std::string& what) {
  throw std::invalid_argument(fmt::format("\"{}\" of a page: {}", block, what));
}

struct Checker {
  template <class Any>
  void operator()(const Any&) const {}

  void operator()(const Matrix& block) const {
    if (block.cells.size() != block.rows.size())
      misfit(block.title, fmt::format("{} rows of cells, {} were expected", block.cells.size(), block.rows.size()));
    for (const auto& row : block.cells)
      if (row.size() != block.columns.size())
        misfit(block.title, fmt::format("a row of {} cells, {} were expected", row.size(), block.columns.size()));
  }
  void operator()(const Chart& block) const {
    for (const Series& series : block.series) {
      if (series.x.size() != series.y.size())
        misfit(block.title, fmt::format("the series \"{}\" has {} abscissae and {} ordinates", series.name,
                                        series.x.size(), series.y.size()));
      if (!series.notes.empty() && series.notes.size() != series.x.size())
        misfit(block.title, fmt::format("the series \"{}\" has {} points and {} notes", series.name, series.x.size(),
                                        series.notes.size()));
    }
  }
  void operator()(const Motion& block) const {
    if (block.dimension != 2 && block.dimension != 3)
      misfit(block.title, fmt::format("points of dimension {}, 2 or 3 was expected", block.dimension));
    if (block.up < 0 || block.up > 2) misfit(block.title, fmt::format("up is {}, 0 to 2 was expected", block.up));
    if (block.times.empty() || block.runs.empty()) misfit(block.title, "a motion has at least one time and one run");
    for (std::size_t k = 1; k < block.times.size(); ++k)
      if (!(block.times[k] > block.times[k - 1]))
        misfit(block.title, fmt::format("time {} is {:g} after {:g}, increasing times were expected", k, block.times[k],
                                        block.times[k - 1]));
    for (std::size_t k = 0; k < block.events.size(); ++k)
      if (!std::isfinite(block.events[k].t) || (k > 0 && block.events[k].t < block.events[k - 1].t))
        misfit(block.title,
               fmt::format("event {} is at {:g}, finite times in their order were expected", k, block.events[k].t));
    std::size_t points = 0;
    for (const MovingCurve& curve : block.curves) points += curve.n_points;
    const std::size_t expected = block.times.size() * points * static_cast<std::size_t>(block.dimension);
    for (const MovingRun& run : block.runs)
      if (run.points.size() != expected)
        misfit(block.title, fmt::format("the run \"{}\" has {} coordinates, {} were expected", run.name,
                                        run.points.size(), expected));
    const std::size_t poses = 9 * block.times.size() * block.solids.size();
    for (const MovingRun& run : block.runs)
      if (run.poses.size() != poses)
        misfit(block.title, fmt::format("the run \"{}\" has {} numbers of poses, {} were expected", run.name,
                                        run.poses.size(), poses));
    for (const MovingSolid& solid : block.solids)
      for (const std::size_t corner : solid.triangles)
        if (3 * corner + 2 >= solid.points.size())
          misfit(block.title, fmt::format("the solid \"{}\" has a corner {} and {} coordinates", solid.name, corner,
                                          solid.points.size()));
  }
  void operator()(const Quantities& block) const {
    for (const Quantities::One& one : block.all)
      if (one.values.size() != block.times.size())
        misfit(block.title,
               fmt::format("\"{}\" has {} values at {} times", one.name, one.values.size(), block.times.size()));
  }
};

}  // namespace

Json::Value encode(const Block& block, Arrays& arrays) {
  return std::visit(Encoder{arrays}, block);
}

void check(const Block& block) {
  std::visit(Checker{}, block);
}

void thin(Series& series, std::size_t most) {
  const std::size_t count = series.x.size();
  if (count <= most) return;
  std::vector<std::size_t> kept{0};
  const std::size_t intervals = std::max<std::size_t>(most / 3, 1);  // of each: smallest, largest, a gap
  for (std::size_t k = 0; k < intervals; ++k) {
    const std::size_t begin = std::max<std::size_t>(k * count / intervals, 1), end = (k + 1) * count / intervals;
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t low = none, high = none, gap = none;
    for (std::size_t j = begin; j < std::min(end, count - 1); ++j) {
      const double y = series.y[j];
      if (std::isnan(y)) {
        gap = j;
        continue;
      }
      if (low == none || y < series.y[low]) low = j;
      if (high == none || y > series.y[high]) high = j;
    }
    std::vector<std::size_t> here;
    for (const std::size_t j : {low, high, gap})
      if (j != none) here.push_back(j);
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    kept.insert(kept.end(), here.begin(), here.end());
  }
  kept.push_back(count - 1);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    series.x[k] = series.x[kept[k]];
    series.y[k] = series.y[kept[k]];
    if (!series.notes.empty()) series.notes[k] = series.notes[kept[k]];
  }
  series.x.resize(kept.size());
  series.y.resize(kept.size());
  if (!series.notes.empty()) series.notes.resize(kept.size());
}

}  // namespace gnomon::pages
