// What it is: nanoseconds a query of the analytic solids: each kind alone near its surface, and a chain-built figure.
// Points are drawn once, within 50 mm of the surfaces, so that culling cannot flatter the numbers.
#include <cmath>
#include <random>

#include "benchmark/benchmark.h"
#include "server/shape/solids.h"

namespace tryon {
namespace {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;

double uniform(std::mt19937& random, double low, double high) { return low + (high - low) * (random() / 4294967296.0); }

Frustum torso_frustum(double lean, double ratio) {
  Frustum f;
  f.top = Vec3(lean, 0.05, lean);
  f.bottom_radii = Vec2(0.16, 0.16 * ratio), f.top_radii = Vec2(0.15, 0.15 * ratio);
  f.open_bottom = f.open_top = true;
  return f;
}

std::vector<Vec3> points_about(const Frustum& f, double reach) {
  std::mt19937 random(1);
  std::vector<Vec3> points;
  for (int i = 0; i < 4096; ++i) {
    const double angle = uniform(random, 0, 2 * M_PI), t = uniform(random, -0.5, 1.5),
                 out = uniform(random, -reach, reach);
    const Vec2 radii = f.bottom_radii + (f.top_radii - f.bottom_radii) * t + Vec2(out, out);
    points.push_back(f.bottom + (f.top - f.bottom) * t +
                     Vec3(radii.x() * std::cos(angle), 0, radii.y() * std::sin(angle)));
  }
  return points;
}

void measure_frustum(benchmark::State& state, const Frustum& f, double reach) {
  const std::vector<Vec3> points = points_about(f, reach);
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(distance(f, points[i++ & 4095]));
}

void BM_RightCircularFrustum(benchmark::State& state) { measure_frustum(state, torso_frustum(0, 1), 0.05); }
void BM_ObliqueCircularFrustum(benchmark::State& state) { measure_frustum(state, torso_frustum(0.005, 1), 0.05); }
void BM_EllipticFrustum(benchmark::State& state) { measure_frustum(state, torso_frustum(0.005, 0.66), 0.05); }
void BM_EllipticFrustumAtTheSurface(benchmark::State& state) {
  measure_frustum(state, torso_frustum(0.005, 0.66), 0.005);
}
BENCHMARK(BM_RightCircularFrustum);
BENCHMARK(BM_ObliqueCircularFrustum);
BENCHMARK(BM_EllipticFrustum);
BENCHMARK(BM_EllipticFrustumAtTheSurface);

// 120 frusta in six chains, asked within 10 mm as a drape does.
void BM_NearestOfAFigure(benchmark::State& state) {
  std::vector<Solid> solids;
  std::vector<Vec3> points;
  for (int chain = 0; chain < 6; ++chain) {
    for (int i = 0; i < 20; ++i) {
      Frustum f = torso_frustum(0.002, 0.66);
      const Vec3 shift(0.35 * chain, 0.05 * i, 0);
      f.bottom += shift, f.top += shift;
      solids.push_back(f);
      const std::vector<Vec3> near = points_about(f, 0.01);
      points.insert(points.end(), near.begin(), near.begin() + 64);
    }
  }
  const SolidSet set(solids);
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(set.nearest(points[i++ % points.size()], 0.01));
}
BENCHMARK(BM_NearestOfAFigure);

}  // namespace
}  // namespace tryon
