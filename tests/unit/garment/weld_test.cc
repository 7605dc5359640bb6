#include <set>
#include <string>

#include "gtest/gtest.h"
#include "server/garment/garment.h"

namespace tryon {
namespace {

// Quarters of a skirt: `count` rectangles in a ring, each sewn to the next, all to a waistband above.
Pattern ring(int count) {
  Pattern pattern;
  for (int i = 0; i < count; ++i) {
    Panel panel;
    panel.name = "gore" + std::to_string(i);
    panel.vertices = {{0, 0}, {0.2, 0}, {0.2, 0.3}, {0, 0.3}};
    for (int k = 0; k < 4; ++k) panel.edges.push_back({k, (k + 1) % 4, {}, ""});
    panel.rotation = Eigen::AngleAxisd(2.0 * M_PI * i / count, Vec3::UnitY()).toRotationMatrix();
    panel.translation = panel.rotation * Vec3(-0.1, 0, 0.3);
    pattern.panels.push_back(panel);
    pattern.stitches.push_back({{i, 1}, {(i + 1) % count, 3}});
  }
  return pattern;
}

Pattern dart() {
  Pattern pattern;
  Panel panel;
  panel.name = "skirt";
  panel.vertices = {{0, 0}, {0.4, 0}, {0.4, 0.3}, {0.22, 0.3}, {0.2, 0.2}, {0.18, 0.3}, {0, 0.3}};
  for (int k = 0; k < 7; ++k) panel.edges.push_back({k, (k + 1) % 7, {}, ""});
  pattern.panels = {panel};
  pattern.stitches = {{{0, 3}, {0, 4}}};
  return pattern;
}

GarmentMesh meshed(const Pattern& pattern, double edge_m = 0.02) {
  auto garment = mesh_garment(RunContext{}, pattern, edge_m);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return garment.ok() ? *std::move(garment) : GarmentMesh{};
}

int open_edges(const TriangleMesh& mesh) {
  int open = 0;
  for (const EdgeUse& e : mesh_edges(mesh)) open += e.right < 0;
  return open;
}

TEST(Weld, ARingOfGoresBecomesATubeWithTwoOpenRims) {
  const GarmentMesh g = meshed(ring(4));
  const WeldedMesh w = weld(g, g.placed);
  EXPECT_TRUE(validate(w.mesh, "welded").ok());
  EXPECT_EQ(connected_components(w.mesh).second, 1);
  EXPECT_EQ(open_edges(w.mesh), 2 * 4 * 10);
  const int edges = static_cast<int>(mesh_edges(w.mesh).size());
  EXPECT_EQ(w.mesh.vertex_count() - edges + w.mesh.triangle_count(), 0) << "Euler's number of a tube";
}

struct Strains {
  std::vector<double> warp, weft, shear;  // [triangle_count]
};

// The ring's gores, not sewn, pulled by a tenth along world y.
Strains pulled_up(Pattern pattern) {
  pattern.stitches.clear();
  const GarmentMesh g = meshed(pattern);
  std::vector<Vec3> up = g.placed;
  for (Vec3& p : up) p.y() *= 1.1;
  const WeldedMesh w = weld(g, up);
  Strains out;
  for (size_t t = 0; t < w.corner_flat.size(); ++t) {
    const Triangle& v = w.mesh.triangles[t];
    const auto& flat = w.corner_flat[t];
    Eigen::Matrix<double, 3, 2> now;
    Eigen::Matrix2d rest;
    now << w.mesh.positions[v[1]] - w.mesh.positions[v[0]], w.mesh.positions[v[2]] - w.mesh.positions[v[0]];
    rest << flat[1] - flat[0], flat[2] - flat[0];
    const Eigen::Matrix<double, 3, 2> gradient = now * rest.inverse();  // columns: weft, warp
    out.weft.push_back(gradient.col(0).norm() - 1.0);
    out.warp.push_back(gradient.col(1).norm() - 1.0);
    out.shear.push_back(gradient.col(0).dot(gradient.col(1)));
  }
  return out;
}

TEST(Weld, TheWarpFollowsTheGrain) {
  const Strains upright = pulled_up(ring(4));
  for (const double angle : {0.4, M_PI / 2, 2.5, M_PI}) {
    Pattern turned = ring(4);  // on the table; in space each gore stands as before
    for (Panel& panel : turned.panels) {
      const Eigen::Rotation2Dd turn(angle);
      for (Vec2& v : panel.vertices) v = turn * v;
      panel.grain = turn * panel.grain;
      panel.rotation = Eigen::Matrix3d(panel.rotation * Eigen::AngleAxisd(-angle, Vec3::UnitZ()));
    }
    const Strains strain = pulled_up(turned);
    ASSERT_FALSE(strain.warp.empty());
    for (size_t t = 0; t < strain.warp.size(); ++t) {
      ASSERT_NEAR(strain.warp[t], 0.1, 1e-9);
      ASSERT_NEAR(strain.weft[t], upright.weft[0], 1e-9);
      ASSERT_NEAR(strain.shear[t], 0.0, 1e-9);
    }
  }
}

TEST(Weld, TheGrainAloneTurnedByARightAngleSwapsWarpAndWeft) {
  const Strains upright = pulled_up(ring(4));
  Pattern across = ring(4);
  for (Panel& panel : across.panels) panel.grain = Vec2::UnitX();
  const Strains strain = pulled_up(across);
  ASSERT_EQ(strain.warp.size(), upright.warp.size()) << "the mesh is the same";
  for (size_t t = 0; t < strain.warp.size(); ++t) {
    EXPECT_NEAR(strain.warp[t], upright.weft[t], 1e-12);
    EXPECT_NEAR(strain.weft[t], upright.warp[t], 1e-12);
  }
}

TEST(Weld, NoEdgeIsUsedTwiceInTheSameDirection) {
  for (const Pattern& pattern : {ring(3), dart()}) {
    const GarmentMesh g = meshed(pattern);
    const WeldedMesh w = weld(g, g.placed);
    std::set<std::pair<int, int>> directed;
    for (const Triangle& t : w.mesh.triangles) {
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(directed.insert({t[k], t[(k + 1) % 3]}).second);
    }
  }
}

TEST(Weld, PartnersMeetAtTheirMeanAndEachVertexKnowsItsPlace) {
  const GarmentMesh g = meshed(ring(4));
  const WeldedMesh w = weld(g, g.placed);
  ASSERT_EQ(w.source.size(), g.flat.size());
  for (const Seam& seam : g.seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) {
      const int v = w.source[seam.left[k]];
      ASSERT_EQ(v, w.source[seam.right[k]]);
      const Vec3 mean = 0.5 * (g.placed[seam.left[k]] + g.placed[seam.right[k]]);
      EXPECT_LT((w.mesh.positions[v] - mean).norm(), 1e-12);
    }
  }
}

TEST(Weld, AChainOfSeamsJoinsAllItsVertices) {
  GarmentMesh g;
  g.flat.assign(4, Vec2::Zero());
  g.placed = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
  g.seams = {{0, {3}, {2}}, {1, {2}, {1}}};
  const WeldedMesh w = weld(g, g.placed);
  EXPECT_EQ(w.source, (std::vector<int>{0, 1, 1, 1}));
  EXPECT_TRUE(w.mesh.positions[1].isApprox(Vec3(4, 4, 4) / 3.0));
}

TEST(Weld, ATriangleClosedByItsOwnSeamIsDroppedWithItsRestShape) {
  GarmentMesh g;
  g.flat = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  for (const Vec2& p : g.flat) g.placed.emplace_back(p.x(), p.y(), 0.0);
  g.triangles = {{0, 1, 2}, {1, 3, 2}};
  g.seams = {{0, {0}, {1}}};
  const WeldedMesh w = weld(g, g.placed);
  ASSERT_EQ(w.mesh.triangle_count(), 1);
  ASSERT_EQ(w.corner_flat.size(), 1u);
  EXPECT_EQ(w.mesh.triangles[0], Triangle(0, 2, 1));
  EXPECT_EQ(w.corner_flat[0][0], Vec2(1, 0));
  EXPECT_EQ(w.corner_flat[0][1], Vec2(1, 1));
}

TEST(Weld, RestShapesStayThoseOfTheFlatPanels) {
  const GarmentMesh g = meshed(dart(), 0.01);
  const WeldedMesh w = weld(g, g.placed);
  ASSERT_EQ(w.corner_flat.size(), w.mesh.triangles.size());
  double area = 0.0;
  for (const auto& c : w.corner_flat) {
    const Vec2 u = c[1] - c[0], v = c[2] - c[0];
    area += 0.5 * (u.x() * v.y() - u.y() * v.x());
  }
  EXPECT_NEAR(area, 0.4 * 0.3 - 0.5 * 0.04 * 0.1, 1e-12);
}

}  // namespace
}  // namespace tryon
