// Lines put into a constrained Delaunay triangulation: edges in the way are flipped aside (Sloan 1993), then fixed.
#include <deque>

#include "server/mesh/delaunay.h"
#include "server/mesh/predicates.h"

namespace tryon {

bool Delaunay::find_edge(int a, int b, int* t, int* k) const {
  std::vector<std::pair<int, int>> star;
  around(a, &star);
  for (const auto& [triangle, corner] : star) {
    const Tri& tri = triangles_[triangle];
    if (tri.v[(corner + 1) % 3] == b) {
      *t = triangle, *k = (corner + 2) % 3;
      return true;
    }
    if (tri.v[(corner + 2) % 3] == b) {
      *t = triangle, *k = (corner + 1) % 3;
      return true;
    }
  }
  return false;
}

void Delaunay::fix_edge(int a, int b) {
  int t, k;
  if (!find_edge(a, b, &t, &k)) return;
  triangles_[t].fixed |= static_cast<uint8_t>(1 << k);
  const int o = triangles_[t].n[k];
  if (o < 0) return;
  for (int m = 0; m < 3; ++m) {
    if (triangles_[o].n[m] == t) triangles_[o].fixed |= static_cast<uint8_t>(1 << m);
  }
}

void Delaunay::free_edge(int a, int b) {
  int t, k;
  if (!find_edge(a, b, &t, &k) || triangles_[t].n[k] < 0) return;
  const int o = triangles_[t].n[k];
  triangles_[t].fixed &= static_cast<uint8_t>(~(1 << k));
  for (int m = 0; m < 3; ++m) {
    if (triangles_[o].n[m] == t) triangles_[o].fixed &= static_cast<uint8_t>(~(1 << m));
  }
  restore();
}

// Flips every edge in `crossing` (as point pairs) out of the way of a-b; those of a dented quadrilateral wait.
void Delaunay::clear_way(int a, int b, std::vector<std::pair<int, int>> crossing) {
  std::deque<std::pair<int, int>> queue(crossing.begin(), crossing.end());
  while (!queue.empty()) {
    const auto [p, q] = queue.front();
    queue.pop_front();
    int t, k;
    if (!find_edge(p, q, &t, &k)) continue;
    const Tri& tri = triangles_[t];
    const Tri& other = triangles_[tri.n[k]];
    const int m = other.n[0] == t ? 0 : other.n[1] == t ? 1 : 2;
    const int apex = tri.v[k], nadir = other.v[m], right = tri.v[(k + 1) % 3], left = tri.v[(k + 2) % 3];
    const bool convex = orientation(positions_[apex], positions_[right], positions_[nadir]) > 0 &&
                        orientation(positions_[nadir], positions_[left], positions_[apex]) > 0;
    if (!convex) {
      queue.push_back({p, q});
      continue;
    }
    flip(t, k);
    if (apex == a || apex == b || nadir == a || nadir == b) continue;
    const int side = orientation(positions_[a], positions_[b], positions_[apex]);
    if (side * orientation(positions_[a], positions_[b], positions_[nadir]) < 0) queue.push_back({apex, nadir});
  }
}

// From a towards b as far as the first point on the way, which may be b: *reached.
Delaunay::LineResult Delaunay::fix_piece(int a, int b, int* reached) {
  const Vec2 from = positions_[a], to = positions_[b];
  std::vector<std::pair<int, int>> star, crossing;
  around(a, &star);
  int t = -1, k = -1;
  for (const auto& [triangle, corner] : star) {
    const int first = triangles_[triangle].v[(corner + 1) % 3], second = triangles_[triangle].v[(corner + 2) % 3];
    const int right = orientation(from, to, positions_[first]), left = orientation(from, to, positions_[second]);
    for (const auto& [point, side] : {std::pair(first, right), std::pair(second, left)}) {
      if (side != 0 || (positions_[point] - from).dot(to - from) <= 0.0) continue;
      fix_edge(a, *reached = point);
      return {};
    }
    if (right < 0 && left > 0) t = triangle, k = corner;
  }
  if (t < 0) return {Line::kLeaves, -1, -1};
  for (;;) {  // across the edge of t opposite corner k
    const int p = triangles_[t].v[(k + 1) % 3], q = triangles_[t].v[(k + 2) % 3], o = triangles_[t].n[k];
    if (o < 0) return {Line::kLeaves, p, q};
    if (triangles_[t].is_fixed(k)) return {Line::kCrosses, p, q};
    crossing.push_back({p, q});
    const Tri& next = triangles_[o];
    const int m = next.n[0] == t ? 0 : next.n[1] == t ? 1 : 2;
    const int side = orientation(from, to, positions_[next.v[m]]);
    if (side == 0) {
      *reached = next.v[m];
      break;
    }
    t = o, k = side < 0 ? (m + 2) % 3 : (m + 1) % 3;
  }
  clear_way(a, *reached, std::move(crossing));
  fix_edge(a, *reached);
  return {};
}

Delaunay::LineResult Delaunay::fix_line(int a, int b, std::vector<int>* chain) {
  while (a != b) {
    int reached = b;
    const LineResult result = fix_piece(a, b, &reached);
    if (result.outcome != Line::kDone) return result;
    chain->push_back(a = reached);
    restore();
  }
  return {};
}

}  // namespace tryon
