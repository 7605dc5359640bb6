// Coarser and coarser cloth of one garment: what is sewn on the coarsest mesh arrives on the garment's own.
#include "server/drape/cloth_levels.h"

#include <cmath>
#include <set>

#include "gtest/gtest.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

// Two squares of 0.4 m side by side, sewn along x = 0.4 of the first; placed in one plane, 2 cm apart.
GarmentMesh two_squares(double edge) {
  Pattern pattern;
  for (int i = 0; i < 2; ++i) {
    Panel panel = testing::rectangle(i == 0 ? "left" : "right", 0.4, 0.4);
    panel.placed = true;
    panel.translation = Vec3(0.42 * i, 0, 0);
    pattern.panels.push_back(panel);
  }
  pattern.stitches.push_back({{0, 1}, {1, 3}});
  auto garment = mesh_garment(RunContext(), pattern, edge);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return *std::move(garment);
}

TEST(ClothLevels, ASmallGarmentHasOneLevelAndIsItself) {
  const GarmentMesh garment = two_squares(0.05);
  const auto levels = ClothLevels::build(garment, 10000);
  ASSERT_TRUE(levels.ok());
  EXPECT_EQ(levels->count(), 1);
  EXPECT_EQ(levels->open_panels().vertex_count(), garment.vertex_count());
}

TEST(ClothLevels, TheCoarsestPanelsKeepAreaPairsAndCorners) {
  const GarmentMesh garment = two_squares(0.015);
  const auto levels = ClothLevels::build(garment, 100);
  ASSERT_TRUE(levels.ok());
  ASSERT_GE(levels->count(), 3);
  const GarmentMesh& open = levels->open_panels();
  EXPECT_LT(open.vertex_count(), garment.vertex_count() / 4);
  double area = 0.0;
  for (const Triangle& t : open.triangles) {
    const Vec2 u = open.flat[t[1]] - open.flat[t[0]], v = open.flat[t[2]] - open.flat[t[0]];
    area += 0.5 * (u.x() * v.y() - u.y() * v.x());
    EXPECT_EQ(open.panel[t[0]], open.panel[t[1]]);
    EXPECT_EQ(open.panel[t[0]], open.panel[t[2]]);
  }
  EXPECT_NEAR(area, 2 * 0.16, 1e-9);
  ASSERT_EQ(open.seams.size(), 1U);
  ASSERT_EQ(open.seams[0].left.size(), open.seams[0].right.size());
  EXPECT_GE(open.seams[0].left.size(), 2U);
  for (size_t k = 0; k < open.seams[0].left.size(); ++k) {
    const Vec2 a = open.flat[open.seams[0].left[k]], b = open.flat[open.seams[0].right[k]];
    EXPECT_DOUBLE_EQ(a.x(), 0.4);
    EXPECT_DOUBLE_EQ(b.x(), 0.0);
    EXPECT_NEAR(a.y(), b.y(), 1e-9);
  }
}

// What is linear on the cloth stays exact on the way down, seams closed.
TEST(ClothLevels, FlatClothStaysFlatAndClosedOnTheWayDown) {
  const GarmentMesh garment = two_squares(0.015);
  const auto levels = ClothLevels::build(garment, 100);
  ASSERT_TRUE(levels.ok());
  std::vector<Vec3> closed = levels->open_panels().placed;
  for (size_t v = 0; v < closed.size(); ++v)
    if (levels->open_panels().panel[v] == 1) closed[v].x() -= 0.02;
  std::vector<Vec3> x = levels->sewn(closed);
  for (int level = levels->count() - 1; level > 0; --level) {
    EXPECT_EQ(levels->welded(level, x).mesh.vertex_count(), static_cast<int>(x.size()));
    x = levels->finer(level, x);
  }
  const WeldedMesh finest = levels->welded(0, x);
  ASSERT_EQ(finest.source.size(), static_cast<size_t>(garment.vertex_count()));
  for (int v = 0; v < garment.vertex_count(); ++v) {
    const Vec3 expected = garment.placed[v] - Vec3(garment.panel[v] == 1 ? 0.02 : 0.0, 0, 0);
    EXPECT_LT((finest.mesh.positions[finest.source[v]] - expected).norm(), 1e-9) << v;
  }
}

// An elastic runs on, over whatever vertices a level keeps.
TEST(ClothLevels, ElasticsKeepTheirLengthAndForceOnEveryLevel) {
  Pattern pattern;
  pattern.panels = {testing::rectangle("skirt", 0.4, 0.4)};
  SeamSpec casing;
  casing.kind = SeamSpec::Kind::kCasing;
  casing.a = {{0, 0, 0.0, 1.0}};
  casing.elastic = {0.5, 20.0};
  pattern.seams = {casing};
  const auto garment = mesh_garment(RunContext(), pattern, 0.015);
  ASSERT_TRUE(garment.ok()) << garment.status();
  const auto levels = ClothLevels::build(*garment, 60);
  ASSERT_TRUE(levels.ok()) << levels.status();
  ASSERT_GE(levels->count(), 2);
  std::vector<Vec3> x = levels->sewn(levels->open_panels().placed);
  for (int level = levels->count() - 1; level >= 0; --level) {
    const WeldedMesh welded = levels->welded(level, x);
    double relaxed = 0.0, give = 0.0;
    for (const ElasticSpan& span : welded.elastics) relaxed += span.length, give += 1.0 / span.stiffness;
    EXPECT_NEAR(relaxed, 0.2, 1e-9) << "half of the 400 mm that it is sewn to";
    EXPECT_NEAR(give, 0.2 / 20.0, 1e-9) << "20 N when it is twice as long";
    if (level > 0) x = levels->finer(level, x);
  }
}

}  // namespace
}  // namespace tryon
