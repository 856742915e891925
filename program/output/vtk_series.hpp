#pragma once
/// \file
/// Snapshots as a time series for ParaView and other readers of VTK's XML formats.

#include <string>
#include <vector>

#include "gnomon/model/curves.hpp"
#include "program/output/snapshot_plot.hpp"

namespace gnomon::program {

/// Writes NAME.pvd, the list of times and files, and beside it NAME_0000.vtp, NAME_0001.vtp, ..., one a snapshot: a
/// polyline a curve, a vertex where it is a dot; the point data "velocity" (Snapshot::rates), the cell data "curve"
/// (its number) and the field data "TimeValue". The list comes last: where something cannot be written, Error(bad_file)
/// is thrown and none of them is left behind.
void write_vtk_series(const std::string& pvd, const std::vector<Curve>& curves, const std::vector<Snapshot>& snapshots);

}  // namespace gnomon::program
