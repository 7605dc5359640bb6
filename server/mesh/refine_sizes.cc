// Lengths: what edges should be where, and which fixed edges are too long for that.
#include <algorithm>
#include <cmath>
#include <limits>

#include "server/mesh/refine.h"

namespace tryon {
namespace {

constexpr double kLongest = 1.45;      // of the target: a longer fixed edge is halved
constexpr double kSteepest = 2.3;      // of the size at its ends: a longer one is halved (halving alone steps by two)
constexpr double kSharpBalance = 2.1;  // lengths of the two edges at a sharp corner
constexpr double kWideEnough = 25.5 * M_PI / 180.0;
const double kSharpCosine = std::cos(kSharpCornerDegrees * M_PI / 180.0);

double length(const Delaunay& mesh, int a, int b) { return (mesh.positions()[a] - mesh.positions()[b]).norm(); }

std::pair<int, int> sorted(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

// The edge opposite corner k and the one from its end `shared_corner` to corner k are both fixed and meet sharply.
bool meets_sharply(const Delaunay& mesh, int t, int k, int shared_corner) {
  const Delaunay::Tri& tri = mesh.triangles()[t];
  const int other = 3 - k - shared_corner;  // the edge from `shared` to corner k is opposite it
  if (!tri.is_fixed(k) || !tri.is_fixed(other)) return false;
  const Vec2& at = mesh.corner(t, shared_corner);
  const Vec2 u = (mesh.corner(t, k) - at).normalized(), v = (mesh.corner(t, other) - at).normalized();
  return u.dot(v) > kSharpCosine;
}

bool is_encroached(const Delaunay& mesh, int t, int k) {
  const Vec2 &a = mesh.corner(t, (k + 1) % 3), &b = mesh.corner(t, (k + 2) % 3), &apex = mesh.corner(t, k);
  if ((a - apex).dot(b - apex) >= 0.0) return false;
  for (const int shared : {(k + 1) % 3, (k + 2) % 3}) {
    if (!meets_sharply(mesh, t, k, shared)) continue;
    return (a - b).norm() > kSharpBalance * (mesh.corner(t, shared) - apex).norm();
  }
  return true;
}

void keep_unique(std::vector<std::pair<int, int>>* edges) {
  std::sort(edges->begin(), edges->end());
  edges->erase(std::unique(edges->begin(), edges->end()), edges->end());
}

}  // namespace

double smallest_angle(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 u = b - a, v = c - a, w = c - b;
  const double twice = std::abs(u.x() * v.y() - u.y() * v.x());
  return std::atan2(twice, std::max({u.dot(v), -u.dot(w), v.dot(w)}));
}

std::vector<double> local_sizes(const Delaunay& mesh, double edge_length) {
  std::vector<double> size(mesh.positions().size(), edge_length);
  std::vector<bool> on_fixed(size.size(), false);
  for (const auto& tri : mesh.triangles()) {
    for (int k = 0; k < 3; ++k) {
      if (!tri.is_fixed(k)) continue;
      const int a = tri.v[(k + 1) % 3], b = tri.v[(k + 2) % 3];
      const double l = length(mesh, a, b);
      size[a] = std::min(size[a], l), size[b] = std::min(size[b], l);
      on_fixed[a] = on_fixed[b] = true;
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& tri : mesh.triangles()) {
      for (int k = 0; k < 3; ++k) {
        const int a = tri.v[(k + 1) % 3], b = tri.v[(k + 2) % 3];
        const double l = length(mesh, a, b);
        for (const auto& [to, from] : {std::pair(a, b), std::pair(b, a)}) {
          const double limit = on_fixed[to] ? size[from] + kGrading * l : std::min(size[from] + kGrading * l, l);
          if (limit < size[to] * (1.0 - 1e-9)) size[to] = limit, changed = true;
        }
      }
    }
  }
  return size;
}

std::vector<std::pair<int, int>> long_fixed_edges(const Delaunay& mesh, double edge_length) {
  const std::vector<double> size = local_sizes(mesh, edge_length);
  std::vector<std::pair<int, int>> out;
  for (int t = 0; t < static_cast<int>(mesh.triangles().size()); ++t) {
    for (int k = 0; k < 3; ++k) {
      if (!mesh.triangles()[t].is_fixed(k)) continue;
      const int a = mesh.triangles()[t].v[(k + 1) % 3], b = mesh.triangles()[t].v[(k + 2) % 3];
      const double l = length(mesh, a, b);
      if (0.5 * l < kShortestSide * edge_length) continue;
      if (l > kLongest * edge_length || l > kSteepest * std::min(size[a], size[b]) || is_encroached(mesh, t, k)) {
        out.push_back(sorted(a, b));
      }
    }
  }
  keep_unique(&out);
  return out;
}

std::vector<std::pair<int, int>> cramping_edges(const Delaunay& mesh, double edge_length) {
  std::vector<std::pair<int, int>> out;
  for (int t = 0; t < static_cast<int>(mesh.triangles().size()); ++t) {
    if (smallest_angle(mesh.corner(t, 0), mesh.corner(t, 1), mesh.corner(t, 2)) >= kWideEnough) continue;
    double longest = 0.0, shortest = std::numeric_limits<double>::infinity();
    std::pair<int, int> found;
    bool sharp = false;
    auto consider = [&](int s, int k) {
      const auto& tri = mesh.triangles()[s];
      if (!tri.is_fixed(k)) return;
      const double l = length(mesh, tri.v[(k + 1) % 3], tri.v[(k + 2) % 3]);
      if (l > longest) longest = l, found = sorted(tri.v[(k + 1) % 3], tri.v[(k + 2) % 3]);
    };
    for (int k = 0; k < 3; ++k) {
      const auto& tri = mesh.triangles()[t];
      shortest = std::min(shortest, length(mesh, tri.v[(k + 1) % 3], tri.v[(k + 2) % 3]));
      consider(t, k);
      sharp = sharp || meets_sharply(mesh, t, k, (k + 1) % 3) || meets_sharply(mesh, t, k, (k + 2) % 3);
      if (tri.is_fixed(k)) continue;
      for (int m = 0; m < 3; ++m) consider(tri.n[k], m);
    }
    if (sharp || longest < 1.2 * shortest || 0.5 * longest < kShortestSide * edge_length) continue;
    out.push_back(found);
  }
  keep_unique(&out);
  return out;
}

}  // namespace tryon
