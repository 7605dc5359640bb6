#include "server/garment/pleats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "server/garment/crossings.h"
#include "server/garment/garment.h"
#include "server/garment/seam_graph.h"
#include "server/garment/size_table.h"
#include "server/garment/template.h"

namespace tryon {
namespace {

Panel sheet(const char* name, double width, double height) {
  Panel panel;
  panel.name = name;
  panel.vertices = {{0, 0}, {width, 0}, {width, height}, {0, height}};
  panel.edges = {{0, 1, {}, ""}, {1, 2, {}, ""}, {2, 3, {}, ""}, {3, 0, {}, ""}};
  return panel;
}

// A skirt of 400 mm hem whose top, edge 2, is sewn into a band; pleats walk from right to left.
Pattern pleated(const std::vector<Pleat>& pleats, double band) {
  Pattern pattern;
  pattern.panels = {sheet("skirt", 0.4, 0.3), sheet("band", band, 0.04)};
  pattern.panels[0].pleats = pleats;
  SeamSpec seam;
  seam.a = {{0, 2, 0.0, 1.0}};
  seam.b = {{1, 0, 1.0, 0.0}};
  pattern.seams = {seam};
  return pattern;
}

// For every vertex of the band's lower edge, x in mm of the skirt's vertices that are sewn to it.
std::map<int, std::set<int>> stacks(const GarmentMesh& g) {
  const WeldedMesh welded = weld(g, g.placed);
  std::map<int, std::set<int>> out;
  for (int v = 0; v < g.vertex_count(); ++v) {
    if (g.panel[v] != 1 || g.flat[v].y() > 1e-9) continue;
    std::set<int>& stack = out[static_cast<int>(std::lround(g.flat[v].x() * 1e3))];
    for (int w = 0; w < g.vertex_count(); ++w) {
      if (g.panel[w] == 0 && welded.source[w] == welded.source[v]) {
        stack.insert(static_cast<int>(std::lround(g.flat[w].x() * 1e3)));
      }
    }
  }
  return out;
}

GarmentMesh meshed(const Pattern& pattern) {
  auto g = mesh_garment(RunContext(), pattern, 0.02);
  EXPECT_TRUE(g.ok()) << g.status();
  return std::move(g).value();
}

TEST(Pleats, KnifeToTheEndLiesThreeLayersDeepUnderWhatComesBeforeIt) {
  const GarmentMesh g = meshed(pleated({{Pleat::Kind::kKnifeToEnd, 2, 0.5, 0.04, 0.0}}, 0.32));
  const auto stack = stacks(g);
  // Walking from x = 400 down, cloth from 240 to 160 mm is taken out and lies under 280 to 240: band 200 to 160.
  EXPECT_EQ(stack.at(160), (std::set<int>{160, 240})) << "the visible crease meets the cloth that goes on";
  EXPECT_EQ(stack.at(200), (std::set<int>{200, 280})) << "the inner crease lies under the cloth before the pleat";
  EXPECT_EQ(stack.at(180), (std::set<int>{180, 220, 260})) << "three layers between them";
  EXPECT_EQ(stack.at(320), (std::set<int>{400}));
  EXPECT_EQ(stack.at(0), (std::set<int>{0}));
}

TEST(Pleats, InvertedPleatLiesToBothSides) {
  const GarmentMesh g = meshed(pleated({{Pleat::Kind::kInverted, 2, 0.5, 0.04, 0.0}}, 0.24));
  const auto stack = stacks(g);
  EXPECT_EQ(stack.at(120), (std::set<int>{120, 200, 280})) << "both creases meet over the middle of the pleat";
  EXPECT_EQ(stack.at(160), (std::set<int>{240, 320}));
  EXPECT_EQ(stack.at(80), (std::set<int>{80, 160}));
}

TEST(Pleats, SplittingAgainChangesNothing) {
  const auto once = split_seams(pleated({{Pleat::Kind::kKnifeToStart, 2, 0.4, 0.03, 0.0}}, 0.34));
  ASSERT_TRUE(once.ok()) << once.status();
  const auto twice = split_seams(*once);
  ASSERT_TRUE(twice.ok()) << twice.status();
  EXPECT_EQ(once->stitches.size(), twice->stitches.size());
  EXPECT_EQ(once->seams.size(), twice->seams.size());
  EXPECT_EQ(once->panels[0].edges.size(), twice->panels[0].edges.size());
}

TEST(Pleats, PleatThatDoesNotFitIsNotLaid) {
  Panel panel = sheet("skirt", 0.4, 0.3);
  panel.pleats = {{Pleat::Kind::kKnifeToEnd, 2, 0.05, 0.04, 0.0},
                  {Pleat::Kind::kKnifeToEnd, 2, 0.5, 0.04, 0.0},
                  {Pleat::Kind::kKnifeToEnd, 2, 0.6, 0.04, 0.0}};
  EXPECT_FALSE(pleat_is_laid(panel, 0)) << "it would begin 20 mm before its edge";
  EXPECT_TRUE(pleat_is_laid(panel, 1));
  EXPECT_FALSE(pleat_is_laid(panel, 2)) << "it shares cloth with the one before";
}

TEST(Pleats, SewnDownPleatIsOneAlongItsCrease) {
  const GarmentMesh g = meshed(pleated({{Pleat::Kind::kKnifeToEnd, 2, 0.5, 0.04, 0.1}}, 0.32));
  const WeldedMesh welded = weld(g, g.placed);
  int sewn = 0;
  for (int v = 0; v < g.vertex_count(); ++v) {
    for (int w = 0; w < g.vertex_count(); ++w) {
      const bool crease = g.panel[v] == 0 && std::abs(g.flat[v].x() - 0.24) < 1e-6;
      const bool under = g.panel[w] == 0 && std::abs(g.flat[w].x() - 0.16) < 1e-6;
      if (!crease || !under || welded.source[v] != welded.source[w]) continue;
      EXPECT_NEAR(g.flat[v].y(), g.flat[w].y(), 1e-3);
      EXPECT_GE(g.flat[v].y(), 0.2 - 1e-6) << "100 mm from the top";
      ++sewn;
    }
  }
  EXPECT_GE(sewn, 4);
}

TEST(Pleats, LaidPanelKeepsLengthsAndNeverTouchesItself) {
  for (const Pleat::Kind kind :
       {Pleat::Kind::kKnifeToEnd, Pleat::Kind::kKnifeToStart, Pleat::Kind::kBox, Pleat::Kind::kInverted}) {
    Panel panel = sheet("skirt", 1.0, 0.3);
    panel.pleats = {{kind, 2, 0.2, 0.04, 0.0}, {kind, 2, 0.5, 0.04, 0.0}, {kind, 2, 0.8, 0.04, 0.0}};
    Pattern pattern;
    pattern.panels = {panel};
    GarmentMesh g = meshed(pattern);
    const LaidPanel laid(panel);
    for (int v = 0; v < g.vertex_count(); ++v) {
      const Vec2 at = laid.at(g.flat[v]);
      g.placed[v] = Vec3(at.x(), at.y(), laid.height(g.flat[v]));
    }
    for (const Triangle& t : g.triangles) {
      for (int k = 0; k < 3; ++k) {
        const double rest = (g.flat[t[k]] - g.flat[t[(k + 1) % 3]]).norm();
        EXPECT_LT((g.placed[t[k]] - g.placed[t[(k + 1) % 3]]).norm(), 1.25 * rest);
      }
    }
    EXPECT_TRUE(PanelCrossings(g).between(0, 0).empty()) << static_cast<int>(kind);
  }
}

TEST(Pleats, PleatedSkirtOfEverySizeKeepsItsDepthAndFitsItsBand) {
  const auto skirt = draft_template_graded("pleated_skirt", Figure::kWomen, "M", {});
  ASSERT_TRUE(skirt.ok()) << skirt.status();
  for (const char* size : {"XS", "M", "XXL"}) {
    const auto sized = at_size(*skirt, size);
    ASSERT_TRUE(sized.ok()) << sized.status();
    int pleats = 0;
    for (const Panel& panel : sized->panels) {
      pleats += static_cast<int>(panel.pleats.size());
      for (size_t i = 0; i < panel.pleats.size(); ++i) EXPECT_TRUE(pleat_is_laid(panel, i)) << size;
    }
    EXPECT_EQ(pleats, 16);
    for (const SeamSpec& seam : all_seams(*sized)) {
      EXPECT_NEAR(sewn_length(*sized, seam.a), sewn_length(*sized, seam.b), 1e-6) << size;
    }
  }
}

}  // namespace
}  // namespace tryon
