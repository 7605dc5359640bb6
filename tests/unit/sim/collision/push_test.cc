// What pushes surfaces apart: force and curvature are the energy's slopes, and how the two laws begin and end.
#include "server/sim/collision/push.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace tryon::sim {
namespace {

constexpr Real kRadius = Real(2e-3), kShare = Real(0.02);

Push of_layers(Real depth) { return push_layers(depth, kRadius, kShare); }
Push of_body(Real depth) { return push_below(depth, kRadius); }

TEST(Push, ForceAndCurvatureAreTheSlopesOfTheEnergy) {
  for (const auto push : {of_layers, of_body}) {
    for (const Real share : {Real(0.01), Real(0.3), Real(0.49), Real(0.7), Real(0.93), Real(0.9799)}) {
      const Real depth = share * kRadius, step = Real(1e-4) * std::min(depth, kRadius - depth);
      const Push less = push(depth - step), more = push(depth + step), at = push(depth);
      EXPECT_NEAR((more.energy - less.energy) / (2 * step), at.force, 1e-6 * at.force) << share;
      if (push == of_body && share > 0.95) continue;  // even from there on
      EXPECT_NEAR((more.force - less.force) / (2 * step), at.curvature, 1e-5 * at.curvature) << share;
    }
  }
}

TEST(Push, NothingPushesFromTheOffsetOnAndNothingJumpsWhereItTurnsEven) {
  for (const auto push : {of_layers, of_body}) {
    for (const Real depth : {Real(-1e-3), Real(0)}) {
      EXPECT_EQ(push(depth).energy, 0);
      EXPECT_EQ(push(depth).force, 0);
      EXPECT_EQ(push(depth).curvature, 0);
    }
    for (const Real share : {kShare, kSteepShare}) {
      const Real turn = (1 - share) * kRadius, step = Real(1e-9) * kRadius;
      EXPECT_NEAR(push(turn - step).force, push(turn + step).force, 1e-5 * push(turn).force);
      EXPECT_NEAR(push(turn - step).energy, push(turn + step).energy, 1e-5 * push(turn).energy);
    }
    EXPECT_GT(push(2 * kRadius).force, push(kRadius).force);  // inside it still pushes out
  }
}

// The weight of a layer must not switch a stiff contact on and off: what lies on each other lightly lies softly. What
// is pressed hard is kept apart as firmly as from the body.
TEST(Push, LayersBeginWithoutCurvatureAndEndFirmly) {
  EXPECT_LT(of_layers(Real(0.005) * kRadius).curvature, 0.08);
  EXPECT_EQ(of_body(Real(0.005) * kRadius).curvature, 1);
  for (Real share = Real(0.01), before = 0; share < Real(0.98); share += Real(0.01)) {
    const Real now = of_layers(share * kRadius).curvature;
    EXPECT_GT(now, before) << share;
    before = now;
  }
  const Real hard = Real(0.94) * kRadius;
  EXPECT_GT(of_layers(hard).force, of_body(hard).force);
}

}  // namespace
}  // namespace tryon::sim
