// Noise taken off without taking flesh off: every surfel moves onto the algebraic sphere that fits its neighbours'
// positions and normals. A plane would cut the corners of a limb (inward by radius^2 / 8 R); the sphere does not.
#include <algorithm>
#include <cmath>

#include "server/io/cloud_grid.h"
#include "server/io/cloud_surfel.h"

namespace tryon {
namespace {

constexpr int kRobustPasses = 3;

// f(x) = u0 + ul . x + uq x . x about `origin`, scaled so that |grad f| = 1 on the sphere (Pratt's norm).
struct AlgebraicSphere {
  Vec3 origin = Vec3::Zero(), ul = Vec3::Zero();
  double u0 = 0.0, uq = 0.0;

  double value(const Vec3& p) const {
    const Vec3 x = p - origin;
    return u0 + ul.dot(x) + uq * x.squaredNorm();
  }
  Vec3 gradient(const Vec3& p) const { return ul + 2.0 * uq * (p - origin); }
  bool scale() {
    const double squared = ul.squaredNorm() - 4.0 * u0 * uq;
    if (!(squared > 1e-6)) return false;
    const double by = 1.0 / std::sqrt(squared);
    ul *= by, u0 *= by, uq *= by;
    return true;
  }
};

struct Fit {
  AlgebraicSphere sphere;
  double spread = 0.0;  // weighted rms distance of the neighbours from it
  bool ok = false;
};

// Section 4.3 of the paper: normals first (uq, ul), then the offset.
AlgebraicSphere fit_weighted(const Surfels& s, const Vec3& at, const std::vector<int>& near,
                             const std::vector<double>& weight) {
  double sum = 0.0, pn = 0.0, pp = 0.0;
  Vec3 p = Vec3::Zero(), n = Vec3::Zero();
  for (size_t k = 0; k < near.size(); ++k) {
    const Vec3 x = s.positions[near[k]] - at;
    const Vec3& normal = s.normals[near[k]];
    const double w = weight[k];
    sum += w, p += w * x, n += w * normal, pn += w * x.dot(normal), pp += w * x.squaredNorm();
  }
  AlgebraicSphere out;
  out.origin = at;
  const double spread = pp - p.squaredNorm() / sum;
  out.uq = spread > 0.0 ? 0.5 * (pn - p.dot(n) / sum) / spread : 0.0;
  out.ul = (n - 2.0 * out.uq * p) / sum;
  out.u0 = -(out.ul.dot(p) + out.uq * pp) / sum;
  return out;
}

Fit fit_robust(const Surfels& s, int i, double radius, const std::vector<int>& near) {
  const Vec3& at = s.positions[i];
  std::vector<double> kernel, weight;
  for (int j : near) {
    const double far = 1.0 - (s.positions[j] - at).squaredNorm() / (radius * radius);
    kernel.push_back(s.mass[j] * far * far * std::max(0.0, s.normals[j].dot(s.normals[i])));
  }
  weight = kernel;
  Fit fit;
  for (int pass = 0; pass < kRobustPasses; ++pass) {
    fit.sphere = fit_weighted(s, at, near, weight);
    if (!fit.sphere.scale()) return fit;
    double sum = 0.0, squares = 0.0;
    for (size_t k = 0; k < near.size(); ++k) {
      const double r = fit.sphere.value(s.positions[near[k]]);
      sum += weight[k], squares += weight[k] * r * r;
    }
    fit.spread = std::sqrt(squares / sum);
    const double width = 2.0 * fit.spread + 1e-3 * radius;
    for (size_t k = 0; k < near.size(); ++k) {  // Welsch
      const double r = fit.sphere.value(s.positions[near[k]]) / width;
      weight[k] = kernel[k] * std::exp(-r * r);
    }
  }
  fit.ok = std::isfinite(fit.spread);
  return fit;
}

}  // namespace

int64_t project_surfels(double radius, Surfels* surfels) {
  int64_t dropped = 0;
  const CloudNeighbours near = cloud_neighbours(surfels->positions, radius);
  Surfels moved = *surfels;
  std::vector<char> keep(surfels->positions.size(), 1);
  std::vector<int> around;
  for (int i = 0; i < surfels->size(); ++i) {
    around.assign(near.index.begin() + near.starts[i], near.index.begin() + near.starts[i + 1]);
    const Fit fit = fit_robust(*surfels, i, radius, around);
    Vec3 to = surfels->positions[i];
    for (int step = 0; step < 3 && fit.ok; ++step) {
      const Vec3 g = fit.sphere.gradient(to);
      to -= fit.sphere.value(to) * g / g.squaredNorm();
    }
    const double distance = (to - surfels->positions[i]).norm();
    keep[i] = fit.ok && to.allFinite() && distance < std::max(3.0 * fit.spread, 0.05 * radius);
    if (keep[i]) {
      moved.positions[i] = to;
      moved.normals[i] = fit.sphere.gradient(to).normalized();
    } else {
      dropped += std::llround(surfels->mass[i]);
    }
  }
  *surfels = std::move(moved);
  keep_surfels(keep, surfels);
  return dropped;
}

}  // namespace tryon
