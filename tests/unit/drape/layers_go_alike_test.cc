// A way that would lead layers through each other is made one for all who are near; elsewhere it stays.
#include "server/drape/layers_go_alike.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/garment/garment.h"
#include "server/metrics/metrics.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

constexpr double kApart = 0.003;

// Two sheets of 0.6 m that lie on each other.
TriangleMesh two_layers() {
  Pattern pattern;
  pattern.panels = {testing::rectangle("below", 0.6, 0.6), testing::rectangle("above", 0.6, 0.6)};
  for (Panel& panel : pattern.panels) panel.placed = true;
  pattern.panels[1].translation = Vec3(0.0, 0.0, kApart);
  auto garment = mesh_garment(RunContext(), pattern, 0.015);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return weld(*garment, garment->placed).mesh;
}

bool is_above(const Vec3& p) { return p.z() > 0.5 * kApart; }

TriangleMesh gone(TriangleMesh cloth, const std::vector<Vec3>& way) {
  for (size_t v = 0; v < way.size(); ++v) cloth.positions[v] += way[v];
  return cloth;
}

// All go 0.1 m aside, the layer above sinks by 12 mm about its middle.
std::vector<Vec3> sinking(const TriangleMesh& cloth) {
  std::vector<Vec3> way;
  for (const Vec3& p : cloth.positions) {
    const double off = (p - Vec3(0.3, 0.3, p.z())).norm() / 0.06;
    way.emplace_back(0.1, 0.0, is_above(p) ? -0.012 * std::exp(-off * off) : 0.0);
  }
  return way;
}

TEST(LayersGoAlike, NoLayerIsLedThroughAnother) {
  const TriangleMesh cloth = two_layers();
  const std::vector<Vec3> way = sinking(cloth);
  ASSERT_GT(count_self_intersections(gone(cloth, way)), 0);
  const auto alike = layers_go_alike(RunContext(), cloth, way, 0);
  ASSERT_TRUE(alike.has_value());
  EXPECT_EQ(count_self_intersections(gone(cloth, *alike)), 0);
}

TEST(LayersGoAlike, WhoIsFarFromItGoesAsBefore) {
  const TriangleMesh cloth = two_layers();
  const std::vector<Vec3> way = sinking(cloth);
  const auto alike = layers_go_alike(RunContext(), cloth, way, 0);
  ASSERT_TRUE(alike.has_value());
  int far = 0;
  for (size_t v = 0; v < way.size(); ++v) {
    const double off = (cloth.positions[v] - Vec3(0.3, 0.3, 0.0)).norm();
    if (off < 0.25) {
      EXPECT_NEAR((*alike)[v].x(), 0.1, 1e-12) << v;  // what all do, all go on doing
      continue;
    }
    EXPECT_EQ((*alike)[v], way[v]) << v;
    ++far;
  }
  EXPECT_GT(far, 1000);
}

TEST(LayersGoAlike, AWayThatCrossesNothingStays) {
  const TriangleMesh cloth = two_layers();
  std::vector<Vec3> way = sinking(cloth);
  for (Vec3& w : way) w.z() = -w.z();  // it rises
  EXPECT_EQ(layers_go_alike(RunContext(), cloth, way, 0), way);
}

TEST(LayersGoAlike, WhatMayCrossIsLeftAsItIs) {
  const TriangleMesh cloth = two_layers();
  const std::vector<Vec3> way = sinking(cloth);
  const int crossed = count_self_intersections(gone(cloth, way));
  EXPECT_EQ(layers_go_alike(RunContext(), cloth, way, crossed), way);
}

TEST(LayersGoAlike, WhatCrossesHoweverItGoesHasNoWay) {
  TriangleMesh cloth = two_layers();
  for (Vec3& p : cloth.positions)
    if (is_above(p)) p = Vec3(p.x(), 0.3 + p.z(), p.y() - 0.3);  // upright in the other
  ASSERT_GT(count_self_intersections(cloth), 0);
  EXPECT_FALSE(layers_go_alike(RunContext(), cloth, std::vector<Vec3>(cloth.positions.size(), Vec3::Zero()), 0));
}

}  // namespace
}  // namespace tryon
