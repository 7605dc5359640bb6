// Where a surface is so sharp that it comes through flat triangles: on small balls and ridges, not on large ones.
#include "server/mesh/sharp_points.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/support/test_meshes.h"

namespace tryon {
namespace {

using testing::make_ball;
using testing::make_cloth_sheet;
using testing::make_cylinder;

size_t count_of(const TriangleMesh& mesh) { return sharp_points(RunContext(), mesh).size(); }

// A sheet in y = 0 with a hill that is 5 mm high, as wide as a nipple.
TriangleMesh with_hill(double height) {
  TriangleMesh mesh = make_cloth_sheet(0.2, 0.2, 80);
  if (triangle_normal(mesh, 0).y() < 0.0)
    for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  for (Vec3& p : mesh.positions) p.y() = height * std::exp(-(p.x() * p.x() + p.z() * p.z()) / (2.0 * 0.004 * 0.004));
  return mesh;
}

TEST(SharpPoints, ABallIsSharpWhereItsRadiusIsBelow25Millimetres) {
  // It falls by d^2 / 2R at the distance d, in all directions.
  EXPECT_EQ(count_of(make_ball(0.05, 40)), 0u);
  EXPECT_EQ(count_of(make_ball(0.028, 40)), 0u);
  const TriangleMesh small = make_ball(0.02, 12);
  const std::vector<SharpPoint> found = sharp_points(RunContext(), small);
  for (const Vec3& v : small.positions)  // those beside each other at the poles have one
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const SharpPoint& p) { return (p.at - v).norm() < 5e-3; }));
}

TEST(SharpPoints, AHollowIsNotSharp) {
  TriangleMesh hollow = make_ball(0.02, 12);
  for (Triangle& t : hollow.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(count_of(hollow), 0u);
}

TEST(SharpPoints, AHillIsSharpOnItsTopAndTheSkinAroundIsNot) {
  const std::vector<SharpPoint> found = sharp_points(RunContext(), with_hill(0.005));
  EXPECT_GT(found.size(), 3u);
  double highest = 0.0;
  for (const SharpPoint& p : found) {
    EXPECT_LT(std::hypot(p.at.x(), p.at.z()), 0.010);
    EXPECT_GT(p.normal.y(), 0.2);
    highest = std::max(highest, p.at.y());
  }
  EXPECT_NEAR(highest, 0.005, 5e-4);
  for (const SharpPoint& p : sharp_points(RunContext(), with_hill(-0.005))) EXPECT_GT(p.at.y(), -0.004) << "the pit";
}

TEST(SharpPoints, ALongEdgeOfARidgeHasPointsBetweenItsEnds) {
  const TriangleMesh finger = make_cylinder(0.008, 0.12, 12, 6);  // rings 20 mm apart
  const std::vector<SharpPoint> found = sharp_points(RunContext(), finger);
  int between = 0;
  for (const SharpPoint& p : found) {
    double nearest = 1.0;
    for (const Vec3& v : finger.positions) nearest = std::min(nearest, (v - p.at).norm());
    between += nearest > 2e-3;
  }
  EXPECT_GT(between, 50);
}

TEST(SharpPoints, OfAFineMeshOneVertexIn3MillimetresIsEnough) {
  const double area = 4.0 * M_PI * 0.015 * 0.015;
  const TriangleMesh fine = make_ball(0.015, 150);
  ASSERT_GT(fine.positions.size(), 10000u);
  const size_t found = count_of(fine);
  EXPECT_GT(found, area / (0.003 * 0.003) / 2);
  EXPECT_LT(found, 3 * area / (0.003 * 0.003));
}

TEST(SharpPoints, AreTheSameForAnyNumberOfThreads) {
  Executor executor(3);
  RunContext many;
  many.executor = &executor;
  const TriangleMesh mesh = make_ball(0.022, 100);
  const std::vector<SharpPoint> one = sharp_points(RunContext(), mesh), other = sharp_points(many, mesh);
  ASSERT_EQ(one.size(), other.size());
  for (size_t k = 0; k < one.size(); ++k) EXPECT_EQ(one[k].at, other[k].at);
}

TEST(SharpPoints, WhatHasNoTrianglesHasNone) {
  EXPECT_EQ(count_of({}), 0u);
  EXPECT_EQ(count_of({{Vec3::Zero(), Vec3::UnitX()}, {}}), 0u);
}

}  // namespace
}  // namespace tryon
