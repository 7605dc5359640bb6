#include "server/garment/draft.h"

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/garment/seam_graph.h"
#include "server/garment/template.h"

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

TEST(Draft, EveryTemplateIsAValidPatternForAChildAWomanAndALargeManAndItsSeamsFit) {
  for (const DraftMeasurements& person : {DraftMeasurements{}, small_child(), large_man()}) {
    for (const TemplateInfo& info : list_templates()) {
      const auto pattern = draft_template(info.name, person);
      ASSERT_TRUE(pattern.ok()) << info.name << " " << pattern.status();
      for (const Stitch& s : pattern->stitches) {
        const double a = sewn_length(*pattern, {{s.a.panel, s.a.edge}});
        const double b = sewn_length(*pattern, {{s.b.panel, s.b.edge}});
        EXPECT_LT(std::abs(a - b), std::max(0.02, 0.10 * std::max(a, b)))
            << info.name << ": " << pattern->panels[s.a.panel].name << " edge " << s.a.edge << " is " << a * 1e3
            << " mm, " << pattern->panels[s.b.panel].name << " edge " << s.b.edge << " is " << b * 1e3 << " mm";
      }
    }
  }
}

TEST(Draft, EveryImpossibleMeasurementIsNamed) {
  const std::pair<const char*, double DraftMeasurements::*> fields[] = {
      {"bust_girth", &DraftMeasurements::bust_girth},   {"waist_girth", &DraftMeasurements::waist_girth},
      {"hip_girth", &DraftMeasurements::hip_girth},     {"shoulder_width", &DraftMeasurements::shoulder_width},
      {"neck_girth", &DraftMeasurements::neck_girth},   {"upper_arm_girth", &DraftMeasurements::upper_arm_girth},
      {"neck_height", &DraftMeasurements::neck_height}, {"waist_height", &DraftMeasurements::waist_height},
      {"hip_height", &DraftMeasurements::hip_height},   {"crotch_height", &DraftMeasurements::crotch_height}};
  for (const auto& [name, field] : fields) {
    DraftMeasurements m;
    m.*field = -3;
    const auto detail = error_detail(draft_template("trousers", m).status());
    ASSERT_TRUE(detail.has_value()) << name;
    EXPECT_EQ(detail->reason, "MEASUREMENT_IMPOSSIBLE");
    EXPECT_EQ(detail->field, name);
  }
}

TEST(Draft, TheSamplesAreTemplatesAndAnUnknownOneIsAnsweredWithThem) {
  for (const char* name : {"tshirt", "skirt", "trousers"}) {
    EXPECT_TRUE(draft_template(*template_of_sample(name), DraftMeasurements{}).ok()) << name;
  }
  const auto detail = error_detail(template_of_sample("cape").status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, "SAMPLE_UNKNOWN");
  EXPECT_NE(detail->remedy.find("tshirt"), std::string::npos);
}

}  // namespace
}  // namespace tryon
