#include "server/mesh/delaunay.h"

#include <algorithm>
#include <tuple>

#include "server/mesh/predicates.h"

namespace tryon {
namespace {

// Cuts one ear after another off a simple loop, always strictly convex ones, so that no triangle is flat.
class EarCutter {
 public:
  explicit EarCutter(const std::vector<Vec2>& loop) : loop_(loop), next_(loop.size()), previous_(loop.size()) {
    const int n = static_cast<int>(loop.size());
    for (int i = 0; i < n; ++i) next_[i] = (i + 1) % n, previous_[(i + 1) % n] = i;
    for (int i = 0; i < n; ++i) {
      if (turn(i) <= 0) dents_.push_back(i);
    }
  }

  // Returns false where no ear is left although more than a triangle is.
  template <typename Emit>
  bool run(const Emit& emit) {
    int left = static_cast<int>(loop_.size()), at = 0, misses = 0;
    while (left > 3) {
      if (misses > left) return false;
      if (!is_ear(at)) {
        at = next_[at], ++misses;
        continue;
      }
      emit(previous_[at], at, next_[at]);
      at = cut(at), --left, misses = 0;
    }
    emit(previous_[at], at, next_[at]);
    return turn(at) > 0;
  }

 private:
  int turn(int i) const { return orientation(loop_[previous_[i]], loop_[i], loop_[next_[i]]); }

  bool is_ear(int i) const {
    if (turn(i) <= 0) return false;
    const Vec2 &a = loop_[previous_[i]], &b = loop_[i], &c = loop_[next_[i]];
    const Vec2 low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
    for (const int d : dents_) {
      const Vec2& p = loop_[d];
      if (d == previous_[i] || d == i || d == next_[i]) continue;
      if (p.x() < low.x() || p.y() < low.y() || p.x() > high.x() || p.y() > high.y()) continue;
      if (orientation(a, b, p) >= 0 && orientation(b, c, p) >= 0 && orientation(c, a, p) >= 0) return false;
    }
    return true;
  }

  // Takes i out; the next ear is sought two steps on, which keeps the fans small.
  int cut(int i) {
    const int before = previous_[i], after = next_[i];
    next_[before] = after, previous_[after] = before;
    std::erase_if(dents_, [&](int d) { return (d == before || d == after) && turn(d) > 0; });
    return next_[after];
  }

  const std::vector<Vec2>& loop_;
  std::vector<int> next_, previous_;
  std::vector<int> dents_;  // corners that are not strictly convex: only these can lie in an ear
};

}  // namespace

bool Delaunay::build(const std::vector<Vec2>& counter_clockwise_loop) {
  positions_ = counter_clockwise_loop;
  boundary_count_ = static_cast<int>(positions_.size());
  triangles_.clear();
  if (boundary_count_ < 3) return false;
  EarCutter cutter(positions_);
  const bool done = cutter.run([&](int a, int b, int c) { triangles_.push_back({{a, b, c}, {-1, -1, -1}, 0}); });
  if (!done) return false;
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
    triangles_[x.t].n[x.k] = y.t;
    triangles_[y.t].n[y.k] = x.t;
  }
}

Delaunay::Location Delaunay::locate(const Vec2& p, int from) const {
  int t = from, came_from = -1;
  for (size_t step = 0; step < triangles_.size() + 3; ++step) {
    int exit = -1;
    for (int i = 0; i < 3 && exit < 0; ++i) {
      const int k = static_cast<int>((step + i) % 3);  // no fixed first edge: the walk cannot circle
      const Tri& tri = triangles_[t];
      if (tri.n[k] == came_from && came_from >= 0) continue;
      if (orientation(positions_[tri.v[(k + 1) % 3]], positions_[tri.v[(k + 2) % 3]], p) < 0) exit = k;
    }
    if (exit < 0) return {t, -1};
    if (triangles_[t].n[exit] < 0) return {t, exit};
    came_from = t;
    t = triangles_[t].n[exit];
  }
  return {t, 0};
}

void Delaunay::set(int t, const std::array<int, 3>& v, const std::array<int, 3>& n) {
  triangles_[t] = {v, n, triangles_[t].stamp + 1};
  touched_.push_back(t);
}

void Delaunay::replace_neighbour(int t, int before, int after) {
  if (t < 0) return;
  for (int& n : triangles_[t].n) {
    if (n == before) {
      n = after;
      return;
    }
  }
}

void Delaunay::split_triangle(int point, int t) {
  const auto [v, n, stamp] = triangles_[t];
  const int t1 = static_cast<int>(triangles_.size()), t2 = t1 + 1;
  triangles_.resize(triangles_.size() + 2, Tri{{0, 0, 0}, {-1, -1, -1}, 0});
  set(t, {point, v[1], v[2]}, {n[0], t1, t2});
  set(t1, {point, v[2], v[0]}, {n[1], t2, t});
  set(t2, {point, v[0], v[1]}, {n[2], t, t1});
  replace_neighbour(n[1], t, t1);
  replace_neighbour(n[2], t, t2);
  for (const int made : {t, t1, t2}) pending_.push_back({made, 0});
}

// The point lies on the free edge of t opposite corner k: two triangles become four.
void Delaunay::split_edge(int point, int t, int k) {
  const Tri a = triangles_[t];
  const int o = a.n[k];
  const Tri b = triangles_[o];
  const int m = b.n[0] == t ? 0 : b.n[1] == t ? 1 : 2;
  const int apex = a.v[k], p = a.v[(k + 1) % 3], q = a.v[(k + 2) % 3], nadir = b.v[m];
  const int a_p = a.n[(k + 2) % 3], a_q = a.n[(k + 1) % 3];  // across apex-p and q-apex
  const int b_p = b.n[(m + 1) % 3], b_q = b.n[(m + 2) % 3];  // across p-nadir and nadir-q
  const int t1 = static_cast<int>(triangles_.size()), t2 = t1 + 1;
  triangles_.resize(triangles_.size() + 2, Tri{{0, 0, 0}, {-1, -1, -1}, 0});
  set(t, {point, apex, p}, {a_p, t2, t1});
  set(t1, {point, q, apex}, {a_q, t, o});
  set(o, {point, nadir, q}, {b_q, t1, t2});
  set(t2, {point, p, nadir}, {b_p, o, t});
  replace_neighbour(a_q, t, t1);
  replace_neighbour(b_p, o, t2);
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
  if (edges_met > 1 || (on_edge >= 0 && tri.n[on_edge] < 0)) return -1;
  const int point = static_cast<int>(positions_.size());
  positions_.push_back(p);
  if (on_edge < 0) {
    split_triangle(point, triangle);
  } else {
    split_edge(point, triangle, on_edge);
  }
  settle();
  return point;
}

// The edge of t opposite corner k: flips it if the corner beyond lies inside t's circle.
bool Delaunay::flip_if_illegal(int t, int k) {
  const Tri a = triangles_[t];
  const int o = a.n[k];
  if (o < 0) return false;
  const Tri b = triangles_[o];
  const int m = b.n[0] == t ? 0 : b.n[1] == t ? 1 : 2;
  const int apex = a.v[k], p = a.v[(k + 1) % 3], q = a.v[(k + 2) % 3], nadir = b.v[m];
  if (in_circle(positions_[apex], positions_[p], positions_[q], positions_[nadir]) <= 0) return false;
  const int a_p = a.n[(k + 2) % 3], a_q = a.n[(k + 1) % 3];
  const int b_p = b.n[(m + 1) % 3], b_q = b.n[(m + 2) % 3];
  set(t, {apex, p, nadir}, {b_p, o, a_p});
  set(o, {apex, nadir, q}, {b_q, a_q, t});
  replace_neighbour(b_p, o, t);
  replace_neighbour(a_q, t, o);
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
    for (int k = 0; k < 3; ++k) pending_.push_back({t, k});
  }
  whole_ = true;
  settle();
  whole_ = false;
}

}  // namespace tryon
