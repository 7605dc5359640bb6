#include "server/body/scan_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace tryon {
namespace {

constexpr int kMostCuts = 64;           // of a triangle's side
constexpr long long kHalf = 1ll << 20;  // cells each way of the origin that a key can name

uint64_t key_of(long long i, long long j, long long k) {
  return static_cast<uint64_t>(i + kHalf) << 42 | static_cast<uint64_t>(j + kHalf) << 21 |
         static_cast<uint64_t>(k + kHalf);
}

struct Cells {
  std::vector<uint64_t> keys;  // rising
  std::vector<int> starts;     // [cell_count + 1]
  std::vector<int> order;      // points by cell
};

long long whole(double x) { return static_cast<long long>(std::floor(std::clamp(x, -1e6, 1e6))); }

Cells sort_into_cells(const std::vector<Vec3>& points, const Vec3& origin, double cell) {
  std::vector<std::pair<uint64_t, int>> keyed(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3 at = (points[i] - origin) / cell;
    keyed[i] = {key_of(whole(at.x()), whole(at.y()), whole(at.z())), static_cast<int>(i)};
  }
  std::sort(keyed.begin(), keyed.end());
  Cells cells;
  cells.order.reserve(points.size());
  for (const auto& [key, point] : keyed) {
    if (cells.keys.empty() || cells.keys.back() != key) {
      cells.keys.push_back(key);
      cells.starts.push_back(static_cast<int>(cells.order.size()));
    }
    cells.order.push_back(point);
  }
  cells.starts.push_back(static_cast<int>(cells.order.size()));
  return cells;
}

// The 26 neighbours as differences of keys; -1 where a cell is absent.
template <typename Visit>
void for_neighbour_cells(const Cells& cells, int cell, Visit visit) {
  for (long long i = -1; i <= 1; ++i) {
    for (long long j = -1; j <= 1; ++j) {
      const auto first = static_cast<uint64_t>(static_cast<long long>(cells.keys[cell]) + (i << 42) + (j << 21) - 1);
      auto at = std::lower_bound(cells.keys.begin(), cells.keys.end(), first);
      for (; at != cells.keys.end() && *at <= first + 2; ++at) {
        const int other = static_cast<int>(at - cells.keys.begin());
        if (other != cell) visit(other);
      }
    }
  }
}

int root_of(std::vector<int>* parent, int i) {
  while ((*parent)[i] != i) i = (*parent)[i] = (*parent)[(*parent)[i]];
  return i;
}

// Roots of cells that touch; -1 for a cell with too few points about it.
std::vector<int> join_cells(const Cells& cells, int min_points) {
  const int count = static_cast<int>(cells.keys.size());
  std::vector<int> parent(static_cast<size_t>(count));
  std::iota(parent.begin(), parent.end(), 0);
  std::vector<char> busy(static_cast<size_t>(count), 0);
  for (int c = 0; c < count; ++c) {
    int points = cells.starts[c + 1] - cells.starts[c];
    if (points < min_points) {
      for_neighbour_cells(cells, c, [&](int o) { points += cells.starts[o + 1] - cells.starts[o]; });
    }
    busy[c] = points >= min_points;
  }
  for (int c = 0; c < count; ++c) {
    if (!busy[c]) continue;
    for_neighbour_cells(cells, c, [&](int o) {
      if (o < c && busy[o]) parent[root_of(&parent, o)] = root_of(&parent, c);
    });
  }
  for (int c = 0; c < count; ++c) parent[c] = busy[c] ? root_of(&parent, c) : c;
  for (int c = 0; c < count; ++c) {
    if (!busy[c]) parent[c] = -1;
  }
  return parent;
}

}  // namespace

Box3 bounds_of(const std::vector<Vec3>& points) {
  Box3 box;
  for (const Vec3& p : points) box.extend(p);
  return box;
}

std::vector<Vec3> sample_surface(const TriangleMesh& mesh, double spacing) {
  std::vector<char> used(mesh.positions.size(), 0);
  std::vector<Vec3> out;
  out.reserve(mesh.positions.size());
  for (const Triangle& t : mesh.triangles) used[t[0]] = used[t[1]] = used[t[2]] = 1;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (used[v]) out.push_back(mesh.positions[v]);
  }
  for (const Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    const double side = std::sqrt(std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()}));
    const int cuts = static_cast<int>(std::clamp(std::ceil(side / spacing), 1.0, 1.0 * kMostCuts));
    for (int i = 0; i <= cuts && cuts > 1; ++i) {
      for (int j = 0; i + j <= cuts; ++j) {
        if ((i == 0) + (j == 0) + (i + j == cuts) >= 2) continue;  // a corner
        out.emplace_back(a + (b - a) * (1.0 * i / cuts) + (c - a) * (1.0 * j / cuts));
      }
    }
  }
  return out;
}

std::vector<int> thin_points(const std::vector<Vec3>& points, double cell) {
  if (points.empty()) return {};
  const Cells cells = sort_into_cells(points, bounds_of(points).min(), cell);
  std::vector<int> out;
  for (size_t c = 0; c + 1 < cells.starts.size(); ++c) out.push_back(cells.order[cells.starts[c]]);
  std::sort(out.begin(), out.end());
  return out;
}

PointGroups group_points(const std::vector<Vec3>& points, double cell, int min_points) {
  PointGroups out;
  out.group.assign(points.size(), -1);
  if (points.empty()) return out;
  const Cells cells = sort_into_cells(points, bounds_of(points).min(), cell);
  const std::vector<int> root = join_cells(cells, min_points);
  std::vector<int> weight(cells.keys.size(), 0), rank(cells.keys.size(), -1), roots;
  for (size_t c = 0; c < root.size(); ++c) {
    if (root[c] < 0) continue;
    if (weight[root[c]] == 0) roots.push_back(root[c]);
    weight[root[c]] += cells.starts[c + 1] - cells.starts[c];
  }
  std::stable_sort(roots.begin(), roots.end(), [&](int a, int b) { return weight[a] > weight[b]; });
  for (size_t i = 0; i < roots.size(); ++i) {
    rank[roots[i]] = static_cast<int>(i);
    out.size.push_back(weight[roots[i]]);
  }
  for (size_t c = 0; c < root.size(); ++c) {
    for (int i = cells.starts[c]; i < cells.starts[c + 1]; ++i) {
      out.group[cells.order[i]] = root[c] < 0 ? -1 : rank[root[c]];
    }
  }
  return out;
}

long long PointGrid::cell_of(double x) { return whole(x); }

PointGrid::PointGrid(const std::vector<Vec3>& points, double cell) : points_(points), cell_(cell) {
  if (points.empty()) return;
  origin_ = bounds_of(points).min();
  Cells cells = sort_into_cells(points_, origin_, cell_);
  order_ = std::move(cells.order);
  keys_.assign(cells.keys.begin(), cells.keys.end());
  starts_ = std::move(cells.starts);
  size_t size = 16;
  while (size < 2 * keys_.size()) size *= 2;
  buckets_.assign(size, -1);
  for (size_t c = 0; c < keys_.size(); ++c) {
    size_t at = (keys_[c] * 0x9E3779B97F4A7C15ull >> 24) & (size - 1);
    while (buckets_[at] >= 0) at = (at + 1) & (size - 1);
    buckets_[at] = static_cast<int>(c);
  }
}

std::pair<int, int> PointGrid::range_of(long long i, long long j, long long k) const {
  if (buckets_.empty() || std::min({i, j, k}) < -kHalf || std::max({i, j, k}) >= kHalf) return {0, 0};
  const uint64_t key = key_of(i, j, k);
  size_t at = (key * 0x9E3779B97F4A7C15ull >> 24) & (buckets_.size() - 1);
  while (buckets_[at] >= 0) {
    const int c = buckets_[at];
    if (keys_[c] == key) return {starts_[c], starts_[c + 1]};
    at = (at + 1) & (buckets_.size() - 1);
  }
  return {0, 0};
}

bool PointGrid::any_near(const Vec3& p, double radius) const { return nearest(p, radius) < radius; }

double PointGrid::nearest(const Vec3& p, double radius) const {
  double best = radius * radius;
  for_near(p, radius, [&](int i) { best = std::min(best, (points_[i] - p).squaredNorm()); });
  return std::sqrt(best);
}

}  // namespace tryon
