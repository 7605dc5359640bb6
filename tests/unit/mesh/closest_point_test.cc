#include "server/mesh/closest_point.h"

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace tryon {
namespace {

// A sphere cut into quads and triangles, slightly bumpy so that no symmetry hides an error.
TriangleMesh bumpy_sphere(int rings, int sides, double radius, const Vec3& centre) {
  TriangleMesh mesh;
  auto place = [&](double theta, double phi) {
    const double r = radius * (1.0 + 0.1 * std::sin(3 * phi) * std::sin(theta));
    return Vec3(centre + r * Vec3(std::sin(theta) * std::sin(phi), std::cos(theta), std::sin(theta) * std::cos(phi)));
  };
  mesh.positions.push_back(place(0.0, 0.0));
  for (int i = 1; i < rings; ++i) {
    for (int j = 0; j < sides; ++j) mesh.positions.push_back(place(M_PI * i / rings, 2 * M_PI * j / sides));
  }
  mesh.positions.push_back(place(M_PI, 0.0));
  const int south = mesh.vertex_count() - 1;
  auto at = [&](int i, int j) { return 1 + (i - 1) * sides + j % sides; };
  for (int j = 0; j < sides; ++j) {
    mesh.triangles.emplace_back(0, at(1, j), at(1, j + 1));
    for (int i = 1; i + 1 < rings; ++i) {
      mesh.triangles.emplace_back(at(i, j), at(i + 1, j), at(i + 1, j + 1));
      mesh.triangles.emplace_back(at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
    mesh.triangles.emplace_back(south, at(rings - 1, j + 1), at(rings - 1, j));
  }
  return mesh;
}

// The slow judge: minimises the squared distance over each triangle by its own route (projection and clamped edges
// through barycentric coordinates), and takes the side from the solid angle of the whole mesh.
double brute_distance(const TriangleMesh& mesh, const Vec3& q) {
  double best = std::numeric_limits<double>::infinity();
  for (const Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    Eigen::Matrix<double, 3, 2> edges;
    edges << b - a, c - a;
    const Vec2 uv = (edges.transpose() * edges).ldlt().solve(edges.transpose() * (q - a));
    if (uv.x() >= 0 && uv.y() >= 0 && uv.sum() <= 1) best = std::min(best, (q - a - edges * uv).norm());
    const Vec3 corners[4] = {a, b, c, a};
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = corners[k + 1] - corners[k];
      const double s = std::clamp((q - corners[k]).dot(d) / d.squaredNorm(), 0.0, 1.0);
      best = std::min(best, (q - corners[k] - s * d).norm());
    }
  }
  return best;
}

double winding_number(const TriangleMesh& mesh, const Vec3& q) {  // van Oosterom and Strackee 1983
  double sum = 0.0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.positions[t[0]] - q, b = mesh.positions[t[1]] - q, c = mesh.positions[t[2]] - q;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (4 * M_PI);
}

void expect_agreement(const TriangleMesh& mesh, const ClosestPointIndex& index, const Vec3& q) {
  const ClosestPoint found = index.query(q);
  ASSERT_GE(found.triangle, 0);
  const double scale = 1.0 + q.norm();
  EXPECT_NEAR(std::abs(found.signed_distance), brute_distance(mesh, q), 1e-12 * scale);
  EXPECT_NEAR((found.point - q).norm(), std::abs(found.signed_distance), 1e-12 * scale);
  EXPECT_NEAR(found.normal.norm(), 1.0, 1e-9);
  if (std::abs(found.signed_distance) > 1e-9) {
    EXPECT_EQ(found.signed_distance<0, winding_number(mesh, q)> 0.5) << q.transpose();
    EXPECT_TRUE((found.point + found.signed_distance * found.normal).isApprox(q, 1e-9));
  }
}

TEST(ClosestPoint, AgreesWithBruteForceAroundABumpySphere) {
  const TriangleMesh mesh = bumpy_sphere(12, 16, 0.3, {0.2, 1.1, -0.1});
  const ClosestPointIndex index(mesh);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> coordinate(-0.6, 0.6);
  for (int i = 0; i < 800; ++i) {
    expect_agreement(mesh, index,
                     Vec3(0.2, 1.1, -0.1) + Vec3(coordinate(random), coordinate(random), coordinate(random)));
  }
}

TEST(ClosestPoint, AgreesWithBruteForceInMillimetresFarFromTheOrigin) {
  const TriangleMesh mesh = bumpy_sphere(9, 11, 300.0, {5000, 1700, -4000});
  const ClosestPointIndex index(mesh);
  std::mt19937 random(8);
  std::uniform_real_distribution<double> coordinate(-500, 500);
  for (int i = 0; i < 200; ++i) {
    const Vec3 q = Vec3(5000, 1700, -4000) + Vec3(coordinate(random), coordinate(random), coordinate(random));
    EXPECT_NEAR(std::abs(index.query(q).signed_distance), brute_distance(mesh, q), 1e-8);
  }
}

// A thin wedge: beside its sharp edge the nearer face alone would often give the wrong side.
TEST(ClosestPoint, HasTheRightSideBesideSharpEdgesAndCorners) {
  const TriangleMesh spike{{{0, 0, 0}, {1, 0.02, 0.05}, {1, -0.02, 0.05}, {1, 0, -0.3}},
                           {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
  TriangleMesh outward = spike;
  if (signed_volume(outward) < 0) {
    for (Triangle& t : outward.triangles) std::swap(t[1], t[2]);
  }
  const ClosestPointIndex index(outward);
  std::mt19937 random(9);
  std::uniform_real_distribution<double> along(-0.3, 1.3), across(-0.4, 0.2);
  for (int i = 0; i < 1000; ++i)
    expect_agreement(outward, index, {along(random), across(random) + 0.1, across(random)});
}

TEST(ClosestPoint, OfAVertexAnEdgeAndAFaceIsFoundExactly) {
  const TriangleMesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  const ClosestPointIndex index(one);
  EXPECT_EQ(index.query({-1, -1, 1}).point, Vec3(0, 0, 0));
  EXPECT_EQ(index.query({0.5, -2, 1}).point, Vec3(0.5, 0, 0));
  EXPECT_TRUE(index.query({0.25, 0.25, -3}).point.isApprox(Vec3(0.25, 0.25, 0)));
  EXPECT_DOUBLE_EQ(index.query({0.25, 0.25, 3}).signed_distance, 3.0);
  EXPECT_DOUBLE_EQ(index.query({0.25, 0.25, -3}).signed_distance, -3.0);
}

TEST(ClosestPoint, OnTheSurfaceTheNormalIsThePseudoNormal) {
  const TriangleMesh mesh = bumpy_sphere(12, 16, 0.3, Vec3::Zero());
  const ClosestPointIndex index(mesh);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const ClosestPoint found = index.query(mesh.positions[v]);
    EXPECT_EQ(found.signed_distance, 0.0);
    EXPECT_GT(found.normal.dot(mesh.positions[v].normalized()), 0.7);
  }
}

// Batches begin each search with what was nearest to the point before; one by one is the judge.
TEST(ClosestPoint, ManyAtOnceHaveTheAnswersOfOneByOne) {
  const Vec3 centre(0.2, 1.1, -0.1);
  const TriangleMesh mesh = bumpy_sphere(12, 16, 0.3, centre);
  const ClosestPointIndex index(mesh);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> wide(-0.6, 0.6), beside(-0.01, 0.01);
  std::vector<Vec3> points = mesh.positions;  // where several triangles are as near
  for (int i = 0; i < 300; ++i) points.push_back(centre + Vec3(wide(random), wide(random), wide(random)));
  for (int i = 0; i < 300; ++i) points.push_back(points.back() + Vec3(beside(random), beside(random), beside(random)));
  points.insert(points.begin() + 200, {Vec3(std::nan(""), 0, 0), centre, centre});
  for (const double most : {1e30, 0.1}) {
    std::vector<ClosestPoint> together(points.size());
    index.query(points, most, together);
    for (size_t i = 0; i < points.size(); ++i) {
      const ClosestPoint alone = index.query(points[i], most);
      ASSERT_EQ(together[i].triangle, alone.triangle) << i;
      ASSERT_EQ(together[i].point, alone.point) << i;
      ASSERT_EQ(together[i].normal, alone.normal) << i;
      ASSERT_EQ(together[i].signed_distance, alone.signed_distance) << i;
    }
  }
}

TEST(ClosestPoint, BeyondTheMaximumDistanceThereIsNone) {
  const TriangleMesh mesh = bumpy_sphere(12, 16, 0.3, Vec3::Zero());
  const ClosestPointIndex index(mesh);
  const double exact = brute_distance(mesh, {1, 0, 0});
  EXPECT_EQ(index.query({1, 0, 0}, exact * 0.999).triangle, -1);
  EXPECT_NEAR(index.query({1, 0, 0}, exact * 1.001).signed_distance, exact, 1e-12);
}

TEST(ClosestPoint, AnEmptyMeshAndABadQueryHaveNone) {
  EXPECT_EQ(ClosestPointIndex(TriangleMesh()).query({0, 0, 0}).triangle, -1);
  const ClosestPointIndex index(bumpy_sphere(6, 8, 0.3, Vec3::Zero()));
  EXPECT_EQ(index.query({std::nan(""), 0, 0}).triangle, -1);
}

TEST(ClosestPoint, AnUnweldedClosedMeshHasTheSidesOfTheWeldedOne) {
  const TriangleMesh mesh = bumpy_sphere(8, 10, 0.3, Vec3::Zero());
  TriangleMesh soup;
  for (const Triangle& t : mesh.triangles) {
    const int first = soup.vertex_count();
    for (int k = 0; k < 3; ++k) soup.positions.push_back(mesh.positions[t[k]]);
    soup.triangles.emplace_back(first, first + 1, first + 2);
  }
  const ClosestPointIndex welded(mesh), unwelded(soup);
  std::mt19937 random(10);
  std::uniform_real_distribution<double> coordinate(-0.5, 0.5);
  for (int i = 0; i < 300; ++i) {
    const Vec3 q(coordinate(random), coordinate(random), coordinate(random));
    EXPECT_EQ(welded.query(q).signed_distance, unwelded.query(q).signed_distance);
  }
}

TEST(ClosestPoint, ATriangleWithoutAreaDoesNoHarm) {
  const TriangleMesh flat{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}, {0, 0, 1}}, {{0, 1, 2}, {3, 4, 3}}};
  const ClosestPointIndex index(flat);
  const ClosestPoint found = index.query({1.5, 2, 0});
  EXPECT_EQ(found.triangle, 0);
  EXPECT_EQ(found.point, Vec3(1.5, 0, 0));
  EXPECT_NEAR(found.normal.norm(), 1.0, 1e-12);
}

TEST(ClosestPoint, TiesGoToTheLowestTriangle) {
  const TriangleMesh cube{
      {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}},
      {{0, 2, 1},
       {1, 2, 3},
       {4, 5, 6},
       {5, 7, 6},
       {0, 1, 4},
       {1, 5, 4},
       {2, 6, 3},
       {3, 6, 7},
       {0, 4, 2},
       {2, 4, 6},
       {1, 3, 5},
       {3, 7, 5}}};
  const ClosestPointIndex index(cube);
  EXPECT_EQ(index.query({0, 0, 0}).triangle, 0);
  EXPECT_EQ(index.query({0, 0, 0}).signed_distance, -1.0);
}

// A dent so deep that it goes through the other side and out of it, inside out: an eyelid of a scan in its eye.
TEST(ClosestPoint, WhatSticksOutInsideOutIsNoInside) {
  TriangleMesh mesh = bumpy_sphere(16, 24, 0.1, Vec3::Zero());
  mesh.positions[0] = Vec3(0.003, -0.14, 0.002);  // the north pole, 40 mm below the south pole
  const ClosestPointIndex index(mesh), by_normal(mesh, SideRule::kPseudoNormal);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> coordinate(-0.2, 0.2);
  int wrong = 0, told = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 q = Vec3(0, -0.12, 0) + 0.3 * Vec3(coordinate(random), coordinate(random), coordinate(random));
    const double winding = winding_number(mesh, q);
    if (std::abs(winding) > 0.1) continue;  // neither in the body nor in the dent
    const double distance = index.query(q).signed_distance;
    EXPECT_NEAR(std::abs(distance), brute_distance(mesh, q), 1e-12);
    EXPECT_GT(distance, -1e-3) << q.transpose();
    told += distance < 0.0;
    wrong += by_normal.query(q).signed_distance < -1e-3;
  }
  EXPECT_GT(wrong, 300) << "the dent does not stick out";
  EXPECT_LT(told, wrong / 4);
  EXPECT_LT(index.query({0.05, 0.02, 0.0}).signed_distance, -1e-2);  // in the body all the same
}

}  // namespace
}  // namespace tryon
