#include "server/mesh/qem.h"

#include <algorithm>
#include <cmath>

#include "server/mesh/predicates.h"

namespace tryon {
namespace {

constexpr double kLineWeight = 30.0;  // of the outline's and lines' distances against points'
constexpr double kShapeWeight = 1.5;  // of the narrowest new triangle, in squared local edge lengths
// Narrowest triangle allowed, tried in turn where a level does not get small enough.
constexpr double kLeastShape[] = {0.68, 0.5, 0.3, 0.15, 0.05};

// 1 for an even triangle, 0 for a flat one.
double shape(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 u = b - a, v = c - a;
  const double twice = std::abs(u.x() * v.y() - u.y() * v.x());
  return 2.0 * std::sqrt(3.0) * twice / (u.squaredNorm() + v.squaredNorm() + (c - b).squaredNorm());
}

void erase_value(std::vector<int>* list, int value) { list->erase(std::find(list->begin(), list->end(), value)); }

}  // namespace

void Quadric2::add_point(const Vec2& p, double weight) {
  xx += weight, yy += weight;
  bx -= weight * p.x(), by -= weight * p.y(), c += weight * p.squaredNorm();
}

void Quadric2::add_line(const Vec2& a, const Vec2& b, double weight) {
  const Vec2 n = Vec2(a.y() - b.y(), b.x() - a.x()).normalized();
  const double d = -n.dot(a);
  xx += weight * n.x() * n.x(), xy += weight * n.x() * n.y(), yy += weight * n.y() * n.y();
  bx += weight * d * n.x(), by += weight * d * n.y(), c += weight * d * d;
}

void Quadric2::add(const Quadric2& other) {
  xx += other.xx, xy += other.xy, yy += other.yy;
  bx += other.bx, by += other.by, c += other.c;
}

double Quadric2::at(const Vec2& p) const {
  return std::max(0.0, p.x() * (xx * p.x() + 2.0 * xy * p.y() + 2.0 * bx) + p.y() * (yy * p.y() + 2.0 * by) + c);
}

Collapser::Collapser(const FlatCloth& cloth, double corner_turn_degrees)
    : cloth_(cloth),
      triangles_(cloth.triangles),
      around_(cloth.flat.size()),
      corners_of_(cloth.vertex_count),
      line_neighbours_(cloth.flat.size()),
      held_(cloth.triangles.size()),
      quadric_(cloth.flat.size()),
      kind_(cloth.vertex_count, Kind::kLocked),
      alive_(cloth.vertex_count, true),
      version_(cloth.vertex_count, 0),
      mark_(cloth.vertex_count, 0),
      alive_count_(cloth.vertex_count) {
  for (int w = 0; w < static_cast<int>(cloth.flat.size()); ++w) corners_of_[cloth.vertex[w]].push_back(w);
  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
    const Triangle& v = triangles_[t];
    direction_.push_back(static_cast<int8_t>(orientation(cloth.flat[v[0]], cloth.flat[v[1]], cloth.flat[v[2]])));
    for (int k = 0; k < 3; ++k) around_[v[k]].push_back(t);
  }
  for (const auto& line : cloth.lines) {
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      line_neighbours_[line[i]].push_back(line[i + 1]);
      line_neighbours_[line[i + 1]].push_back(line[i]);
    }
  }
  build_quadrics();
  classify(corner_turn_degrees);
}

void Collapser::build_quadrics() {
  std::vector<int> near;
  for (int w = 0; w < static_cast<int>(around_.size()); ++w) {
    const Vec2& at = cloth_.flat[w];
    neighbours(w, &near);
    double squared = 0.0;
    for (const int n : near) squared += (cloth_.flat[n] - at).squaredNorm() / static_cast<double>(near.size());
    if (near.empty()) continue;
    quadric_[w].add_point(at, 1.0 / squared);
    std::vector<int> curve = line_neighbours_[w];
    int a, b;
    if (outline_neighbours(w, &a, &b)) curve.insert(curve.end(), {a, b});
    for (const int n : curve) quadric_[w].add_line(at, cloth_.flat[n], kLineWeight / squared);
  }
}

void Collapser::neighbours(int corner, std::vector<int>* out) const {
  out->clear();
  for (const int t : around_[corner]) {
    for (int k = 0; k < 3; ++k) {
      const int n = triangles_[t][k];
      if (n != corner && std::find(out->begin(), out->end(), n) == out->end()) out->push_back(n);
    }
  }
}

// The two corners that share with this one an edge of a single triangle of the piece; false inside, or where outlines
// touch in a point.
bool Collapser::outline_neighbours(int corner, int* a, int* b) const {
  int found[2] = {-1, -1}, count = 0;
  for (const int t : around_[corner]) {
    const Triangle& v = triangles_[t];
    const int k = v[0] == corner ? 0 : v[1] == corner ? 1 : 2;
    for (const int n : {v[(k + 1) % 3], v[(k + 2) % 3]}) {
      int uses = 0;
      for (const int s : around_[corner])
        uses += triangles_[s][0] == n || triangles_[s][1] == n || triangles_[s][2] == n;
      if (uses == 1 && count < 2) found[count] = n;
      count += uses == 1;
    }
  }
  *a = found[0], *b = found[1];
  return count == 2;
}

// No other corner of the same vertex has an outline edge to the neighbour's vertex: not sewn.
bool Collapser::is_free_edge(int corner, int neighbour) const {
  for (const int other : corners_of_[cloth_.vertex[corner]]) {
    int a, b;
    if (!outline_neighbours(other, &a, &b)) continue;
    for (const int n : {a, b}) {
      if (cloth_.vertex[n] == cloth_.vertex[neighbour] && (other != corner || n != neighbour)) return false;
    }
  }
  return true;
}

Collapser::Kind Collapser::kind_of(int vertex, double straight_cosine) const {
  const std::vector<int>& corners = corners_of_[vertex];
  int a[2] = {-1, -1}, b[2] = {-1, -1}, on_line = 0;
  for (const int w : corners) on_line += line_neighbours_[w].empty() ? 0 : 1;
  if (corners.size() > 2 || corners.empty() || around_[corners[0]].empty()) return Kind::kLocked;
  if (corners.size() == 1 && !outline_neighbours(corners[0], &a[0], &b[0])) {
    const auto& line = line_neighbours_[corners[0]];
    if (a[0] >= 0) return Kind::kLocked;
    if (line.empty()) return Kind::kInner;
    return line.size() == 2 ? Kind::kLine : Kind::kLocked;
  }
  for (size_t i = 0; i < corners.size(); ++i) {
    if (!outline_neighbours(corners[i], &a[i], &b[i])) return Kind::kLocked;
    const Vec2 u = (cloth_.flat[corners[i]] - cloth_.flat[a[i]]).normalized();
    const Vec2 v = (cloth_.flat[b[i]] - cloth_.flat[corners[i]]).normalized();
    if (u.dot(v) < straight_cosine) return Kind::kLocked;
  }
  if (on_line > 0) return Kind::kLocked;
  if (corners.size() == 1) {
    const bool free = is_free_edge(corners[0], a[0]) && is_free_edge(corners[0], b[0]);
    return free && cloth_.vertex[a[0]] != cloth_.vertex[b[0]] ? Kind::kRim : Kind::kLocked;
  }
  const auto id = [&](int w) { return cloth_.vertex[w]; };
  const bool paired = (id(a[0]) == id(a[1]) && id(b[0]) == id(b[1])) || (id(a[0]) == id(b[1]) && id(b[0]) == id(a[1]));
  return paired && id(a[0]) != id(b[0]) ? Kind::kSeam : Kind::kLocked;
}

void Collapser::classify(double corner_turn_degrees) {
  const double straight = std::cos(corner_turn_degrees * M_PI / 180.0);
  for (int v = 0; v < cloth_.vertex_count; ++v) kind_[v] = kind_of(v, straight);
  for (const int v : cloth_.locked) kind_[v] = Kind::kLocked;
}

void Collapser::moves(int vertex, std::vector<Move>* out) const {
  out->clear();
  const std::vector<int>& corners = corners_of_[vertex];
  auto add = [&](int from, int to) { out->push_back({cloth_.vertex[to], 1, {{from, to}, {-1, -1}}}); };
  int a, b, c, d;
  switch (kind_[vertex]) {
    case Kind::kLocked:
      return;
    case Kind::kInner:
      for (const int t : around_[corners[0]]) {
        const Triangle& v = triangles_[t];
        const int k = v[0] == corners[0] ? 0 : v[1] == corners[0] ? 1 : 2;
        add(corners[0], v[(k + 1) % 3]);  // each neighbour once: it stands first in one triangle of the fan
      }
      return;
    case Kind::kLine:
      for (const int n : line_neighbours_[corners[0]]) add(corners[0], n);
      return;
    case Kind::kRim:
      if (!outline_neighbours(corners[0], &a, &b)) return;
      add(corners[0], a), add(corners[0], b);
      return;
    case Kind::kSeam:
      if (!outline_neighbours(corners[0], &a, &b) || !outline_neighbours(corners[1], &c, &d)) return;
      for (const int n : {a, b}) {
        for (const int m : {c, d}) {
          if (cloth_.vertex[n] != cloth_.vertex[m] || n == m) continue;
          out->push_back({cloth_.vertex[n], 2, {{corners[0], n}, {corners[1], m}}});
        }
      }
      return;
  }
}

double Collapser::error(const Move& move) const {
  double sum = 0.0;
  for (int i = 0; i < move.count; ++i) sum += quadric_[move.corner[i].first].at(cloth_.flat[move.corner[i].second]);
  return sum / move.count;
}

// The link condition on vertices: the two ends share no neighbour but the far corners of the triangles that go; none of
// those loses its last triangle, and none that stays closes up.
bool Collapser::keeps_topology(int vertex, const Move& move) {
  ++stamp_;
  int gone = 0;
  for (int i = 0; i < move.count; ++i) {
    const auto [from, to] = move.corner[i];
    for (const int t : around_[from]) {
      const Triangle& v = triangles_[t];
      const bool goes = v[0] == to || v[1] == to || v[2] == to;
      gone += goes;
      for (int k = 0; k < 3; ++k) {
        const int n = cloth_.vertex[v[k]];
        mark_[n] = stamp_;
        if (v[k] == from || v[k] == to) continue;
        if (n == move.target || n == vertex) return false;
        if (goes && around_[v[k]].size() < 2) return false;
      }
    }
  }
  mark_[vertex] = mark_[move.target] = 0;
  int shared = 0;
  for (const int w : corners_of_[move.target]) {
    for (const int t : around_[w]) {
      for (int k = 0; k < 3; ++k) {
        int& mark = mark_[cloth_.vertex[triangles_[t][k]]];
        if (mark != stamp_) continue;
        mark = 0, ++shared;
      }
    }
  }
  return shared == gone;
}

double Collapser::worst_shape(const Move& move) const {
  double worst = 1.0;
  for (int i = 0; i < move.count; ++i) {
    const auto [from, to] = move.corner[i];
    for (const int t : around_[from]) {
      Triangle v = triangles_[t];
      if (v[0] == to || v[1] == to || v[2] == to) continue;
      v[v[0] == from ? 0 : v[1] == from ? 1 : 2] = to;
      const Vec2 &a = cloth_.flat[v[0]], &b = cloth_.flat[v[1]], &c = cloth_.flat[v[2]];
      if (orientation(a, b, c) != direction_[t]) return -1.0;
      worst = std::min(worst, shape(a, b, c));
    }
  }
  return worst;
}

// The corner's triangles go to its target; removed corners that they held find the best of the target's triangles.
void Collapser::collapse_corner(int from, int to) {
  std::vector<int> homeless = {from};
  for (const int t : around_[from]) {
    Triangle& v = triangles_[t];
    homeless.insert(homeless.end(), held_[t].begin(), held_[t].end());
    held_[t].clear();
    if (v[0] == to || v[1] == to || v[2] == to) {
      for (int k = 0; k < 3; ++k) {
        if (v[k] != from) erase_value(&around_[v[k]], t);
      }
      v = Triangle(-1, -1, -1);
    } else {
      v[v[0] == from ? 0 : v[1] == from ? 1 : 2] = to;
      around_[to].push_back(t);
    }
  }
  around_[from].clear();
  quadric_[to].add(quadric_[from]);
  for (const int w : homeless) {
    int best = -1;
    double best_inside = -1e300;
    for (const int t : around_[to]) {
      const Triangle& v = triangles_[t];
      const Vec2 a = cloth_.flat[v[0]] - cloth_.flat[w], b = cloth_.flat[v[1]] - cloth_.flat[w];
      const Vec2 c = cloth_.flat[v[2]] - cloth_.flat[w];
      const double bc = b.x() * c.y() - b.y() * c.x(), ca = c.x() * a.y() - c.y() * a.x();
      const double ab = a.x() * b.y() - a.y() * b.x(), whole = bc + ca + ab;
      const double inside = std::min({bc / whole, ca / whole, ab / whole});
      if (inside > best_inside) best_inside = inside, best = t;
    }
    held_[best].push_back(w);
  }
  for (const int n : line_neighbours_[from]) {
    std::replace(line_neighbours_[n].begin(), line_neighbours_[n].end(), from, to);
  }
  for (const int n : line_neighbours_[from]) {
    if (n == to) continue;
    std::replace(line_neighbours_[to].begin(), line_neighbours_[to].end(), to, n);
  }
}

void Collapser::apply(int vertex, const Move& move) {
  for (int i = 0; i < move.count; ++i) collapse_corner(move.corner[i].first, move.corner[i].second);
  alive_[vertex] = false;
  --alive_count_;
  ++stamp_;
  for (const int w : corners_of_[move.target]) {
    for (const int t : around_[w]) {
      for (int k = 0; k < 3; ++k) {
        const int n = cloth_.vertex[triangles_[t][k]];
        if (mark_[n] == stamp_) continue;
        mark_[n] = stamp_;
        push(n);
      }
    }
  }
}

void Collapser::push(int vertex) {
  moves(vertex, &moves_);
  ++version_[vertex];
  if (moves_.empty()) return;
  double least = 1e300;
  for (const Move& move : moves_) least = std::min(least, error(move));
  queue_.push({least, vertex, version_[vertex]});
}

bool Collapser::try_collapse(int vertex, double least_shape) {
  moves(vertex, &moves_);
  double least = 1e300;
  const Move* best = nullptr;
  for (const Move& move : moves_) {
    const double worst = worst_shape(move);
    if (worst < least_shape) continue;
    const double cost = error(move) + kShapeWeight * (1.0 - worst);
    if (cost >= least || !keeps_topology(vertex, move)) continue;
    least = cost, best = &move;
  }
  if (best == nullptr) return false;
  apply(vertex, Move(*best));
  return true;
}

void Collapser::reduce(int vertex_target) {
  for (const double least_shape : kLeastShape) {
    queue_ = {};
    for (int v = 0; v < cloth_.vertex_count; ++v) {
      if (alive_[v]) push(v);
    }
    while (!queue_.empty() && alive_count_ > vertex_target) {
      const Key top = queue_.top();
      queue_.pop();
      if (alive_[top.vertex] && version_[top.vertex] == top.version) try_collapse(top.vertex, least_shape);
    }
  }
}

void Collapser::forget_removed() {
  for (auto& list : held_) list.clear();
}

std::vector<int> Collapser::hosts() const {
  std::vector<int> host(cloth_.flat.size(), -1);
  for (int t = 0; t < static_cast<int>(held_.size()); ++t) {
    for (const int w : held_[t]) host[w] = t;
  }
  return host;
}

}  // namespace tryon
