#include "server/mesh/delaunay.h"

#include <algorithm>
#include <tuple>

#include "server/mesh/ear_cut.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

int corner_facing(const Delaunay::Tri& t, int neighbour) {
  return t.n[0] == neighbour ? 0 : t.n[1] == neighbour ? 1 : 2;
}

int bit(const Delaunay::Tri& t, int from, int to) { return (t.fixed >> from & 1) << to; }

}  // namespace

bool Delaunay::build(const std::vector<Vec2>& counter_clockwise_loop) {
  positions_ = counter_clockwise_loop;
  boundary_count_ = static_cast<int>(positions_.size());
  triangles_.clear();
  anchor_.assign(positions_.size(), -1);
  std::vector<std::array<int, 3>> ears;
  if (!cut_ears(positions_, &ears)) return false;
  for (const auto& v : ears) {
    for (const int i : v) anchor_[i] = static_cast<int>(triangles_.size());
    triangles_.push_back({v, {-1, -1, -1}, 0, 7});
  }
  link_neighbours();
  restore();
  return true;
}

void Delaunay::link_neighbours() {
  struct Half {
    int a, b, t, k;
  };
  std::vector<Half> halves;
  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = triangles_[t].v[(k + 1) % 3], b = triangles_[t].v[(k + 2) % 3];
      halves.push_back({std::min(a, b), std::max(a, b), t, k});
    }
  }
  std::sort(halves.begin(), halves.end(),
            [](const Half& x, const Half& y) { return std::tie(x.a, x.b, x.t) < std::tie(y.a, y.b, y.t); });
  for (size_t i = 0; i + 1 < halves.size(); ++i) {
    const Half &x = halves[i], &y = halves[i + 1];
    if (x.a != y.a || x.b != y.b) continue;
    triangles_[x.t].n[x.k] = y.t, triangles_[x.t].fixed &= static_cast<uint8_t>(~(1 << x.k));
    triangles_[y.t].n[y.k] = x.t, triangles_[y.t].fixed &= static_cast<uint8_t>(~(1 << y.k));
  }
}

Delaunay::Location Delaunay::locate(const Vec2& p, int from, Walk walk) const {
  int t = from, came_from = -1;
  for (size_t step = 0; step < triangles_.size() + 3; ++step) {
    const Tri& tri = triangles_[t];
    int exit = -1;
    for (int i = 0; i < 3 && exit < 0; ++i) {
      const int k = static_cast<int>((step + i) % 3);  // no fixed first edge: the walk cannot circle
      if (tri.n[k] == came_from && came_from >= 0) continue;
      if (orientation(positions_[tri.v[(k + 1) % 3]], positions_[tri.v[(k + 2) % 3]], p) < 0) exit = k;
    }
    if (exit < 0) return {t, -1};
    if (tri.n[exit] < 0 || (walk == Walk::kStopAtLines && tri.is_fixed(exit))) return {t, exit};
    came_from = t;
    t = tri.n[exit];
  }
  return {t, 0};
}

void Delaunay::set(int t, const std::array<int, 3>& v, const std::array<int, 3>& n, int fixed) {
  triangles_[t] = {v, n, triangles_[t].stamp + 1, static_cast<uint8_t>(fixed)};
  for (const int i : v) anchor_[i] = t;
  touched_.push_back(t);
}

void Delaunay::replace_neighbour(int t, int before, int after) {
  if (t >= 0) triangles_[t].n[corner_facing(triangles_[t], before)] = after;
}

void Delaunay::split_triangle(int point, int t) {
  const Tri a = triangles_[t];
  const int t1 = static_cast<int>(triangles_.size()), t2 = t1 + 1;
  triangles_.resize(triangles_.size() + 2);
  set(t, {point, a.v[1], a.v[2]}, {a.n[0], t1, t2}, bit(a, 0, 0));
  set(t1, {point, a.v[2], a.v[0]}, {a.n[1], t2, t}, bit(a, 1, 0));
  set(t2, {point, a.v[0], a.v[1]}, {a.n[2], t, t1}, bit(a, 2, 0));
  replace_neighbour(a.n[1], t, t1);
  replace_neighbour(a.n[2], t, t2);
  for (const int made : {t, t1, t2}) pending_.push_back({made, 0});
}

// The point lies on the free edge of t opposite corner k: two triangles become four.
void Delaunay::split_edge(int point, int t, int k) {
  const Tri a = triangles_[t];
  const int o = a.n[k];
  const Tri b = triangles_[o];
  const int m = corner_facing(b, t), k1 = (k + 1) % 3, k2 = (k + 2) % 3, m1 = (m + 1) % 3, m2 = (m + 2) % 3;
  const int apex = a.v[k], p = a.v[k1], q = a.v[k2], nadir = b.v[m];
  const int t1 = static_cast<int>(triangles_.size()), t2 = t1 + 1;
  triangles_.resize(triangles_.size() + 2);
  set(t, {point, apex, p}, {a.n[k2], t2, t1}, bit(a, k2, 0));
  set(t1, {point, q, apex}, {a.n[k1], t, o}, bit(a, k1, 0));
  set(o, {point, nadir, q}, {b.n[m2], t1, t2}, bit(b, m2, 0));
  set(t2, {point, p, nadir}, {b.n[m1], o, t}, bit(b, m1, 0));
  replace_neighbour(a.n[k1], t, t1);
  replace_neighbour(b.n[m1], o, t2);
  for (const int made : {t, t1, o, t2}) pending_.push_back({made, 0});
}

int Delaunay::insert(const Vec2& p, int triangle) {
  touched_.clear();
  pending_.clear();
  const Tri& tri = triangles_[triangle];
  int on_edge = -1, edges_met = 0;
  for (int k = 0; k < 3; ++k) {
    const int side = orientation(positions_[tri.v[(k + 1) % 3]], positions_[tri.v[(k + 2) % 3]], p);
    if (side < 0) return -1;
    if (side == 0) on_edge = k, ++edges_met;
  }
  if (edges_met > 1 || (on_edge >= 0 && tri.is_fixed(on_edge))) return -1;
  const int point = static_cast<int>(positions_.size());
  positions_.push_back(p);
  anchor_.push_back(triangle);
  if (on_edge < 0) {
    split_triangle(point, triangle);
  } else {
    split_edge(point, triangle, on_edge);
  }
  settle();
  return point;
}

// The edge of t opposite corner k becomes the other diagonal; afterwards t and its neighbour have it opposite corners
// 1 and 2, and the four edges round them opposite corners 0, 2 of t and 0, 1 of the neighbour.
void Delaunay::flip(int t, int k) {
  const Tri a = triangles_[t];
  const int o = a.n[k];
  const Tri b = triangles_[o];
  const int m = corner_facing(b, t), k1 = (k + 1) % 3, k2 = (k + 2) % 3, m1 = (m + 1) % 3, m2 = (m + 2) % 3;
  const int apex = a.v[k], p = a.v[k1], q = a.v[k2], nadir = b.v[m];
  set(t, {apex, p, nadir}, {b.n[m1], o, a.n[k2]}, bit(b, m1, 0) | bit(a, k2, 2));
  set(o, {apex, nadir, q}, {b.n[m2], a.n[k1], t}, bit(b, m2, 0) | bit(a, k1, 1));
  replace_neighbour(b.n[m1], o, t);
  replace_neighbour(a.n[k1], t, o);
}

// Flips if the corner beyond lies inside t's circle.
bool Delaunay::flip_if_illegal(int t, int k) {
  const Tri& a = triangles_[t];
  if (a.is_fixed(k)) return false;
  const Tri& b = triangles_[a.n[k]];
  const Vec2& beyond = positions_[b.v[corner_facing(b, t)]];
  if (in_circle(positions_[a.v[0]], positions_[a.v[1]], positions_[a.v[2]], beyond) <= 0) return false;
  flip(t, k);
  return true;
}

void Delaunay::settle() {
  while (!pending_.empty()) {
    const auto [t, k] = pending_.back();
    pending_.pop_back();
    const int o = triangles_[t].n[k];
    if (!flip_if_illegal(t, k)) continue;
    pending_.push_back({t, 0});
    pending_.push_back({o, 0});
    if (whole_) {
      pending_.push_back({t, 2});
      pending_.push_back({o, 1});
    }
  }
}

void Delaunay::restore() {
  touched_.clear();
  pending_.clear();
  for (int t = static_cast<int>(triangles_.size()) - 1; t >= 0; --t) {
    for (int k = 0; k < 3; ++k) {
      if (triangles_[t].n[k] > t) pending_.push_back({t, k});
    }
  }
  whole_ = true;
  settle();
  whole_ = false;
}

void Delaunay::around(int point, std::vector<std::pair<int, int>>* out) const {
  out->clear();
  auto corner_of = [&](int t) {
    const auto& v = triangles_[t].v;
    return v[0] == point ? 0 : v[1] == point ? 1 : 2;
  };
  int t = anchor_[point];
  for (int back = triangles_[t].n[(corner_of(t) + 2) % 3]; back >= 0 && back != anchor_[point];) {
    t = back;
    back = triangles_[t].n[(corner_of(t) + 2) % 3];
  }
  const int first = t;
  do {
    const int k = corner_of(t);
    out->push_back({t, k});
    t = triangles_[t].n[(k + 1) % 3];
  } while (t >= 0 && t != first);
}

}  // namespace tryon
