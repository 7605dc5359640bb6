// Lines, folds, notches, drill holes, darts and cuts of the pattern in the mesh.
#include "server/garment/mesh_lines.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "gtest/gtest.h"
#include "server/garment/hierarchy.h"
#include "server/garment/pattern_outline.h"
#include "server/garment/seam_graph.h"
#include "server/mesh/predicates.h"
#include "server/mesh/quality.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

using testing::polygon;
using testing::rectangle;

InternalLine drawn(std::vector<Vec2> points, bool closed = false,
                   InternalLine::Kind kind = InternalLine::Kind::kDrawn) {
  InternalLine line;
  line.kind = kind, line.points = std::move(points), line.closed = closed;
  return line;
}

// Front and back sewn at one side, with everything that can be marked on the front.
Pattern marked() {
  Pattern pattern;
  pattern.panels = {rectangle("front", 0.4, 0.5), rectangle("back", 0.3, 0.5)};
  pattern.stitches = {{{0, 1}, {1, 3}}};
  Panel& front = pattern.panels[0];
  front.lines = {drawn({{0.05, 0.1}, {0.2, 0.17}, {0.35, 0.1}}), drawn({{0, 0.3}, {0.4, 0.3}}),
                 drawn({{0.1, 0.36}, {0.16, 0.36}, {0.16, 0.42}, {0.1, 0.42}}, true)};
  front.drill_holes = {{{0.27, 0.21}, ""}};
  front.notches = {{Notch::Kind::kV, 1, 0.33, 0.0}};
  return pattern;
}

GarmentMesh meshed(const Pattern& pattern, double edge_m = 0.02) {
  auto garment = mesh_garment(RunContext{}, pattern, edge_m);
  EXPECT_TRUE(garment.ok()) << garment.status();
  return garment.ok() ? *std::move(garment) : GarmentMesh{};
}

using Edge = std::pair<int, int>;

std::map<Edge, int> edges_of(const GarmentMesh& g) {
  std::map<Edge, int> out;
  for (const Triangle& t : g.triangles) {
    for (int k = 0; k < 3; ++k) ++out[std::minmax(t[k], t[(k + 1) % 3])];
  }
  return out;
}

double area_of(const GarmentMesh& g) {
  double sum = 0.0;
  for (const Triangle& t : g.triangles) sum += std::abs(signed_area({g.flat[t[0]], g.flat[t[1]], g.flat[t[2]]}));
  return sum;
}

double length_of(const GarmentMesh& g, const ClothLine& line) {
  double sum = 0.0;
  for (size_t i = 0; i + 1 < line.vertices.size(); ++i) {
    sum += (g.flat[line.vertices[i + 1]] - g.flat[line.vertices[i]]).norm();
  }
  return sum;
}

TEST(MeshLines, EveryLineRunsAlongEdgesOfTrianglesOverItsWholeLength) {
  const GarmentMesh g = meshed(marked());
  const std::map<Edge, int> edges = edges_of(g);
  std::map<int, double> lengths;
  for (const ClothLine& line : g.lines) {
    EXPECT_EQ(line.panel, 0);
    EXPECT_EQ(line.kind, ClothLine::Kind::kDrawn);
    for (size_t i = 0; i + 1 < line.vertices.size(); ++i) {
      const Edge edge = std::minmax(line.vertices[i], line.vertices[i + 1]);
      EXPECT_EQ(edges.count(edge) ? edges.at(edge) : 0, 2) << "an inner edge";
    }
    lengths[line.source] += length_of(g, line);
  }
  EXPECT_NEAR(lengths[0], 2.0 * std::hypot(0.15, 0.07), 1e-9);
  EXPECT_NEAR(lengths[1], 0.4, 1e-9) << "from outline to outline";
  EXPECT_NEAR(lengths[2], 0.24, 1e-9);
  EXPECT_EQ(g.lines[2].vertices.front(), g.lines[2].vertices.back()) << "closed";
}

TEST(MeshLines, WhereALineMeetsASeamThePartnerGetsTheSamePoint) {
  const GarmentMesh g = meshed(marked());
  const Seam& seam = g.seams[0];
  ASSERT_EQ(seam.left.size(), seam.right.size());
  bool line = false, notch = false;
  for (size_t k = 0; k < seam.left.size(); ++k) {
    const double here = g.flat[seam.left[k]].y(), there = g.flat[seam.right[k]].y();
    EXPECT_NEAR(here, there, 1e-12);
    line = line || std::abs(here - 0.3) < 1e-12;
    notch = notch || std::abs(here - 0.165) < 1e-12;
  }
  EXPECT_TRUE(line);
  EXPECT_TRUE(notch);
}

TEST(MeshLines, NotchesAndDrillHolesAreVertices) {
  const GarmentMesh g = meshed(marked());
  ASSERT_EQ(g.marks.size(), 2u);
  std::vector<double> off;
  for (const int v : g.marks) {
    off.push_back(std::min((g.flat[v] - Vec2(0.27, 0.21)).norm(), (g.flat[v] - Vec2(0.4, 0.165)).norm()));
    EXPECT_LT(off.back(), 1e-12);
  }
}

TEST(MeshLines, NotchesThatFaceEachOtherAreSewnToEachOther) {
  Pattern pattern = marked();
  pattern.panels[1].notches = {{Notch::Kind::kV, 3, 1.0 - 0.345, 0.0}};  // 7.5 mm beside the front's
  const GarmentMesh g = meshed(pattern);
  const Seam& seam = g.seams[0];
  bool met = false;
  for (size_t k = 0; k < seam.left.size(); ++k) {
    if (std::abs(g.flat[seam.left[k]].y() - 0.165) > 1e-12) continue;
    met = true;
    EXPECT_NEAR(g.flat[seam.right[k]].y(), 0.1725, 1e-12);
  }
  EXPECT_TRUE(met);
}

TEST(MeshLines, ALineBeyondTheOutlineIsClippedAndOneAlongItIsLeftToIt) {
  Pattern pattern;
  pattern.panels = {rectangle("front", 0.4, 0.5)};
  pattern.panels[0].lines = {drawn({{-0.1, 0.25}, {0.5, 0.25}}), drawn({{0, 0.004}, {0.4, 0.004}}),
                             drawn({{0.8, 0.1}, {0.9, 0.1}}), drawn({{0.1, 0.4}, {0.3, 0.4}}),
                             drawn({{0.1, 0.401}, {0.3, 0.401}})};
  const GarmentMesh g = meshed(pattern);
  std::set<int> sources;
  for (const ClothLine& line : g.lines) sources.insert(line.source);
  EXPECT_EQ(sources, (std::set<int>{0, 3})) << "not: 4 mm beside the hem, outside, drawn twice";
  EXPECT_NEAR(length_of(g, g.lines[0]), 0.4, 1e-9);
}

TEST(MeshLines, CurvesAreFollowedAndPointsOfDenseLinesThinnedOut) {
  Pattern pattern;
  pattern.panels = {rectangle("front", 0.4, 0.4)};
  std::vector<Vec2> dense;
  for (int i = 0; i < 300; ++i) {
    const double a = 2.0 * M_PI * i / 300;
    dense.emplace_back(0.2 + 0.1 * std::cos(a), 0.2 + 0.1 * std::sin(a));
  }
  pattern.panels[0].lines = {drawn(dense, true)};
  const GarmentMesh g = meshed(pattern);
  ASSERT_EQ(g.lines.size(), 1u);
  EXPECT_GT(g.lines[0].vertices.size(), 25u);
  EXPECT_LT(g.lines[0].vertices.size(), 50u);
  EXPECT_NEAR(length_of(g, g.lines[0]), 2.0 * M_PI * 0.1, 0.006);
}

TEST(MeshLines, TrianglesStayWideBesideLines) {
  const GarmentMesh g = meshed(marked());
  double least = 180.0;
  for (const Triangle& t : g.triangles) {
    for (int k = 0; k < 3; ++k) {
      const Vec2 u = g.flat[t[(k + 1) % 3]] - g.flat[t[k]], v = g.flat[t[(k + 2) % 3]] - g.flat[t[k]];
      least = std::min(least, std::acos(u.normalized().dot(v.normalized())) * 180.0 / M_PI);
    }
  }
  EXPECT_GE(least, 25.0);
}

TEST(MeshLines, PleatsFoldWhereTheyAreSaidTo) {
  Pattern pattern;
  pattern.panels = {rectangle("skirt", 0.6, 0.4)};
  pattern.panels[0].pleats = {{Pleat::Kind::kKnifeToEnd, 2, 0.5, 0.03, 0.0}, {Pleat::Kind::kBox, 2, 0.2, 0.02, 0.0}};
  const GarmentMesh g = meshed(pattern);
  std::set<std::pair<int, int>> folds;  // pleat, x in mm
  for (const ClothLine& line : g.lines) {
    ASSERT_EQ(line.kind, ClothLine::Kind::kFold);
    folds.insert({line.source, static_cast<int>(std::lround(1e3 * g.flat[line.vertices.front()].x()))});
    EXPECT_NEAR(length_of(g, line), 0.4, 1e-9) << "through to the hem";
    for (const int v : line.vertices) EXPECT_NEAR(g.flat[v].x(), g.flat[line.vertices.front()].x(), 1e-9);
  }
  // Edge 2 walks from x = 600 to 0: to its end is to the left.
  EXPECT_EQ(folds, (std::set<std::pair<int, int>>{{0, 330}, {0, 300}, {1, 520}, {1, 500}, {1, 460}, {1, 440}}));
}

TEST(MeshLines, ADartOfTheModelIsCutOutAndSewnClosed) {
  Pattern pattern = marked();
  pattern.panels[0].darts = {{2, 0.4, 0.5, {0.22, 0.4}}};  // at the top edge, which walks from x = 0.4 to 0
  const GarmentMesh g = meshed(pattern, 0.01);
  ASSERT_EQ(g.seams.size(), 2u);
  const Seam& dart = g.seams[1];
  ASSERT_EQ(dart.left.size(), dart.right.size());
  EXPECT_GE(dart.left.size(), 9u);
  EXPECT_NEAR(dart.left_length, std::hypot(0.02, 0.1), 1e-9);
  EXPECT_NEAR(area_of(g), 0.4 * 0.5 + 0.3 * 0.5 - 0.5 * 0.04 * 0.1, 1e-9) << "its cloth is gone";
  const WeldedMesh welded = weld(g, g.placed);
  for (size_t k = 0; k < dart.left.size(); ++k) {
    EXPECT_EQ(welded.source[dart.left[k]], welded.source[dart.right[k]]);
    EXPECT_NEAR((g.flat[dart.left[k]] - Vec2(0.22, 0.4)).norm(), (g.flat[dart.right[k]] - Vec2(0.22, 0.4)).norm(),
                1e-9);
  }
  const auto split = split_seams(pattern);
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(meshed(*split, 0.01).flat, g.flat) << "split before or while meshing: the same cloth";
}

TEST(MeshLines, AClosedCutIsAHole) {
  Pattern pattern = marked();
  pattern.panels[0].lines[2].kind = InternalLine::Kind::kCut;
  const GarmentMesh g = meshed(pattern);
  EXPECT_NEAR(area_of(g), 0.4 * 0.5 + 0.3 * 0.5 - 0.06 * 0.06, 1e-9);
  std::set<int> used;
  for (const Triangle& t : g.triangles) used.insert({t[0], t[1], t[2]});
  EXPECT_EQ(static_cast<int>(used.size()), g.vertex_count()) << "no vertex is left without cloth";
  for (const ClothLine& line : g.lines) {
    if (line.kind != ClothLine::Kind::kCut) continue;
    EXPECT_NEAR(length_of(g, line), 0.24, 1e-9);
  }
  EXPECT_EQ(g.seams[0].left.size(), g.seams[0].right.size());
}

TEST(MeshLines, AnOpenCutIsAVentThatOpensAtTheHemOnly) {
  Pattern pattern;
  pattern.panels = {rectangle("back", 0.4, 0.5)};
  pattern.panels[0].lines = {drawn({{0.2, 0.0}, {0.2, 0.2}}, false, InternalLine::Kind::kCut)};
  const GarmentMesh g = meshed(pattern);
  ASSERT_EQ(g.lines.size(), 1u);
  EXPECT_EQ(g.lines[0].kind, ClothLine::Kind::kCut);
  const std::map<Edge, int> edges = edges_of(g);
  double border = 0.0;
  for (const auto& [edge, uses] : edges) {
    if (uses == 1) border += (g.flat[edge.first] - g.flat[edge.second]).norm();
  }
  EXPECT_NEAR(border, 2.0 * (0.4 + 0.5) + 2.0 * 0.2, 1e-9) << "both sides of the vent are borders";
  int twins = 0;
  for (int v = 0; v < g.vertex_count(); ++v) {
    for (int w = 0; w < v; ++w) twins += g.flat[v] == g.flat[w];
  }
  EXPECT_EQ(twins, static_cast<int>(g.lines[0].vertices.size()) - 1) << "all but the tip";
  EXPECT_NEAR(area_of(g), 0.2, 1e-12);
}

TEST(MeshLines, ACutFromSideToSideIsDrawnOnly) {
  Pattern pattern;
  pattern.panels = {rectangle("back", 0.4, 0.5)};
  pattern.panels[0].lines = {drawn({{0.0, 0.2}, {0.4, 0.2}}, false, InternalLine::Kind::kCut)};
  const GarmentMesh g = meshed(pattern);
  ASSERT_EQ(g.lines.size(), 1u);
  EXPECT_EQ(g.lines[0].kind, ClothLine::Kind::kDrawn);
}

TEST(MeshLines, AMirroredPanelGetsTheMirroredLines) {
  const Pattern pattern = marked();
  Pattern mirrored = pattern;
  for (Panel& panel : mirrored.panels) {
    for (Vec2& v : panel.vertices) v.x() = -v.x();
    for (InternalLine& line : panel.lines) {
      for (Vec2& p : line.points) p.x() = -p.x();
    }
    for (DrillHole& hole : panel.drill_holes) hole.at.x() = -hole.at.x();
  }
  const GarmentMesh a = meshed(pattern), b = meshed(mirrored);
  ASSERT_EQ(a.triangles, b.triangles);
  ASSERT_EQ(a.lines.size(), b.lines.size());
  for (size_t l = 0; l < a.lines.size(); ++l) EXPECT_EQ(a.lines[l].vertices, b.lines[l].vertices);
  for (int v = 0; v < a.vertex_count(); ++v) EXPECT_EQ(b.flat[v], Vec2(-a.flat[v].x(), a.flat[v].y()));
}

TEST(MeshLines, LinesStayStraightAndMarksStayOnEveryLevelOfTheHierarchy) {
  const GarmentMesh g = meshed(marked(), 0.01);
  const WeldedMesh welded = weld(g, g.placed);
  const auto hierarchy = build_hierarchy(g, welded);
  ASSERT_TRUE(hierarchy.ok()) << hierarchy.status();
  for (const CoarseLevel& level : hierarchy->coarser) {
    const std::set<int> kept(level.finest.begin(), level.finest.end());
    for (const int v : g.marks) EXPECT_TRUE(kept.count(welded.source[v]));
    std::set<Edge> edges;
    for (const Triangle& t : level.triangles) {
      for (int k = 0; k < 3; ++k) edges.insert(std::minmax(level.finest[t[k]], level.finest[t[(k + 1) % 3]]));
    }
    for (const ClothLine& line : g.lines) {
      std::vector<int> left;
      for (const int v : line.vertices) {
        if (kept.count(welded.source[v])) left.push_back(welded.source[v]);
      }
      ASSERT_GE(left.size(), 2u);
      for (size_t i = 0; i + 1 < left.size(); ++i) EXPECT_TRUE(edges.count(std::minmax(left[i], left[i + 1])));
    }
  }
}

}  // namespace
}  // namespace tryon
