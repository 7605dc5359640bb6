#include "server/garment/waist_fit.h"

#include "gtest/gtest.h"
#include "server/garment/template.h"

namespace tryon {
namespace {

TEST(WaistFit, TheOpeningOfASkirtAndOfTrousersIsItsBand) {
  const DraftMeasurements m;
  for (const char* name : {"straight_skirt", "a_line_skirt", "circle_skirt", "pleated_skirt", "trousers", "leggings"}) {
    const auto pattern = draft_template(name, m);
    ASSERT_TRUE(pattern.ok()) << pattern.status();
    EXPECT_NEAR(upper_opening_mm(*pattern), 0.98 * m.waist_girth, 1.0) << name;
    EXPECT_TRUE(waist_findings(*pattern, m.waist_girth, m.hip_girth).empty()) << name;
  }
}

TEST(WaistFit, AGarmentWithShouldersHasNone) {
  for (const char* name : {"t_shirt", "tank_top", "shirt", "hoodie", "fitted_dress"}) {
    EXPECT_EQ(upper_opening_mm(*draft_template(name, DraftMeasurements{})), 0.0) << name;
  }
}

TEST(WaistFit, WhatIsWiderThanTheHipIsSaidToFallAndWhatIsWiderThanTheWaistToSlide) {
  DraftMeasurements large;
  large.waist_girth = 1000, large.hip_girth = 1150;
  const auto trousers = draft_template("trousers", large);
  ASSERT_TRUE(trousers.ok());
  const auto falls = waist_findings(*trousers, 720, 960);
  ASSERT_EQ(falls.size(), 1u);
  EXPECT_EQ(falls[0].code, "WAIST_FALLS");
  EXPECT_EQ(falls[0].severity, Finding::Severity::kWarning);
  EXPECT_NE(falls[0].message.find("980 mm round, 260 mm larger than the body's 720 mm"), std::string::npos)
      << falls[0].message;
  const auto slides = waist_findings(*trousers, 900, 1020);
  ASSERT_EQ(slides.size(), 1u);
  EXPECT_EQ(slides[0].code, "WAIST_SLIDES");
  EXPECT_FALSE(slides[0].remedy.empty());
}

Pattern without_stay(Pattern pattern) {
  for (Panel& panel : pattern.panels)
    for (PanelEdge& edge : panel.edges) edge.label.clear();
  return pattern;
}

TEST(WaistFit, ClothThatGivesGoesOverTheHip) {
  DraftMeasurements large;
  large.waist_girth = 850, large.hip_girth = 1150;
  const Pattern skirt = without_stay(*draft_template("straight_skirt", large));  // 833 mm round
  const auto woven = waist_findings(skirt, 600, 890, {0.02, 0.02}),
             knit = waist_findings(skirt, 600, 890, {0.10, 0.10});
  ASSERT_EQ(woven.size(), 1u);
  EXPECT_EQ(woven[0].code, "WAIST_SLIDES");
  EXPECT_NE(woven[0].message.find("over the hip if the cloth gives 7 %"), std::string::npos) << woven[0].message;
  ASSERT_EQ(knit.size(), 1u);
  EXPECT_EQ(knit[0].code, "WAIST_FALLS");
}

TEST(WaistFit, AStayedWaistGivesNothingWhateverTheCloth) {
  DraftMeasurements large;
  large.waist_girth = 850, large.hip_girth = 1150;
  const auto knit = waist_findings(*draft_template("straight_skirt", large), 600, 890, {0.10, 0.10});
  ASSERT_EQ(knit.size(), 1u);
  EXPECT_EQ(knit[0].code, "WAIST_SLIDES");
  EXPECT_EQ(knit[0].message.find("over the hip"), std::string::npos) << knit[0].message;
}

// The same skirt cut lengthwise and crosswise of a cloth that gives one way.
TEST(WaistFit, ClothGivesAlongItsYarnsAsThePiecesAreCut) {
  DraftMeasurements large;
  large.waist_girth = 850, large.hip_girth = 1150;
  Pattern skirt = without_stay(*draft_template("straight_skirt", large));  // 833 mm round, its grain along the body
  const ClothGive across{0.0, 0.10}, along{0.10, 0.0};
  EXPECT_EQ(waist_findings(skirt, 600, 890, across).at(0).code, "WAIST_FALLS");
  EXPECT_EQ(waist_findings(skirt, 600, 890, along).at(0).code, "WAIST_SLIDES");
  for (Panel& panel : skirt.panels) {
    panel.grain = Vec2::UnitX();
    panel.grain_given = false;  // a given one would be hung upright
  }
  EXPECT_EQ(waist_findings(skirt, 600, 890, across).at(0).code, "WAIST_SLIDES");
  EXPECT_EQ(waist_findings(skirt, 600, 890, along).at(0).code, "WAIST_FALLS");
}

TEST(WaistFit, AnElasticCountsAsItIsRelaxed) {
  DraftMeasurements large;
  large.waist_girth = 1000, large.hip_girth = 1150;
  Pattern skirt = *draft_template("straight_skirt", large);
  for (int p : {0, 1}) {
    for (int e = 0; e < static_cast<int>(skirt.panels[p].edges.size()); ++e) {
      if (skirt.panels[p].edges[e].label != "lower_interface") continue;
      SeamSpec casing;
      casing.kind = SeamSpec::Kind::kCasing;
      casing.a = {{p, e, 0.0, 1.0}};
      casing.elastic.relaxed = 0.7;
      skirt.seams.push_back(casing);
    }
  }
  EXPECT_NEAR(upper_opening_mm(skirt), 686.0, 1.0);
  EXPECT_TRUE(waist_findings(skirt, 720, 960).empty());
}

}  // namespace
}  // namespace tryon
