// What lies in a body leaves it by the shortest way: along the normal where there is room, else where there is some.
#include "server/drape/leave_body.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "server/base/executor.h"
#include "server/drape/stage.h"
#include "tests/support/test_meshes.h"

namespace tryon {
namespace {

constexpr double kRadius = 0.1, kOffset = 2e-3, kStep = 4e-4;

struct Inside {
  std::vector<std::unique_ptr<sim::Collider>> parts;
  std::unique_ptr<sim::Collider> body;
  sim::Scene scene;
  sim::DrapeModel model;  // of which nothing is asked while layers may cross
  explicit Inside(double height) {
    TriangleMesh ball = testing::make_ball(kRadius, 40);
    for (Vec3& p : ball.positions) p.y() += height;
    parts.push_back(sim::make_mesh_collider(std::move(ball)));
    parts.push_back(sim::make_plane_collider(Vec3::Zero(), Vec3::UnitY()));
    body = sim::make_union_collider(std::move(parts));
    scene.collider = body.get();
    scene.contact_offset = kOffset;
  }
  double distance(const Vec3& at) const { return body->query(at, sim::kDeepestInside).distance; }
  std::vector<Vec3> left(const std::vector<Vec3>& from, int* count, const RunContext& run = RunContext()) const {
    sim::DrapeState state;
    for (const Vec3& p : from) state.x.push_back(p.cast<sim::Real>());
    *count = leave_body(run, model, scene, &state);
    return positions_of(state);
  }
};

std::vector<Vec3> points_in_ball(const Vec3& centre, double deepest, int count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> coordinate(-1, 1), depth(-0.01, deepest);
  std::vector<Vec3> out;
  while (static_cast<int>(out.size()) < count) {
    const Vec3 way(coordinate(random), coordinate(random), coordinate(random));
    if (way.norm() < 0.1) continue;
    const Vec3 at = centre + (kRadius - depth(random)) * way.normalized();
    out.push_back(at.cast<sim::Real>().cast<double>());
  }
  return out;
}

// The judge: each of the 26 ways to a cube's corners, edges and faces, gone in small steps to its end.
double shortest_way(const Inside& in, const Vec3& from) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 27; ++k) {
    const Vec3 way(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    if (way.isZero()) continue;
    double gone = 0;
    while (gone < 0.3 && in.distance(from + gone * way.normalized()) < kOffset) gone += kStep;
    best = std::min(best, gone);
  }
  return best;
}

TEST(LeaveBody, GoesNoFartherThanIsLackingWhereThereIsRoom) {
  const Inside in(1.0);
  const std::vector<Vec3> from = points_in_ball(Vec3(0, 1, 0), 0.06, 400);
  int left = 0, deep = 0;
  const std::vector<Vec3> to = in.left(from, &left);
  for (size_t i = 0; i < from.size(); ++i) {
    const double distance = in.distance(from[i]);
    deep += distance < -1e-3;
    if (distance >= -1e-3) {
      EXPECT_EQ(to[i], from[i]) << "contact takes it out";
    } else {
      EXPECT_NEAR(in.distance(to[i]), kOffset, 0.02 * kOffset);
      EXPECT_NEAR((to[i] - from[i]).norm(), kOffset - distance, 1e-6) << "no way is shorter";
    }
  }
  EXPECT_EQ(left, deep);
  EXPECT_GT(left, 200);
}

// The ball stands half a millimetre deep in the floor, like a sole: what is in its lowest part has no room below.
TEST(LeaveBody, FindsRoomWhereTheWayAlongTheNormalHasNone) {
  const Inside in(kRadius - 5e-4);
  std::vector<Vec3> from;
  for (const double aside : {0.0, 0.003, 0.008, 0.015})
    for (const double high : {0.003, 0.005, 0.008})
      if (in.distance(Vec3(aside, high, 0)) < -1e-3)
        from.push_back(Vec3(aside, high, 0).cast<sim::Real>().cast<double>());
  ASSERT_GT(from.size(), 6u);
  int left = 0, straight = 0;
  const std::vector<Vec3> to = in.left(from, &left);
  EXPECT_EQ(left, static_cast<int>(from.size()));
  for (size_t i = 0; i < from.size(); ++i) {
    EXPECT_GE(in.distance(to[i]), 0.98 * kOffset);
    const double way = (to[i] - from[i]).norm();
    if (way < 1.01 * (kOffset - in.distance(from[i]))) {
      ++straight;
    } else {
      EXPECT_NEAR(way, shortest_way(in, from[i]), 2 * kStep);
    }
  }
  EXPECT_LT(straight, left) << "none of them was in a pinch";
}

TEST(LeaveBody, IsTheSameForAnyNumberOfThreads) {
  const Inside in(kRadius - 5e-4);
  const std::vector<Vec3> from = points_in_ball(Vec3(0, kRadius - 5e-4, 0), 0.09, 1500);
  Executor executor(3);
  RunContext shared;
  shared.executor = &executor;
  int alone_left = 0, shared_left = 0;
  EXPECT_EQ(in.left(from, &alone_left), in.left(from, &shared_left, shared));
  EXPECT_EQ(alone_left, shared_left);
}

// Whose corners lie in a limb, on one side of its bone, must not come out on both.
TEST(LeaveBody, WhatLiesBesideABoneStaysOnItsSide) {
  Inside in(1.0);
  const Vec3 along(0.0, 0.3, 0.2);
  in.scene.bones = {{Vec3(0.01, 1.0, 0.0) - along, Vec3(0.01, 1.0, 0.0) + along}};
  const std::vector<Vec3> from = points_in_ball(Vec3(0, 1, 0), 0.085, 900);
  int left = 0, turned = 0;
  const std::vector<Vec3> to = in.left(from, &left), straight = [&] {
    Inside without(1.0);
    return without.left(from, &left);
  }();
  const auto off = [&](const Vec3& p) {
    const Vec3 way = p - in.scene.bones[0].from;
    return Vec3(way - way.dot(along) / along.squaredNorm() * along);
  };
  for (size_t i = 0; i < from.size(); ++i) {
    if (off(from[i]).norm() < 3e-3) continue;
    EXPECT_GT(off(to[i]).normalized().dot(off(from[i]).normalized()), 0.99);
    turned += off(straight[i]).normalized().dot(off(from[i]).normalized()) < 0.9;
    EXPECT_GE(in.distance(to[i]), std::min(in.distance(from[i]), 0.0) - 1e-6);
    if (in.distance(from[i]) < -1e-3) {
      EXPECT_GE(in.distance(to[i]), 0.98 * kOffset);
    }
  }
  EXPECT_GT(turned, 20) << "it would have done without";
}

}  // namespace
}  // namespace tryon
