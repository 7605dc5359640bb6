#include "server/mesh/quality.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "server/mesh/refine.h"

namespace tryon {
namespace {

constexpr double kDegrees = 180.0 / M_PI;
constexpr double kPassage = 0.2;
constexpr double kNarrow = 25.0, kShortest = 0.6, kLongest = 1.6;

using Edge = std::pair<int, int>;

Edge edge_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

std::set<Edge> fixed_edges(const PlanarMesh& mesh, int outline_count) {
  std::set<Edge> fixed;
  for (int i = 0; i < outline_count; ++i) fixed.insert(edge_of(i, (i + 1) % outline_count));
  for (const auto& line : mesh.lines) {
    for (size_t i = 0; i + 1 < line.size(); ++i) fixed.insert(edge_of(line[i], line[i + 1]));
  }
  return fixed;
}

double corner_angle(const PlanarMesh& mesh, const Triangle& t, int k) {
  const Vec2 u = mesh.positions[t[(k + 1) % 3]] - mesh.positions[t[k]];
  const Vec2 v = mesh.positions[t[(k + 2) % 3]] - mesh.positions[t[k]];
  return std::atan2(std::abs(u.x() * v.y() - u.y() * v.x()), u.dot(v)) * kDegrees;
}

// Vertices where the cloth between two neighbouring fixed edges spans less than a sharp corner's angle. Sectors are
// walked from each fixed edge, triangle by triangle, to the next.
std::set<int> sharp_corners(const PlanarMesh& mesh, const std::set<Edge>& fixed) {
  std::map<Edge, std::array<int, 2>> beside;  // directed edge (v, first) -> triangle, corner
  for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
    for (int k = 0; k < 3; ++k) beside[{mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]}] = {t, k};
  }
  std::set<int> sharp;
  for (const Edge& edge : fixed) {
    for (const auto& [v, other] : {edge, Edge(edge.second, edge.first)}) {
      double sector = 0.0;
      int towards = other;
      for (auto at = beside.find({v, towards}); at != beside.end(); at = beside.find({v, towards})) {
        const Triangle& t = mesh.triangles[at->second[0]];
        sector += corner_angle(mesh, t, at->second[1]);
        towards = t[(at->second[1] + 2) % 3];
        if (sector >= kSharpCornerDegrees || fixed.count(edge_of(v, towards)) > 0) break;
      }
      if (sector > 0.0 && sector < kSharpCornerDegrees) sharp.insert(v);
    }
  }
  return sharp;
}

double smallest_height(const PlanarMesh& mesh, const Triangle& t) {
  const Vec2 u = mesh.positions[t[1]] - mesh.positions[t[0]], v = mesh.positions[t[2]] - mesh.positions[t[0]];
  return std::abs(u.x() * v.y() - u.y() * v.x()) / std::max({u.norm(), v.norm(), (v - u).norm()});
}

std::vector<double> wanted_lengths(const PlanarMesh& mesh, const std::set<Edge>& fixed, double edge_length) {
  std::vector<double> wanted(mesh.positions.size(), edge_length);
  for (const auto& [a, b] : fixed) {
    const Vec2 &p = mesh.positions[a], d = mesh.positions[b] - p;
    const double length = d.norm();
    if (length >= edge_length) continue;
    for (size_t v = 0; v < wanted.size(); ++v) {
      const double s = std::clamp((mesh.positions[v] - p).dot(d) / (length * length), 0.0, 1.0);
      wanted[v] = std::min(wanted[v], length + kGrading * (mesh.positions[v] - p - s * d).norm());
    }
  }
  return wanted;
}

}  // namespace

void MeshQuality::add(const MeshQuality& other) {
  triangles += other.triangles, exempt += other.exempt, narrow += other.narrow;
  min_angle = std::min(min_angle, other.min_angle);
  min_angle_anywhere = std::min(min_angle_anywhere, other.min_angle_anywhere);
  inner_edges += other.inner_edges, outside += other.outside;
  far_edges += other.far_edges, far_outside += other.far_outside;
  for (int i = 0; i < kBins; ++i) histogram[i] += other.histogram[i];
}

MeshQuality measure_quality(const PlanarMesh& mesh, int outline_count, double edge_length) {
  const std::set<Edge> fixed = fixed_edges(mesh, outline_count);
  const std::set<int> sharp = sharp_corners(mesh, fixed);
  const std::vector<double> wanted = wanted_lengths(mesh, fixed, edge_length);
  MeshQuality out;
  out.triangles = static_cast<int>(mesh.triangles.size());
  std::set<Edge> inner;
  for (const Triangle& t : mesh.triangles) {
    const double angle = std::min({corner_angle(mesh, t, 0), corner_angle(mesh, t, 1), corner_angle(mesh, t, 2)});
    out.min_angle_anywhere = std::min(out.min_angle_anywhere, angle);
    for (int k = 0; k < 3; ++k) {
      const Edge edge = edge_of(t[k], t[(k + 1) % 3]);
      if (fixed.count(edge) == 0) inner.insert(edge);
    }
    const bool spans = t.maxCoeff() < outline_count && smallest_height(mesh, t) < kPassage * edge_length;
    if (spans || sharp.count(t[0]) + sharp.count(t[1]) + sharp.count(t[2]) > 0) {
      ++out.exempt;
      continue;
    }
    out.min_angle = std::min(out.min_angle, angle);
    out.narrow += angle < kNarrow;
  }
  for (const auto& [a, b] : inner) {
    const double here = 0.5 * (wanted[a] + wanted[b]), ratio = (mesh.positions[a] - mesh.positions[b]).norm() / here;
    const bool is_outside = ratio < kShortest || ratio > kLongest, is_far = here >= edge_length * (1.0 - 1e-9);
    ++out.inner_edges, out.outside += is_outside;
    out.far_edges += is_far, out.far_outside += is_far && is_outside;
    ++out.histogram[std::min(MeshQuality::kBins - 1, static_cast<int>(ratio / 0.2))];
  }
  return out;
}

}  // namespace tryon
