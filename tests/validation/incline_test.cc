// T13 (incline, stopping distance), S7 (dissipation of sliding, rest without jitter): validation.md 3.1, 5.7.
#include <algorithm>

#include "tests/validation/incline_scenes.h"

namespace tryon::sim::validation {
namespace {

Block steeper(double extra) {
  Block b;
  b.degrees = critical_degrees(b.mu) + extra;
  return b;
}

void expect_acceleration(const Block& b, double share, const char* what) {
  const double exact = slope_acceleration(b);
  EXPECT_NEAR(slide_block("newton", b, 1).speed, exact, share * exact) << what;
}

TEST(T13Incline, SticksATenthOfADegreeBelowTheCriticalAngleForTenSeconds) {
  for (const char* solver : {"newton", "lbfgs"})
    for (bool triangles : {false, true}) {
      Block b = steeper(-0.1);
      b.triangles = triangles;
      const Slid s = slide_block(solver, b, 10);
      EXPECT_LT(s.distance.back(), 1e-4) << solver;
      EXPECT_LT(s.distance.back() - s.distance[s.distance.size() / 2], 1e-9) << solver << ": no creep";
    }
}

TEST(T13Incline, SlidesWithTheTextbooksAccelerationOnPlaneAndTriangles) {
  for (bool triangles : {false, true})
    for (double extra : {1.0, 5.0, 10.0}) {
      Block b = steeper(extra);
      b.triangles = triangles;
      expect_acceleration(b, extra < 5 ? 0.05 : 0.01, triangles ? "triangles" : "plane");
    }
  EXPECT_GT(slide_block("newton", steeper(0.1), 1).distance.back(), 1e-3) << "the threshold is within 0.1 degrees";
}

TEST(T13Incline, DoesNotKnowDirectionMeshTimeStepOrWeight) {
  Block b = steeper(5);
  b.heading = 37;
  expect_acceleration(b, 0.01, "heading");
  b = steeper(5);
  b.mesh = MeshKind::kM2, b.cells = 8;
  expect_acceleration(b, 0.01, "mesh");
  for (double h : {1.0 / 30, 1.0 / 240}) {
    b = steeper(5);
    b.h = h;
    expect_acceleration(b, 0.01, "time step");
  }
  for (double density : {0.05, 0.5}) {
    b = steeper(5);
    b.density = density;
    expect_acceleration(b, 0.01, "weight");
  }
}

// Backward Euler stops h v / 2 short of v^2 / (2 mu g). What friction took is mu N times the way.
TEST(T13Stopping, ABlockStopsWhereCoulombSaysAndThenLiesStillForTenSeconds) {
  for (const char* solver : {"newton", "lbfgs"}) {
    Block b;
    b.speed = 1, b.h = 1.0 / 120;
    const Slid s = slide_block(solver, b, 10.5);
    const double exact = b.speed * b.speed / (2 * b.mu * kGravity) - b.speed * b.h / 2;
    EXPECT_NEAR(s.distance.back(), exact, 0.01 * exact) << solver;
    double dissipated = 0;
    for (size_t i = 1; i < s.distance.size(); ++i) dissipated += b.mu * kGravity * (s.distance[i] - s.distance[i - 1]);
    double stepped = s.energy.front();  // less what the integrator itself loses, 1/2 |dv|^2 a step
    for (size_t i = 1; i < s.energy.size(); ++i)
      stepped -= 0.5 * std::pow(std::sqrt(2 * s.energy[i]) - std::sqrt(2 * s.energy[i - 1]), 2);
    EXPECT_NEAR(dissipated, stepped, 0.01 * stepped) << solver;
    const size_t stopped = static_cast<size_t>(0.5 / b.h);
    EXPECT_LT(*std::max_element(s.energy.begin() + static_cast<int64_t>(stopped), s.energy.end()), 1e-12) << solver;
  }
}

}  // namespace
}  // namespace tryon::sim::validation
