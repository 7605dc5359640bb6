#include "server/metrics/metrics.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace tryon {
namespace {

TriangleMesh one_triangle() { return {{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {Triangle(0, 1, 2)}}; }
std::vector<std::array<Vec2, 3>> flat_of_one() { return {{Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)}}; }

TEST(Strain, RestIsZero) {
  const auto s = measure_strain(one_triangle(), flat_of_one());
  EXPECT_NEAR(s.warp[0], 0.0, 1e-15);
  EXPECT_NEAR(s.weft[0], 0.0, 1e-15);
  EXPECT_NEAR(s.shear[0], 0.0, 1e-15);
}

TEST(Strain, WarpRunsAlongYOfTheClothWhateverItsPlaceInTheWorld) {
  TriangleMesh mesh = one_triangle();
  for (Vec3& p : mesh.positions) p = Vec3(3 + p.z(), 1.10 * p.y(), 0.95 * p.x());  // x -> z, y stretched
  const auto s = measure_strain(mesh, flat_of_one());
  EXPECT_NEAR(s.warp[0], 0.10, 1e-12);
  EXPECT_NEAR(s.weft[0], -0.05, 1e-12);
}

TEST(Strain, ShearIsTheCosineBetweenWarpAndWeft) {
  TriangleMesh mesh = one_triangle();
  mesh.positions[2] = Vec3(std::sin(0.2), std::cos(0.2), 0);
  EXPECT_NEAR(measure_strain(mesh, flat_of_one()).shear[0], std::sin(0.2), 1e-12);
}

TEST(Strain, PrincipalStretchesAreTheSingularValuesAndTheirProductTheArea) {
  uint32_t seed = 7;
  const auto next = [&] { return (seed = seed * 1664525u + 1013904223u) / 4294967296.0 - 0.5; };
  for (int round = 0; round < 200; ++round) {
    TriangleMesh mesh{{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}, {Triangle(0, 1, 2)}};
    std::array<Vec2, 3> flat;
    for (int k = 0; k < 3; ++k) {
      mesh.positions[k] = Vec3(next(), next(), next());
      flat[k] = Vec2(next(), next());
    }
    Eigen::Matrix2d rest;
    rest << flat[1] - flat[0], flat[2] - flat[0];
    if (std::abs(rest.determinant()) < 1e-2) continue;
    Eigen::Matrix<double, 3, 2> world;
    world << mesh.positions[1] - mesh.positions[0], mesh.positions[2] - mesh.positions[0];
    const Eigen::Vector2d singular =
        Eigen::JacobiSVD<Eigen::Matrix<double, 3, 2>>(world * rest.inverse()).singularValues();
    const StrainField s = measure_strain(mesh, {flat});
    EXPECT_NEAR(s.first[0], singular[0] - 1, 1e-12 * singular[0]);
    EXPECT_NEAR(s.second[0], singular[1] - 1, 1e-11 * singular[0]);
    EXPECT_NEAR(s.area_ratio[0], singular[0] * singular[1], 1e-11 * singular[0]);
  }
}

TEST(Strain, ATriangleWithoutAreaAtRestIsUnstrained) {
  const StrainField s = measure_strain(one_triangle(), {{Vec2(0, 0), Vec2(1, 0), Vec2(2, 0)}});
  EXPECT_EQ(s.first[0], 0.0);
  EXPECT_EQ(s.second[0], 0.0);
  EXPECT_EQ(s.area_ratio[0], 1.0);
}

TEST(LineTension, IsTheLargestPullInThePlaneOfTheCloth) {
  const auto in_plane = [](double a, double b, double turn) {
    const Eigen::Matrix3d q =
        (Eigen::AngleAxisd(turn, Vec3(1, 2, 3).normalized()) * Eigen::AngleAxisd(0.5 * turn, Vec3::UnitX()))
            .toRotationMatrix();
    return Eigen::Matrix3d(q * Vec3(a, b, 0).asDiagonal() * q.transpose());
  };
  EXPECT_EQ(largest_line_tension({}), 0.0);
  EXPECT_NEAR(largest_line_tension({in_plane(3, 7, 0.4)}), 7.0, 1e-12);
  EXPECT_NEAR(largest_line_tension({in_plane(3, 7, 0.4), in_plane(-9, 8, 1.4), in_plane(5, 5, 2.0)}), 8.0, 1e-12);
  EXPECT_NEAR(largest_line_tension({in_plane(-3, -7, 0.4)}), 0.0, 1e-12) << "what only presses does not pull";
}

TEST(Percentiles, OfAbsoluteValues) {
  std::vector<double> values;
  for (int i = 0; i <= 100; ++i) values.push_back(i % 2 == 0 ? i : -i);
  const Percentiles p = percentiles(values);
  EXPECT_DOUBLE_EQ(p.p50, 50);
  EXPECT_DOUBLE_EQ(p.p95, 95);
  EXPECT_DOUBLE_EQ(p.max, 100);
}

TEST(Seams, TheLargestAndTheMeanGapAreInMillimetres) {
  const SeamGap gap = seam_gap({Vec3(0, 0, 0), Vec3(0, 0, 0.001), Vec3(0, 0.003, 0)}, {{0, 1}, {0, 2}});
  EXPECT_NEAR(gap.max_mm, 3.0, 1e-12);
  EXPECT_NEAR(gap.mean_mm, 2.0, 1e-12);
}

TEST(SelfIntersections, TwoCrossingTrianglesAreOnePairAndNeighboursAreNone) {
  TriangleMesh mesh = one_triangle();
  mesh.positions.insert(mesh.positions.end(), {Vec3(0.2, 0.2, -1), Vec3(0.2, 0.2, 1), Vec3(5, 5, 0.5), Vec3(1, 1, 0)});
  mesh.triangles.push_back(Triangle(3, 4, 5));
  mesh.triangles.push_back(Triangle(1, 6, 2));   // shares an edge with the first
  EXPECT_EQ(count_self_intersections(mesh), 2);  // the blade passes through both coplanar triangles
  mesh.triangles.erase(mesh.triangles.begin() + 1);
  EXPECT_EQ(count_self_intersections(mesh), 0);
}

TEST(SelfIntersections, WhatSharesACornerCountsWhereItMeetsBeyondIt) {
  TriangleMesh mesh = one_triangle();  // (0 0) (1 0) (0 1) in z = 0
  mesh.positions.insert(mesh.positions.end(), {Vec3(0.4, 0.2, -0.5), Vec3(0.4, 0.2, 0.5)});
  mesh.triangles.push_back(Triangle(0, 3, 4));  // its far edge goes through the first
  EXPECT_EQ(count_self_intersections(mesh), 1);
  for (const int v : {3, 4}) mesh.positions[v] = Vec3(-mesh.positions[v].x(), -0.2, mesh.positions[v].z());
  EXPECT_EQ(count_self_intersections(mesh), 0) << "they meet in the corner alone";
}

TEST(SelfIntersections, AgreesWithBruteForceOnACrumpledSheet) {
  TriangleMesh mesh;
  const int n = 12;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double a = 0.9 * i, b = 0.7 * j;
      mesh.positions.push_back(Vec3(std::sin(a) + 0.1 * j, std::cos(b) * 0.5 + 0.05 * i, std::sin(a * b * 0.3)));
    }
  }
  for (int i = 0; i + 1 < n; ++i) {
    for (int j = 0; j + 1 < n; ++j) {
      const int v = i * n + j;
      mesh.triangles.push_back(Triangle(v, v + 1, v + n));
      mesh.triangles.push_back(Triangle(v + 1, v + n + 1, v + n));
    }
  }
  // Brute force: an edge of one triangle pierces the other (general position).
  auto pierces = [&](const Vec3& p, const Vec3& q, const Triangle& t) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    auto volume = [](const Vec3& w, const Vec3& x, const Vec3& y, const Vec3& z) {
      return (x - w).dot((y - w).cross(z - w));
    };
    const double s1 = volume(p, a, b, c), s2 = volume(q, a, b, c);
    if ((s1 > 0) == (s2 > 0)) return false;
    const double e1 = volume(p, q, a, b), e2 = volume(p, q, b, c), e3 = volume(p, q, c, a);
    return (e1 > 0) == (e2 > 0) && (e2 > 0) == (e3 > 0);
  };
  // Of edges that have no corner in common with the triangle.
  auto free_edge_pierces = [&](const Triangle& from, int i, const Triangle& t) {
    const int a = from[i], b = from[(i + 1) % 3];
    if ((t.array() == a).any() || (t.array() == b).any()) return false;
    return pierces(mesh.positions[a], mesh.positions[b], t);
  };
  int expected = 0, at_corners = 0;
  for (int s = 0; s < mesh.triangle_count(); ++s) {
    for (int t = s + 1; t < mesh.triangle_count(); ++t) {
      bool hit = false;
      for (int i = 0; i < 3; ++i) {
        hit |= free_edge_pierces(mesh.triangles[s], i, mesh.triangles[t]);
        hit |= free_edge_pierces(mesh.triangles[t], i, mesh.triangles[s]);
      }
      int shared = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) shared += mesh.triangles[s][i] == mesh.triangles[t][j];
      expected += shared < 2 && hit;
      at_corners += shared == 1 && hit;
    }
  }
  EXPECT_GT(expected, 5);
  EXPECT_GT(at_corners, 0);
  EXPECT_EQ(count_self_intersections(mesh), expected);
}

TEST(SelfIntersections, AreTheSamePairsInTheSameOrderForAnyNumberOfThreads) {
  TriangleMesh mesh;
  constexpr int kSide = 40;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j)
      mesh.positions.push_back(
          Vec3(std::sin(0.9 * i) + 0.1 * j, 0.5 * std::cos(0.7 * j) + 0.05 * i, std::sin(0.2 * i * j)));
  for (int i = 0; i + 1 < kSide; ++i)
    for (int j = 0; j + 1 < kSide; ++j) {
      const int v = i * kSide + j;
      mesh.triangles.push_back(Triangle(v, v + 1, v + kSide));
      mesh.triangles.push_back(Triangle(v + 1, v + kSide + 1, v + kSide));
    }
  const auto alone = self_intersections(mesh);
  EXPECT_GT(alone.size(), 1000u);
  for (const int threads : {2, 5}) {
    Executor executor(threads);
    RunContext run;
    run.executor = &executor;
    EXPECT_EQ(self_intersections(mesh, run), alone) << threads << " threads";
  }
}

TEST(SelfIntersections, OfManySizesFarApartAreThoseOfEachPairByItself) {
  std::mt19937 random(7);
  const auto between = [&](double low, double high) { return low + (high - low) * (random() / 4294967296.0); };
  const auto about = [&](const Vec3& centre, double size) {
    return Vec3(centre + size * Vec3(between(-1, 1), between(-1, 1), between(-1, 1)));
  };
  TriangleMesh mesh;
  for (int t = 0; t < 300; ++t) {
    const Vec3 centre(between(-4, 4), between(0, 1), between(0, 0.5));
    const double size = t == 150 ? 3.0 : t % 10 == 0 ? 0.5 : 0.1;
    for (int k = 0; k < 3; ++k) mesh.positions.push_back(about(centre, size));
    mesh.triangles.push_back(Triangle(3 * t, 3 * t + 1, 3 * t + 2));
  }
  std::vector<std::pair<int, int>> expected;
  for (int a = 0; a < mesh.triangle_count(); ++a)
    for (int b = a + 1; b < mesh.triangle_count(); ++b)
      if (count_self_intersections({mesh.positions, {mesh.triangles[a], mesh.triangles[b]}}) > 0)
        expected.emplace_back(a, b);
  EXPECT_GT(expected.size(), 30u);
  auto found = self_intersections(mesh);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace tryon
