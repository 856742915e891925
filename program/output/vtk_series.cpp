#include "program/output/vtk_series.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "tables/output_file.hpp"

namespace gnomon::program {

namespace fs = std::filesystem;

namespace {

/// Points in space, a line each.
std::string points_text(const std::vector<Matrix>& curves) {
  std::string text;
  for (const Matrix& curve : curves)
    for (Index i = 0; i < curve.cols(); ++i)
      text += fmt::format("{:.17g} {:.17g} {:.17g}\n", curve(0, i), curve(1, i), curve.rows() > 2 ? curve(2, i) : 0.0);
  return text;
}

/// The cells of one sort, dots or lines.
struct Cells {
  std::string connectivity, offsets, curves;
  long count = 0, end = 0;

  void add(long first, Index points, std::size_t curve) {
    for (Index i = 0; i < points; ++i) connectivity += fmt::format("{} ", first + i);
    end += points;
    offsets += fmt::format("{} ", end);
    curves += fmt::format("{} ", curve);
    ++count;
  }
  std::string text(const char* tag) const {
    return fmt::format(
        "      <{0}>\n"
        "        <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{1}</DataArray>\n"
        "        <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">{2}</DataArray>\n"
        "      </{0}>\n",
        tag, connectivity, offsets);
  }
};

void write_file(const std::string& path, const std::string& text) {
  tables::OutputFile file(path);
  std::fwrite(text.data(), 1, text.size(), file.stream());
  file.commit();
}

constexpr const char* vectors =
    "        <DataArray type=\"Float64\" {}NumberOfComponents=\"3\" format=\"ascii\">\n{}        </DataArray>\n";

std::string snapshot_text(const std::vector<Curve>& curves, const Snapshot& snapshot) {
  Cells dots, lines;
  long points = 0;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const Index count = snapshot.curves[k].cols();
    (count == 1 ? dots : lines).add(points, count, k);
    points += count;
  }
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "  <PolyData>\n"
      "    <FieldData>\n"
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{:.17g}</DataArray>\n"
      "    </FieldData>\n"
      "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"0\">\n",
      snapshot.t, points, dots.count, lines.count);
  if (!snapshot.rates.empty())
    text += "      <PointData Vectors=\"velocity\">\n" +
            fmt::format(vectors, "Name=\"velocity\" ", points_text(snapshot.rates)) + "      </PointData>\n";
  text += fmt::format(
      "      <CellData Scalars=\"curve\">\n"
      "        <DataArray type=\"Int32\" Name=\"curve\" format=\"ascii\">{}{}</DataArray>\n"
      "      </CellData>\n",
      dots.curves, lines.curves);
  text += "      <Points>\n" + fmt::format(vectors, "", points_text(snapshot.curves)) + "      </Points>\n";
  text += dots.text("Verts") + lines.text("Lines");
  return text + "    </Piece>\n  </PolyData>\n</VTKFile>\n";
}

std::string xml(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

}  // namespace

void write_vtk_series(const std::string& pvd, const std::vector<Curve>& curves,
                      const std::vector<Snapshot>& snapshots) {
  const fs::path list = pvd;
  std::vector<fs::path> written;
  try {
    std::string text =
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
        "  <Collection>\n";
    for (std::size_t k = 0; k < snapshots.size(); ++k) {
      const std::string name = fmt::format("{}_{:04}.vtp", list.stem().string(), k);
      const fs::path file = list.parent_path() / name;
      write_file(file.string(), snapshot_text(curves, snapshots[k]));
      written.push_back(file);
      text += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", snapshots[k].t, xml(name));
    }
    write_file(pvd, text + "  </Collection>\n</VTKFile>\n");
  } catch (...) {
    std::error_code ignored;
    for (const fs::path& file : written) fs::remove(file, ignored);
    throw;
  }
}

}  // namespace gnomon::program
