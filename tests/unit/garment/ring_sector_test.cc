#include "server/garment/ring_sector.h"

#include <numbers>

#include "gtest/gtest.h"
#include "server/garment/template.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

const Panel& panel_named(const Pattern& pattern, const std::string& name) {
  for (const Panel& panel : pattern.panels) {
    if (panel.name == name) return panel;
  }
  ADD_FAILURE() << "no panel " << name;
  return pattern.panels.front();
}

TEST(RingSector, OfACircleSkirtsFrontIsHalfARing) {
  const Pattern skirt = *draft_template_graded("circle_skirt", Figure::kWomen, "M");
  const auto sector = ring_sector(panel_named(skirt, "skirt_front"));
  ASSERT_TRUE(sector.has_value());
  EXPECT_NEAR(sector->angle, std::numbers::pi, 0.02);
  EXPECT_NEAR(sector->outer - sector->inner, 0.52, 0.01) << "the skirt's length";
  EXPECT_LT(sector->centre.norm(), 0.01) << "it is drawn round the origin";
}

TEST(RingSector, IsNothingForOtherPieces) {
  EXPECT_FALSE(ring_sector(testing::rectangle("band", 0.4, 0.05)).has_value());
  for (const char* name : {"t_shirt", "trousers", "a_line_skirt", "hoodie"}) {
    const Pattern pattern = *draft_template_graded(name, Figure::kWomen, "M");
    for (const Panel& panel : pattern.panels) EXPECT_FALSE(ring_sector(panel).has_value()) << name << " " << panel.name;
  }
}

}  // namespace
}  // namespace tryon
