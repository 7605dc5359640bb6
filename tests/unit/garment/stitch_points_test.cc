#include "server/garment/stitch_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace tryon {
namespace {

// A ladder one metre long and `width` wide: rails of `near` and `far` vertices; the near rail comes first.
void add_ladder(int near, int far, double width, double x, MeshPattern* mesh) {
  const int first = mesh->vertex_count(), panel = static_cast<int>(mesh->panel_names.size());
  mesh->panel_names.push_back("panel");
  for (int i = 0; i < near; ++i) mesh->flat.emplace_back(x, i / (near - 1.0));
  for (int i = 0; i < far; ++i) mesh->flat.emplace_back(x + width, i / (far - 1.0));
  mesh->panel.resize(mesh->flat.size(), panel);
  const auto at = [](int i, int n) { return i / (n - 1.0); };
  for (int i = 0, j = 0; i + 1 < near || j + 1 < far;) {
    const bool step_near = j + 1 == far || (i + 1 < near && at(i + 1, near) <= at(j + 1, far));
    const int a = first + i, b = first + near + j;
    Triangle t = step_near ? Triangle(a, b, a + 1) : Triangle(a, b, b + 1);
    if (width < 0) std::swap(t[1], t[2]);
    mesh->triangles.push_back(t);
    step_near ? ++i : ++j;
  }
}

// Two ladders; the rail of `left` vertices is sewn to that of `right`, wherever its vertices come to lie.
MeshPattern two_ladders(int left, int right) {
  MeshPattern mesh;
  add_ladder(left, left, -0.1, 0.0, &mesh);
  add_ladder(right, right, 0.1, 1.0, &mesh);
  for (const Vec2& p : mesh.flat) mesh.placed.emplace_back(p.x(), p.y(), 0.5 * p.y());
  for (int i = 0; i < left; ++i) {
    const double place = i * (right - 1.0) / (left - 1.0);
    const int b = std::min(static_cast<int>(place), right - 2);
    mesh.stitches.push_back({i, 2 * left + b, 2 * left + b + 1, std::min(1.0, place - b)});
  }
  return mesh;
}

double twice_flat_area(const MeshPattern& mesh, const Triangle& t) {
  const Vec2 a = mesh.flat[t[1]] - mesh.flat[t[0]], b = mesh.flat[t[2]] - mesh.flat[t[0]];
  return a.x() * b.y() - a.y() * b.x();
}

double area(const MeshPattern& mesh) {
  double sum = 0.0;
  for (const Triangle& t : mesh.triangles) sum += 0.5 * twice_flat_area(mesh, t);
  return sum;
}

class StitchedLadders : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(StitchedLadders, AreShutAllAlongTheSeamAndNeitherSideIsStretchedByIt) {
  const auto [left, right] = GetParam();
  const MeshPattern mesh = two_ladders(left, right), sewn = with_stitched_vertices(mesh);
  EXPECT_NEAR(area(sewn), area(mesh), 1e-12);
  for (const Triangle& t : sewn.triangles) EXPECT_GT(twice_flat_area(sewn, t), 0.0);
  std::map<double, int> on_left, on_right;  // y of a vertex of the seam -> it
  for (int v = 0; v < sewn.vertex_count(); ++v) {
    if (sewn.flat[v].x() == 0.0) on_left[sewn.flat[v].y()] = v;
    if (sewn.flat[v].x() == 1.0) on_right[sewn.flat[v].y()] = v;
    EXPECT_NEAR(sewn.placed[v].z(), 0.5 * sewn.flat[v].y(), 1e-12) << "moved alike in the flat and in space";
  }
  EXPECT_EQ(on_left.size(), on_right.size());
  EXPECT_EQ(sewn.stitches.size(), on_left.size());
  for (const MeshStitch& s : sewn.stitches) {
    EXPECT_EQ(s.t, 0.0);
    EXPECT_NEAR(sewn.flat[s.a].y(), sewn.flat[s.b].y(), 1e-12);
    EXPECT_NE(sewn.panel[s.a], sewn.panel[s.b]);
  }
  for (size_t i = 1; i < sewn.stitches.size(); ++i) {
    const double step = sewn.flat[sewn.stitches[i].a].y() - sewn.flat[sewn.stitches[i - 1].a].y();
    EXPECT_GT(step, 0.0) << "in the seam's order";
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, StitchedLadders,
                         ::testing::Values(std::pair(5, 5), std::pair(20, 21), std::pair(21, 20), std::pair(10, 17),
                                           std::pair(17, 10), std::pair(4, 13), std::pair(13, 4), std::pair(2, 3)),
                         [](const auto& info) {
                           return std::to_string(info.param.first) + "to" + std::to_string(info.param.second);
                         });

TEST(StitchPoints, OneMoreOnOneSideIsOneNewVertexAcrossFromIt) {
  const MeshPattern sewn = with_stitched_vertices(two_ladders(20, 21));
  EXPECT_EQ(sewn.vertex_count(), 83) << "82 came";
}

TEST(StitchPoints, ASlideThatWouldFlattenATriangleMakesANewVertex) {
  MeshPattern mesh;  // the triangle at the stitched vertex is as thin as the slide is long
  mesh.flat = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1.5, 0.1}, {1, -0.2}};
  mesh.flat.push_back({-1, 0});
  mesh.triangles = {{0, 1, 6}, {2, 4, 3}, {2, 5, 4}};
  mesh.stitches = {{0, 2, 3, 0.4}};
  ASSERT_TRUE(complete(&mesh).ok());
  const MeshPattern slid = with_stitched_vertices(mesh);
  EXPECT_EQ(slid.vertex_count(), 7);
  EXPECT_DOUBLE_EQ(slid.flat[2].y(), 0.4);
  mesh.flat[4] = {1.5, 0.5};
  mesh.flat[5] = {1.001, 0.9};
  mesh.triangles = {{0, 1, 6}, {2, 4, 3}, {5, 3, 4}};  // 5 is a corner of its own; 2 has one triangle
  mesh.stitches = {{0, 3, 2, 0.4}};
  const MeshPattern split = with_stitched_vertices(mesh);
  EXPECT_EQ(split.vertex_count(), 8);
  EXPECT_EQ(split.triangles.size(), 4u);
  EXPECT_NEAR(split.flat[7].y(), 0.6, 1e-12);
  EXPECT_EQ(split.stitches.front().b, 7);
}

TEST(StitchPoints, LayersThatAreSewnToOnePointOfAnEdgeShareItsNewVertex) {
  MeshPattern mesh;
  add_ladder(2, 2, -0.1, 0.0, &mesh);
  add_ladder(2, 2, -0.1, 0.5, &mesh);
  add_ladder(3, 2, 0.1, 1.0, &mesh);  // 8, 9 and 10 along its near rail
  mesh.stitches = {{0, 8, 8, 0.0}, {4, 8, 8, 0.0}, {1, 9, 9, 0.0}, {5, 9, 9, 0.0}};
  mesh.flat.emplace_back(-0.2, 0.5), mesh.panel.push_back(0);  // another corner of the first two each, on one place
  mesh.flat.emplace_back(0.3, 0.5), mesh.panel.push_back(1);
  mesh.triangles.push_back({2, 13, 3});
  mesh.triangles.push_back({6, 14, 7});
  mesh.stitches.push_back({13, 9, 10, 0.4});
  mesh.stitches.push_back({14, 9, 10, 0.4});
  const MeshPattern sewn = with_stitched_vertices(mesh);
  std::map<int, int> to;
  for (const MeshStitch& s : sewn.stitches) to[s.a] = s.b;
  EXPECT_EQ(to[13], to[14]);
  for (const Triangle& t : sewn.triangles) EXPECT_NE(twice_flat_area(sewn, t), 0.0);
}

// As where a knife pleat is sewn to a band: the vertex that slid for the first layer is where the second one ends too.
TEST(StitchPoints, LayersThatEndWhereAVertexSlidForTheFirstShareIt) {
  MeshPattern mesh;
  mesh.flat = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1.5, 0.1}, {1, -0.2}, {-1, 0}, {0.5, 0}, {0.5, 1}, {0.2, 0.5}};
  mesh.triangles = {{0, 1, 6}, {2, 4, 3}, {2, 5, 4}, {7, 8, 9}};
  mesh.stitches = {{0, 2, 3, 0.4}, {7, 2, 3, 0.4}};
  ASSERT_TRUE(complete(&mesh).ok());
  const MeshPattern sewn = with_stitched_vertices(mesh);
  EXPECT_EQ(sewn.vertex_count(), mesh.vertex_count());
  ASSERT_EQ(sewn.stitches.size(), 2u);
  for (const MeshStitch& s : sewn.stitches) EXPECT_EQ(s.b, 2);
}

TEST(StitchPoints, WhatLiesBetweenTwoSewnVerticesIsSewnToEveryLayer) {
  MeshPattern mesh;
  add_ladder(3, 3, 0.1, 0.0, &mesh);
  add_ladder(2, 2, -0.1, 0.5, &mesh);  // 6 and 7 along its near rail
  add_ladder(2, 2, -0.1, 1.0, &mesh);  // 10 and 11
  mesh.stitches = {{6, 0, 0, 0.0}, {7, 2, 2, 0.0}, {10, 0, 0, 0.0}, {11, 2, 2, 0.0}};
  const MeshPattern sewn = with_stitched_vertices(mesh);
  std::set<int> panels;
  for (const MeshStitch& s : sewn.stitches)
    if (s.a == 1) panels.insert(sewn.panel[s.b]);
  EXPECT_EQ(panels, (std::set<int>{1, 2}));
}

TEST(StitchPoints, AHundredThousandStitchesIntoOnePointAreRead) {
  MeshPattern mesh = two_ladders(20, 20);
  mesh.stitches.assign(100'000, {0, 40, 41, 0.3});
  for (size_t i = 0; i < mesh.stitches.size(); ++i) mesh.stitches[i].a = static_cast<int>(i % 40);
  const MeshPattern sewn = with_stitched_vertices(mesh);
  EXPECT_GE(sewn.stitches.size(), 99'000u);
}

TEST(StitchPoints, WhatJoinsVerticesOrIsNoEdgeStaysWhereItIs) {
  MeshPattern mesh = two_ladders(3, 3);
  mesh.stitches = {{1, 7, 7, 0.0}, {2, 6, 8, 0.9}};
  const MeshPattern sewn = with_stitched_vertices(mesh);
  EXPECT_EQ(sewn.flat, mesh.flat);
  ASSERT_EQ(sewn.stitches.size(), 2u);
  EXPECT_EQ(sewn.stitches[1].b, 8) << "6 and 8 are no neighbours: the nearer one";
}

}  // namespace
}  // namespace tryon
