#include "server/garment/mesh_pattern.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/pattern_outline.h"
#include "server/garment/stitch_points.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

constexpr double kMaxArea = 100.0;  // m2 of a garment

int root_of(std::vector<int>* parent, int v) {
  while ((*parent)[v] != v) v = (*parent)[v] = (*parent)[(*parent)[v]];
  return v;
}

double flat_area(const MeshPattern& mesh, const Triangle& t) {
  const Vec2 a = mesh.flat[t[1]] - mesh.flat[t[0]], b = mesh.flat[t[2]] - mesh.flat[t[0]];
  return 0.5 * (a.x() * b.y() - a.y() * b.x());
}

absl::Status check_indices(const MeshPattern& mesh) {
  const int n = mesh.vertex_count();
  for (int v = 0; v < n; ++v) {
    const bool good = mesh.flat[v].allFinite() && mesh.flat[v].norm() < 1e3 &&
                      (mesh.placed.empty() || (mesh.placed[v].allFinite() && mesh.placed[v].norm() < 1e3));
    if (good) continue;
    return invalid_input("MESH_PATTERN_POINT", cat("vertex ", v), cat("vertex ", v, " is not a usable point"),
                         "Export the mesh again, in metres.");
  }
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& f = mesh.triangles[t];
    if (f.minCoeff() >= 0 && f.maxCoeff() < n && f[0] != f[1] && f[1] != f[2] && f[2] != f[0]) continue;
    return invalid_input("MESH_PATTERN_INDEX", cat("triangle ", t),
                         cat("triangle ", t, " names a vertex twice, or one ", "that does not exist"),
                         cat("Use three different vertices of the ", n, " that there are."));
  }
  for (size_t s = 0; s < mesh.stitches.size(); ++s) {
    const MeshStitch& m = mesh.stitches[s];
    const bool good = std::min({m.a, m.b, m.c}) >= 0 && std::max({m.a, m.b, m.c}) < n && m.t >= 0.0 && m.t <= 1.0;
    if (good) continue;
    return invalid_input("MESH_PATTERN_INDEX", cat("stitch ", s),
                         cat("stitch ", s, " joins ", m.a, " to ", m.b, " and ", m.c, " at ", m.t),
                         cat("Use vertices from 0 to ", n - 1, " and a place between 0 and 1."));
  }
  return absl::OkStatus();
}

// Connected pieces of cloth, numbered by their first vertex.
void find_panels(MeshPattern* mesh) {
  std::vector<int> parent(mesh->flat.size());
  std::iota(parent.begin(), parent.end(), 0);
  for (const Triangle& t : mesh->triangles) {
    for (int k : {1, 2}) {
      const int a = root_of(&parent, t[0]), b = root_of(&parent, t[k]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::map<int, int> number;
  mesh->panel.resize(mesh->flat.size());
  for (int v = 0; v < mesh->vertex_count(); ++v) {
    const int r = root_of(&parent, v);
    mesh->panel[v] = number.insert({r, static_cast<int>(number.size())}).first->second;
  }
  mesh->panel_names.clear();
  for (size_t p = 0; p < number.size(); ++p) mesh->panel_names.push_back(cat("panel", p));
}

// The boundary loops of one panel, the longest first.
std::vector<std::vector<int>> loops_of(const MeshPattern& mesh, int panel) {
  std::map<std::pair<int, int>, int> sides;
  for (const Triangle& t : mesh.triangles) {
    if (mesh.panel[t[0]] != panel) continue;
    for (int k = 0; k < 3; ++k) ++sides[{t[k], t[(k + 1) % 3]}];
  }
  std::map<int, std::vector<int>> next;
  for (const auto& [side, count] : sides) {
    if (count == 1 && !sides.count({side.second, side.first})) next[side.first].push_back(side.second);
  }
  std::vector<std::vector<int>> loops;
  while (!next.empty()) {
    std::vector<int> loop;
    for (int at = next.begin()->first; next.count(at);) {
      loop.push_back(at);
      std::vector<int>& to = next[at];
      const int goal = to.back();
      to.pop_back();
      if (to.empty()) next.erase(at);
      at = goal;
    }
    loops.push_back(std::move(loop));
  }
  std::stable_sort(loops.begin(), loops.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return loops;
}

}  // namespace

absl::Status complete(MeshPattern* mesh) {
  if (mesh->flat.empty() || mesh->triangles.empty()) {
    return invalid_input("PATTERN_WITHOUT_PANELS", "the file", "the mesh has no triangles of cloth",
                         "Send a mesh with flat coordinates.");
  }
  RETURN_IF_ERROR(check_indices(*mesh));
  if (mesh->panel.empty()) find_panels(mesh);
  if (mesh->panel_names.size() > kMaxPanels) {
    return invalid_input("PATTERN_TOO_MANY_PANELS", "the file",
                         cat("the mesh has ", mesh->panel_names.size(), " pieces"),
                         cat("Send at most ", kMaxPanels, "."));
  }
  mesh->panel_areas.assign(mesh->panel_names.size(), 0.0);
  double total = 0.0;
  for (const Triangle& t : mesh->triangles) {
    const double area = std::abs(flat_area(*mesh, t));
    mesh->panel_areas[mesh->panel[t[0]]] += area;
    total += area;
  }
  if (total > 1e-6 && total < kMaxArea) return absl::OkStatus();
  return invalid_input("PANEL_SIZE", "the file", cat("the flat cloth measures ", total, " m2"),
                       "Send flat coordinates in metres.");
}

absl::StatusOr<Pattern> outlines_of(const MeshPattern& mesh) {
  Pattern pattern;
  for (int p = 0; p < static_cast<int>(mesh.panel_names.size()); ++p) {
    Panel panel;
    panel.name = mesh.panel_names[p];
    panel.placed = false;
    for (const std::vector<int>& loop : loops_of(mesh, p)) {
      std::vector<Vec2> points;
      for (const int v : loop) points.push_back(mesh.flat[v]);
      points = clean_loop(points);
      if (points.size() < 3) continue;
      if (panel.edges.empty()) {
        set_outline(points, {}, &panel);
      } else {
        panel.lines.push_back({InternalLine::Kind::kCut, points, {}, true, "hole"});
      }
    }
    if (!panel.edges.empty()) pattern.panels.push_back(std::move(panel));
  }
  return pattern;
}

GarmentMesh ready_garment(const MeshPattern& as_it_came) {
  const MeshPattern mesh = with_stitched_vertices(as_it_came);
  GarmentMesh out;
  out.flat = mesh.flat;
  out.placed = mesh.placed;
  if (out.placed.empty()) {
    for (const Vec2& p : mesh.flat) out.placed.emplace_back(p.x(), p.y(), 0.0);
  }
  out.panel = mesh.panel;
  out.triangles = mesh.triangles;
  for (const Triangle& t : mesh.triangles) out.triangle_panel.push_back(mesh.panel[t[0]]);
  out.panel_names = mesh.panel_names;
  std::map<std::pair<int, int>, int> seam_of;  // (panel, panel) -> seam
  for (const MeshStitch& s : mesh.stitches) {
    const std::pair<int, int> key{mesh.panel[s.a], mesh.panel[s.b]};
    const auto [it, fresh] = seam_of.insert({key, static_cast<int>(out.seams.size())});
    if (fresh) out.seams.emplace_back().stitch = it->second;
    Seam& seam = out.seams[it->second];
    if (!seam.left.empty() && mesh.panel[seam.left.back()] == key.first) {
      const double step = (mesh.flat[s.a] - mesh.flat[seam.left.back()]).norm();
      if (step < 0.1)
        seam.left_length += step, seam.right_length += (mesh.flat[s.b] - mesh.flat[seam.right.back()]).norm();
    }
    seam.left.push_back(s.a), seam.right.push_back(s.b);
  }
  return out;
}

}  // namespace tryon
