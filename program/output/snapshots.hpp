#pragma once
/// \file
/// Snapshots of the curves of a model along a run: rods, bodies, strings, beams. As CSV (t, curve, point, x, y, z), as
/// VTK (legacy ASCII polylines, all of them in one file, with the cell data t and curve), as a time series for ParaView
/// (see vtk_series.hpp), and as a plot.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gnomon/model/curves.hpp"
#include "gnomon/model/problem.hpp"
#include "gnomon/run/integrator.hpp"
#include "program/output/snapshot_plot.hpp"
#include "tables/output_file.hpp"

namespace gnomon::program {

class Snapshots final : public Observer {
 public:
  /// One at t0 and then one every `every` units of time, at the first step that gets there. `file` ends in .csv, .vtk
  /// or .pvd, `plot` in .svg, .png or .pdf. Throws Error(refused) where the model has no curves, and Error(bad_value |
  /// bad_file) for the files.
  Snapshots(const ProblemInstance& instance, double t0, double every, const std::optional<std::string>& file,
            const std::optional<std::string>& plot);

  bool observe(const State& z, long step) override;
  /// Writes the file and draws the plot; `title` stands above it.
  void finish(const std::string& title);

 private:
  /// Where a dot is, and its velocity.
  struct Place {
    double t = 0;
    Vector x, rate;
  };
  void note_paths(const State& z);
  std::vector<Matrix> points(double t, const Vector& q) const;
  std::vector<Matrix> rates(const State& z) const;
  Place place(std::size_t curve, const State& z, const Vector& v) const;
  void write_csv(std::FILE* out) const;
  void write_vtk(std::FILE* out, const std::string& title) const;

  std::shared_ptr<const Model> kept_;  // system_ is a part of it
  std::shared_ptr<const CurveModel> model_;
  std::vector<Curve> curves_;
  double t0_, every_;
  double due_ = 0;  // the next one, in intervals from t0
  std::vector<Snapshot> snapshots_;
  const System* system_ = nullptr;  // null: an overdetermined DAE
  bool jumps_ = false;              // of velocities, at obstacles
  std::vector<Path> paths_;
  std::vector<Place> last_;      // of every path
  long steps_ = 0, stride_ = 1;  // every stride-th step is a point of the paths
  std::unique_ptr<tables::OutputFile> file_;
  bool vtk_ = false;
  std::optional<std::string> series_;
  std::optional<std::string> plot_;
};

}  // namespace gnomon::program
