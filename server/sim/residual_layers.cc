#include "server/sim/residual_layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tryon::sim {

namespace {

constexpr double kNeighbourShare = 0.2;  // of the smaller triangle: radius between neighbours of neighbours

struct Cloth {
  const DrapeModel& model;
  const std::vector<Vec3>& x;
  std::set<std::pair<int, int>> edges;
  std::vector<double> size;  // [particle_count] side of the smallest equilateral triangle of a neighbour's area

  Cloth(const DrapeModel& m, const std::vector<Vec3>& positions)
      : model(m), x(positions), size(positions.size(), 1e30) {
    for (size_t t = 0; t < m.triangles.size(); ++t) {
      const Triangle& c = m.triangles[t];
      const double side = std::sqrt(static_cast<double>(m.rest_area[t]) / (std::sqrt(3.0) / 4.0));
      for (int k = 0; k < 3; ++k) {
        edges.insert(std::minmax(c[k], c[(k + 1) % 3]));
        size[c[k]] = std::min(size[c[k]], side);
      }
    }
  }
  bool joined(int a, int b) const { return edges.count(std::minmax(a, b)) > 0; }
};

struct Item {  // a vertex, an edge or a triangle
  std::array<int, 3> v;
  int count;
  Box3 box;
};

Item item_of(const Cloth& cloth, std::initializer_list<int> corners, double margin) {
  Item item{{-1, -1, -1}, 0, {}};
  for (int v : corners) item.v[item.count++] = v, item.box.extend(cloth.x[v]);
  item.box.min().array() -= margin;
  item.box.max().array() += margin;
  return item;
}

// The nearest points of two items: the best of all pairs of their features.
struct Nearest {
  double distance = 1e30;
  std::array<double, 3> on_first{}, on_second{};
};

void offer(const Cloth& cloth, const Item& a, const Item& b, const std::array<double, 3>& wa,
           const std::array<double, 3>& wb, Nearest* best) {
  Vec3 apart = Vec3::Zero();
  for (int k = 0; k < a.count; ++k) apart += wa[k] * cloth.x[a.v[k]];
  for (int k = 0; k < b.count; ++k) apart -= wb[k] * cloth.x[b.v[k]];
  if (apart.norm() < best->distance) *best = {apart.norm(), wa, wb};
}

// Parameter of the foot of p on the line through a and b, or -1 outside the segment.
double foot(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double length = (b - a).squaredNorm();
  const double t = length > 0 ? (p - a).dot(b - a) / length : 0.0;
  return t >= 0 && t <= 1 ? t : -1.0;
}

Nearest point_triangle(const Cloth& cloth, const Item& p, const Item& t) {
  Nearest best;
  const Vec3 &q = cloth.x[p.v[0]], &a = cloth.x[t.v[0]], &b = cloth.x[t.v[1]], &c = cloth.x[t.v[2]];
  for (int k = 0; k < 3; ++k) {
    std::array<double, 3> w{};
    w[k] = 1;
    offer(cloth, p, t, {1, 0, 0}, w, &best);
    const double s = foot(q, cloth.x[t.v[k]], cloth.x[t.v[(k + 1) % 3]]);
    if (s < 0) continue;
    std::array<double, 3> on_side{};
    on_side[k] = 1 - s, on_side[(k + 1) % 3] = s;
    offer(cloth, p, t, {1, 0, 0}, on_side, &best);
  }
  const Vec3 n = (b - a).cross(c - a);
  const double area = n.squaredNorm();
  if (area <= 0) return best;
  const double u = (c - b).cross(q - b).dot(n) / area, v = (a - c).cross(q - c).dot(n) / area;
  if (u >= 0 && v >= 0 && u + v <= 1) offer(cloth, p, t, {1, 0, 0}, {u, v, 1 - u - v}, &best);
  return best;
}

Nearest edge_edge(const Cloth& cloth, const Item& e, const Item& f) {
  Nearest best;
  const Vec3 &a = cloth.x[e.v[0]], &b = cloth.x[e.v[1]], &c = cloth.x[f.v[0]], &d = cloth.x[f.v[1]];
  for (int k = 0; k < 2; ++k) {
    const std::array<double, 3> end{k ? 0.0 : 1.0, k ? 1.0 : 0.0, 0.0};
    offer(cloth, e, f, end, {1, 0, 0}, &best);
    offer(cloth, e, f, end, {0, 1, 0}, &best);
    if (const double t = foot(cloth.x[e.v[k]], c, d); t >= 0) offer(cloth, e, f, end, {1 - t, t, 0}, &best);
    if (const double s = foot(cloth.x[f.v[k]], a, b); s >= 0) offer(cloth, e, f, {1 - s, s, 0}, end, &best);
  }
  Eigen::Matrix2d m;
  m << (b - a).squaredNorm(), -(b - a).dot(d - c), -(b - a).dot(d - c), (d - c).squaredNorm();
  if (std::abs(m.determinant()) <= 1e-12 * m(0, 0) * m(1, 1)) return best;
  const Vec2 st = m.inverse() * Vec2((b - a).dot(c - a), -(d - c).dot(c - a));
  if (st.minCoeff() >= 0 && st.maxCoeff() <= 1) {
    offer(cloth, e, f, {1 - st[0], st[0], 0}, {1 - st[1], st[1], 0}, &best);
  }
  return best;
}

struct Layers {
  const Cloth& cloth;
  double radius;
  const std::vector<double>& stiffness;
  double even_share;
  LayerForces out;

  void press(const Item& a, const Item& b, const Nearest& nearest) {
    double mean = 0, mu = 0, limit = radius, smallest = 1e30;
    bool near = false;
    for (int i = 0; i < a.count; ++i) {
      for (int j = 0; j < b.count; ++j) near = near || cloth.joined(a.v[i], b.v[j]);
    }
    for (const Item* item : {&a, &b}) {
      for (int k = 0; k < item->count; ++k) {
        mean += stiffness[item->v[k]] / 4;
        mu += cloth.model.fabric_of(item->v[k]).friction_kinetic / 4;
        smallest = std::min(smallest, cloth.size[item->v[k]]);
      }
    }
    if (near) limit = std::min(limit, kNeighbourShare * smallest);
    const double d = std::max(nearest.distance, 1e-9);
    if (d >= limit) return;
    const double from = std::max(d, even_share * limit), deep = limit - from;
    const double force = mean * (2 * (2 * deep * std::log(limit / from) + deep * deep / from) + (from - d));
    Vec3 direction = Vec3::Zero();
    for (int k = 0; k < a.count; ++k) direction += nearest.on_first[k] * cloth.x[a.v[k]];
    for (int k = 0; k < b.count; ++k) direction -= nearest.on_second[k] * cloth.x[b.v[k]];
    const bool other = cloth.model.fabric_index[a.v[0]] != cloth.model.fabric_index[b.v[0]];
    for (int k = 0; k < a.count; ++k) add(a.v[k], nearest.on_first[k] * force / d * direction, mu, other);
    for (int k = 0; k < b.count; ++k) add(b.v[k], -nearest.on_second[k] * force / d * direction, mu, other);
  }

  void add(int v, const Vec3& force, double mu, bool of_another_garment) {
    out.normal[v] += force;
    out.friction[v] += mu * force.norm();
    if (!of_another_garment) return;
    out.between[v] += force;
    out.friction_between[v] += mu * force.norm();
  }
};

bool share_corner(const Item& a, const Item& b) {
  for (int i = 0; i < a.count; ++i)
    for (int j = 0; j < b.count; ++j)
      if (a.v[i] == b.v[j]) return true;
  return false;
}

// Calls `pair` for items of both lists whose boxes overlap: a sweep along y.
template <typename Pair>
void sweep(std::vector<Item> first, std::vector<Item> second, const Pair& pair) {
  auto lower = [](const Item& a, const Item& b) {
    return std::make_pair(a.box.min().y(), a.v) < std::make_pair(b.box.min().y(), b.v);
  };
  std::sort(first.begin(), first.end(), lower);
  std::sort(second.begin(), second.end(), lower);
  double tallest = 0;
  for (const Item& item : second) tallest = std::max(tallest, item.box.sizes().y());
  size_t begin = 0;
  for (const Item& a : first) {
    while (begin < second.size() && second[begin].box.min().y() < a.box.min().y() - tallest) ++begin;
    for (size_t j = begin; j < second.size() && second[j].box.min().y() <= a.box.max().y(); ++j) {
      if (a.box.intersects(second[j].box) && !share_corner(a, second[j])) pair(a, second[j]);
    }
  }
}

}  // namespace

LayerForces layer_forces(const DrapeModel& model, const std::vector<Vec3>& x, double radius,
                         const std::vector<double>& stiffness, double even_share,
                         const std::vector<uint8_t>& kept_apart) {
  const Cloth cloth(model, x);
  Layers layers{cloth, radius, stiffness, even_share, {}};
  layers.out.normal.assign(x.size(), Vec3::Zero());
  layers.out.between = layers.out.normal;
  layers.out.friction.assign(x.size(), 0.0);
  layers.out.friction_between = layers.out.friction;
  std::set<int> corners;
  std::set<std::pair<int, int>> sides;
  std::vector<Item> vertices, edges, triangles;
  for (const Triangle& t : model.triangles) {
    if (!is_kept_apart(kept_apart, t)) continue;
    for (int k = 0; k < 3; ++k) corners.insert(t[k]), sides.insert(std::minmax(t[k], t[(k + 1) % 3]));
    triangles.push_back(item_of(cloth, {t[0], t[1], t[2]}, radius / 2));
  }
  for (const int v : corners) vertices.push_back(item_of(cloth, {v}, radius / 2));
  for (const auto& [a, b] : sides) edges.push_back(item_of(cloth, {a, b}, radius / 2));
  sweep(vertices, triangles, [&](const Item& v, const Item& t) { layers.press(v, t, point_triangle(cloth, v, t)); });
  sweep(edges, edges, [&](const Item& e, const Item& f) {
    if (e.v < f.v) layers.press(e, f, edge_edge(cloth, e, f));
  });
  return layers.out;
}

}  // namespace tryon::sim
