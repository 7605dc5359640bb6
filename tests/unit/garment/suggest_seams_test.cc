// What each of the signs is worth: lengths, notches, names, symmetry, darts.
#include "server/garment/suggest_seams.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

Panel polygon(const std::string& name, std::vector<Vec2> corners) {
  Panel panel = testing::polygon(name, std::move(corners));
  panel.placed = false;
  return panel;
}

// Half a skirt, its centre at x = 0: edge 0 hem, 1 side, 2 waist, 3 centre.
Panel half_skirt(const std::string& name, double hem) {
  return polygon(name, {{0, 0}, {hem, 0}, {0.2, 0.6}, {0, 0.62}});
}

const SeamProposal* proposal_of(const std::vector<SeamProposal>& all, int panel, int edge) {
  for (const SeamProposal& p : all) {
    for (const auto* chain : {&p.seam.a, &p.seam.b}) {
      for (const SeamRange& r : *chain) {
        if (r.panel == panel && r.edge == edge) return &p;
      }
    }
  }
  return nullptr;
}

std::pair<int, int> partner_of(const std::vector<SeamProposal>& all, int panel, int edge) {
  const SeamProposal* p = proposal_of(all, panel, edge);
  if (p == nullptr) return {-1, -1};
  const SeamRange &a = p->seam.a[0], &b = p->seam.b[0];
  return a.panel == panel && a.edge == edge ? std::pair(b.panel, b.edge) : std::pair(a.panel, a.edge);
}

TEST(SuggestSeamsSigns, NotchesChooseBetweenEdgesOfOneLength) {
  Pattern p;  // three halves drawn alike, so their sides are walked alike
  p.panels = {half_skirt("a", 0.2), half_skirt("b", 0.2), half_skirt("c", 0.2)};
  p.panels[1].vertices[3] = {0, 0.66}, p.panels[2].vertices[3] = {0, 0.64};
  for (Panel& panel : p.panels) panel.notches = {{Notch::Kind::kV, 1, 0.3, 0.0}};
  p.panels[1].notches[0].at = 0.6;
  EXPECT_EQ(partner_of(suggest_seams(p), 0, 1), std::pair(2, 1));
  std::swap(p.panels[1].notches, p.panels[2].notches);
  EXPECT_EQ(partner_of(suggest_seams(p), 0, 1), std::pair(1, 1));
}

TEST(SuggestSeamsSigns, NamesKeepLeftWithLeft) {
  Pattern p;
  p.panels = {half_skirt("front left", 0.3), half_skirt("back right", 0.3), half_skirt("back left", 0.3)};
  p.panels[1].vertices[3] = p.panels[2].vertices[3] = {0, 0.66};
  EXPECT_EQ(partner_of(suggest_seams(p), 0, 1), std::pair(2, 1));
  std::swap(p.panels[1].name, p.panels[2].name);
  EXPECT_EQ(partner_of(suggest_seams(p), 0, 1), std::pair(1, 1));
}

TEST(SuggestSeamsSigns, TheSidesOfAWholeFrontGoToTheBackAndNotToEachOther) {
  Pattern p;
  p.panels = {polygon("one", {{-0.3, 0}, {0.3, 0}, {0.25, 0.5}, {0, 0.45}, {-0.25, 0.5}}),
              polygon("two", {{-0.3, 0}, {0.3, 0}, {0.25, 0.5}, {0, 0.48}, {-0.25, 0.5}})};
  const auto all = suggest_seams(p);
  EXPECT_EQ(partner_of(all, 0, 1), std::pair(1, 4)) << "the outlines run against each other";
  EXPECT_EQ(partner_of(all, 0, 4), std::pair(1, 1));
}

TEST(SuggestSeamsSigns, ADartIsProposedSurelyAndAVentAtTheHemIsNot) {
  Pattern p;
  p.panels = {polygon("skirt", {{0, 0}, {0.4, 0}, {0.4, 0.6}, {0.22, 0.6}, {0.2, 0.48}, {0.18, 0.6}, {0, 0.6}})};
  const auto dart = suggest_seams(p);
  ASSERT_NE(proposal_of(dart, 0, 3), nullptr);
  EXPECT_EQ(partner_of(dart, 0, 3), std::pair(0, 4));
  EXPECT_GT(proposal_of(dart, 0, 3)->confidence, 0.9);
  for (Vec2& v : p.panels[0].vertices) v.y() = 0.6 - v.y(), v.x() = 0.4 - v.x();
  const auto vent = suggest_seams(p);
  const SeamProposal* maybe = proposal_of(vent, 0, 3);
  EXPECT_TRUE(maybe == nullptr || maybe->confidence <= 0.9);
}

TEST(SuggestSeamsSigns, AGodetFillsItsSlit) {
  Pattern p;
  p.panels = {polygon("skirt", {{0, 0}, {0.4, 0}, {0.4, 0.6}, {0.22, 0.6}, {0.2, 0.48}, {0.18, 0.6}, {0, 0.6}}),
              polygon("godet", {{0, 0}, {0.1, 0}, {0.05, 0.110904}})};
  const double leg = std::hypot(0.02, 0.12);
  p.panels[1].vertices[2].y() = std::sqrt(leg * leg - 0.05 * 0.05);
  const auto all = suggest_seams(p);
  EXPECT_NE(partner_of(all, 0, 3), std::pair(0, 4)) << "no dart";
}

TEST(SuggestSeamsSigns, WithoutPiecesNothingIsProposed) { EXPECT_TRUE(suggest_seams(Pattern{}).empty()); }

}  // namespace
}  // namespace tryon
