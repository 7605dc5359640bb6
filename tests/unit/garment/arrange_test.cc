#include "server/garment/arrange.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "server/base/status.h"

namespace tryon {
namespace {

// A trunk as one cylinder: 0.3 m across, floor to shoulder at 1.4 m.
SolidSet trunk() {
  Frustum f;
  f.bottom = Eigen::Vector3d(0, 0, 0);
  f.top = Eigen::Vector3d(0, 1.4, 0);
  f.bottom_radii = f.top_radii = Eigen::Vector2d(0.15, 0.15);
  return SolidSet({Solid(f)});
}

Panel square(const std::string& name, double y, double z) {
  Panel panel;
  panel.name = name;
  panel.vertices = {Vec2(-0.2, 0), Vec2(0.2, 0), Vec2(0.2, 0.5), Vec2(-0.2, 0.5)};
  for (int i = 0; i < 4; ++i) panel.edges.push_back({i, (i + 1) % 4, {}, ""});
  if (z < 0) {  // behind the body the loop runs the other way: its outer side is -Z
    std::reverse(panel.edges.begin(), panel.edges.end());
    for (PanelEdge& e : panel.edges) std::swap(e.start, e.end);
  }
  panel.translation = Vec3(0, y, z);
  return panel;
}

double gap_of(const GarmentMesh& garment, const SolidSet& solids) {
  double gap = 1e9;
  for (const Vec3& p : garment.placed) gap = std::min(gap, solids.nearest(p, 1.0).surface.distance);
  return gap;
}

ArrangeTarget target_of(const SolidSet& solids) {
  ArrangeTarget target;
  target.solids = &solids;
  target.height_m = 1.7;
  target.shoulder_height_m = 1.4;
  target.waist_height_m = 1.05;
  return target;
}

TEST(Arrange, APanelThatStartsInsideTheBodyIsPushedOutWhole) {
  const SolidSet solids = trunk();
  Pattern pattern;
  pattern.panels = {square("front", 0.5, 0.05)};
  auto garment = mesh_garment(RunContext{}, pattern, 0.03);
  ASSERT_TRUE(garment.ok()) << garment.status();
  const double width = (garment->placed[0] - garment->placed[1]).norm();
  const auto report = arrange(RunContext{}, target_of(solids), pattern, &*garment);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GE(gap_of(*garment, solids), 0.0119);
  EXPECT_EQ(report->moved.size(), 1u);
  EXPECT_NEAR((garment->placed[0] - garment->placed[1]).norm(), width, 1e-12) << "panels move rigidly";
}

TEST(Arrange, APanelThatIsClearStaysWhereItIs) {
  const SolidSet solids = trunk();
  Pattern pattern;
  pattern.panels = {square("front", 0.5, 0.3)};
  auto garment = mesh_garment(RunContext{}, pattern, 0.03);
  const auto before = garment->placed;
  const auto report = arrange(RunContext{}, target_of(solids), pattern, &*garment);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->moved.empty());
  EXPECT_EQ(report->lifted_m, 0.0);
  EXPECT_EQ(before, garment->placed);
}

TEST(Arrange, ShoulderSeamsThatWouldCloseThroughTheBodyAreHeldOverIt) {
  const SolidSet solids = trunk();
  Pattern pattern;
  pattern.panels = {square("front", 0.88, 0.3), square("back", 0.88, -0.3)};  // tops at 1.38 m, below the shoulder
  // The top edges are 2 in front and 1 behind (the loop is reversed).
  pattern.stitches.push_back({{0, 2}, {1, 1}, false});
  auto garment = mesh_garment(RunContext{}, pattern, 0.03);
  ASSERT_TRUE(garment.ok()) << garment.status();
  const auto report = arrange(RunContext{}, target_of(solids), pattern, &*garment);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->lifted_m, 0.015);
  for (const Seam& seam : garment->seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) {
      EXPECT_GT(garment->placed[seam.left[k]].y(), 1.4);
    }
  }
}

}  // namespace
}  // namespace tryon
