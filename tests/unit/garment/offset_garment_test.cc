#include "server/garment/offset_garment.h"

#include <cmath>
#include <numbers>

#include "gtest/gtest.h"
#include "server/base/status.h"

namespace tryon {
namespace {

using std::numbers::pi;

// A pillar of 360 sides, floor to 1.5 m.
TriangleMesh pillar(double radius) {
  TriangleMesh mesh;
  for (const double y : {0.0, 1.5}) {
    for (int i = 0; i < 360; ++i) {
      mesh.positions.emplace_back(radius * std::sin(i * pi / 180), y, radius * std::cos(i * pi / 180));
    }
  }
  for (int i = 0; i < 360; ++i) {
    const int j = (i + 1) % 360;
    mesh.triangles.emplace_back(i, j, 360 + j);
    mesh.triangles.emplace_back(i, 360 + j, 360 + i);
  }
  return mesh;
}

TEST(OffsetGarment, StandsOffTheBodyByTheEaseAndFlaresToTheHem) {
  const auto garment = grow_offset_garment(pillar(0.15), {}, {0.5, 1.0, 0.03, 0.05, 0.02});
  ASSERT_TRUE(garment.ok()) << garment.status();
  EXPECT_EQ(garment->cloth.mesh.vertex_count(), garment->rows * garment->columns);
  EXPECT_NEAR(garment->girths.front(), 2 * pi * 0.18, 2e-3);
  EXPECT_NEAR(garment->girths.back(), 2 * pi * 0.23, 2e-3);
  for (int v = 0; v < garment->cloth.mesh.vertex_count(); ++v) {
    const Vec3& p = garment->cloth.mesh.positions[v];
    const double share = (1.0 - p.y()) / 0.5;
    EXPECT_NEAR(std::hypot(p.x(), p.z()), 0.18 + 0.05 * share, 1e-3);
  }
}

TEST(OffsetGarment, ItsRestShapeIsTheGrownOneAndFacesOutward) {
  const auto garment = grow_offset_garment(pillar(0.15), {}, {0.5, 1.0, 0.03, 0.05, 0.02});
  ASSERT_TRUE(garment.ok());
  const WeldedMesh& cloth = garment->cloth;
  ASSERT_EQ(cloth.corner_flat.size(), cloth.mesh.triangles.size());
  for (size_t t = 0; t < cloth.corner_flat.size(); ++t) {
    const Triangle& tri = cloth.mesh.triangles[t];
    Vec3 middle = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = cloth.mesh.positions[tri[(k + 1) % 3]] - cloth.mesh.positions[tri[k]];
      EXPECT_NEAR((cloth.corner_flat[t][(k + 1) % 3] - cloth.corner_flat[t][k]).norm(), d.norm(), 1e-12);
      middle += cloth.mesh.positions[tri[k]] / 3.0;
    }
    middle.y() = 0.0;
    EXPECT_GT(triangle_normal(cloth.mesh, static_cast<int>(t)).dot(middle), 0.0);
  }
}

TEST(OffsetGarment, WhatCannotBeGrownIsRefusedByName) {
  OffsetGarmentSpec spec;
  spec.ease_m = -0.01;
  EXPECT_EQ(error_detail(grow_offset_garment(pillar(0.15), {}, spec).status())->field, "ease_m");
  spec = {};
  spec.top_m = 1.8;
  EXPECT_EQ(error_detail(grow_offset_garment(pillar(0.15), {}, spec).status())->reason, "OFFSET_GARMENT_EMPTY");
}

TEST(OffsetGarment, CutIntoGoresEveryStripLiesFlatWithoutStrainAndMeetsItsNeighbours) {
  const auto garment = grow_offset_garment(pillar(0.15), {}, {0.5, 1.0, 0.03, 0.05, 0.05});
  ASSERT_TRUE(garment.ok());
  const auto gores = cut_into_gores(*garment);
  ASSERT_TRUE(gores.ok()) << gores.status();
  EXPECT_EQ(static_cast<int>(gores->panel_names.size()), garment->columns);
  EXPECT_EQ(gores->vertex_count(), 2 * garment->rows * garment->columns);
  EXPECT_EQ(gores->triangles.size(), garment->cloth.mesh.triangles.size());
  for (const Triangle& t : gores->triangles) {
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      EXPECT_NEAR((gores->flat[a] - gores->flat[b]).norm(), (gores->placed[a] - gores->placed[b]).norm(), 1e-9);
    }
    const Vec2 u = gores->flat[t[1]] - gores->flat[t[0]], v = gores->flat[t[2]] - gores->flat[t[0]];
    EXPECT_GT(u.x() * v.y() - u.y() * v.x(), 0.0) << "its outer side is up";
  }
  for (const MeshStitch& s : gores->stitches) EXPECT_EQ(gores->placed[s.a], gores->placed[s.b]);
  const WeldedMesh sewn = weld(ready_garment(*gores), gores->placed);
  EXPECT_EQ(sewn.mesh.vertex_count(), garment->rows * garment->columns) << "sewn, it is the grid again";
}

TEST(OffsetGarment, EveryNumberOutOfRangeIsNamed) {
  const std::pair<const char*, double OffsetGarmentSpec::*> fields[] = {{"ease_m", &OffsetGarmentSpec::ease_m},
                                                                        {"flare_m", &OffsetGarmentSpec::flare_m},
                                                                        {"edge_m", &OffsetGarmentSpec::edge_m},
                                                                        {"bottom_m", &OffsetGarmentSpec::bottom_m},
                                                                        {"top_m", &OffsetGarmentSpec::top_m}};
  for (const auto& [name, field] : fields) {
    OffsetGarmentSpec spec;
    spec.*field = -1.0;
    const auto detail = error_detail(grow_offset_garment(pillar(0.15), {}, spec).status());
    ASSERT_TRUE(detail.has_value()) << name;
    EXPECT_EQ(detail->reason, "OFFSET_GARMENT_SPEC");
    EXPECT_EQ(detail->field, name);
  }
}

}  // namespace
}  // namespace tryon
