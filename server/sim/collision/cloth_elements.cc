#include "server/sim/collision/cloth_elements.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tryon::sim {

namespace {

int root(std::vector<int>* parent, int i) {
  while ((*parent)[i] != i) i = (*parent)[i] = (*parent)[(*parent)[i]];
  return i;
}

template <typename V>
V of_next_corner(V lanes) {
  return __builtin_shuffle(lanes, I4{1, 2, 0, 3});
}

constexpr float kSliver = 0.05F;  // height by length: what is flatter has no plane that float knows to kRounding

// Unit normal and distance from the origin; of a sliver nothing, at which everything lies.
F4 plane_of(const Corners& at) {
  float u[3], v[3];
  for (int axis = 0; axis < 3; ++axis) u[axis] = at[axis][1] - at[axis][0], v[axis] = at[axis][2] - at[axis][0];
  const float x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
  const float size = std::sqrt(x * x + y * y + z * z);
  const float longest = std::max(u[0] * u[0] + u[1] * u[1] + u[2] * u[2], v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (!(size > kSliver * longest)) return F4{};
  return F4{x, y, z, x * at[0][0] + y * at[1][0] + z * at[2][0]} / size;
}

// Whether all three corners lie on one side of the plane, farther away than `reach`.
bool beyond(const Corners& at, F4 plane, float reach) {
  const F4 height = at[0] * plane[0] + at[1] * plane[1] + at[2] * plane[2] - plane[3];
  return (bits(height > reach) & 7) == 7 || (bits(height < -reach) & 7) == 7;
}

struct Segments {  // a lane each, by axis
  F4 middle[3], half[3];
};

Segments sides_of(const Corners& at) {
  Segments out;
#pragma GCC unroll 3
  for (int axis = 0; axis < 3; ++axis) {
    const F4 next = of_next_corner(at[axis]);
    out.middle[axis] = 0.5F * (at[axis] + next), out.half[axis] = 0.5F * (next - at[axis]);
  }
  return out;
}

// Which of them are farther than `reach` from one of these, as seen along the line of both middles.
int beyond(const Segments& all, const Segments& these, int one, float reach) {
  F4 between[3], square = {}, ours = {}, theirs = {};
#pragma GCC unroll 3
  for (int axis = 0; axis < 3; ++axis) {
    between[axis] = all.middle[axis] - these.middle[axis][one];
    square += between[axis] * between[axis];
    ours += between[axis] * these.half[axis][one], theirs += between[axis] * all.half[axis];
  }
  const F4 gap = square - most(ours, -ours) - most(theirs, -theirs);  // times the length of `between`
  return bits((gap > 0.0F) & (gap * gap > reach * reach * square));
}

template <typename Visit>
void each_bit(int bits, const Visit& visit) {
  for (; bits != 0; bits &= bits - 1) visit(__builtin_ctz(static_cast<unsigned>(bits)));
}

constexpr int kLeaf = 2;                     // triangles
constexpr float kRounding = 1e-5F;           // m; more than what planes and middles lose as float
constexpr size_t kParts = 64, kSplits = 12;  // of the walk, at the least where it has so many; rounds of splitting

}  // namespace

ClothElements::ClothElements(const DrapeModel& model, const std::vector<uint8_t>& of) : triangles_(model.triangles) {
  const int particle_count = model.particle_count;
  same_.resize(particle_count);
  std::iota(same_.begin(), same_.end(), 0);
  for (int s = 0; s < model.springs.count(); ++s) {
    if (model.springs.kind[s] != SpringKind::kSeam) continue;
    const int a = root(&same_, model.springs.a[s]), b = root(&same_, model.springs.b[s]);
    same_[std::max(a, b)] = std::min(a, b);
  }
  for (int i = 0; i < particle_count; ++i) same_[i] = root(&same_, i);
  leaves_.resize(triangles_.size());
  collect_edges(model, of);
  collect_neighbours();
  represent(of);
  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t)
    if (is_kept_apart(of, triangles_[t])) order_.push_back(t);
}

void ClothElements::collect_edges(const DrapeModel& model, const std::vector<uint8_t>& of) {
  std::vector<int> first(model.particle_count, -1), next;  // of the edges with a lower end: a few each
  std::vector<uint8_t> stood_for;                          // [edges_]
  rest_length_.assign(model.particle_count, Real(1e30));
  double sum = 0;
  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
    for (int k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax({triangles_[t][k], triangles_[t][(k + 1) % 3]});
      int edge = first[a];
      while (edge >= 0 && edges_[edge].b != b) edge = next[edge];
      if (edge < 0) {
        edge = static_cast<int>(edges_.size());
        edges_.push_back({a, b, t, -1});
        stood_for.push_back(0);
        next.push_back(std::exchange(first[a], edge));
      } else {
        edges_[edge].right = t;
      }
      if (!is_kept_apart(of, triangles_[t]) || std::exchange(stood_for[edge], uint8_t{1})) continue;
      leaves_[t].edge[k] = edge;
      leaves_[t].own_edges |= 1 << k;
    }
  }
  // The rest shape's size: of an equilateral triangle of the same area.
  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
    const Real length = std::sqrt(model.rest_area[t] / Real(0.4330127));
    for (int v : triangles_[t]) rest_length_[v] = std::min(rest_length_[v], length);
    sum += static_cast<double>(length);
  }
  mean_edge_ = triangles_.empty() ? Real(0.01) : static_cast<Real>(sum / static_cast<double>(triangles_.size()));
}

void ClothElements::collect_neighbours() {
  neighbours_.resize(same_.size());
  for (const Edge& e : edges_) {
    const int a = same_[e.a], b = same_[e.b];
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }
  for (auto& list : neighbours_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
}

bool ClothElements::joined(int a, int b) const {
  const auto& list = neighbours_[same_[a]];
  return std::binary_search(list.begin(), list.end(), same_[b]);
}

// The first triangle that has a vertex stands for it; collect_edges() has seen to the edges.
void ClothElements::represent(const std::vector<uint8_t>& of) {
  std::vector<uint8_t> taken(same_.size(), 0);
  for (size_t t = 0; t < triangles_.size(); ++t) {
    Leaf& leaf = leaves_[t];
    leaf.triangle = static_cast<int>(t);
    for (int k = 0; k < 3; ++k) {
      const int v = leaf.vertex[k] = triangles_[t][k];
      leaf.same[k] = same_[v];
      if (!is_kept_apart(of, triangles_[t])) continue;
      leaf.own_vertices |= !taken[v] << k;
      taken[v] = 1;
    }
    leaf.next = of_next_corner(leaf.same);
  }
}

// Halves by the middle of the longest side of the triangles' middles; returns the node.
int ClothElements::build(const std::vector<RVec3>& x, int begin, int end) {
  const int node = static_cast<int>(nodes_.size());
  nodes_.push_back({-1, begin, end});
  if (end - begin <= kLeaf) return node;
  auto middle = [&](int t) { return RVec3(x[triangles_[t][0]] + x[triangles_[t][1]] + x[triangles_[t][2]]); };
  RVec3 low = RVec3::Constant(Real(1e30)), high = -low;
  for (int i = begin; i < end; ++i) low = low.cwiseMin(middle(order_[i])), high = high.cwiseMax(middle(order_[i]));
  int axis = 0;
  (high - low).maxCoeff(&axis);
  const int half = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + half, order_.begin() + end, [&](int a, int b) {
    return std::make_pair(middle(a)[axis], a) < std::make_pair(middle(b)[axis], b);
  });
  build(x, begin, half);
  const int right = build(x, half, end);
  nodes_[node].right = right;
  return node;
}

void ClothElements::refit(const std::vector<RVec3>& x, Real reach) {
  reach_ = static_cast<float>(reach);
  grow_ = std::nextafter(0.5F * reach_, 1.0F) + 1e-6F;  // a micrometre covers the rounding to float
  place_.resize(order_.size());
  leaf_box_.resize(order_.size());
  plane_.resize(order_.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    F4 low = lanes(std::numeric_limits<float>::max()), high = -low;
    for (int k = 0; k < 3; ++k) {
      const RVec3 p = x[triangles_[order_[i]][k]] - x[0];  // near the cloth float is fine enough, wherever it is
      const F4 at = {static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())};
      low = least(low, at), high = most(high, at);
      for (int axis = 0; axis < 3; ++axis) place_[i][axis][k] = at[axis];
    }
    leaf_box_[i] = {low - grow_, high + grow_};
    plane_[i] = plane_of(place_[i]);
  }
  node_box_.resize(nodes_.size());
  for (int n = static_cast<int>(nodes_.size()) - 1; n >= 0; --n) {
    const Node& node = nodes_[n];
    const bool leaf = node.right < 0;
    node_box_[n] = leaf ? leaf_box_[node.begin] : node_box_[n + 1];
    if (!leaf) node_box_[n].cover(node_box_[node.right]);
    for (int i = node.begin + 1; leaf && i < node.end; ++i) node_box_[n].cover(leaf_box_[i]);
  }
}

void ClothElements::Found::clear() {
  vertex_triangles.clear();
  edge_edges.clear();
  edge_triangles.clear();
}

void ClothElements::Found::append(const Found& other) {
  const auto add = [](const auto& from, auto* to) { to->insert(to->end(), from.begin(), from.end()); };
  add(other.vertex_triangles, &vertex_triangles);
  add(other.edge_edges, &edge_edges);
  add(other.edge_triangles, &edge_triangles);
}

ClothElements::Lanes ClothElements::lanes_of(int at) const {
  Lanes out;
#pragma GCC unroll 3
  for (int axis = 0; axis < 3; ++axis) {
    const F4 low = place_[at][axis] - grow_, high = place_[at][axis] + grow_;
    out.vertices.low[axis] = low, out.vertices.high[axis] = high;
    out.edges.low[axis] = least(low, of_next_corner(low)), out.edges.high[axis] = most(high, of_next_corner(high));
  }
  return out;
}

void ClothElements::pair_one_way(int at, const Lanes& from, int other, Found* found) const {
  const Leaf &leaf = leaves_[at], &to = leaves_[other];
  const Box& box = leaf_box_[other];
  const int shared = bits((leaf.same == to.same[0]) | (leaf.same == to.same[1]) | (leaf.same == to.same[2]));
  each_bit(leaf.own_vertices & ~shared & from.vertices.meet(box), [&](int k) {
    found->vertex_triangles.push_back({leaf.vertex[k], to.triangle});
  });
  const int begins_or_ends = shared | shared >> 1 | shared << 2;
  // Boxes are grown: what crosses meets by the whole reach.
  each_bit(leaf.own_edges & ~begins_or_ends & from.edges.overlap(box, reach_), [&](int k) {
    found->edge_triangles.push_back({leaf.edge[k], to.triangle});
  });
}

void ClothElements::pair_edges(int at, const Lanes& from, int other, const Lanes& to, Found* found) const {
  const Leaf &leaf = leaves_[at], &with = leaves_[other];
  const int near = leaf.own_edges & from.edges.meet(leaf_box_[other]);
  if (near == 0 || with.own_edges == 0) return;
  const Segments ours = sides_of(place_[at]), theirs = sides_of(place_[other]);
  each_bit(near, [&](int k) {
    const int a = leaf.same[k], b = leaf.next[k];
    const int shared = bits((with.same == a) | (with.same == b) | (with.next == a) | (with.next == b));
    int to_pair = with.own_edges & ~shared & to.edges.meet(from.edges.one(k));
    if (to_pair != 0) to_pair &= ~beyond(theirs, ours, k, reach_ + kRounding);
    each_bit(to_pair, [&](int m) { found->edge_edges.push_back({leaf.edge[k], with.edge[m]}); });
  });
}

void ClothElements::pair_leaves(const Node& first, const Node& second, Found* found) const {
  const float reach = reach_ + kRounding;
  for (int i = first.begin; i < first.end; ++i) {
    const Lanes of = lanes_of(i);
    for (int j = &first == &second ? i + 1 : second.begin; j < second.end; ++j) {
      if (!leaf_box_[i].meets(leaf_box_[j])) continue;
      if (beyond(place_[i], plane_[j], reach) || beyond(place_[j], plane_[i], reach)) continue;
      const Lanes with = lanes_of(j);
      pair_one_way(i, of, j, found);
      pair_one_way(j, with, i, found);
      pair_edges(i, of, j, with, found);
    }
  }
}

template <typename Next>
void ClothElements::descend(int first, int second, const Next& next) const {
  const Node &a = nodes_[first], &b = nodes_[second];
  if (first == second) {
    next(first + 1, first + 1);
    next(a.right, a.right);
    next(first + 1, a.right);
  } else if (b.right < 0 || (a.right >= 0 && a.end - a.begin >= b.end - b.begin)) {
    next(first + 1, second);
    next(a.right, second);
  } else {
    next(first, second + 1);
    next(first, b.right);
  }
}

void ClothElements::meet(int first, int second, Found* found) const {
  if (first != second && !node_box_[first].meets(node_box_[second])) return;
  if (nodes_[first].right < 0 && nodes_[second].right < 0) return pair_leaves(nodes_[first], nodes_[second], found);
  descend(first, second, [&](int a, int b) { meet(a, b, found); });
}

// walks_: the first rounds of the walk, in its order, whatever the number of threads.
void ClothElements::split_walk() {
  walks_.assign(1, {0, 0});
  for (size_t round = 0; round < kSplits && walks_.size() < kParts; ++round) {
    split_.clear();
    for (const auto& [first, second] : walks_) {
      if (first != second && !node_box_[first].meets(node_box_[second])) continue;
      if (nodes_[first].right < 0 && nodes_[second].right < 0) {
        split_.push_back({first, second});
      } else {
        descend(first, second, [&](int a, int b) { split_.push_back({a, b}); });
      }
    }
    walks_.swap(split_);
  }
}

void ClothElements::find(const std::vector<RVec3>& x, Real reach, const RunContext& run) {
  found_.clear();
  if (order_.empty()) return;
  if (nodes_.empty()) {
    build(x, 0, static_cast<int>(order_.size()));
    std::vector<Leaf> in_order;
    for (const int t : order_) in_order.push_back(leaves_[t]);
    leaves_ = std::move(in_order);
  }
  refit(x, reach);
  split_walk();
  if (part_.size() < walks_.size()) part_.resize(walks_.size());
  run.parallel_for(static_cast<int64_t>(walks_.size()), 1, [this](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      part_[k].clear();
      meet(walks_[k][0], walks_[k][1], &part_[k]);
    }
  });
  for (size_t k = 0; k < walks_.size(); ++k) found_.append(part_[k]);
}

}  // namespace tryon::sim
