#include "server/body/holes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "server/base/status.h"
#include "server/body/holes_patch.h"

namespace tryon {
namespace {

struct Side {
  int a, b, triangle, corner;  // a < b
};

std::vector<Side> sorted_sides(const TriangleMesh& mesh) {
  std::vector<Side> sides;
  sides.reserve(mesh.triangles.size() * 3);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), t, k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& s, const Side& o) {
    return std::tie(s.a, s.b, s.triangle) < std::tie(o.a, o.b, o.triangle);
  });
  return sides;
}

template <typename Visit>
void for_edges(const std::vector<Side>& sides, Visit visit) {
  for (size_t i = 0, j = 0; i < sides.size(); i = j) {
    while (j < sides.size() && sides[j].a == sides[i].a && sides[j].b == sides[i].b) ++j;
    visit(i, j);
  }
}

int drop(const std::vector<char>& doomed, TriangleMesh* mesh) {
  size_t kept = 0;
  for (size_t t = 0; t < mesh->triangles.size(); ++t) {
    if (!doomed[t]) mesh->triangles[kept++] = mesh->triangles[t];
  }
  const auto dropped = static_cast<int>(mesh->triangles.size() - kept);
  mesh->triangles.resize(kept);
  return dropped;
}

// Of three and more triangles at an edge the two largest stay.
int drop_extra_triangles(TriangleMesh* mesh) {
  const std::vector<Side> sides = sorted_sides(*mesh);
  std::vector<char> doomed(mesh->triangles.size(), 0);
  for_edges(sides, [&](size_t i, size_t j) {
    if (j - i <= 2) return;
    std::vector<std::pair<double, int>> by_area;
    for (size_t k = i; k < j; ++k) {
      if (!doomed[sides[k].triangle]) {
        by_area.emplace_back(-triangle_normal(*mesh, sides[k].triangle).norm(), sides[k].triangle);
      }
    }
    std::sort(by_area.begin(), by_area.end());
    for (size_t k = 2; k < by_area.size(); ++k) doomed[by_area[k].second] = 1;
  });
  return drop(doomed, mesh);
}

// Triangles that hang on one edge make rims ragged.
int drop_spikes(TriangleMesh* mesh) {
  std::vector<int> open(mesh->triangles.size(), 0);
  const std::vector<Side> sides = sorted_sides(*mesh);
  for_edges(sides, [&](size_t i, size_t j) {
    if (j - i == 1) ++open[sides[i].triangle];
  });
  std::vector<char> doomed(mesh->triangles.size(), 0);
  for (size_t t = 0; t < open.size(); ++t) doomed[t] = open[t] >= 2;
  return drop(doomed, mesh);
}

int root_of(std::vector<int>* parent, int i) {
  while ((*parent)[i] != i) i = (*parent)[i] = (*parent)[(*parent)[i]];
  return i;
}

// Corners 3t+k of one fan share a root; each fan but the first of a vertex gets a vertex of its own.
int split_fans(TriangleMesh* mesh) {
  const std::vector<Side> sides = sorted_sides(*mesh);
  std::vector<int> parent(mesh->triangles.size() * 3);
  for (size_t i = 0; i < parent.size(); ++i) parent[i] = static_cast<int>(i);
  auto corner = [&](int t, int v) {
    for (int k = 0; k < 3; ++k) {
      if (mesh->triangles[t][k] == v) return 3 * t + k;
    }
    return 3 * t;
  };
  for_edges(sides, [&](size_t i, size_t j) {
    if (j - i != 2) return;
    for (int v : {sides[i].a, sides[i].b}) {
      parent[root_of(&parent, corner(sides[i].triangle, v))] = root_of(&parent, corner(sides[i + 1].triangle, v));
    }
  });
  std::vector<int> first_root(mesh->positions.size(), -1), own(parent.size(), -1);
  int split = 0;
  for (int c = 0; c < static_cast<int>(parent.size()); ++c) {
    int& v = mesh->triangles[c / 3][c % 3];
    const int root = root_of(&parent, c);
    if (first_root[v] < 0) first_root[v] = root;
    if (first_root[v] == root) continue;
    if (own[root] < 0) {
      own[root] = mesh->vertex_count();
      mesh->positions.push_back(Vec3(mesh->positions[v]));
      first_root.push_back(root);
      ++split;
    }
    v = own[root];
  }
  return split;
}

void drop_unused_vertices(TriangleMesh* mesh) {
  std::vector<int> index(mesh->positions.size(), -1);
  for (const Triangle& t : mesh->triangles) index[t[0]] = index[t[1]] = index[t[2]] = 0;
  int count = 0;
  for (size_t v = 0; v < index.size(); ++v) {
    if (index[v] < 0) continue;
    index[v] = count;
    mesh->positions[count++] = mesh->positions[v];
  }
  mesh->positions.resize(static_cast<size_t>(count));
  for (Triangle& t : mesh->triangles) t = Triangle(index[t[0]], index[t[1]], index[t[2]]);
}

}  // namespace

ManifoldReport make_manifold(TriangleMesh* mesh) {
  ManifoldReport report;
  report.dropped = drop_extra_triangles(mesh);
  for (int pass = 0; pass < 3; ++pass) {
    const int spikes = drop_spikes(mesh);
    report.dropped += spikes;
    if (spikes == 0) break;
  }
  report.split = split_fans(mesh);
  if (report.dropped > 0) drop_unused_vertices(mesh);
  return report;
}

std::vector<std::vector<int>> boundary_loops(const TriangleMesh& mesh) {
  std::vector<int> next(mesh.positions.size(), -1);
  const std::vector<Side> sides = sorted_sides(mesh);
  for_edges(sides, [&](size_t i, size_t j) {
    if (j - i != 1) return;
    const Triangle& t = mesh.triangles[sides[i].triangle];
    next[t[(sides[i].corner + 1) % 3]] = t[sides[i].corner];
  });
  std::vector<char> seen(next.size(), 0);
  std::vector<std::vector<int>> loops;
  for (size_t v = 0; v < next.size(); ++v) {
    if (next[v] < 0 || seen[v]) continue;
    std::vector<int> loop;
    int at = static_cast<int>(v);
    while (at >= 0 && !seen[at]) {
      seen[at] = 1;
      loop.push_back(at);
      at = next[at];
    }
    if (at == static_cast<int>(v) && loop.size() >= 3) loops.push_back(std::move(loop));
  }
  std::stable_sort(loops.begin(), loops.end(),
                   [](const std::vector<int>& a, const std::vector<int>& b) { return a.size() < b.size(); });
  return loops;
}

absl::StatusOr<HoleReport> fill_holes(const RunContext& run, TriangleMesh* mesh) {
  HoleReport report;
  report.first_made = mesh->vertex_count();
  const int first_triangle = mesh->triangle_count();
  const std::vector<std::vector<int>> loops = boundary_loops(*mesh);
  if (loops.empty()) return report;
  PatchMaker maker(*mesh);
  std::vector<int> ends;  // of each patch's triangles
  for (const std::vector<int>& loop : loops) {
    RETURN_IF_ERROR(run.check());
    if (!maker.fill(loop, mesh)) {
      ++report.open;
      continue;
    }
    ++report.filled;
    ends.push_back(mesh->triangle_count());
  }
  std::vector<int> free;
  for (int v = report.first_made; v < mesh->vertex_count(); ++v) free.push_back(v);
  fair_vertices(free, mesh);
  for (int t = first_triangle, patch = 0; patch < report.filled; ++patch) {
    double area = 0.0;
    Vec3 middle = Vec3::Zero();
    for (; t < ends[patch]; ++t) {
      const double part = 0.5 * triangle_normal(*mesh, t).norm();
      const Triangle& tri = mesh->triangles[t];
      middle += part / 3.0 * (mesh->positions[tri[0]] + mesh->positions[tri[1]] + mesh->positions[tri[2]]);
      area += part;
      report.made_triangles.push_back(t);
    }
    report.area += area;
    if (area > report.largest_area) report.largest_area = area, report.largest = middle / area;
  }
  return report;
}

}  // namespace tryon
