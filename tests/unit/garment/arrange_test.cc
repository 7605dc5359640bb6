#include "server/garment/arrange.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/garment/crossings.h"
#include "server/garment/template.h"

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

// A trunk with arms held out and the two ends of each.
SolidSet person(ArrangeTarget* target) {
  std::vector<Solid> solids;
  const auto bone = [&solids](const Vec3& a, const Vec3& b, double radius) {
    Frustum f;
    f.bottom = a, f.top = b, f.axis = (b - a).normalized();
    f.u = f.axis.cross(Vec3::UnitZ()).normalized(), f.v = f.axis.cross(f.u);
    f.bottom_radii = f.top_radii = Eigen::Vector2d(radius, radius);
    solids.emplace_back(f);
  };
  bone({0, 0.8, 0}, {0, 1.4, 0}, 0.13);
  bone({0.1, 0, 0}, {0.1, 0.85, 0}, 0.07);
  bone({-0.1, 0, 0}, {-0.1, 0.85, 0}, 0.07);
  target->height_m = 1.7, target->shoulder_height_m = 1.4, target->waist_height_m = 1.05;
  target->left_shoulder = Vec3(0.17, 1.36, 0), target->left_wrist = Vec3(0.6, 1.0, 0);
  target->right_shoulder = Vec3(-0.17, 1.36, 0), target->right_wrist = Vec3(-0.6, 1.0, 0);
  bone(target->left_wrist, target->left_shoulder, 0.045);
  bone(target->right_wrist, target->right_shoulder, 0.045);
  return SolidSet(solids);
}

TEST(Arrange, EveryTemplateWithoutAPlacementStartsClearOfTheBodyAndOfItselfWithItsPiecesOnTheirSides) {
  ArrangeTarget target;
  const SolidSet solids = person(&target);
  target.solids = &solids;
  for (const TemplateInfo& info : list_templates()) {
    const auto pattern = draft_template(info.name, DraftMeasurements{});
    ASSERT_TRUE(pattern.ok()) << info.name << pattern.status();
    auto garment = mesh_garment(RunContext{}, *pattern, 0.04);
    ASSERT_TRUE(garment.ok()) << info.name << garment.status();
    const auto report = arrange(RunContext{}, target, *pattern, &*garment);
    ASSERT_TRUE(report.ok()) << info.name << report.status();
    EXPECT_TRUE(report->by_roles);
    EXPECT_GE(gap_of(*garment, solids), 0.0119) << info.name;
    EXPECT_TRUE(crossing_panels(*garment).empty()) << info.name;
    for (int v = 0; v < garment->vertex_count(); ++v) {
      const std::string& name = garment->panel_names[garment->panel[v]];
      if (name.find("front") != std::string::npos) {
        EXPECT_GT(garment->placed[v].z(), 0.0) << info.name << " " << name;
      }
      if (name.find("back") != std::string::npos) {
        EXPECT_LT(garment->placed[v].z(), 0.0) << info.name << " " << name;
      }
      if (name == "sleeve_left") {
        EXPECT_GT(garment->placed[v].x(), 0.0) << info.name;
      }
      if (name == "sleeve_right") {
        EXPECT_LT(garment->placed[v].x(), 0.0) << info.name;
      }
    }
  }
}

}  // namespace
}  // namespace tryon
