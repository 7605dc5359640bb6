// What a tailor would say: every fault of a pattern at once, in words, and twisted seams turned round.
#include "server/garment/lint.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "server/garment/seam_graph.h"
#include "server/garment/suggest_seams.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

Panel rectangle(const std::string& name, double w, double h) {
  Panel panel = testing::rectangle(name, w, h);
  panel.placed = false, panel.grain_given = true;
  return panel;
}

SeamSpec seam(SeamRange a, SeamRange b) {
  SeamSpec s;
  s.a = {a}, s.b = {b};
  return s;
}

Pattern tube(double back = 0.6) {
  Pattern p;
  p.panels = {rectangle("front", 0.4, 0.6), rectangle("back", 0.42, back)};
  p.seams = {seam({0, 1, 0, 1}, {1, 3, 1, 0}), seam({0, 3, 0, 1}, {1, 1, 1, 0})};
  return split_seams(p).value();
}

const Finding* find(const std::vector<Finding>& findings, const std::string& code) {
  const auto it = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.code == code; });
  return it == findings.end() ? nullptr : &*it;
}

TEST(Lint, ASoundTubeGivesNothingToSay) {
  for (const Finding& f : lint(tube())) ADD_FAILURE() << f.code << ": " << f.message;
}

TEST(Lint, UnequalSeamsAreToldInMillimetresUnlessTheyAreGathered) {
  Pattern p = tube(0.58);
  const auto findings = lint(p);
  const Finding* f = find(findings, "SEAM_LENGTHS_UNEQUAL");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->message, "panel front: seam 0 is 600 mm, its partner, panel back, 580 mm");
  EXPECT_EQ(f->seam, 0);
  EXPECT_EQ(std::count_if(findings.begin(), findings.end(),
                          [](const Finding& x) { return x.code == "SEAM_LENGTHS_UNEQUAL"; }),
            2);
  for (SeamSpec& s : p.seams) s.gather = 0.6 / 0.58;
  EXPECT_EQ(find(lint(p), "SEAM_LENGTHS_UNEQUAL"), nullptr);
}

TEST(Lint, PleatsTakeTheirClothOutOfTheSeam) {
  Pattern p = tube(0.56);
  p.panels[0].pleats = {{Pleat::Kind::kKnifeToEnd, 1, 0.5, 0.02, 0.0}};
  const auto findings = lint(p);
  EXPECT_EQ(std::count_if(findings.begin(), findings.end(),
                          [](const Finding& x) { return x.code == "SEAM_LENGTHS_UNEQUAL"; }),
            1)
      << "600 mm less a pleat of 2 x 20 mm are 560 mm";
}

TEST(Lint, APleatThatDoesNotFitIsSaidToBeGathered) {
  Pattern p = tube();
  p.panels[0].pleats = {{Pleat::Kind::kKnifeToEnd, 1, 0.5, 0.02, 0.0}, {Pleat::Kind::kBox, 1, 0.02, 0.02, 0.0}};
  const std::vector<Finding> findings = lint(p);
  const auto found =
      std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return f.code == "PLEAT_NOT_LAID"; });
  ASSERT_NE(found, findings.end());
  EXPECT_NE(found->message.find("pleat 1 takes 80 mm"), std::string::npos) << found->message;
}

TEST(Lint, EveryFaultIsToldAtOnce) {
  Pattern p = tube();
  std::swap(p.panels[0].vertices[1], p.panels[0].vertices[2]);
  p.panels[1].vertices[2] = Vec2(30.0, 0.6);
  int errors = 0;
  for (const Finding& f : lint(p)) errors += f.severity == Finding::Severity::kError;
  EXPECT_EQ(errors, 2);
  EXPECT_EQ(lint(p)[0].panel, "front");
  EXPECT_EQ(find(lint(p), "PANEL_CROSSES_ITSELF")->panel, "front");
  EXPECT_EQ(find(lint(p), "PANEL_SIZE")->panel, "back");
}

TEST(Lint, ATwistedSeamIsTurnedRoundAndSaid) {
  Pattern p = tube();
  p.seams[1].b = {{1, 1, 0.0, 1.0}};
  p = split_seams(p).value();
  ASSERT_TRUE(p.stitches[1].right_wrong);
  std::vector<Finding> findings;
  const Pattern mended = mend(p, &findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "SEAM_TWISTED");
  EXPECT_TRUE(findings[0].mended);
  EXPECT_FALSE(mended.stitches[1].right_wrong);
  findings.clear();
  mend(mended, &findings);
  EXPECT_TRUE(findings.empty());
}

TEST(Lint, ASeamThatThePlacementConfirmsOrThatIsMeantSoIsLeftAlone) {
  Pattern p = tube();
  p.seams[1].b = {{1, 1, 0.0, 1.0}};
  for (Panel& panel : p.panels) panel.placed = true;  // the back hangs upside down: it is meant so
  p.panels[1].rotation = Eigen::AngleAxisd(M_PI, Vec3::UnitX()).toRotationMatrix();
  p.panels[1].translation = Vec3(-0.42, 0.6, 0.0);
  p = split_seams(p).value();
  std::vector<Finding> findings;
  const Pattern kept = mend(p, &findings);
  EXPECT_TRUE(std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.mended; }));
  EXPECT_TRUE(kept.stitches[1].right_wrong);
  p.seams[1].right_wrong = true;
  findings.clear();
  mend(p, &findings);
  EXPECT_TRUE(findings.empty()) << "a lapel";
}

TEST(Lint, UnsewnEdgesLoosePiecesAndSleevesThatCloseOnNothingAreNamed) {
  Pattern p = tube();
  p.panels.push_back(rectangle("sleeve_left", 0.4, 0.5));
  p.panels.push_back(rectangle("pocket", 0.11, 0.13));
  p.seams.push_back(seam({2, 1, 0, 1}, {2, 3, 1, 0}));
  p = split_seams(p).value();
  EXPECT_EQ(find(lint(p), "SLEEVE_LOOSE")->panel, "sleeve_left");
  EXPECT_EQ(find(lint(p), "PANEL_LOOSE")->panel, "pocket");
  p.seams.clear(), p.stitches.clear();
  EXPECT_NE(find(lint(p), "PATTERN_NOT_SEWN"), nullptr);
}

TEST(Lint, GrainDuplicatesAndSizesOfNoPerson) {
  Pattern p = tube();
  p.panels[1].grain_given = false;
  EXPECT_EQ(find(lint(p), "GRAIN_MISSING")->panel, "back");
  p = tube();
  p.panels.push_back(p.panels[1]);
  p.panels.back().name = "back 2";
  p.seams.clear(), p.stitches.clear();
  EXPECT_EQ(find(lint(p), "PANEL_DUPLICATE")->panel, "back 2");
  p.panels.back().fabric = "lining";
  EXPECT_EQ(find(lint(p), "PANEL_DUPLICATE"), nullptr);
  Pattern doll;
  doll.panels = {rectangle("front", 0.03, 0.05)};
  EXPECT_NE(find(lint(doll), "GARMENT_SIZE"), nullptr);
}

TEST(SuggestSeams, ASideSeamWithAHipIsProposedAndTheHemsAreNot) {
  Pattern p;
  for (const char* name : {"front", "back"}) {
    Panel panel = rectangle(name, name[0] == 'f' ? 0.30 : 0.27, 0.6);
    const int side = name[0] == 'f' ? 1 : 3;
    panel.edges[side].curve = {EdgeCurve::Kind::kCubic, {{0.3, -0.04}, {0.6, -0.05}}};
    if (side == 3) panel.edges[side].curve.controls = {{0.4, -0.05}, {0.7, -0.04}};
    p.panels.push_back(panel);
  }
  bool side = false;
  for (const SeamProposal& s : suggest_seams(p)) {
    const SeamRange &a = s.seam.a[0], &b = s.seam.b[0];
    EXPECT_FALSE(a.edge == 0 && b.edge == 0) << "hems";
    if (a.edge != 1 || b.edge != 3) continue;
    side = true;
    EXPECT_GT(b.from, b.to) << "tops meet tops";
    EXPECT_GT(s.confidence, 0.5);
  }
  EXPECT_TRUE(side);
}

}  // namespace
}  // namespace tryon
