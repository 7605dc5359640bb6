#include "server/sim/solvers/dissection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <queue>

namespace tryon::sim {

namespace {

constexpr int kLeaf = 48;       // vertices that minimum degree orders
constexpr int kMapWords = 8;    // 64 vertices each: a leaf and its border; more border is left out of sight
constexpr int kDirections = 6;  // of cuts that are tried
constexpr int kRefined = 2;     // of them that are made smaller
constexpr double kLargerSide = 0.6;
constexpr int kPasses = 4;      // of moving the separator
constexpr int kPatience = 120;  // moves that make nothing better before a pass ends
enum : uint8_t { kA, kB, kCut, kOutside };

class Dissection {
 public:
  Dissection(const std::vector<int>& begin, const std::vector<int>& neighbour)
      : begin_(begin), neighbour_(neighbour), n_(static_cast<int>(begin.size()) - 1), side_(n_, kOutside) {
    region_.assign(n_, 0);
    for (auto& d : distance_) d.assign(n_, 0);
    local_.assign(n_, -1);
  }

  std::vector<int> run() {
    std::vector<int> lone, rest;
    for (int i = 0; i < n_; ++i) (begin_[i] == begin_[i + 1] ? lone : rest).push_back(i);
    order_ = std::move(lone);
    order_.reserve(n_);
    split_components(std::move(rest));
    return std::move(order_);
  }

 private:
  template <typename Visit>
  void each_neighbour(int i, Visit visit) const {
    for (int p = begin_[i]; p < begin_[i + 1]; ++p) visit(neighbour_[p]);
  }

  // Gives the vertices a region number of their own: neighbours inside are those with the same.
  int claim(const std::vector<int>& vertices) {
    ++regions_;
    for (int i : vertices) region_[i] = regions_;
    return regions_;
  }

  // Breadth-first from `start` inside its region; the vertices in the order found, distances to `distance`.
  std::vector<int> search(int start, std::vector<int>* distance) {
    const int region = region_[start];
    std::vector<int> found{start};
    ++stamp_;
    stamped_.resize(n_, 0);
    stamped_[start] = stamp_;
    (*distance)[start] = 0;
    for (size_t k = 0; k < found.size(); ++k)
      each_neighbour(found[k], [&](int j) {
        if (region_[j] != region || stamped_[j] == stamp_) return;
        stamped_[j] = stamp_;
        (*distance)[j] = (*distance)[found[k]] + 1;
        found.push_back(j);
      });
    return found;
  }

  void split_components(std::vector<int> vertices) {
    const int whole = claim(vertices);
    for (int i : vertices) {
      if (region_[i] != whole) continue;
      std::vector<int> part = search(i, &distance_[0]);
      std::sort(part.begin(), part.end());
      claim(part);
      dissect(part);
    }
  }

  void dissect(const std::vector<int>& vertices) {  // connected, with a region of their own
    if (static_cast<int>(vertices.size()) <= kLeaf) return order_leaf(vertices);
    find_cut(vertices);
    std::array<std::vector<int>, 3> part;
    for (int i : vertices) part[side_[i]].push_back(i);
    for (int i : vertices) side_[i] = kOutside;
    if (part[kA].empty() || part[kB].empty()) return order_leaf(vertices);
    claim(part[kCut]);
    split_components(std::move(part[kA]));
    split_components(std::move(part[kB]));
    order_.insert(order_.end(), part[kCut].begin(), part[kCut].end());
  }

  // --- the cut ---

  // Distances from two far ends, and from two ends across: their differences are the map's coordinates.
  void draw_map(const std::vector<int>& vertices) {
    const int a = search(vertices[0], &distance_[0]).back();
    const int b = search(a, &distance_[0]).back();
    search(b, &distance_[1]);
    const auto farthest = [&](auto key) {
      return *std::max_element(vertices.begin(), vertices.end(), [&](int i, int j) { return key(i) < key(j); });
    };
    const int c = farthest(
        [&](int i) { return distance_[0][i] + distance_[1][i] - 2 * std::abs(distance_[0][i] - distance_[1][i]); });
    search(c, &distance_[2]);
    const int d = farthest([&](int i) { return distance_[2][i] - std::abs(distance_[0][i] - distance_[1][i]); });
    search(d, &distance_[3]);
  }

  // Every direction's cut as it is, then the best few made smaller.
  void find_cut(const std::vector<int>& vertices) {
    draw_map(vertices);
    std::vector<std::pair<int64_t, int>> rough;
    for (int t = 0; t < kDirections; ++t) {
      cut_across(vertices, t);
      rough.emplace_back(cut_cost(vertices), t);
    }
    std::sort(rough.begin(), rough.end());
    std::vector<uint8_t> best;
    int64_t best_cost = -1;
    for (int k = 0; k < kRefined; ++k) {
      cut_across(vertices, rough[k].second);
      refine(vertices);
      const int64_t cost = cut_cost(vertices);
      if (best_cost >= 0 && cost >= best_cost) continue;
      best_cost = cost;
      best.clear();
      for (int i : vertices) best.push_back(side_[i]);
    }
    for (size_t k = 0; k < vertices.size(); ++k) side_[vertices[k]] = best[k];
  }

  // Halves on either side of a line across the map.
  void cut_across(const std::vector<int>& vertices, int direction) {
    const double angle = 3.14159265358979 * direction / kDirections, c = std::cos(angle), s = std::sin(angle);
    key_.resize(vertices.size());
    for (size_t k = 0; k < vertices.size(); ++k) {
      const int i = vertices[k], x = distance_[0][i] - distance_[1][i], y = distance_[2][i] - distance_[3][i];
      key_[k] = {c * x + s * y + 1e-6 * (s * x - c * y), i};
    }
    const auto middle = key_.begin() + static_cast<std::ptrdiff_t>(key_.size() / 2);
    std::nth_element(key_.begin(), middle, key_.end());
    for (auto k = key_.begin(); k != key_.end(); ++k) side_[k->second] = k < middle ? kA : kB;
    lift_cut(vertices);
  }

  // The shorter shore of the two becomes the separator.
  void lift_cut(const std::vector<int>& vertices) {
    std::array<std::vector<int>, 2> shore;
    for (int i : vertices) {
      bool meets = false;
      each_neighbour(i, [&](int j) { meets = meets || side_[j] == 1 - side_[i]; });
      if (meets) shore[side_[i]].push_back(i);
    }
    for (int i : shore[shore[1].size() < shore[0].size()]) side_[i] = kCut;
  }

  int64_t cut_cost(const std::vector<int>& vertices) const {
    int64_t count[3] = {};
    for (int i : vertices) ++count[side_[i]];
    const double larger = static_cast<double>(std::max(count[kA], count[kB]));
    const double over = std::max(0.0, larger / static_cast<double>(vertices.size()) - kLargerSide);
    return 1000 * count[kCut] + static_cast<int64_t>(1e7 * over) +
           100 * std::abs(count[kA] - count[kB]) / static_cast<int64_t>(vertices.size());
  }

  // Separator vertices that moving i to `to` would draw in, less the one that leaves.
  int pulled(int i, int to) const {
    int count = -1;
    each_neighbour(i, [&](int j) { count += side_[j] == 1 - to; });
    return count;
  }

  // Fiduccia and Mattheyses on the separator: the best move, even a bad one, as long as patience lasts; then back to
  // the best state seen.
  void refine(const std::vector<int>& vertices) {
    for (int pass = 0; pass < kPasses; ++pass)
      if (!refine_once(vertices)) return;
  }

  struct Move {
    int gain, vertex, to;
    bool operator<(const Move& o) const {
      if (gain != o.gain) return gain > o.gain;
      return vertex != o.vertex ? vertex > o.vertex : to > o.to;
    }
  };

  bool refine_once(const std::vector<int>& vertices) {
    int count[3] = {};
    for (int i : vertices) ++count[side_[i]];
    const int most = static_cast<int>(kLargerSide * static_cast<double>(vertices.size()));
    std::priority_queue<Move> queue;
    const auto offer = [&](int i) {
      for (int to : {kA, kB}) queue.push({pulled(i, to), i, to});
    };
    for (int i : vertices)
      if (side_[i] == kCut) offer(i);
    ++lock_;
    locked_.resize(n_, 0);
    std::vector<std::pair<int, uint8_t>> undo;
    const int start = count[kCut];
    int best = start, best_gap = std::abs(count[kA] - count[kB]), idle = 0;
    size_t keep = 0;
    while (!queue.empty() && idle < kPatience) {
      const Move move = queue.top();
      queue.pop();
      const int i = move.vertex, from = 1 - move.to;
      if (side_[i] != kCut || locked_[i] == lock_ || move.gain != pulled(i, move.to)) continue;
      if (count[move.to] + 1 > most && count[move.to] + 1 > count[from]) continue;
      locked_[i] = lock_;
      undo.emplace_back(i, kCut);
      side_[i] = static_cast<uint8_t>(move.to);
      ++count[move.to], --count[kCut];
      std::vector<int> changed;
      each_neighbour(i, [&](int j) {
        if (side_[j] == from) {
          undo.emplace_back(j, side_[j]);
          side_[j] = kCut;
          --count[from], ++count[kCut];
          changed.push_back(j);
        } else if (side_[j] == kCut) {
          changed.push_back(j);
        }
      });
      const size_t drawn = changed.size();
      for (size_t k = 0; k < drawn; ++k)
        if (undo_has(undo, changed[k]))
          each_neighbour(changed[k], [&](int j) {
            if (side_[j] == kCut) changed.push_back(j);
          });
      std::sort(changed.begin(), changed.end());
      changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
      for (int j : changed)
        if (locked_[j] != lock_) offer(j);
      const int gap = std::abs(count[kA] - count[kB]);
      if (count[kCut] < best || (count[kCut] == best && gap < best_gap)) {
        best = count[kCut], best_gap = gap, idle = 0;
        keep = undo.size();
      } else {
        ++idle;
      }
    }
    for (size_t k = undo.size(); k > keep; --k) side_[undo[k - 1].first] = undo[k - 1].second;
    return best < start;
  }

  // --- leaves ---

  using Bits = std::array<uint64_t, kMapWords>;

  // Exact minimum degree on the leaf; its neighbours outside count but are never chosen.
  void order_leaf(const std::vector<int>& vertices) {
    const int own = static_cast<int>(vertices.size());
    if (own > 2 * kLeaf) {  // could not be cut: as it stands
      order_.insert(order_.end(), vertices.begin(), vertices.end());
      return;
    }
    std::vector<int> seen = vertices;
    for (int k = 0; k < own; ++k) local_[vertices[k]] = k;
    for (int i : vertices)
      each_neighbour(i, [&](int j) {
        if (local_[j] >= 0 || static_cast<int>(seen.size()) == 64 * kMapWords) return;
        local_[j] = static_cast<int>(seen.size());
        seen.push_back(j);
      });
    std::vector<Bits> near(seen.size(), Bits{});
    const auto set = [](Bits* bits, int k) { (*bits)[k / 64] |= uint64_t{1} << (k % 64); };
    for (int k = 0; k < own; ++k)
      each_neighbour(seen[k], [&](int j) {
        if (local_[j] < 0) return;
        set(&near[k], local_[j]);
        set(&near[local_[j]], k);
      });
    eliminate(vertices, &near);
    for (int i : seen) local_[i] = -1;
  }

  void eliminate(const std::vector<int>& vertices, std::vector<Bits>* near) {
    const int own = static_cast<int>(vertices.size());
    std::vector<uint8_t> done(own, 0);
    const auto degree = [&](int k) {
      int sum = 0;
      for (uint64_t word : (*near)[k]) sum += __builtin_popcountll(word);
      return sum;
    };
    for (int step = 0; step < own; ++step) {
      int best = -1, least = 0;
      for (int k = 0; k < own; ++k) {
        if (done[k]) continue;
        const int d = degree(k);
        if (best < 0 || d < least) best = k, least = d;
      }
      done[best] = 1;
      order_.push_back(vertices[best]);
      const Bits clique = (*near)[best];
      for (size_t k = 0; k < near->size(); ++k) {
        if (!(clique[k / 64] >> (k % 64) & 1)) continue;
        Bits& bits = (*near)[k];
        for (int word = 0; word < kMapWords; ++word) bits[word] |= clique[word];
        bits[k / 64] &= ~(uint64_t{1} << (k % 64));
        bits[best / 64] &= ~(uint64_t{1} << (best % 64));
      }
    }
  }

  static bool undo_has(const std::vector<std::pair<int, uint8_t>>& undo, int vertex) {
    for (size_t k = undo.size(); k > 0 && undo[k - 1].second != kCut; --k)
      if (undo[k - 1].first == vertex) return true;
    return false;
  }

  const std::vector<int>&begin_, &neighbour_;
  const int n_;
  std::vector<uint8_t> side_;  // [n] while a region is cut
  std::vector<int> region_, local_;
  std::array<std::vector<int>, 4> distance_;
  std::vector<std::pair<double, int>> key_;
  std::vector<int> stamped_, locked_;
  int regions_ = 0, stamp_ = 0, lock_ = 0;
  std::vector<int> order_;
};

}  // namespace

std::vector<int> nested_dissection(const std::vector<int>& begin, const std::vector<int>& neighbour) {
  return Dissection(begin, neighbour).run();
}

}  // namespace tryon::sim
