// Flesh gives way where parts of a body touch, by what is lacking, and nowhere else.
#include "server/body/yielding.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/mesh/closest_point.h"
#include "tests/support/test_meshes.h"

namespace tryon {
namespace {

constexpr double kRadius = 0.08, kRoom = 0.010;

// Two upright limbs with so much air between them; less than none: they lie in one another.
TriangleMesh limbs(double gap, int round = 96, int along = 60) {
  TriangleMesh out;
  for (const double side : {-1.0, 1.0}) {
    TriangleMesh limb = testing::make_cylinder(kRadius, 0.6, round, along);
    const int base = out.vertex_count();
    for (const Vec3& p : limb.positions) out.positions.push_back(p + Vec3(side * (kRadius + 0.5 * gap), 0, 0));
    for (const Triangle& t : limb.triangles) out.triangles.push_back(t + Triangle::Constant(base));
  }
  return out;
}

YieldingSkin given_way(const TriangleMesh& body) { return *give_way(RunContext(), body, kRoom); }

// Half of the least distance across the middle plane, away from the limbs' ends.
double half_way(const TriangleMesh& mesh) {
  double least = 1.0;
  for (const Vec3& p : mesh.positions) {
    if (std::abs(p.y()) < 0.2) least = std::min(least, std::abs(p.x()));
  }
  return least;
}

TEST(Yielding, LimbsThatTouchMakeRoomForCloth) {
  for (const double gap : {-0.006, -0.001, 0.0005, 0.004, 0.008}) {
    const YieldingSkin skin = given_way(limbs(gap));
    EXPECT_NEAR(skin.deepest(), 0.5 * (kRoom - gap), 0.0012) << gap;
    EXPECT_NEAR(half_way(skin.mesh), 0.5 * kRoom, 0.0012) << gap;
    EXPECT_EQ(skin.mesh.triangles, limbs(gap).triangles);
  }
}

TEST(Yielding, WhatFacesNothingStays) {
  const TriangleMesh apart = limbs(0.02);
  EXPECT_EQ(given_way(apart).mesh.positions, apart.positions);
  const TriangleMesh body = limbs(0.001);
  const YieldingSkin skin = given_way(body);
  for (size_t v = 0; v < body.positions.size(); ++v) {
    const Vec3& p = body.positions[v];
    if (std::abs(p.x()) < kRadius + 0.02) continue;  // the outer halves, but for the rims of the flat ends
    EXPECT_EQ(skin.mesh.positions[v], p) << v;
  }
}

// Both sides of an ear face away from each other: nothing lies between them.
TEST(Yielding, ThinPartsAreNoPinch) {
  TriangleMesh ear = testing::make_cylinder(kRadius, 0.6, 96, 60);
  for (Vec3& p : ear.positions) p.x() *= 0.02;
  EXPECT_EQ(given_way(ear).deepest(), 0.0);
}

TEST(Yielding, WhereTheBodyStandsInTheGridDoesNotMatter) {
  const TriangleMesh body = limbs(0.002);
  TriangleMesh moved = body;
  for (Vec3& p : moved.positions) p += Vec3(0.0073, -0.0041, 0.0112);
  const YieldingSkin a = given_way(body), b = given_way(moved);
  for (size_t v = 0; v < a.depth.size(); ++v) EXPECT_NEAR(a.depth[v], b.depth[v], 2e-4) << v;
}

TEST(Yielding, ADenseMeshGivesWayAsACoarseOne) {
  const TriangleMesh fine = limbs(0.002, 400, 240);
  const YieldingSkin skin = given_way(fine);
  EXPECT_NEAR(skin.deepest(), 0.004, 0.0005);
  EXPECT_NEAR(half_way(skin.mesh), 0.5 * kRoom, 0.0012);
  double steepest = 0.0;
  for (const EdgeUse& e : mesh_edges(fine)) {
    const double length = (fine.positions[e.a] - fine.positions[e.b]).norm();
    if (std::abs(fine.positions[e.a].y()) < 0.2) {
      steepest = std::max(steepest, std::abs(skin.depth[e.a] - skin.depth[e.b]) / length);
    }
  }
  EXPECT_LT(steepest, 0.6) << "steps in the skin";
}

// A leg of two frusta that share an end, and a ball for its foot.
void add_leg(double side, double gap, BodyPart part, ProxySet* set) {
  const auto ring = [&](double y) { return Vec3(side * (kRadius + 0.5 * gap), y, 0); };
  for (int k = 0; k < 2; ++k) {
    Frustum f;
    f.bottom = ring(0.3 * k), f.top = ring(0.3 * (k + 1));
    f.bottom_radii = f.top_radii = Eigen::Vector2d(kRadius, 1.2 * kRadius);
    f.open_bottom = k == 1, f.open_top = k == 0;
    set->proxies.push_back({Proxy::Kind::kFrustum, part, f});
  }
  set->proxies.push_back({Proxy::Kind::kSphere, part, Sphere{ring(-0.05), kRadius}});
}

ProxySet two_legs(double gap) {
  ProxySet set;
  add_leg(1.0, gap, BodyPart::kLeftLeg, &set), add_leg(-1.0, gap, BodyPart::kRightLeg, &set);
  return set;
}

TEST(Yielding, SolidsOfLegsThatTouchMakeRoomForCloth) {
  for (const double gap : {-0.020, -0.002, 0.006}) {
    const SolidSet yielded(solids_that_yield(two_legs(gap), kRoom));
    for (const double y : {-0.05, 0.0, 0.15, 0.3, 0.45}) {
      EXPECT_NEAR(yielded.surface(Vec3(0, y, 0), 0.05).distance, 0.5 * kRoom, 6e-4) << gap << " at " << y;
      const Vec3 outer(2 * kRadius + 0.5 * gap, y, 0);
      EXPECT_NEAR(yielded.surface(outer, 0.05).distance, 0.0, 1e-5) << "the outer side moved";
    }
  }
}

TEST(Yielding, SolidsOfLegsApartStay) {
  const ProxySet apart = two_legs(0.012);
  const std::vector<Solid> was = apart.solids(), now = solids_that_yield(apart, kRoom);
  for (size_t i = 0; i < was.size(); ++i) {
    for (const Vec3& p : {Vec3(0.1, 0.1, 0.1), Vec3(-0.2, 0.5, 0)}) {
      EXPECT_EQ(distance(was[i], p).distance, distance(now[i], p).distance);
    }
  }
}

TEST(Yielding, ACancelledCallSaysSo) {
  RunContext run;
  run.cancel.cancel();
  EXPECT_EQ(give_way(run, limbs(0.002), kRoom).status().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace tryon
