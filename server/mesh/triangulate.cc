#include "server/mesh/triangulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/mesh/planar_domain.h"
#include "server/mesh/predicates.h"
#include "server/mesh/refine.h"

namespace tryon {
namespace {

constexpr int kLineRounds = 24;   // of halving lines before points go in
constexpr int kRefineRounds = 4;  // of refining again with lines halved that cramped a triangle

// Inner points in bands four edges high, walked to and fro, so that neighbours in the plane are near in memory.
std::vector<int> storage_order(const Delaunay& mesh, double h) {
  std::vector<std::tuple<double, double, int>> keys;
  for (int i = mesh.boundary_count(); i < static_cast<int>(mesh.positions().size()); ++i) {
    const Vec2& p = mesh.positions()[i];
    const double band = std::floor(p.y() / (4.0 * h));
    const bool back = std::fmod(std::abs(band), 2.0) == 1.0;
    keys.emplace_back(band, back ? -p.x() : p.x(), i);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<int> place(mesh.positions().size());
  for (int i = 0; i < mesh.boundary_count(); ++i) place[i] = i;
  for (size_t k = 0; k < keys.size(); ++k) {
    place[std::get<2>(keys[k])] = mesh.boundary_count() + static_cast<int>(k);
  }
  return place;
}

PlanarMesh stored(const DomainMesh& domain, size_t line_count, double h, double mirror) {
  const Delaunay& mesh = domain.mesh;
  const std::vector<int> place = storage_order(mesh, h);
  PlanarMesh out;
  out.positions.resize(place.size());
  for (size_t i = 0; i < place.size(); ++i) {
    out.positions[place[i]] = {mirror * mesh.positions()[i].x(), mesh.positions()[i].y()};
  }
  out.triangles.reserve(mesh.triangles().size());
  for (const auto& tri : mesh.triangles()) {
    std::array<int, 3> v = {place[tri.v[0]], place[tri.v[1]], place[tri.v[2]]};
    std::rotate(v.begin(), std::min_element(v.begin(), v.end()), v.end());
    out.triangles.emplace_back(v[0], v[1], v[2]);
  }
  std::sort(out.triangles.begin(), out.triangles.end(), [](const Triangle& a, const Triangle& b) {
    return std::tie(a[0], a[1], a[2]) < std::tie(b[0], b[1], b[2]);
  });
  for (const int point : domain.points) out.points.push_back(place[point]);
  for (size_t l = 0; l < line_count; ++l) {
    out.lines.push_back(domain.line(static_cast<int>(l)));
    for (int& v : out.lines.back()) v = place[v];
  }
  return out;
}

absl::Status check_loop(const std::vector<Vec2>& boundary, double edge_length) {
  const char kRemedy[] = "Draw the outline as one closed loop that never meets itself.";
  if (!(edge_length > 0.0) || !std::isfinite(edge_length)) {
    return invalid_input("EDGE_LENGTH", "edge_length", cat("the edge length ", edge_length, " is no length"),
                         "Give a length above zero.");
  }
  if (boundary.size() < 3) {
    return invalid_input("OUTLINE_TOO_SHORT", "outline", cat("the outline has ", boundary.size(), " points"), kRemedy);
  }
  for (size_t i = 0; i < boundary.size(); ++i) {
    if (boundary[i].allFinite()) continue;
    return invalid_input("OUTLINE_NOT_FINITE", cat("outline[", i, "]"), cat("point ", i, " is not finite"), kRemedy);
  }
  if (const auto crossing = find_crossing(boundary)) {
    return invalid_input("OUTLINE_CROSSES_ITSELF", cat("outline[", crossing->first, "]"),
                         cat("side ", crossing->first, " meets side ", crossing->second), kRemedy);
  }
  return absl::OkStatus();
}

absl::Status check_lines(const PlanarDomain& domain) {
  for (size_t l = 0; l < domain.lines.size(); ++l) {
    if (domain.lines[l].size() >= 2) continue;
    return invalid_input("LINE_TOO_SHORT", cat("lines[", l, "]"), "the line has fewer than two points",
                         "Draw a line from one point to another, or give a point.");
  }
  return absl::OkStatus();
}

// A clockwise loop is meshed as its mirror image, so that a mirrored panel gets the mirrored mesh.
PlanarDomain mirrored(const PlanarDomain& domain, double mirror) {
  PlanarDomain out = domain;
  for (Vec2& p : out.outline) p.x() *= mirror;
  for (Vec2& p : out.points) p.x() *= mirror;
  for (auto& line : out.lines) {
    for (Vec2& p : line) p.x() *= mirror;
  }
  return out;
}

double mirror_of(const PlanarDomain& domain) { return signed_area(domain.outline) < 0.0 ? -1.0 : 1.0; }

// Checks, builds, and halves lines until Ruppert's rule asks only for sides.
absl::StatusOr<DomainMesh> prepared(const PlanarDomain& domain, double edge_length) {
  RETURN_IF_ERROR(check_loop(domain.outline, edge_length));
  RETURN_IF_ERROR(check_lines(domain));
  DomainMesh out;
  RETURN_IF_ERROR(out.build(mirrored(domain, mirror_of(domain)), edge_length));
  for (int round = 0; round < kLineRounds && !domain.lines.empty(); ++round) {
    if (out.halve_lines(long_fixed_edges(out.mesh, edge_length)) == 0) break;
  }
  return out;
}

std::vector<int> sides_among(const DomainMesh& domain, const std::vector<std::pair<int, int>>& edges) {
  std::vector<int> sides;
  for (const auto& edge : edges) {
    if (domain.is_side(edge)) sides.push_back(domain.side_of(edge));
  }
  std::sort(sides.begin(), sides.end());
  return sides;
}

}  // namespace

absl::StatusOr<PlanarMesh> triangulate(const PlanarDomain& domain, double edge_length) {
  ASSIGN_OR_RETURN(DomainMesh start, prepared(domain, edge_length));
  DomainMesh mesh = start;
  std::vector<std::pair<int, int>> cramping;
  for (int round = 0;; ++round) {
    refine(&mesh.mesh, edge_length);
    cramping = cramping_edges(mesh.mesh, edge_length);
    if (round == kRefineRounds || domain.lines.empty() || start.halve_lines(cramping) == 0) break;
    mesh = start;
  }
  PlanarMesh out = stored(mesh, domain.lines.size(), edge_length, mirror_of(domain));
  out.cramping_sides = sides_among(mesh, cramping);
  return out;
}

absl::StatusOr<PlanarMesh> triangulate(const std::vector<Vec2>& boundary, double edge_length) {
  return triangulate(PlanarDomain{boundary, {}, {}}, edge_length);
}

absl::StatusOr<std::vector<int>> long_sides(const PlanarDomain& domain, double edge_length) {
  ASSIGN_OR_RETURN(const DomainMesh mesh, prepared(domain, edge_length));
  return sides_among(mesh, long_fixed_edges(mesh.mesh, edge_length));
}

}  // namespace tryon
