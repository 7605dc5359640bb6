#include "server/mesh/triangle_mesh.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "server/base/status.h"

namespace tryon {
namespace {

TriangleMesh tetrahedron() {
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  return mesh;
}

TEST(TriangleMesh, ATetrahedronHasItsVolumeAreaAndOutwardNormals) {
  const TriangleMesh mesh = tetrahedron();
  EXPECT_TRUE(validate(mesh, "tet").ok());
  EXPECT_NEAR(signed_volume(mesh), 1.0 / 6.0, 1e-15);
  EXPECT_NEAR(surface_area(mesh), 1.5 + std::sqrt(3.0) / 2.0, 1e-15);
  const Vec3 centre(0.25, 0.25, 0.25);
  const auto normals = vertex_normals(mesh);
  for (int v = 0; v < 4; ++v) EXPECT_GT(normals[v].dot(mesh.positions[v] - centre), 0.0) << v;
}

TEST(TriangleMesh, EveryEdgeOfAClosedMeshLiesBetweenTwoTriangles) {
  const auto edges = mesh_edges(tetrahedron());
  ASSERT_EQ(edges.size(), 6u);
  for (const EdgeUse& e : edges) {
    EXPECT_LT(e.a, e.b);
    EXPECT_GE(e.right, 0);
  }
}

TEST(TriangleMesh, AnOpenEdgeHasNoRightAndAnEdgeOfThreeTrianglesAppearsTwice) {
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  int spine = 0, open = 0;
  for (const EdgeUse& e : mesh_edges(mesh)) {
    spine += e.a == 0 && e.b == 1;
    open += e.right < 0;
  }
  EXPECT_EQ(spine, 2);
  EXPECT_EQ(open, 6);
}

TEST(TriangleMesh, ValidationNamesTheFirstOffendingElement) {
  TriangleMesh mesh = tetrahedron();
  mesh.positions[2].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_detail(validate(mesh, "body"))->field, "body.vertex[2]");
  mesh = tetrahedron();
  mesh.triangles[3][1] = 4;
  EXPECT_EQ(error_detail(validate(mesh, "body"))->reason, "MESH_INDEX_OUT_OF_RANGE");
  mesh = tetrahedron();
  mesh.triangles[1] = {2, 2, 3};
  EXPECT_EQ(error_detail(validate(mesh, "body"))->field, "body.triangle[1]");
}

TEST(TriangleMesh, PartsThatShareNoVertexAreCountedApart) {
  TriangleMesh mesh = tetrahedron();
  const TriangleMesh other = tetrahedron();
  mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
  mesh.triangles.push_back({4, 5, 6});
  const auto [component, count] = connected_components(mesh);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(component.front(), 0);
  EXPECT_EQ(component.back(), 1);
}

TEST(TriangleMesh, AVertexWithoutTrianglesPointsUp) {
  TriangleMesh mesh;
  mesh.positions = {{3, 3, 3}};
  EXPECT_EQ(vertex_normals(mesh)[0], Vec3(Vec3::UnitY()));
}

}  // namespace
}  // namespace tryon
