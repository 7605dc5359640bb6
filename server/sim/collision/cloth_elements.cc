#include "server/sim/collision/cloth_elements.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tryon::sim {

namespace {

int root(std::vector<int>* parent, int i) {
  while ((*parent)[i] != i) i = (*parent)[i] = (*parent)[(*parent)[i]];
  return i;
}

constexpr int kLeaf = 2;                     // triangles
constexpr size_t kParts = 64, kSplits = 12;  // of the walk, at the least where it has so many; rounds of splitting

}  // namespace

ClothElements::ClothElements(const DrapeModel& model) : triangles_(model.triangles) {
  const int particle_count = model.particle_count;
  same_.resize(particle_count);
  std::iota(same_.begin(), same_.end(), 0);
  for (int s = 0; s < model.springs.count(); ++s) {
    if (model.springs.kind[s] != SpringKind::kSeam) continue;
    const int a = root(&same_, model.springs.a[s]), b = root(&same_, model.springs.b[s]);
    same_[std::max(a, b)] = std::min(a, b);
  }
  for (int i = 0; i < particle_count; ++i) same_[i] = root(&same_, i);
  collect_edges(model);
  collect_neighbours();
  represent();
}

void ClothElements::collect_edges(const DrapeModel& model) {
  std::map<std::pair<int, int>, int> index;
  rest_length_.assign(model.particle_count, Real(1e30));
  double sum = 0;
  for (int t = 0; t < static_cast<int>(triangles_.size()); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = triangles_[t][k], b = triangles_[t][(k + 1) % 3];
      const auto [it, fresh] = index.insert({{std::min(a, b), std::max(a, b)}, static_cast<int>(edges_.size())});
      if (fresh) {
        edges_.push_back({std::min(a, b), std::max(a, b), t, -1});
      } else {
        edges_[it->second].right = t;
      }
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

bool ClothElements::shares(int vertex, const Triangle& t) const {
  const int v = same_[vertex];
  return same_[t[0]] == v || same_[t[1]] == v || same_[t[2]] == v;
}

// The first triangle that has a vertex or an edge stands for it.
void ClothElements::represent() {
  own_vertex_.assign(triangles_.size(), {-1, -1, -1});
  own_edge_.assign(triangles_.size(), {-1, -1, -1});
  std::vector<uint8_t> taken(same_.size(), 0);
  for (size_t t = 0; t < triangles_.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int v = triangles_[t][k];
      if (!taken[v]) own_vertex_[t][k] = v;
      taken[v] = 1;
    }
  for (int e = 0; e < static_cast<int>(edges_.size()); ++e) {
    auto& own = own_edge_[edges_[e].left];
    *std::find(own.begin(), own.end(), -1) = e;
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
  shrink_ = static_cast<float>(reach);
  const float half = std::nextafter(0.5F * shrink_, 1.0F) + 1e-6F;  // a micrometre covers the rounding to float
  vertex_box_.resize(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    Eigen::Array4f p = Eigen::Array4f::Zero();
    p.head<3>() = x[i].array().cast<float>();
    vertex_box_[i] = {p - half, p + half};
  }
  auto joined_box = [](const Box& a, const Box& b) { return Box{a.low.min(b.low), a.high.max(b.high)}; };
  edge_box_.resize(edges_.size());
  for (size_t e = 0; e < edges_.size(); ++e)
    edge_box_[e] = joined_box(vertex_box_[edges_[e].a], vertex_box_[edges_[e].b]);
  triangle_box_.resize(triangles_.size());
  for (size_t t = 0; t < triangles_.size(); ++t) {
    const Triangle& tri = triangles_[t];
    triangle_box_[t] = joined_box(joined_box(vertex_box_[tri[0]], vertex_box_[tri[1]]), vertex_box_[tri[2]]);
  }
  node_box_.resize(nodes_.size());
  for (int n = static_cast<int>(nodes_.size()) - 1; n >= 0; --n) {
    const Node& node = nodes_[n];
    if (node.right >= 0) {
      node_box_[n] = joined_box(node_box_[n + 1], node_box_[node.right]);
      continue;
    }
    node_box_[n] = triangle_box_[order_[node.begin]];
    for (int i = node.begin + 1; i < node.end; ++i) node_box_[n] = joined_box(node_box_[n], triangle_box_[order_[i]]);
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

void ClothElements::pair_one_way(int t, int u, Found* found) const {
  const Triangle& other = triangles_[u];
  for (int v : own_vertex_[t]) {
    if (v < 0 || !vertex_box_[v].meets(triangle_box_[u]) || shares(v, other)) continue;
    found->vertex_triangles.push_back({v, u});
  }
  for (int e : own_edge_[t]) {  // boxes are grown: overlap means that they meet by the whole reach
    if (e < 0) continue;
    const bool overlap = (edge_box_[e].low + shrink_ <= triangle_box_[u].high).all() &&
                         (triangle_box_[u].low + shrink_ <= edge_box_[e].high).all();
    if (!overlap || shares(edges_[e].a, other) || shares(edges_[e].b, other)) continue;
    found->edge_triangles.push_back({e, u});
  }
}

void ClothElements::pair_leaves(const Node& first, const Node& second, Found* found) const {
  for (int i = first.begin; i < first.end; ++i) {
    for (int j = &first == &second ? i + 1 : second.begin; j < second.end; ++j) {
      const int t = order_[i], u = order_[j];
      if (!triangle_box_[t].meets(triangle_box_[u])) continue;
      pair_one_way(t, u, found);
      pair_one_way(u, t, found);
      for (int e : own_edge_[t]) {
        if (e < 0 || !edge_box_[e].meets(triangle_box_[u])) continue;
        const int a = same_[edges_[e].a], b = same_[edges_[e].b];
        for (int f : own_edge_[u]) {
          if (f < 0 || !edge_box_[e].meets(edge_box_[f])) continue;
          const int c = same_[edges_[f].a], d = same_[edges_[f].b];
          if (a != c && a != d && b != c && b != d) found->edge_edges.push_back({e, f});
        }
      }
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
  if (triangles_.empty()) return;
  if (nodes_.empty()) {
    order_.resize(triangles_.size());
    std::iota(order_.begin(), order_.end(), 0);
    build(x, 0, static_cast<int>(triangles_.size()));
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
