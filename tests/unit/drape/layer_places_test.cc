// Where one garment's layers are kept apart: round what has crossed, from level to level, and nearly everywhere is
// everywhere.
#include "server/drape/layer_places.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "server/drape/worn_model.h"
#include "server/metrics/metrics.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

// A long strip that lies, and a patch upright in it near its left end, or above it.
GarmentMesh strip_and_patch(double length, double width, bool crossed, double edge = 0.02) {
  Pattern pattern;
  pattern.panels = {testing::rectangle("strip", length, width), testing::rectangle("patch", 0.05, 0.05)};
  for (Panel& panel : pattern.panels) panel.placed = true;
  pattern.panels[1].rotation = Eigen::AngleAxisd(0.5 * M_PI, Vec3::UnitX()).toRotationMatrix();
  pattern.panels[1].translation = Vec3(0.052, 0.5 * width, crossed ? -0.023 : 0.1);
  auto garment = mesh_garment(RunContext(), pattern, edge);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return *std::move(garment);
}

std::vector<uint8_t> kept_by(const LayerPlaces& places) {
  sim::Scene scene;
  places.tell(&scene);
  return scene.kept_apart;
}

TEST(LayerPlaces, WhatNeverCrossedIsKeptApartNowhere) {
  const GarmentMesh garment = strip_and_patch(1.0, 0.2, false);
  LayerPlaces places;
  EXPECT_FALSE(places.take_in(weld(garment, garment.placed).mesh, RunContext()));
  EXPECT_TRUE(places.nowhere());
  sim::Scene scene;
  places.tell(&scene);
  EXPECT_EQ(scene.self_contact, 0.0);
}

TEST(LayerPlaces, WhatCrossedIsKeptApartWithAHandsBreadthRoundIt) {
  const GarmentMesh garment = strip_and_patch(1.0, 0.2, true);
  const TriangleMesh cloth = weld(garment, garment.placed).mesh;
  const auto crossed = self_intersections(cloth);
  ASSERT_FALSE(crossed.empty());
  LayerPlaces places;
  EXPECT_TRUE(places.take_in(cloth, RunContext()));
  EXPECT_FALSE(places.nowhere());
  EXPECT_FALSE(places.everywhere());
  const std::vector<uint8_t> kept = kept_by(places);
  ASSERT_EQ(kept.size(), cloth.positions.size());
  for (const auto& [first, second] : crossed)
    for (const int t : {first, second})
      for (const int v : cloth.triangles[t]) EXPECT_TRUE(kept[v]) << v;
  int far = 0;
  for (size_t v = 0; v < kept.size(); ++v) {
    double away = 1.0;
    for (const auto& [first, second] : crossed)
      for (const int t : {first, second})
        for (const int corner : cloth.triangles[t])
          away = std::min(away, (cloth.positions[corner] - cloth.positions[v]).norm());
    if (away < 0.06) {
      EXPECT_TRUE(kept[v]) << v;
    }
    if (away > 0.08) {
      EXPECT_FALSE(kept[v]) << v;
      ++far;
    }
  }
  EXPECT_GT(far, 100);
  EXPECT_FALSE(places.take_in(cloth, RunContext())) << "it is known";
  EXPECT_EQ(kept_by(places), kept);
  sim::Scene scene;
  places.tell(&scene);
  EXPECT_EQ(scene.self_contact, kLayerGap);
}

TEST(LayerPlaces, LayersThatLieOnEachOtherAreKeptApartBeforeTheyCross) {
  for (const double above : {0.1, 0.003}) {
    GarmentMesh garment = strip_and_patch(1.0, 0.2, false);
    for (Vec3& p : garment.placed)
      if (p.z() > 0.05) p.z() += above - 0.1;
    const WeldedMesh welded = weld(garment, garment.placed);
    const Fabric fabric = *fabric_by_name("cotton_jersey");
    const auto model = worn_model({{welded, fabric}}, {}, false);
    ASSERT_TRUE(model.ok()) << model.status();
    ASSERT_TRUE(self_intersections(welded.mesh).empty());
    LayerPlaces places;
    places.take_in_layers(*model, worn_state({{welded, fabric}}).x);
    EXPECT_EQ(places.nowhere(), above > 0.05);
    if (places.nowhere()) continue;
    EXPECT_FALSE(places.everywhere());
    const std::vector<uint8_t> kept = kept_by(places);
    ASSERT_EQ(kept.size(), welded.mesh.positions.size());
    for (size_t v = 0; v < kept.size(); ++v) {
      const Vec3& p = welded.mesh.positions[v];
      EXPECT_FALSE(kept[v] && p.x() > 0.25) << p.transpose() << " is far from the patch";
      EXPECT_TRUE(kept[v] || p.z() < 0.001 || p.z() > 0.004) << p.transpose() << " is the patch's rim";
    }
  }
}

TEST(LayerPlaces, NearlyEverywhereIsEverywhere) {
  const GarmentMesh garment = strip_and_patch(0.15, 0.1, true);
  LayerPlaces places;
  EXPECT_TRUE(places.take_in(weld(garment, garment.placed).mesh, RunContext()));
  EXPECT_TRUE(places.everywhere());
  EXPECT_TRUE(kept_by(places).empty());
  EXPECT_FALSE(places.take_in(weld(garment, garment.placed).mesh, RunContext())) << "there is no more";
  places.become_nowhere();
  EXPECT_TRUE(places.nowhere());
}

TEST(LayerPlaces, TheyLieWhereTheyLayOnTheFinerLevel) {
  const GarmentMesh garment = strip_and_patch(1.0, 0.2, true, 0.01);
  const auto levels = ClothLevels::build(garment, 200);
  ASSERT_TRUE(levels.ok());
  ASSERT_GE(levels->count(), 2);
  const TriangleMesh coarse = levels->placed(1).mesh, fine = levels->placed(0).mesh;
  LayerPlaces places;
  ASSERT_TRUE(places.take_in(coarse, RunContext()));
  const std::vector<uint8_t> before = kept_by(places);
  double right = 0;
  for (size_t v = 0; v < before.size(); ++v)
    if (before[v]) right = std::max(right, coarse.positions[v].x());
  places.go_down(*levels, 1);
  const std::vector<uint8_t> after = kept_by(places);
  ASSERT_EQ(after.size(), fine.positions.size());
  double finer_right = 0;
  for (size_t v = 0; v < after.size(); ++v)
    if (after[v]) finer_right = std::max(finer_right, fine.positions[v].x());
  EXPECT_GT(std::count(after.begin(), after.end(), 1), std::count(before.begin(), before.end(), 1));
  EXPECT_NEAR(finer_right, right, 0.02);
}

}  // namespace
}  // namespace tryon
