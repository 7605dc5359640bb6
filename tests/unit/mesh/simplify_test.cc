#include "server/mesh/simplify.h"

#include <set>

#include "gtest/gtest.h"

namespace tryon {
namespace {

// Two sheets that meet along x = 0 without sharing vertices, as the sides of a seam.
TriangleMesh two_sheets(int side) {
  TriangleMesh mesh;
  for (int sheet = 0; sheet < 2; ++sheet) {
    const int first = mesh.vertex_count();
    for (int j = 0; j <= side; ++j) {
      for (int i = 0; i <= side; ++i) {
        const double x = static_cast<double>(i) / side - (sheet == 0 ? 1.0 : 0.0), y = static_cast<double>(j) / side;
        mesh.positions.emplace_back(x, y, 0.1 * x * x + 0.05 * y * y);
      }
    }
    for (int j = 0; j < side; ++j) {
      for (int i = 0; i < side; ++i) {
        const int a = first + j * (side + 1) + i, b = a + 1, c = a + side + 1, d = c + 1;
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({b, d, c});
      }
    }
  }
  return mesh;
}

TEST(Simplify, LeavesAMeshThatIsSmallEnoughAsItIs) {
  const TriangleMesh mesh = two_sheets(8);
  const SimplifiedMesh same = simplify_mesh(mesh, mesh.triangle_count());
  EXPECT_EQ(same.mesh.triangles, mesh.triangles);
  EXPECT_EQ(same.mesh.vertex_count(), mesh.vertex_count());
}

TEST(Simplify, ReachesTheLimitAndKeepsShapeAreaAndVertices) {
  const TriangleMesh mesh = two_sheets(60);
  const SimplifiedMesh fewer = simplify_mesh(mesh, 2000);
  EXPECT_LE(fewer.mesh.triangle_count(), 2000);
  EXPECT_GT(fewer.mesh.triangle_count(), 1000);
  EXPECT_TRUE(validate(fewer.mesh, "fewer").ok());
  EXPECT_NEAR(surface_area(fewer.mesh), surface_area(mesh), 2e-3 * surface_area(mesh));
  for (int v = 0; v < fewer.mesh.vertex_count(); ++v) {
    EXPECT_EQ(fewer.mesh.positions[v], mesh.positions[fewer.source[v]]);
  }
}

TEST(Simplify, OpensNoSeam) {
  const SimplifiedMesh fewer = simplify_mesh(two_sheets(40), 800);
  std::set<double> left, right;
  for (int v = 0; v < fewer.mesh.vertex_count(); ++v) {
    if (fewer.mesh.positions[v].x() == 0.0)
      (fewer.source[v] < 41 * 41 ? left : right).insert(fewer.mesh.positions[v].y());
  }
  EXPECT_EQ(left, right);
  EXPECT_GE(left.size(), 3u);
}

TEST(Simplify, GivesTheSameMeshEveryTime) {
  const TriangleMesh mesh = two_sheets(50);
  EXPECT_EQ(simplify_mesh(mesh, 1500).mesh.triangles, simplify_mesh(mesh, 1500).mesh.triangles);
}

}  // namespace
}  // namespace tryon
