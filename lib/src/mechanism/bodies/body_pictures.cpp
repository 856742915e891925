#include <cmath>

#include "gnomon/base/numbers.hpp"
#include "mechanism/bodies/formula_writer.hpp"

namespace gnomon::mechanism {

namespace {

class PictureWriter : FormulaWriter {
 public:
  using FormulaWriter::FormulaWriter;

  void write(const Body& body) {
    constexpr std::size_t outlined = 200;  // an outline is fifty formulas
    if (all_.bodies.size() <= outlined)
      for (const Marker& marker : body.markers)
        if (!marker.at) draw(marker.name, {point_of(marker.name)}, marker.place, "traces");
    if (body.shape != Body::Shape::none && !body.mesh && all_.bodies.size() <= outlined) {
      draw_shape(body);
      return;
    }
    // A bar between two markers, or to one, a plate with more of them as corners, in the order of the file.
    std::vector<Texts> points;
    const std::size_t count = body.markers.size();
    if (count < 2) points.push_back(point_of(body.name));
    for (const Marker& marker : body.markers) points.push_back(point_of(marker.name));
    if (count > 2) points.push_back(points.front());
    draw(body.name, points, body.place, "outlines");
  }

 private:
  void draw_shape(const Body& body) {
    for (std::size_t i = 0; i < body.sizes.size(); ++i)
      number(body.name + ".size" + std::to_string(i + 1), body.sizes[i], body.place);
    /// The point whose components in body axes are factors of its sizes.
    const auto at = [&](const std::array<std::pair<double, int>, 3>& factors) {
      Texts point;
      for (std::size_t c = 0; c < dimension_; ++c) {
        std::string text = body.name + "." + letters[c];
        for (std::size_t a = 0; a < dimension_; ++a) {
          const double sign = planar() && a == 1 && c == 0 ? -1 : 1;
          const std::string axis = planar() ? director(body.name, 0) + "." + letters[a == 0 ? c : 1 - c]
                                            : director(body.name, a) + "." + letters[c];
          text += " + (" + number_text(sign * factors[a].first, 6) + ")*" + body.name + ".size" +
                  std::to_string(factors[a].second) + "*" + axis;
        }
        point.push_back(text);
      }
      return point;
    };
    std::vector<Texts> points;
    if (body.shape == Body::Shape::box) {
      // Around the lower face, up, around the upper face, and the three edges that are left.
      static const int corners[16][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, -1}, {-1, -1, 1},
                                         {1, -1, 1},   {1, -1, -1}, {1, -1, 1}, {1, 1, 1},   {1, 1, -1},   {1, 1, 1},
                                         {-1, 1, 1},   {-1, 1, -1}, {-1, 1, 1}, {-1, -1, 1}};
      const std::size_t count = planar() ? 5 : 16;
      for (std::size_t i = 0; i < count; ++i)
        points.push_back(at({{{0.5 * corners[i][0], 1}, {0.5 * corners[i][1], 2}, {0.5 * corners[i][2], 3}}}));
      draw(body.name, points, body.place, "outlines");
      return;
    }
    if (body.shape == Body::Shape::ellipsoid) {
      // The ellipses in the planes of its axes, each on to where the next one begins.
      constexpr int corners = 24;
      constexpr double pi = 3.14159265358979323846;
      for (std::size_t across = 0; across < 3; ++across)
        for (int i = 0; i <= corners + corners / 4; ++i) {
          std::array<std::pair<double, int>, 3> factors{{{0, 1}, {0, 2}, {0, 3}}};
          factors[(across + 1) % 3].first = std::cos(2 * pi * i / corners);
          factors[(across + 2) % 3].first = std::sin(2 * pi * i / corners);
          points.push_back(at(factors));
        }
      draw(body.name, points, body.place, "outlines");
      return;
    }
    if (body.shape == Body::Shape::plate) {
      for (const auto& [x, y] : {std::pair{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}})
        points.push_back(at({{{x, 1}, {y, 2}, {0, 1}}}));
      draw(body.name, points, body.place, "outlines");
      return;
    }
    const bool disc = body.shape == Body::Shape::disc || body.shape == Body::Shape::ring;
    const bool cylinder = disc || body.sizes.size() > 1;
    const auto length = static_cast<int>(body.sizes.size());  // the last of the sizes
    constexpr int corners = 24;
    constexpr double pi = 3.14159265358979323846;
    for (const double height : {-0.5, 0.5}) {
      if (planar()) points.push_back(point_of(body.name));
      for (int i = 0; i <= corners; ++i) {
        const double angle = 2 * pi * i / corners;
        // A sphere is drawn by two of its great circles.
        if (cylinder || height < 0)
          points.push_back(at({{{std::cos(angle), 1},
                                {std::sin(angle), 1},
                                {cylinder && !disc ? height : 0, cylinder && !disc ? length : 1}}}));
        else
          points.push_back(at({{{std::cos(angle), 1}, {0, 1}, {std::sin(angle), 1}}}));
      }
      if (planar() || disc) break;
    }
    draw(body.name, points, body.place, "outlines");
  }
};

}  // namespace

void draw_body(const Bodies& all, std::size_t k, WrittenTables& written) {
  PictureWriter(all, written).write(all.bodies[k]);
}

}  // namespace gnomon::mechanism
