#include "server/garment/crossings.h"

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/garment/separate.h"

namespace tryon {
namespace {

Panel square(const std::string& name, const Vec3& at, const Eigen::Matrix3d& turn = Eigen::Matrix3d::Identity()) {
  Panel panel;
  panel.name = name;
  panel.vertices = {Vec2(-0.2, 0), Vec2(0.2, 0), Vec2(0.2, 0.4), Vec2(-0.2, 0.4)};
  for (int i = 0; i < 4; ++i) panel.edges.push_back({i, (i + 1) % 4, {}, ""});
  panel.translation = at;
  panel.rotation = turn;
  return panel;
}

GarmentMesh mesh_of(const Pattern& pattern) { return *mesh_garment(RunContext{}, pattern, 0.03); }

TEST(Crossings, PanelsInOnePlaceAndPanelsThatStandInEachOtherCross) {
  Pattern pattern;
  const Eigen::Matrix3d quarter = Eigen::AngleAxisd(1.5, Vec3::UnitY()).toRotationMatrix();
  pattern.panels = {square("a", {0, 1, 0.3}), square("b", {0.1, 1.1, 0.3}), square("c", {0, 1.05, 0.3}, quarter),
                    square("d", {0, 1, 0.4})};
  const auto pairs = crossing_panels(mesh_of(pattern));
  EXPECT_EQ(pairs, (std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 2}, {2, 3}}));
}

TEST(Crossings, PanelsThatMeetAlongTheirSeamDoNotCrossButWithoutTheSeamTheyTouch) {
  Pattern pattern;
  pattern.panels = {square("a", {-0.2, 1, 0.3}), square("b", {0.2, 1, 0.3})};
  EXPECT_EQ(crossing_panels(mesh_of(pattern)).size(), 1u);
  pattern.stitches = {{{0, 1}, {1, 3}, false}};
  EXPECT_TRUE(crossing_panels(mesh_of(pattern)).empty());
}

TEST(Separate, MovesTheSmallerPanelAsLittleAsItMustAndNeverThroughTheBody) {
  Frustum trunk;
  trunk.bottom = Vec3(0, 0, 0), trunk.top = Vec3(0, 1.6, 0);
  trunk.bottom_radii = trunk.top_radii = Vec2(0.15, 0.15);
  const SolidSet solids({Solid(trunk)});
  Pattern pattern;
  pattern.panels = {square("coat", {0, 0.8, 0.2}), square("pocket", {0.05, 0.9, 0.2})};
  for (Vec2& v : pattern.panels[1].vertices) v *= 0.4;
  GarmentMesh garment = mesh_of(pattern);
  const std::vector<Vec3> before = garment.placed;
  const auto told = separate_panels(RunContext{}, solids, 0.012, &garment);
  ASSERT_TRUE(told.ok()) << told.status();
  ASSERT_EQ(told->size(), 1u);
  EXPECT_EQ(told->front(), "panel pocket: 4 mm away from coat");
  EXPECT_TRUE(crossing_panels(garment).empty());
  for (int v = 0; v < garment.vertex_count(); ++v) {
    if (garment.panel[v] == 0) {
      EXPECT_EQ(garment.placed[v], before[v]);
    }
    EXPECT_GT(garment.placed[v].z(), 0.16);
  }
}

TEST(Separate, PanelsThatNoMovePartsAreNamed) {
  Frustum trunk;  // a shaft that leaves no way out: both panels stand in a gap between it and nothing nearer
  trunk.bottom = Vec3(0, -2, 0), trunk.top = Vec3(0, 4, 0);
  trunk.bottom_radii = trunk.top_radii = Vec2(0.15, 0.15);
  const SolidSet solids({Solid(trunk)});
  Pattern pattern;  // crossed sheets, larger than any move
  const Eigen::Matrix3d quarter = Eigen::AngleAxisd(1.5, Vec3::UnitY()).toRotationMatrix();
  pattern.panels = {square("a", {0, 0, 2.0}), square("b", {0, 0, 2.0}, quarter)};
  for (Panel& panel : pattern.panels) {
    for (Vec2& v : panel.vertices) v *= 10.0;
  }
  GarmentMesh garment = *mesh_garment(RunContext{}, pattern, 0.2);
  const auto told = separate_panels(RunContext{}, solids, 0.012, &garment);
  const auto detail = error_detail(told.status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, "PANELS_CROSS");
  EXPECT_NE(std::string(told.status().message()).find("panels a and b"), std::string::npos);
}

}  // namespace
}  // namespace tryon
