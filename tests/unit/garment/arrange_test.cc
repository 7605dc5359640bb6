#include "server/garment/arrange.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "absl/time/time.h"
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
  target->arms = {solids[3], solids[4]};
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

// How far round the axis a level cut of the panel goes, seen from the axis: 2 pi less its widest gap.
double angle_round(const GarmentMesh& garment, int panel, const Vec3& from, const Vec3& to, double share) {
  const Vec3 along = (to - from).normalized(), front = (Vec3::UnitZ() - along.z() * along).normalized();
  std::vector<double> angles;
  for (int v = 0; v < garment.vertex_count(); ++v) {
    const Vec3 d = garment.placed[v] - from;
    if (garment.panel[v] != panel || std::abs(d.dot(along) - share * (to - from).norm()) > 0.04) continue;
    angles.push_back(std::atan2(d.dot(along.cross(front)), d.dot(front)));
  }
  if (angles.empty()) return 0.0;
  std::sort(angles.begin(), angles.end());
  double gap = angles.front() + 2 * std::numbers::pi - angles.back();
  for (size_t i = 1; i < angles.size(); ++i) gap = std::max(gap, angles[i] - angles[i - 1]);
  return 2 * std::numbers::pi - gap;
}

TEST(Arrange, ASleeveStartsRoundItsArmNotAboveIt) {
  ArrangeTarget target;
  const SolidSet solids = person(&target);
  target.solids = &solids;
  for (const char* name : {"t_shirt", "shirt", "hoodie"}) {
    const auto pattern = draft_template(name, DraftMeasurements{});
    auto garment = mesh_garment(RunContext{}, *pattern, 0.02);
    ASSERT_TRUE(arrange(RunContext{}, target, *pattern, &*garment).ok()) << name;
    for (size_t p = 0; p < pattern->panels.size(); ++p) {
      const std::string& panel = pattern->panels[p].name;
      const bool left = panel == "sleeve_left";
      if (!left && panel != "sleeve_right") continue;
      const Vec3 from = left ? target.left_shoulder : target.right_shoulder;
      const Vec3 to = left ? target.left_wrist : target.right_wrist;
      EXPECT_GT(angle_round(*garment, static_cast<int>(p), from, to, 0.4), 1.5 * std::numbers::pi) << name << panel;
    }
  }
}

TEST(Arrange, ASkirtThatIsWiderThanTheRoomBetweenTheHandsStartsBetweenThem) {
  ArrangeTarget target;
  const SolidSet solids = person(&target);
  target.solids = &solids;
  const auto pattern = draft_template("pleated_skirt", DraftMeasurements{});
  auto garment = mesh_garment(RunContext{}, *pattern, 0.03);
  ASSERT_TRUE(arrange(RunContext{}, target, *pattern, &*garment).ok());
  double widest = 0.0, hands = 1.0;
  for (const Vec3& p : garment->placed) widest = std::max(widest, std::abs(p.x()));
  for (double y = 1.0; y <= target.waist_height_m; y += 0.01) {  // the arms' inner sides at the heights of the cloth
    const double share = (target.left_shoulder.y() - y) / (target.left_shoulder.y() - target.left_wrist.y());
    hands = std::min(hands, target.left_shoulder.x() + share * (target.left_wrist.x() - target.left_shoulder.x()));
  }
  EXPECT_LT(widest, hands - 0.045);
  EXPECT_TRUE(crossing_panels(*garment).empty());
}

TEST(Arrange, ACircleSkirtStartsOpenBelowTheHands) {
  ArrangeTarget target;
  const SolidSet solids = person(&target);
  target.solids = &solids;
  const auto pattern = draft_template("circle_skirt", DraftMeasurements{});
  auto garment = mesh_garment(RunContext{}, *pattern, 0.03);
  ASSERT_TRUE(arrange(RunContext{}, target, *pattern, &*garment).ok());
  double widest = 0.0;
  const Vec3 &shoulder = target.left_shoulder, &wrist = target.left_wrist;
  for (const Vec3& p : garment->placed) {
    widest = std::max(widest, std::abs(p.x()));
    const double share = (std::abs(p.x()) - shoulder.x()) / (wrist.x() - shoulder.x());
    if (share < 0.0 || share > 1.0 || std::abs(p.z() - wrist.z()) > 0.05) continue;
    EXPECT_LT(p.y(), shoulder.y() + share * (wrist.y() - shoulder.y()) - 0.03) << "above an arm at x " << p.x();
  }
  EXPECT_GT(widest, 0.5) << "half of the waist's radius and most of the length stand out to the side";
  EXPECT_TRUE(crossing_panels(*garment).empty());
}

TEST(Arrange, APanelThatNoPushFreesIsRefusedByName) {
  Frustum wall;  // reaches past every push
  wall.bottom = Eigen::Vector3d(0, 0, 0), wall.top = Eigen::Vector3d(0, 3, 0);
  wall.bottom_radii = wall.top_radii = Eigen::Vector2d(2.0, 2.0);
  const SolidSet solids({Solid(wall)});
  Pattern pattern;
  pattern.panels = {square("front", 0.5, 0.05)};
  auto garment = mesh_garment(RunContext{}, pattern, 0.05);
  const auto detail = error_detail(arrange(RunContext{}, target_of(solids), pattern, &*garment).status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, "PANEL_INSIDE_BODY");
  EXPECT_EQ(detail->field, "pattern.panels[front]");
}

TEST(Arrange, ItsAnswerDoesNotDependOnTheRunAndStopsWhenItIsCancelled) {
  ArrangeTarget target;
  const SolidSet solids = person(&target);
  target.solids = &solids;
  const auto pattern = draft_template("hoodie", DraftMeasurements{});
  auto first = mesh_garment(RunContext{}, *pattern, 0.04), second = first, third = first;
  ASSERT_TRUE(arrange(RunContext{}, target, *pattern, &*first).ok());
  ASSERT_TRUE(arrange(RunContext{}, target, *pattern, &*second).ok());
  EXPECT_EQ(first->placed, second->placed);
  RunContext cancelled;
  cancelled.deadline = absl::InfinitePast();
  EXPECT_EQ(arrange(cancelled, target, *pattern, &*third).status().code(), absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace tryon
