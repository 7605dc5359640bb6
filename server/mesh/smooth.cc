#include "server/mesh/smooth.h"

#include <algorithm>
#include <cmath>

#include "server/mesh/predicates.h"
#include "server/mesh/refine.h"

namespace tryon {
namespace {

constexpr int kSmoothingRounds = 5, kWideningRounds = 4;
constexpr double kNarrow = 30.0 * M_PI / 180.0;

// Every free point goes to the centre of the triangles round it, weighed by area over size squared, except where that
// would turn a triangle over.
void move_to_centres(Delaunay* mesh, int first_free, const std::vector<double>& sizes) {
  const std::vector<Vec2> before = mesh->positions();
  const int n = static_cast<int>(before.size());
  std::vector<Vec2> sum(n, Vec2::Zero());
  std::vector<double> weight(n, 0.0);
  for (const auto& tri : mesh->triangles()) {
    const Vec2 &a = before[tri.v[0]], &b = before[tri.v[1]], &c = before[tri.v[2]];
    const double size = sizes[tri.v[0]] + sizes[tri.v[1]] + sizes[tri.v[2]];
    const double w = ((b - a).x() * (c - a).y() - (b - a).y() * (c - a).x()) / (size * size);
    for (const int v : tri.v) sum[v] += w * (a + b + c), weight[v] += 3.0 * w;
  }
  for (int i = first_free; i < n; ++i) mesh->move(i, sum[i] / weight[i]);
  for (bool clean = false; !clean;) {
    clean = true;
    for (const auto& tri : mesh->triangles()) {
      const auto& now = mesh->positions();
      if (orientation(now[tri.v[0]], now[tri.v[1]], now[tri.v[2]]) > 0) continue;
      for (const int v : tri.v) mesh->move(v, before[v]);
      clean = false;
    }
  }
  mesh->restore();
}

class Widener {
 public:
  Widener(Delaunay* mesh, int first_free, const std::vector<double>& sizes)
      : mesh_(*mesh), first_free_(first_free), sizes_(sizes) {}

  bool round() {
    bool moved = false;
    for (int t = 0; t < static_cast<int>(mesh_.triangles().size()); ++t) {
      const Delaunay::Tri& tri = mesh_.triangles()[t];
      if (smallest_angle(mesh_.corner(t, 0), mesh_.corner(t, 1), mesh_.corner(t, 2)) >= kNarrow) continue;
      for (const int v : tri.v) {
        if (v >= first_free_) moved = widen(v) || moved;
      }
    }
    mesh_.restore();
    return moved;
  }

 private:
  // Tries eight directions, with steps that shrink, for the widest smallest angle round the point.
  bool widen(int v) {
    mesh_.around(v, &star_);
    Vec2 best_at = mesh_.positions()[v];
    const Vec2 start = best_at;
    double best = worst_angle(best_at);
    constexpr double kDiagonal = 0.70710678118654752;
    const Vec2 directions[8] = {{1, 0},  {kDiagonal, kDiagonal},   {0, 1},  {-kDiagonal, kDiagonal},
                                {-1, 0}, {-kDiagonal, -kDiagonal}, {0, -1}, {kDiagonal, -kDiagonal}};
    for (double step = 0.16 * sizes_[v]; step > 0.015 * sizes_[v]; step *= 0.5) {
      const Vec2 from = best_at;
      for (const Vec2& d : directions) {
        const double angle = worst_angle(from + step * d);
        if (angle > best) best = angle, best_at = from + step * d;
      }
    }
    mesh_.move(v, best_at);
    return best_at != start;
  }

  // Of the triangles of star_ with their point at p; negative where one would turn over.
  double worst_angle(const Vec2& p) const {
    double worst = M_PI;
    for (const auto& [t, k] : star_) {
      const Vec2 &a = mesh_.corner(t, (k + 1) % 3), &b = mesh_.corner(t, (k + 2) % 3);
      if (orientation(p, a, b) <= 0) return -1.0;
      worst = std::min(worst, smallest_angle(p, a, b));
    }
    return worst;
  }

  Delaunay& mesh_;
  const int first_free_;
  const std::vector<double>& sizes_;
  std::vector<std::pair<int, int>> star_;
};

}  // namespace

void smooth(Delaunay* mesh, int first_free, const std::vector<double>& sizes) {
  for (int round = 0; round < kSmoothingRounds; ++round) move_to_centres(mesh, first_free, sizes);
  Widener widener(mesh, first_free, sizes);
  for (int round = 0; round < kWideningRounds; ++round) {
    if (!widener.round()) break;
  }
}

}  // namespace tryon
