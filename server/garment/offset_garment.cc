#include "server/garment/offset_garment.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

absl::Status check(const char* field, double value, double low, double high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return invalid_input("OFFSET_GARMENT_SPEC", field, cat(field, " is ", value, " m, outside ", low, " .. ", high),
                       cat("Give ", field, " from ", low, " to ", high, " m."));
}

// Where the triangles cut the level, as x and -z: seen from above, counter-clockwise is from the left to the back.
std::vector<Vec2> cut(const TriangleMesh& body, const std::vector<bool>& use, double y) {
  std::vector<Vec2> points;
  for (int t = 0; t < body.triangle_count(); ++t) {
    if (!use.empty() && !use[static_cast<size_t>(t)]) continue;
    for (int k = 0; k < 3; ++k) {
      const Vec3 &a = body.positions[body.triangles[t][k]], &b = body.positions[body.triangles[t][(k + 1) % 3]];
      if ((a.y() < y) == (b.y() < y)) continue;
      const Vec3 p = a + (b - a) * ((y - a.y()) / (b.y() - a.y()));
      points.emplace_back(p.x(), -p.z());
    }
  }
  return points;
}

// Andrew's monotone chain, counter-clockwise.
std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return std::make_pair(a.x(), a.y()) < std::make_pair(b.x(), b.y()); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return {};
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const size_t floor = hull.size();
    for (const Vec2& p : points) {
      while (hull.size() >= floor + 2 && orientation(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

// The hull's parallel curve at `ease`, `columns` points at equal shares of it, the first one in front (lowest y).
// Its support function is the hull's plus the ease, so it is sampled by direction.
std::vector<Vec2> parallel_curve(const std::vector<Vec2>& hull, double ease, int columns) {
  constexpr int kSamples = 1440;
  std::vector<Vec2> dense;
  for (int i = 0; i < kSamples; ++i) {
    const double angle = 2 * std::numbers::pi * i / kSamples - std::numbers::pi / 2;
    const Vec2 direction(std::cos(angle), std::sin(angle));
    const auto far = std::max_element(
        hull.begin(), hull.end(), [&](const Vec2& a, const Vec2& b) { return a.dot(direction) < b.dot(direction); });
    dense.push_back(*far + ease * direction);
  }
  std::vector<double> along = {0.0};
  for (int i = 0; i < kSamples; ++i) along.push_back(along.back() + (dense[(i + 1) % kSamples] - dense[i]).norm());
  std::vector<Vec2> out;
  for (int c = 0, i = 0; c < columns; ++c) {
    const double at = along.back() * c / columns;
    while (along[i + 1] < at) ++i;
    const double step = along[i + 1] - along[i];
    out.push_back(dense[i] + (dense[(i + 1) % kSamples] - dense[i]) * (step > 0 ? (at - along[i]) / step : 0.0));
  }
  return out;
}

double length_round(const std::vector<Vec2>& loop) {
  double length = 0.0;
  for (size_t i = 0; i < loop.size(); ++i) length += (loop[(i + 1) % loop.size()] - loop[i]).norm();
  return length;
}

// The triangle's own shape in the plane, the direction that is upright in space as +y.
std::array<Vec2, 3> flat_shape(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 normal = (b - a).cross(c - a).normalized();
  Vec3 up = Vec3::UnitY() - normal.y() * normal;
  up = up.norm() > 1e-9 ? Vec3(up.normalized()) : Vec3((b - a).normalized());
  const Vec3 right = up.cross(normal);
  const auto flat = [&](const Vec3& p) -> Vec2 { return Vec2((p - a).dot(right), (p - a).dot(up)); };
  return {flat(a), flat(b), flat(c)};
}

void add_triangle(WeldedMesh* cloth, int a, int b, int c) {
  const std::vector<Vec3>& x = cloth->mesh.positions;
  cloth->mesh.triangles.emplace_back(a, b, c);
  cloth->corner_flat.push_back(flat_shape(x[a], x[b], x[c]));
}

// The point to the right of the way from p to q, at these distances from them.
Vec2 beside(const Vec2& p, const Vec2& q, double from_p, double from_q) {
  const double base = (q - p).norm();
  const Vec2 along = (q - p) / base, right(along.y(), -along.x());
  const double x = (base * base + from_p * from_p - from_q * from_q) / (2 * base);
  return p + x * along + std::sqrt(std::max(from_p * from_p - x * x, 0.0)) * right;
}

// One strip, unfolded triangle by triangle: its left and right border from the top.
struct Strip {
  std::vector<Vec2> left, right;
};

Strip unfold(const OffsetGarment& garment, int column) {
  const std::vector<Vec3>& x = garment.cloth.mesh.positions;
  const int n = garment.columns, next = (column + 1) % n;
  const auto l = [&](int r) -> const Vec3& { return x[static_cast<size_t>(r * n + column)]; };
  const auto r = [&](int row) -> const Vec3& { return x[static_cast<size_t>(row * n + next)]; };
  const auto far = [](const Vec3& a, const Vec3& b) { return (a - b).norm(); };
  Strip strip{{Vec2::Zero()}, {Vec2(far(l(0), r(0)), 0.0)}};
  for (int row = 0; row + 1 < garment.rows; ++row) {
    const Vec2 a = strip.left.back(), b = strip.right.back();
    if ((row + column) % 2 == 0) {
      strip.right.push_back(beside(a, b, far(l(row), r(row + 1)), far(r(row), r(row + 1))));
      strip.left.push_back(beside(a, strip.right.back(), far(l(row), l(row + 1)), far(r(row + 1), l(row + 1))));
    } else {
      strip.left.push_back(beside(a, b, far(l(row), l(row + 1)), far(r(row), l(row + 1))));
      strip.right.push_back(beside(strip.left.back(), b, far(l(row + 1), r(row + 1)), far(r(row), r(row + 1))));
    }
  }
  return strip;
}

}  // namespace

absl::StatusOr<MeshPattern> cut_into_gores(const OffsetGarment& garment) {
  MeshPattern out;
  const int rows = garment.rows, n = garment.columns;
  const auto at = [rows](int column, bool right, int row) { return (2 * column + (right ? 1 : 0)) * rows + row; };
  for (int c = 0; c < n; ++c) {
    const Strip strip = unfold(garment, c);
    out.flat.insert(out.flat.end(), strip.left.begin(), strip.left.end());
    out.flat.insert(out.flat.end(), strip.right.begin(), strip.right.end());
    for (const int column : {c, (c + 1) % n}) {
      for (int r = 0; r < rows; ++r) out.placed.push_back(garment.cloth.mesh.positions[r * n + column]);
    }
    out.panel.insert(out.panel.end(), static_cast<size_t>(2 * rows), c);
    out.panel_names.push_back(cat("gore_", c + 1));
    for (int r = 0; r < rows; ++r) {
      out.stitches.push_back({at(c, true, r), at((c + 1) % n, false, r), at((c + 1) % n, false, r), 0.0});
      if (r + 1 == rows) break;
      const int a = at(c, false, r), b = at(c, true, r), below = a + 1, below_next = b + 1;
      if ((r + c) % 2 == 0) {
        out.triangles.emplace_back(a, below, below_next), out.triangles.emplace_back(a, below_next, b);
      } else {
        out.triangles.emplace_back(a, below, b), out.triangles.emplace_back(b, below, below_next);
      }
    }
  }
  RETURN_IF_ERROR(complete(&out));
  return out;
}

absl::StatusOr<OffsetGarment> grow_offset_garment(const TriangleMesh& body, const std::vector<bool>& use,
                                                  const OffsetGarmentSpec& spec) {
  RETURN_IF_ERROR(check("ease_m", spec.ease_m, 0.001, 0.5));
  RETURN_IF_ERROR(check("flare_m", spec.flare_m, 0.0, 1.0));
  RETURN_IF_ERROR(check("edge_m", spec.edge_m, 0.003, 0.1));
  RETURN_IF_ERROR(check("bottom_m", spec.bottom_m, 0.02, 2.5));
  RETURN_IF_ERROR(check("top_m", spec.top_m, spec.bottom_m + 0.05, 3.0));
  OffsetGarment out;
  out.rows = 1 + static_cast<int>(std::ceil((spec.top_m - spec.bottom_m) / spec.edge_m));
  std::vector<std::vector<Vec2>> hulls;
  double widest = 0.0;
  for (int r = 0; r < out.rows; ++r) {
    const double y = spec.top_m + (spec.bottom_m - spec.top_m) * r / (out.rows - 1);
    hulls.push_back(convex_hull(cut(body, use, y)));
    if (hulls.back().empty()) {
      return invalid_input("OFFSET_GARMENT_EMPTY", "top_m", cat("there is no body at a height of ", y, " m"),
                           "Choose heights between the feet and the head.");
    }
    widest = std::max(widest, length_round(hulls.back()) + 2 * std::numbers::pi * (spec.ease_m + spec.flare_m));
  }
  out.columns = std::max(12, static_cast<int>(std::lround(widest / spec.edge_m)));
  for (int r = 0; r < out.rows; ++r) {
    const double share = static_cast<double>(r) / (out.rows - 1), y = spec.top_m + (spec.bottom_m - spec.top_m) * share;
    const std::vector<Vec2> ring = parallel_curve(hulls[r], spec.ease_m + share * spec.flare_m, out.columns);
    out.girths.push_back(length_round(ring));
    for (const Vec2& p : ring) out.cloth.mesh.positions.emplace_back(p.x(), y, -p.y());
  }
  for (int r = 0; r + 1 < out.rows; ++r) {
    for (int c = 0; c < out.columns; ++c) {
      const int next = (c + 1) % out.columns, a = r * out.columns + c, b = r * out.columns + next;
      const int below = a + out.columns, below_next = b + out.columns;
      if ((r + c) % 2 == 0) {  // diagonals take turns: no direction is favoured
        add_triangle(&out.cloth, a, below, below_next);
        add_triangle(&out.cloth, a, below_next, b);
      } else {
        add_triangle(&out.cloth, a, below, b);
        add_triangle(&out.cloth, b, below, below_next);
      }
    }
  }
  return out;
}

}  // namespace tryon
