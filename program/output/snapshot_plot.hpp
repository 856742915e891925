#pragma once
/// \file
/// The plot of snapshots: poses of mechanisms, and strings and beams in panels.

#include <string>
#include <vector>

#include "gnomon/model/curves.hpp"

namespace gnomon::program {

/// The points of all curves at one time.
struct Snapshot {
  double t = 0;
  std::vector<Matrix> curves;
  std::vector<Matrix> rates = {};  ///< velocities of the points; none where they are not asked for
};

/// Where the dot `curve` came through.
struct Path {
  std::size_t curve = 0;
  std::vector<Vector> points;
};

struct SnapshotPicture {
  const std::vector<Curve>& curves;
  const std::vector<Snapshot>& snapshots;  ///< at least one
  const std::vector<Path>& paths;
  std::string title;
  /// In place of poses over time: snapshots are one at rest, then two displaced ones for each of these titles.
  std::vector<std::string> frames = {};
};

/// The script for gnuplot. Of a mechanism, which is what has dots or short polylines: a few poses from the start to the
/// end over the others, what never moves, and the paths of dots. Of fields: a panel for every 50 intervals, all with
/// the same axes; the colour is the time. With frames a small panel each: what rests in grey, displaced to one side in
/// dark, to the other in light. What stays in a plane parallel to two axes is drawn in it.
std::string snapshot_plot(const SnapshotPicture& picture, const std::string& path);

}  // namespace gnomon::program
