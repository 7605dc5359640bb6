#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/garment/garment.h"
#include "server/garment/template.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

using testing::polygon;
using testing::rectangle;

// Front gathered to the back at the left side: 0.6 m to 0.4 m.
Pattern gathered() {
  Pattern pattern;
  pattern.panels = {rectangle("front", 0.4, 0.6), rectangle("back", 0.3, 0.4)};
  pattern.stitches = {{{0, 1}, {1, 3}}};
  return pattern;
}

// A panel with a dart at its top: edges 2 and 3 are its legs and meet at its tip.
Pattern darted() {
  Pattern pattern;
  pattern.panels = {polygon("skirt", {{0, 0}, {0.4, 0}, {0.4, 0.3}, {0.22, 0.3}, {0.2, 0.2}, {0.18, 0.3}, {0, 0.3}})};
  pattern.stitches = {{{0, 3}, {0, 4}}};
  return pattern;
}

GarmentMesh meshed(const Pattern& pattern, double edge_m = 0.02) {
  auto garment = mesh_garment(RunContext{}, pattern, edge_m);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return garment.ok() ? *std::move(garment) : GarmentMesh{};
}

TEST(MeshGarment, SeamPartnersOfDifferentLengthGetTheSamePoints) {
  const GarmentMesh g = meshed(gathered());
  ASSERT_EQ(g.seams.size(), 1u);
  const Seam& seam = g.seams[0];
  ASSERT_EQ(seam.left.size(), seam.right.size());
  EXPECT_EQ(seam.left.size(), 26u) << "25 segments of 20 mm on the mean of 600 and 400 mm";
  EXPECT_DOUBLE_EQ(seam.left_length, 0.6);
  EXPECT_DOUBLE_EQ(seam.right_length, 0.4);
}

TEST(MeshGarment, TheStartOfAnEdgeMeetsTheEndOfItsPartner) {
  const GarmentMesh g = meshed(gathered());
  const Seam& seam = g.seams[0];
  for (size_t k = 0; k < seam.left.size(); ++k) {
    EXPECT_EQ(g.panel[seam.left[k]], 0);
    EXPECT_EQ(g.panel[seam.right[k]], 1);
    // Edge 1 of the front walks up its right side, edge 3 of the back walks down its left side.
    EXPECT_NEAR(g.flat[seam.left[k]].y() / 0.6, g.flat[seam.right[k]].y() / 0.4, 1e-12);
  }
}

TEST(MeshGarment, InARightWrongSeamStartMeetsStart) {
  Pattern pattern = gathered();
  pattern.stitches[0].right_wrong = true;
  const GarmentMesh g = meshed(pattern);
  for (size_t k = 0; k < g.seams[0].left.size(); ++k) {
    EXPECT_NEAR(g.flat[g.seams[0].left[k]].y() / 0.6, 1.0 - g.flat[g.seams[0].right[k]].y() / 0.4, 1e-12);
  }
}

TEST(MeshGarment, ADartJoinsItsLegsAndItsTipIsOneVertex) {
  const GarmentMesh g = meshed(darted(), 0.01);
  const Seam& seam = g.seams[0];
  ASSERT_EQ(seam.left.size(), seam.right.size());
  EXPECT_EQ(seam.left.size(), 10u);
  for (size_t k = 0; k < seam.left.size(); ++k) {
    EXPECT_NE(seam.left[k], seam.right[k]) << "a vertex is not sewn to itself";
    EXPECT_NEAR(g.flat[seam.left[k]].x() + g.flat[seam.right[k]].x(), 0.4, 1e-12) << "the legs mirror each other";
    EXPECT_NEAR(g.flat[seam.left[k]].y(), g.flat[seam.right[k]].y(), 1e-12);
  }
}

TEST(MeshGarment, PlacedIsTheTurnedAndShiftedPanel) {
  Pattern pattern = gathered();
  const GarmentMesh before = meshed(pattern);
  Panel& back = pattern.panels[1];
  back.rotation = Eigen::AngleAxisd(0.5, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  back.translation = {0.1, 1.2, -0.3};
  const GarmentMesh g = meshed(pattern);
  ASSERT_EQ(g.flat, before.flat) << "the placement does not change the cloth";
  ASSERT_EQ(g.triangles, before.triangles);
  for (int v = 0; v < g.vertex_count(); ++v) {
    const Panel& p = pattern.panels[g.panel[v]];
    EXPECT_LT((g.placed[v] - (p.rotation * Vec3(g.flat[v].x(), g.flat[v].y(), 0) + p.translation)).norm(), 1e-15);
  }
}

TEST(MeshGarment, AClockwisePanelKeepsItsDirection) {
  Pattern pattern;
  pattern.panels = {polygon("back", {{0, 0}, {0, 0.3}, {0.2, 0.3}, {0.2, 0}})};
  const GarmentMesh g = meshed(pattern);
  for (const Triangle& t : g.triangles) {
    const Vec3 n = (g.placed[t[1]] - g.placed[t[0]]).cross(g.placed[t[2]] - g.placed[t[0]]);
    EXPECT_LT(n.z(), 0.0);
  }
}

TEST(MeshGarment, AMirroredPatternGetsTheMirroredMesh) {
  const Pattern pattern = darted();
  Pattern mirrored = pattern;
  for (Vec2& v : mirrored.panels[0].vertices) v.x() = -v.x();
  const GarmentMesh a = meshed(pattern), b = meshed(mirrored);
  ASSERT_EQ(a.triangles, b.triangles);
  for (int v = 0; v < a.vertex_count(); ++v) EXPECT_EQ(b.flat[v], Vec2(-a.flat[v].x(), a.flat[v].y()));
}

TEST(MeshGarment, APanelIsMeshedAlikeInEveryPlaceOfTheList) {
  Pattern pattern = gathered();
  const GarmentMesh a = meshed(pattern);
  std::swap(pattern.panels[0], pattern.panels[1]);
  std::swap(pattern.stitches[0].a.panel, pattern.stitches[0].b.panel);
  const GarmentMesh b = meshed(pattern);
  auto points_of = [](const GarmentMesh& g, const std::string& name) {
    std::vector<Vec2> out;
    for (int v = 0; v < g.vertex_count(); ++v) {
      if (g.panel_names[g.panel[v]] == name) out.push_back(g.flat[v]);
    }
    return out;
  };
  for (const char* name : {"front", "back"}) EXPECT_EQ(points_of(a, name), points_of(b, name)) << name;
}

TEST(MeshGarment, OneThreadAndThreeGiveTheSameBytes) {
  Pattern pattern = gathered();
  for (int i = 0; i < 6; ++i) pattern.panels.push_back(rectangle("extra" + std::to_string(i), 0.1 + 0.03 * i, 0.2));
  Executor executor(3);
  RunContext run;
  run.executor = &executor;
  const auto many = mesh_garment(run, pattern, 0.02);
  ASSERT_TRUE(many.ok());
  const GarmentMesh one = meshed(pattern);
  EXPECT_EQ(one.flat, many->flat);
  EXPECT_EQ(one.triangles, many->triangles);
}

TEST(MeshGarment, EdgesLabelledLowerInterfaceAreTheWaistLine) {
  Pattern pattern = gathered();
  pattern.panels[0].edges[2].label = "lower_interface";
  const GarmentMesh g = meshed(pattern);
  EXPECT_EQ(g.waist_line.size(), 21u);
  for (const int v : g.waist_line) {
    EXPECT_EQ(g.panel[v], 0);
    EXPECT_DOUBLE_EQ(g.flat[v].y(), 0.6);
  }
  EXPECT_TRUE(meshed(gathered()).waist_line.empty());
}

TEST(MeshGarment, AnEdgeFarShorterThanTheTrianglesBecomesOnePoint) {
  Pattern pattern;
  pattern.panels = {polygon("front", {{0, 0}, {0.3, 0}, {0.3, 0.2}, {0.2995, 0.2002}, {0, 0.2}})};
  const GarmentMesh g = meshed(pattern);
  for (const Triangle& t : g.triangles) {
    for (int k = 0; k < 3; ++k) EXPECT_GT((g.flat[t[k]] - g.flat[t[(k + 1) % 3]]).norm(), 0.005);
  }
}

TEST(MeshGarment, ANarrowFacingIsSampledFinerWhereItsCurvesWouldCross) {
  // A half ring 3 mm wide: its outer curve, gathered to a short partner, would get three chords and cross the inner
  // one.
  Panel facing;
  facing.name = "facing";
  facing.vertices = {{-0.08, 0}, {0.08, 0}, {0.083, 0}, {-0.083, 0}};
  facing.edges = {{0, 3, {}, ""},
                  {3, 2, {EdgeCurve::Kind::kArc, {}, 0.083, false, true}, ""},
                  {2, 1, {}, ""},
                  {1, 0, {EdgeCurve::Kind::kArc, {}, 0.08, false, false}, ""}};
  Pattern pattern;
  pattern.panels = {facing, rectangle("front", 0.1, 0.2)};
  pattern.stitches = {{{0, 1}, {1, 0}}};
  const GarmentMesh g = meshed(pattern, 0.06);
  EXPECT_EQ(g.seams[0].left.size(), g.seams[0].right.size());
  EXPECT_GE(g.seams[0].left.size(), 7u) << "the partner follows";
}

TEST(MeshGarment, APanelSmallerThanATriangleIsStillCloth) {
  Pattern pattern;
  pattern.panels = {rectangle("loop", 0.004, 0.006)};
  EXPECT_EQ(meshed(pattern, 0.05).triangles.size(), 2u);
}

TEST(MeshGarment, RefusalsNameThePanelAndTheSetting) {
  Pattern crossing = gathered();
  std::swap(crossing.panels[1].vertices[2], crossing.panels[1].vertices[3]);
  const auto detail = error_detail(mesh_garment(RunContext{}, crossing, 0.02).status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, "PANEL_CROSSES_ITSELF");
  EXPECT_NE(detail->field.find("back"), std::string::npos);
  for (const double edge : {0.0, -1.0, 1e-6, 5.0, std::nan("")}) {
    EXPECT_EQ(error_detail(mesh_garment(RunContext{}, gathered(), edge).status())->field, "edge_m") << edge;
  }
}

TEST(MeshGarment, AHugeGarmentAtAFineResolutionIsRefusedBeforeTheWork) {
  Pattern pattern;
  for (int i = 0; i < 20; ++i) pattern.panels.push_back(rectangle("sail" + std::to_string(i), 9.0, 9.0));
  EXPECT_EQ(error_detail(mesh_garment(RunContext{}, pattern, 0.005).status())->reason, "GARMENT_TOO_LARGE");
  EXPECT_EQ(error_detail(mesh_garment(RunContext{}, pattern, 0.0015).status())->reason, "GARMENT_TOO_LARGE");
}

TEST(MeshGarment, StopsWhenItIsCancelled) {
  RunContext run;
  run.cancel.cancel();
  EXPECT_EQ(mesh_garment(run, gathered(), 0.02).status().code(), absl::StatusCode::kCancelled);
}

// What a skirt hangs from does not stretch: tape along all of it, as long as the cloth.
TEST(MeshGarment, AWaistHasAStayTapeAndAShirtHasNone) {
  const Pattern skirt = *draft_template("straight_skirt", DraftMeasurements{});
  const GarmentMesh mesh = *mesh_garment(RunContext(), skirt, 0.02);
  double length = 0.0;
  for (const ElasticBand& band : mesh.bands) {
    EXPECT_EQ(band.relaxed, 1.0);
    EXPECT_GT(band.stiffness, 100.0);
    for (size_t i = 0; i + 1 < band.vertices.size(); ++i)
      length += (mesh.flat[band.vertices[i + 1]] - mesh.flat[band.vertices[i]]).norm();
  }
  EXPECT_NEAR(1e3 * length, 0.98 * DraftMeasurements{}.waist_girth, 2.0);
  EXPECT_TRUE(mesh_garment(RunContext(), *draft_template("t_shirt", DraftMeasurements{}), 0.02)->bands.empty());
}

}  // namespace
}  // namespace tryon
