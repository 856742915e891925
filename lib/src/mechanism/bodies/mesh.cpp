#include "mechanism/bodies/mesh.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon::mechanism {

namespace {

using Vector3 = Eigen::Vector3d;
using Point = std::array<float, 3>;
using Triangle = std::array<Point, 3>;

/// 80 bytes, the number of triangles, and 50 bytes of each: its normal, three points, two bytes more.
std::vector<Triangle> binary_triangles(const std::string& bytes) {
  constexpr std::size_t head = 84, one = 50, normal = 12;
  std::uint32_t count = 0;
  if (bytes.size() >= head) std::memcpy(&count, bytes.data() + head - sizeof count, sizeof count);
  if (bytes.size() < head || (bytes.size() - head) / one != count || (bytes.size() - head) % one != 0) return {};
  std::vector<Triangle> triangles(count);
  for (std::size_t k = 0; k < count; ++k)
    std::memcpy(triangles[k].data(), bytes.data() + head + k * one + normal, sizeof(Triangle));
  return triangles;
}

/// "vertex x y z", three a facet.
std::vector<Triangle> text_triangles(const std::string& text) {
  std::istringstream words(text);
  std::vector<Triangle> triangles;
  std::size_t corner = 0;
  for (std::string word; words >> word;) {
    if (word != "vertex") continue;
    if (corner == 0) triangles.emplace_back();
    for (float& x : triangles.back()[corner]) {
      double value = 0;
      if (!(words >> word) || !read_number(word, value)) throw std::runtime_error("has a vertex that is no number");
      x = static_cast<float>(value);
    }
    corner = (corner + 1) % 3;
  }
  if (corner != 0) throw std::runtime_error("ends within a triangle");
  return triangles;
}

/// Every edge belongs to two triangles, which go along it in opposite directions.
void require_closed(const std::vector<Triangle>& triangles) {
  std::map<std::pair<Point, Point>, int> along;
  for (const Triangle& triangle : triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const Point &a = triangle[k], &b = triangle[(k + 1) % 3];
      if (a != b) a < b ? ++along[{a, b}] : --along[{b, a}];
    }
  std::size_t open = 0;
  for (const auto& [edge, sum] : along) open += sum != 0 ? 1 : 0;
  if (open > 0)
    throw std::runtime_error("is not closed: " + std::to_string(open) + " of its " + std::to_string(along.size()) +
                             " edges do not belong to two triangles that go round it one way, so that it has no "
                             "volume");
}

}  // namespace

std::vector<Triangle> read_triangles(const std::string& path) {
  // A device or a pipe may never end.
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
    throw std::runtime_error("is no regular file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot be read: " + std::string(std::strerror(errno)));
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream.good() && !stream.eof()) throw std::runtime_error("cannot be read");
  std::vector<Triangle> triangles = binary_triangles(bytes);
  if (triangles.empty()) triangles = text_triangles(bytes);
  if (triangles.empty()) throw std::runtime_error("has no triangles of the STL format");
  for (const Triangle& triangle : triangles)
    for (const Point& point : triangle)
      for (const float x : point)
        if (!std::isfinite(x)) throw std::runtime_error("has a vertex that is not finite");
  return triangles;
}

std::vector<Triangle> simplified(const std::vector<Triangle>& all, std::size_t most) {
  std::vector<Triangle> out = all;
  Point low = all.front().front(), high = low;
  for (const Triangle& triangle : all)
    for (const Point& x : triangle)
      for (std::size_t c = 0; c < 3; ++c) {
        low[c] = std::min(low[c], x[c]);
        high[c] = std::max(high[c], x[c]);
      }
  const float size = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  for (float cells = 256; out.size() > most && cells >= 2; cells /= 1.4F) {
    using Cell = std::array<int, 3>;
    const auto cell = [&](const Point& x) {
      Cell at;
      for (std::size_t c = 0; c < 3; ++c) at[c] = static_cast<int>((x[c] - low[c]) / size * cells);
      return at;
    };
    std::map<Cell, std::pair<std::array<double, 3>, double>> sums;
    for (const Triangle& triangle : all)
      for (const Point& x : triangle) {
        auto& [sum, count] = sums[cell(x)];
        for (std::size_t c = 0; c < 3; ++c) sum[c] += static_cast<double>(x[c]);
        ++count;
      }
    std::set<std::array<Cell, 3>> seen;
    out.clear();
    for (const Triangle& triangle : all) {
      const std::array<Cell, 3> cells_of{cell(triangle[0]), cell(triangle[1]), cell(triangle[2])};
      if (cells_of[0] == cells_of[1] || cells_of[1] == cells_of[2] || cells_of[2] == cells_of[0]) continue;
      if (!seen.insert(cells_of).second) continue;
      Triangle& one = out.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& [sum, count] = sums[cells_of[k]];
        for (std::size_t c = 0; c < 3; ++c) one[k][c] = static_cast<float>(sum[c] / count);
      }
    }
  }
  return out;
}

/// The sum over the tetrahedra of the triangles a, b, c and one point o, which is among them:
///
///     V = a.(b x c)/6,   int x dV = V s/4,   int x x^T dV = V (s s^T + a a^T + b b^T + c c^T)/20,   s = a + b + c.
Mesh read_mesh(const std::string& path) {
  std::vector<Triangle> triangles = read_triangles(path);
  require_closed(triangles);
  const auto vector = [](const Point& x) { return Vector3(x[0], x[1], x[2]); };
  const Vector3 o = vector(triangles.front().front());
  Mesh mesh;
  for (const Triangle& triangle : triangles) {
    const Vector3 a = vector(triangle[0]) - o, b = vector(triangle[1]) - o, c = vector(triangle[2]) - o, s = a + b + c;
    const double volume = a.dot(b.cross(c)) / 6;
    mesh.volume += volume;
    mesh.centre += volume / 4 * s;
    mesh.second_moments +=
        volume / 20 * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (!(mesh.volume > 0))
    throw std::runtime_error("has the volume " + number_text(mesh.volume) +
                             ", expected above zero: triangles go round the outside anticlockwise");
  mesh.centre /= mesh.volume;
  mesh.second_moments -= mesh.volume * mesh.centre * mesh.centre.transpose();
  mesh.centre += o;
  mesh.triangles = std::move(triangles);
  return mesh;
}

}  // namespace gnomon::mechanism
