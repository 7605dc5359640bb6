#include "server/garment/draft.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/garment/garment.h"

namespace tryon {
namespace {

DraftMeasurements small_child() {
  DraftMeasurements m;
  m.bust_girth = 660, m.waist_girth = 600, m.hip_girth = 710, m.shoulder_width = 290, m.neck_girth = 290;
  m.upper_arm_girth = 200, m.neck_height = 1090, m.shoulder_height = 1050, m.waist_height = 800;
  m.hip_height = 660, m.crotch_height = 590, m.arm_angle_deg = 0;
  return m;
}

DraftMeasurements large_man() {
  DraftMeasurements m;
  m.bust_girth = 1240, m.waist_girth = 1180, m.hip_girth = 1200, m.shoulder_width = 480, m.neck_girth = 450;
  m.upper_arm_girth = 380, m.neck_height = 1620, m.shoulder_height = 1560, m.waist_height = 1160;
  m.hip_height = 960, m.crotch_height = 860, m.arm_angle_deg = 75;
  return m;
}

class Drafts : public ::testing::TestWithParam<std::string> {
 protected:
  static std::vector<DraftMeasurements> people() { return {DraftMeasurements{}, small_child(), large_man()}; }
};

TEST_P(Drafts, AreValidPatternsForAChildAWomanAndALargeMan) {
  for (const auto& person : people()) {
    const auto pattern = draft_sample(GetParam(), person);
    ASSERT_TRUE(pattern.ok()) << pattern.status();
    EXPECT_TRUE(validate(*pattern).ok()) << validate(*pattern);
  }
}

TEST_P(Drafts, SeamPartnersHaveTheSameLengthWithinTheEase) {
  for (const auto& person : people()) {
    const auto pattern = draft_sample(GetParam(), person);
    ASSERT_TRUE(pattern.ok());
    for (const Stitch& s : pattern->stitches) {
      const double a = edge_length(pattern->panels[s.a.panel], s.a.edge);
      const double b = edge_length(pattern->panels[s.b.panel], s.b.edge);
      EXPECT_LT(std::abs(a - b), std::max(0.02, 0.10 * std::max(a, b)))
          << pattern->panels[s.a.panel].name << " edge " << s.a.edge << " is " << a * 1e3 << " mm, "
          << pattern->panels[s.b.panel].name << " edge " << s.b.edge << " is " << b * 1e3 << " mm";
    }
  }
}

TEST_P(Drafts, PanelsFaceAwayFromTheBodyAndSeamsJoinThemConsistently) {
  const auto pattern = draft_sample(GetParam(), DraftMeasurements{});
  ASSERT_TRUE(pattern.ok());
  const auto garment = mesh_garment(RunContext{}, *pattern, 0.02);
  ASSERT_TRUE(garment.ok()) << garment.status();
  for (const Triangle& t : garment->triangles) {
    const Vec3& a = garment->placed[t[0]];
    const Vec3 n = (garment->placed[t[1]] - a).cross(garment->placed[t[2]] - a);
    ASSERT_GT(n.z() * a.z(), 0.0) << "a panel in front faces +Z, one behind faces -Z";
  }
  // After welding, an edge used by two triangles must run in opposite directions in them.
  const WeldedMesh welded = weld(*garment, garment->placed);
  std::set<std::pair<int, int>> directed;
  for (const Triangle& t : welded.mesh.triangles) {
    for (int k = 0; k < 3; ++k) EXPECT_TRUE(directed.insert({t[k], t[(k + 1) % 3]}).second) << "a twisted seam";
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, Drafts, ::testing::Values("tshirt", "skirt", "trousers"),
                         [](const auto& info) { return info.param; });

TEST(Draft, AnImpossibleMeasurementIsNamed) {
  DraftMeasurements m;
  m.waist_girth = -3;
  EXPECT_EQ(error_detail(draft_sample("skirt", m).status())->field, "waist_girth");
}

TEST(Draft, AnUnknownSampleIsAnsweredWithTheKnownOnes) {
  const auto detail = error_detail(draft_sample("cape", {}).status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, "SAMPLE_UNKNOWN");
  EXPECT_NE(detail->remedy.find("tshirt"), std::string::npos);
}

}  // namespace
}  // namespace tryon
