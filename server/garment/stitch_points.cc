#include "server/garment/stitch_points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace tryon {
namespace {

// A run of vertices without a partner that is longer is an opening.
constexpr int kLongestRun = 3;
// A vertex slides until a triangle has a quarter of its area left.
constexpr double kLeastArea = 0.25;
// Stitches that end so near to a vertex, as a share of its edge, end in it; a new one leaves as much of its edge.
constexpr double kSame = 0.1;
// Of more that are sewn into one point neighbours are not looked at.
constexpr size_t kMostMeet = 64;
// Of a run's length its ends are apart.
constexpr double kStraight = 0.7;

using Side = std::pair<int, int>;
Side side_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

double twice_area(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

// The outline as it came: which edges have one triangle, and who follows whom along them.
class Outline {
 public:
  explicit Outline(const MeshPattern& mesh) : around_(mesh.flat.size()) {
    for (const Triangle& t : mesh.triangles) {
      for (int k = 0; k < 3; ++k) {
        ++count_[side_of(t[k], t[(k + 1) % 3])];
        around_[t[k]].insert({t[(k + 1) % 3], t[(k + 2) % 3]});
      }
    }
    for (const auto& [side, count] : count_) {
      if (count == 1) along_[side.first].push_back(side.second), along_[side.second].push_back(side.first);
    }
  }
  bool is_edge(int a, int b) const {
    const auto at = count_.find(side_of(a, b));
    return at != count_.end() && at->second == 1;
  }
  bool touch(int a, int b) const { return around_[a].count(b) > 0; }
  const std::map<int, std::vector<int>>& along() const { return along_; }

 private:
  std::vector<std::set<int>> around_;  // [vertex_count] neighbours
  std::map<Side, int> count_;
  std::map<int, std::vector<int>> along_;  // [vertex on the outline] its neighbours there
};

// A vertex to be on the edge (b, c), sewn to a; `order` as the stitches follow each other.
struct Place {
  int a, b, c;
  Vec2 flat;
  double order;
};
struct Joint {
  int a, b;
  double order;
};

class Stitcher {
 public:
  explicit Stitcher(const MeshPattern& mesh) : mesh_(mesh), outline_(mesh), of_vertex_(mesh.flat.size()) {
    for (const Triangle& t : mesh.triangles) {
      for (int k = 0; k < 3; ++k) of_vertex_[t[k]].push_back(static_cast<int>(&t - mesh.triangles.data()));
    }
  }

  MeshPattern result() && {
    pair_the_nearest();
    pair_what_is_left();
    MeshPattern out = std::move(moved_);
    split_edges(&out);
    std::stable_sort(joints_.begin(), joints_.end(), [](const Joint& x, const Joint& y) { return x.order < y.order; });
    out.stitches.clear();
    for (const Joint& j : joints_) out.stitches.push_back({j.a, j.b, j.b, 0.0});
    return out;
  }

 private:
  void pair_the_nearest() {
    std::vector<int> order(mesh_.stitches.size());
    std::iota(order.begin(), order.end(), 0);
    const auto off = [&](int i) { return std::min(mesh_.stitches[i].t, 1.0 - mesh_.stitches[i].t); };
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return off(x) < off(y); });
    for (const int i : order) pair_stitch(i);
  }

  void pair_stitch(int i) {
    const MeshStitch& s = mesh_.stitches[i];
    const bool first = s.t < 0.5;
    const int near = first ? s.b : s.c, far = first ? s.c : s.b;
    const double t = first ? s.t : 1.0 - s.t;
    if (s.a == near) return;
    if (t == 0.0 || !outline_.is_edge(near, far) || (free_to_meet(s.a, near) && slide(near, far, t))) {
      join(s.a, near, i);
    } else if (s.a != far) {
      const Vec2 there = (1.0 - t) * mesh_.flat[near] + t * mesh_.flat[far];
      places_.push_back({s.a, near, far, there, static_cast<double>(i)});
      placed_.insert(s.a);
    }
  }

  // No two that meet are neighbours on their own piece of cloth: it would shrink to nothing there.
  bool free_to_meet(int a, int b) const {
    for (const int x : with_partners(a)) {
      for (const int y : with_partners(b)) {
        if (outline_.touch(x, y)) return false;
      }
    }
    return true;
  }

  std::vector<int> with_partners(int v) const {
    std::vector<int> out{v};
    const auto at = partners_.find(v);
    if (at != partners_.end()) out.insert(out.end(), at->second.begin(), at->second.end());
    return out;
  }

  bool slide(int v, int towards, double t) {
    const Vec2 there = (1.0 - t) * mesh_.flat[v] + t * mesh_.flat[towards];
    if (partners_.count(v))  // it has its place, which may be there
      return (there - moved_.flat[v]).norm() <= kSame * (mesh_.flat[towards] - mesh_.flat[v]).norm();
    for (const int f : of_vertex_[v]) {
      Vec2 now[3], then[3];
      for (int k = 0; k < 3; ++k) {
        const int w = mesh_.triangles[f][k];
        now[k] = moved_.flat[w], then[k] = w == v ? there : now[k];
      }
      if (twice_area(then[0], then[1], then[2]) / twice_area(now[0], now[1], now[2]) < kLeastArea) return false;
    }
    moved_.flat[v] = there;
    if (!moved_.placed.empty()) moved_.placed[v] = (1.0 - t) * mesh_.placed[v] + t * mesh_.placed[towards];
    return true;
  }

  void join(int a, int b, int order) {
    joints_.push_back({a, b, static_cast<double>(order)});
    order_.insert({{a, order}, {b, order}});
    const std::vector<int> of_a = with_partners(a), of_b = with_partners(b);
    if (of_a.size() + of_b.size() > kMostMeet) {
      partners_[a].insert(b);
      return;
    }
    for (const int x : of_a) partners_[x].insert(of_b.begin(), of_b.end());
    for (const int y : of_b) partners_[y].insert(of_a.begin(), of_a.end());
  }

  // Vertices without a partner between two that have one, whose partners are neighbours: the shortest way from one to
  // the other, for the rest of the outline joins them too.
  void pair_what_is_left() {
    std::map<Side, std::vector<int>> runs;
    for (const auto& [start, ways] : outline_.along()) {
      if (!partners_.count(start)) continue;
      for (const int way : ways) {
        const std::vector<int> run = run_from(start, way);
        if (run.size() < 3 || run.front() > run.back() || !partners_.count(run.back())) continue;
        std::vector<int>& kept = runs[{run.front(), run.back()}];
        if (kept.empty() || lengths(run).back() < lengths(kept).back()) kept = run;
      }
    }
    for (const auto& [ends, run] : runs) {
      if ((moved_.flat[ends.first] - moved_.flat[ends.second]).norm() > kStraight * lengths(run).back()) pair_run(run);
    }
  }

  std::vector<int> run_from(int start, int way) const {
    std::vector<int> run{start, way};
    while (!partners_.count(run.back()) && !placed_.count(run.back()) &&
           static_cast<int>(run.size()) <= kLongestRun + 1) {
      const std::vector<int>& next = outline_.along().at(run.back());
      if (next.size() != 2) break;
      run.push_back(next[0] == run[run.size() - 2] ? next[1] : next[0]);
    }
    return run;
  }

  std::vector<double> lengths(const std::vector<int>& run) const {
    std::vector<double> out{0.0};
    for (size_t i = 1; i < run.size(); ++i)
      out.push_back(out.back() + (moved_.flat[run[i]] - moved_.flat[run[i - 1]]).norm());
    return out;
  }

  // On every edge that is sewn to the run's ends: where pleats lie on each other there are several.
  void pair_run(const std::vector<int>& run) {
    const std::vector<double> length = lengths(run);
    for (const int b : partners_[run.front()]) {
      for (const int c : partners_[run.back()]) {
        if (!outline_.is_edge(b, c)) continue;
        const double from = order_[run.front()], to = order_[run.back()];
        for (size_t i = 1; i + 1 < run.size(); ++i) {
          const double t = length[i] / length.back();
          places_.push_back({run[i], b, c, (1.0 - t) * moved_.flat[b] + t * moved_.flat[c], from + t * (to - from)});
        }
      }
    }
  }

  // Each edge once, with all that comes to lie on it; its triangle becomes a fan.
  void split_edges(MeshPattern* out) {
    std::map<Side, std::vector<Place>> on;
    for (const Place& p : places_) on[side_of(p.b, p.c)].push_back(p);
    for (size_t f = 0, count = out->triangles.size(); f < count; ++f) split_triangle(f, &on, out);
  }

  void split_triangle(size_t f, std::map<Side, std::vector<Place>>* on, MeshPattern* out) {
    std::vector<size_t> pieces{f};
    for (size_t i = 0; i < pieces.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const Triangle t = out->triangles[pieces[i]];
        const auto at = on->find(side_of(t[k], t[(k + 1) % 3]));
        if (at == on->end()) continue;
        std::vector<int> chain = new_vertices(at->second, t[k], t[(k + 1) % 3], out);
        on->erase(at);
        chain.push_back(t[(k + 1) % 3]);
        out->triangles[pieces[i]] = {t[k], chain[0], t[(k + 2) % 3]};
        for (size_t j = 1; j < chain.size(); ++j) {
          pieces.push_back(out->triangles.size());
          out->triangles.push_back({chain[j - 1], chain[j], t[(k + 2) % 3]});
        }
      }
    }
  }

  // On the edge as it is now, from its end b to its end c.
  std::vector<int> new_vertices(const std::vector<Place>& places, int b, int c, MeshPattern* out) {
    const Vec2 way = out->flat[c] - out->flat[b];
    std::vector<std::pair<double, const Place*>> along;
    for (const Place& p : places) {
      const double t = (p.flat - out->flat[b]).dot(way) / way.squaredNorm();
      along.emplace_back(std::clamp(t, kSame, 1.0 - kSame), &p);
    }
    std::stable_sort(along.begin(), along.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<int> made;
    double last = -1.0;
    for (const auto& [t, place] : along) {
      if (t - last < kSame) {  // of another layer
        joints_.push_back({place->a, made.back(), place->order});
        continue;
      }
      last = t;
      made.push_back(out->vertex_count());
      joints_.push_back({place->a, made.back(), place->order});
      out->flat.push_back((1.0 - t) * out->flat[b] + t * out->flat[c]);
      out->panel.push_back(out->panel[b]);
      if (!out->placed.empty()) out->placed.push_back((1.0 - t) * out->placed[b] + t * out->placed[c]);
    }
    return made;
  }

  const MeshPattern& mesh_;
  const Outline outline_;
  std::vector<std::vector<int>> of_vertex_;  // [vertex_count] its triangles
  MeshPattern moved_ = mesh_;
  std::map<int, std::set<int>> partners_;
  std::vector<Place> places_;
  std::set<int> placed_;  // whose partners come last
  std::vector<Joint> joints_;
  std::map<int, int> order_;  // [sewn vertex] of its first stitch
};

}  // namespace

MeshPattern with_stitched_vertices(const MeshPattern& mesh) { return Stitcher(mesh).result(); }

}  // namespace tryon
