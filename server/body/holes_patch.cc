#include "server/body/holes_patch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "server/base/units.h"

namespace tryon {
namespace {

constexpr int kMostForAll = 160;        // longer loops are shortened first: all triangulations take time cubed
constexpr int kMostPoints = 20'000;     // of a patch: no rim asks for more
constexpr int kMostPasses = 24;         // of refinement
constexpr double kSpread = 1.41421356;  // Liepa's alpha: how fine the patch becomes

uint64_t edge_key(int a, int b) {
  return static_cast<uint64_t>(std::min(a, b)) << 32 | static_cast<uint32_t>(std::max(a, b));
}

using Tri = std::array<int, 3>;

struct Patch {
  std::vector<Vec3> at;         // rim first
  std::vector<double> spacing;  // [point]
  std::vector<Tri> triangles;
  std::function<bool(int, int)> taken;  // whether the mesh already joins two rim points

  Vec3 normal(const Tri& t) const { return (at[t[1]] - at[t[0]]).cross(at[t[2]] - at[t[0]]); }
};

struct Cost {  // the sharpest fold first, then the area
  double fold = 1e300, area = 1e300;
  bool operator<(const Cost& o) const { return fold != o.fold ? fold < o.fold : area < o.area; }
};

// The best triangulation of the rim points `ring` (indices into the patch): dynamic programming over all of them.
class BestTriangulation {
 public:
  BestTriangulation(const Patch& patch, std::vector<int> ring, std::vector<Vec3> outside)
      : patch_(patch), ring_(std::move(ring)), outside_(std::move(outside)), n_(static_cast<int>(ring_.size())) {
    cost_.resize(static_cast<size_t>(n_) * n_);
    through_.assign(static_cast<size_t>(n_) * n_, -1);
  }
  bool solve(std::vector<Tri>* out) {
    for (int i = 0; i + 1 < n_; ++i) cost_[id(i, i + 1)] = {0.0, 0.0};
    for (int span = 2; span < n_; ++span) {
      for (int i = 0; i + span < n_; ++i) best_of(i, i + span);
    }
    if (through_[id(0, n_ - 1)] < 0) return false;
    collect(0, n_ - 1, out);
    return true;
  }

 private:
  size_t id(int i, int j) const { return static_cast<size_t>(i) * n_ + j; }
  const Vec3& at(int i) const { return patch_.at[ring_[i]]; }
  Vec3 normal(int i, int m, int k) const { return (at(m) - at(i)).cross(at(k) - at(i)); }
  // Of what lies beyond the side i..j: the skin outside the rim, or the triangle chosen there.
  Vec3 beyond(int i, int j) const {
    if (j == i + 1) return outside_[i];
    return normal(i, through_[id(i, j)], j);
  }
  static double fold(const Vec3& a, const Vec3& b) {
    const double length = std::sqrt(a.squaredNorm() * b.squaredNorm());
    return length > 0 ? 1.0 - a.dot(b) / length : 1.0;
  }
  void best_of(int i, int k) {
    const bool whole = i == 0 && k == n_ - 1;
    if (!whole && patch_.taken(ring_[i], ring_[k])) return;
    for (int m = i + 1; m < k; ++m) {
      const Cost &left = cost_[id(i, m)], &right = cost_[id(m, k)];
      if (left.area > 1e299 || right.area > 1e299) continue;
      const Vec3 n = normal(i, m, k);
      double sharp = std::max({left.fold, right.fold, fold(n, beyond(i, m)), fold(n, beyond(m, k))});
      if (whole) sharp = std::max(sharp, fold(n, outside_[n_ - 1]));
      // Folds below half a right angle are all alike: the area decides among them.
      const Cost cost{sharp < 0.3 ? 0.3 : sharp, left.area + right.area + n.norm()};
      if (cost < cost_[id(i, k)]) cost_[id(i, k)] = cost, through_[id(i, k)] = m;
    }
  }
  void collect(int i, int k, std::vector<Tri>* out) const {
    if (k < i + 2) return;
    const int m = through_[id(i, k)];
    out->push_back({ring_[i], ring_[m], ring_[k]});
    collect(i, m, out);
    collect(m, k, out);
  }

  const Patch& patch_;
  std::vector<int> ring_;
  std::vector<Vec3> outside_;  // [ring] normal of the skin beyond the side i, i + 1
  int n_;
  std::vector<Cost> cost_;
  std::vector<int> through_;
};

// Cuts off the corner with the shortest diagonal until few enough are left.
void shorten(Patch* patch, std::vector<int>* ring, std::vector<Vec3>* outside) {
  while (static_cast<int>(ring->size()) > kMostForAll) {
    const size_t n = ring->size();
    size_t best = n;
    double least = 1e300;
    for (size_t i = 0; i < n; ++i) {
      const int a = (*ring)[(i + n - 1) % n], b = (*ring)[i], c = (*ring)[(i + 1) % n];
      if (patch->taken(a, c)) continue;
      const Vec3 normal = patch->normal({a, b, c});
      const Vec3 rim = (*outside)[(i + n - 1) % n].normalized() + (*outside)[i].normalized();
      const double folded = normal.dot(rim) < 0 ? 4.0 : 1.0;
      const double length = folded * (patch->at[c] - patch->at[a]).norm();
      if (length < least) least = length, best = i;
    }
    if (best == n) return;
    const size_t before = (best + n - 1) % n, after = (best + 1) % n;
    const Tri cut = {(*ring)[before], (*ring)[best], (*ring)[after]};
    patch->triangles.push_back(cut);
    (*outside)[before] = patch->normal(cut);
    ring->erase(ring->begin() + static_cast<std::ptrdiff_t>(best));
    outside->erase(outside->begin() + static_cast<std::ptrdiff_t>(best));
  }
}

struct Side {
  int a, b, triangle, corner;
};

std::vector<Side> sides_of(const std::vector<Tri>& triangles) {
  std::vector<Side> sides;
  for (size_t t = 0; t < triangles.size(); ++t) {
    for (int k = 0; k < 3; ++k) {
      const int a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      sides.push_back({std::min(a, b), std::max(a, b), static_cast<int>(t), k});
    }
  }
  std::sort(sides.begin(), sides.end(), [](const Side& s, const Side& o) {
    return std::tie(s.a, s.b, s.triangle) < std::tie(o.a, o.b, o.triangle);
  });
  return sides;
}

double angle_at(const Vec3& p, const Vec3& a, const Vec3& b) {
  return std::atan2((a - p).cross(b - p).norm(), (a - p).dot(b - p));
}

// One pass over all inner edges: those whose opposite angles exceed a straight one are turned. How many were.
int flip_edges(Patch* patch) {
  const std::vector<Side> sides = sides_of(patch->triangles);
  std::vector<uint64_t> present;
  for (const Side& s : sides) present.push_back(edge_key(s.a, s.b));
  std::vector<char> touched(patch->triangles.size(), 0);
  std::set<uint64_t> added;
  int flips = 0;
  for (size_t i = 0; i + 1 < sides.size(); ++i) {
    const Side &s = sides[i], &o = sides[i + 1];
    if (s.a != o.a || s.b != o.b || touched[s.triangle] || touched[o.triangle]) continue;
    const Tri first = patch->triangles[s.triangle], second = patch->triangles[o.triangle];
    const int a = first[s.corner], b = first[(s.corner + 1) % 3], c = first[(s.corner + 2) % 3];
    const int d = second[(o.corner + 2) % 3];
    const double sum =
        angle_at(patch->at[c], patch->at[a], patch->at[b]) + angle_at(patch->at[d], patch->at[a], patch->at[b]);
    if (c == d || sum < kPi + 1e-6 || patch->taken(c, d)) continue;
    const uint64_t key = edge_key(c, d);
    if (std::binary_search(present.begin(), present.end(), key) || added.count(key) > 0) {
      continue;
    }
    patch->triangles[s.triangle] = {a, d, c};
    patch->triangles[o.triangle] = {d, b, c};
    touched[s.triangle] = touched[o.triangle] = 1;
    added.insert(key);
    ++flips;
  }
  return flips;
}

void relax(Patch* patch) {
  for (int pass = 0; pass < 12 && flip_edges(patch) > 0; ++pass) {
  }
}

// A point in the middle of every triangle that is large for its corners' spacing. How many.
int split_triangles(Patch* patch) {
  int splits = 0;
  const size_t count = patch->triangles.size();
  for (size_t t = 0; t < count; ++t) {
    const Tri tri = patch->triangles[t];
    const Vec3 middle = (patch->at[tri[0]] + patch->at[tri[1]] + patch->at[tri[2]]) / 3.0;
    const double spacing = (patch->spacing[tri[0]] + patch->spacing[tri[1]] + patch->spacing[tri[2]]) / 3.0;
    bool large = true;
    for (int v : tri) {
      const double reach = kSpread * (middle - patch->at[v]).norm();
      large = large && reach > spacing && reach > patch->spacing[v];
    }
    if (!large) continue;
    const int made = static_cast<int>(patch->at.size());
    patch->at.push_back(middle);
    patch->spacing.push_back(spacing);
    patch->triangles[t] = {tri[0], tri[1], made};
    patch->triangles.push_back({tri[1], tri[2], made});
    patch->triangles.push_back({tri[2], tri[0], made});
    ++splits;
  }
  return splits;
}

// Normals of the skin beyond each side of the loop, and the mean length of the skin's edges at each corner.
void look_outside(const TriangleMesh& mesh, const std::vector<int>& loop, std::vector<Vec3>* outside,
                  std::vector<double>* spacing) {
  std::vector<std::pair<int, int>> place;
  for (size_t i = 0; i < loop.size(); ++i) place.emplace_back(loop[i], static_cast<int>(i));
  std::sort(place.begin(), place.end());
  auto find = [&](int v) {
    const auto at = std::lower_bound(place.begin(), place.end(), std::pair(v, -1));
    return at != place.end() && at->first == v ? at->second : -1;
  };
  std::vector<double> sum(loop.size(), 0.0), count(loop.size(), 0.0);
  outside->assign(loop.size(), Vec3::Zero());
  const int n = static_cast<int>(loop.size());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle& tri = mesh.triangles[t];
    for (int k = 0; k < 3; ++k) {
      const int a = find(tri[k]);
      if (a < 0) continue;
      for (int j : {(k + 1) % 3, (k + 2) % 3}) {
        sum[a] += (mesh.positions[tri[j]] - mesh.positions[tri[k]]).norm();
        count[a] += 1.0;
      }
      const int b = find(tri[(k + 1) % 3]);
      if (b >= 0 && (b + 1) % n == a) (*outside)[b] = triangle_normal(mesh, t);
    }
  }
  spacing->resize(loop.size());
  for (size_t i = 0; i < loop.size(); ++i) (*spacing)[i] = count[i] > 0 ? sum[i] / count[i] : 0.0;
}

}  // namespace

PatchMaker::PatchMaker(const TriangleMesh& mesh) {
  for (const Triangle& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) edges_.push_back(edge_key(t[k], t[(k + 1) % 3]));
  }
  std::sort(edges_.begin(), edges_.end());
}

bool PatchMaker::joined(int a, int b) const { return std::binary_search(edges_.begin(), edges_.end(), edge_key(a, b)); }

bool PatchMaker::fill(const std::vector<int>& loop, TriangleMesh* mesh) {
  Patch patch;
  const int rim = static_cast<int>(loop.size());
  std::vector<int> ring(loop.size());
  for (int i = 0; i < rim; ++i) {
    ring[i] = i;
    patch.at.push_back(mesh->positions[loop[i]]);
  }
  patch.taken = [&](int a, int b) { return a < rim && b < rim && joined(loop[a], loop[b]); };
  std::vector<Vec3> outside;
  look_outside(*mesh, loop, &outside, &patch.spacing);
  shorten(&patch, &ring, &outside);
  if (static_cast<int>(ring.size()) > 2 * kMostForAll) return false;
  if (!BestTriangulation(patch, ring, outside).solve(&patch.triangles)) return false;
  relax(&patch);
  for (int pass = 0; pass < kMostPasses && static_cast<int>(patch.at.size()) < kMostPoints; ++pass) {
    if (split_triangles(&patch) == 0) break;
    relax(&patch);
  }
  const int first = mesh->vertex_count();
  mesh->positions.insert(mesh->positions.end(), patch.at.begin() + rim, patch.at.end());
  auto index = [&](int i) { return i < rim ? loop[i] : first + i - rim; };
  for (const Tri& t : patch.triangles) mesh->triangles.emplace_back(index(t[0]), index(t[1]), index(t[2]));
  return true;
}

}  // namespace tryon
