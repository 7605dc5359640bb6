#include "server/mesh/planar_domain.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr double kSnap = 1e-3;  // of the edge length
constexpr int kMaxCrossings = 64;
const char kRemedy[] = "Draw it inside the outline, with its ends on points of the outline or clear of it.";

std::pair<int, int> sorted(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

absl::Status outside(const std::string& field) {
  return invalid_input("LINE_OUTSIDE_OUTLINE", field, "it lies outside the outline or touches it between its points",
                       kRemedy);
}

}  // namespace

absl::Status DomainMesh::build(const PlanarDomain& domain, double edge_length) {
  snap_ = kSnap * edge_length;
  if (!mesh.build(domain.outline)) {
    return invalid_input("OUTLINE_CROSSES_ITSELF", "outline", "the outline has no inside",
                         "Draw the outline as one closed loop that never meets itself.");
  }
  for (size_t i = 0; i < domain.points.size(); ++i) {
    ASSIGN_OR_RETURN(const int point, add_point(domain.points[i], cat("points[", i, "]")));
    points.push_back(point);
  }
  for (size_t l = 0; l < domain.lines.size(); ++l) {
    chains_.emplace_back();
    for (const Vec2& p : domain.lines[l]) {
      ASSIGN_OR_RETURN(const int point, add_point(p, cat("lines[", l, "]")));
      if (chains_[l].empty() || chains_[l].back() != point) chains_[l].push_back(point);
    }
  }
  for (size_t l = 0; l < chains_.size(); ++l) {
    for (size_t i = 0; i + 1 < chains_[l].size(); ++i) {
      RETURN_IF_ERROR(add_piece(chains_[l][i], chains_[l][i + 1], cat("lines[", l, "]"), 0));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int> DomainMesh::add_point(const Vec2& p, const std::string& field) {
  if (!p.allFinite()) return invalid_input("LINE_NOT_FINITE", field, "a point is not finite", kRemedy);
  const auto place = mesh.locate(p, static_cast<int>(mesh.triangles().size()) - 1);
  for (const int v : mesh.triangles()[place.triangle].v) {
    if ((mesh.positions()[v] - p).norm() <= snap_) return v;
  }
  for (int v = 0; v < mesh.boundary_count() && place.blocked_edge >= 0; ++v) {
    if ((mesh.positions()[v] - p).norm() <= snap_) return v;
  }
  if (place.blocked_edge >= 0) return outside(field);
  const int point = mesh.insert(p, place.triangle);
  if (point < 0) return outside(field);
  return point;
}

// The line a-b, cut where it crosses lines there are.
absl::Status DomainMesh::add_piece(int a, int b, const std::string& field, int depth) {
  std::vector<int> chain = {a};
  const auto result = mesh.fix_line(a, b, &chain);
  if (chain.size() > 2 || (chain.size() == 2 && chain.back() != b)) {  // it passes through points
    split_points_[sorted(a, b)] = chain[1];
    for (size_t i = 1; i + 2 < chain.size(); ++i) split_points_[sorted(chain[i], b)] = chain[i + 1];
  }
  if (result.outcome == Delaunay::Line::kDone) return absl::OkStatus();
  if (result.outcome == Delaunay::Line::kLeaves || depth > kMaxCrossings) return outside(field);
  const int from = chain.back();
  const Vec2 p = mesh.positions()[from], d = mesh.positions()[b] - p;
  const Vec2 q = mesh.positions()[result.a], e = mesh.positions()[result.b] - q;
  const int at = split(result.a, result.b, p + d * (cross(q - p, e) / cross(d, e)));
  if (at < 0 || at == from || at == b) return outside(field);
  split_points_[sorted(from, b)] = at;
  RETURN_IF_ERROR(add_piece(from, at, field, depth + 1));
  return add_piece(at, b, field, depth + 1);
}

// A part of a line gets a vertex at (or, where one is nearer than the snap, near) the given place.
int DomainMesh::split(int a, int b, const Vec2& at) {
  for (const int end : {a, b}) {
    if ((mesh.positions()[end] - at).norm() <= snap_) return end;
  }
  mesh.free_edge(a, b);
  const auto point = add_point(at, "");
  std::vector<int> chain;
  const int mid = point.ok() ? *point : -1;
  if (mid < 0) {
    mesh.fix_line(a, b, &chain);
    return -1;
  }
  split_points_[sorted(a, b)] = mid;
  mesh.fix_line(a, mid, &chain);
  mesh.fix_line(mid, b, &chain);
  return mid;
}

bool DomainMesh::is_side(const std::pair<int, int>& edge) const {
  const int n = mesh.boundary_count();
  return edge.second < n && (edge.second - edge.first == 1 || edge.second - edge.first == n - 1);
}

int DomainMesh::side_of(const std::pair<int, int>& edge) const {
  return edge.second - edge.first == 1 ? edge.first : edge.second;
}

int DomainMesh::halve_lines(const std::vector<std::pair<int, int>>& edges) {
  int halved = 0;
  for (const auto& edge : edges) {
    if (is_side(edge)) continue;
    halved += split(edge.first, edge.second, 0.5 * (mesh.positions()[edge.first] + mesh.positions()[edge.second])) >= 0;
  }
  return halved;
}

void DomainMesh::expand(int a, int b, std::vector<int>* out) const {
  const auto found = split_points_.find(sorted(a, b));
  if (found == split_points_.end()) {
    out->push_back(b);
    return;
  }
  expand(a, found->second, out);
  expand(found->second, b, out);
}

std::vector<int> DomainMesh::line(int index) const {
  const std::vector<int>& chain = chains_[index];
  std::vector<int> out = {chain.front()};
  for (size_t i = 0; i + 1 < chain.size(); ++i) expand(chain[i], chain[i + 1], &out);
  return out;
}

}  // namespace tryon
