// Seams between ranges become stitches between whole edges, and nothing else about the garment changes.
#include "server/garment/seam_graph.h"

#include <cmath>
#include <map>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/garment/garment.h"
#include "server/garment/pattern_curve.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

using testing::polygon;
using testing::rectangle;

EdgeCurve quadratic(Vec2 c) { return {EdgeCurve::Kind::kQuadratic, {c}}; }
EdgeCurve cubic(Vec2 a, Vec2 b) { return {EdgeCurve::Kind::kCubic, {a, b}}; }
EdgeCurve arc(double radius, bool large, bool right) { return {EdgeCurve::Kind::kArc, {}, radius, large, right}; }
EdgeCurve polyline() { return {EdgeCurve::Kind::kPolyline, {{0.1, 0.05}, {0.35, 0.2}, {0.5, 0.18}, {0.9, -0.02}}}; }
std::vector<EdgeCurve> every_curve() {
  return {{},
          quadratic({0.3, 0.4}),
          cubic({0.1, 0.5}, {0.8, -0.3}),
          arc(0.7, false, true),
          arc(0.7, false, false),
          arc(0.55, true, true),
          arc(0.2, false, true),
          polyline()};
}

// ---- cuts are exact -------------------------------------------------------------------------------------------

TEST(CutEdge, PiecesAreTheOldCurveForEveryKindOfCurve) {
  int number = 0;
  for (const EdgeCurve& curve : every_curve()) {
    SCOPED_TRACE(number++);
    Pattern pattern;
    pattern.panels = {rectangle("p", 1.0, 2.0)};
    pattern.panels[0].edges[3].curve = curve;  // the last edge, from the last vertex to the first
    const Panel before = pattern.panels[0];
    cut_edge(&pattern, 0, 3, {0.2, 0.55, 0.7});
    const Panel& after = pattern.panels[0];
    ASSERT_EQ(after.edges.size(), 7u);
    double sum = 0.0;
    const double cuts[] = {0.0, 0.2, 0.55, 0.7, 1.0}, whole = edge_length(before, 3);
    for (int i = 0; i < 4; ++i) {
      sum += edge_length(after, 3 + i);
      EXPECT_NEAR(edge_length(after, 3 + i), whole * (cuts[i + 1] - cuts[i]), 1e-9 * whole);
      for (double t = 0.0; t <= 1.0; t += 0.125) {
        const Vec2 there = edge_at(before, 3, cuts[i] + t * (cuts[i + 1] - cuts[i]));
        EXPECT_LT((edge_at(after, 3 + i, t) - there).norm(), 2e-9) << "piece " << i << " at " << t;
      }
    }
    EXPECT_NEAR(sum, whole, 1e-9 * whole);
    for (size_t e = 0; e < 7; ++e) EXPECT_EQ(after.edges[e].end, after.edges[(e + 1) % 7].start);
  }
}

TEST(CutEdge, ABackwardCurveAndItsMirrorImageKeepTheirPoints) {
  for (const EdgeCurve& curve : every_curve()) {
    const CurveShape forward({0.1, 0.2}, {0.9, 0.5}, curve), back({0.9, 0.5}, {0.1, 0.2}, reversed(curve)),
        mirror({-0.1, 0.2}, {-0.9, 0.5}, mirrored(curve));
    for (double t = 0.0; t <= 1.0; t += 0.1) {
      EXPECT_LT((forward.at(t) - back.at(1.0 - t)).norm(), 1e-9);
      EXPECT_LT((forward.at(t) - Vec2(-mirror.at(t).x(), mirror.at(t).y())).norm(), 1e-9);
    }
  }
}

TEST(CutEdge, NotchesDartsPleatsSeamsAndSizesGoOnMeaningTheSameCloth) {
  Pattern pattern;
  pattern.panels = {rectangle("p", 1.0, 2.0), rectangle("q", 1.0, 2.0)};
  Panel& panel = pattern.panels[0];
  panel.edges[1].curve = cubic({0.2, 0.3}, {0.7, 0.1});
  panel.notches = {{Notch::Kind::kV, 1, 0.3, 0.0}, {Notch::Kind::kV, 2, 0.5, 0.0}};
  panel.pleats = {{Pleat::Kind::kBox, 1, 0.8, 0.02, 0.0}};
  panel.darts = {{1, 0.5, 0.6, {0.5, 1.0}}};
  pattern.seams.resize(1);
  pattern.seams[0].a = {{0, 1, 0.9, 0.1}};
  pattern.seams[0].b = {{1, 3, 0.0, 1.0}};
  SizeVariant large{"L",
                    {{{{0, 0}, {1.2, 0}, {1.2, 2.2}, {0, 2.2}}, {{}, cubic({0.2, 0.4}, {0.7, 0.2}), {}, {}}, {}},
                     {pattern.panels[1].vertices, std::vector<EdgeCurve>(4), {}}}};
  pattern.sizes = {large};
  const Pattern before = pattern;
  cut_edge(&pattern, 0, 1, {0.4, 0.7});
  auto place = [](const Pattern& p, int edge, double at) { return edge_at(p.panels[0], edge, at); };
  for (size_t i = 0; i < 2; ++i) {
    const Notch &x = before.panels[0].notches[i], &y = pattern.panels[0].notches[i];
    EXPECT_LT((place(before, x.edge, x.at) - place(pattern, y.edge, y.at)).norm(), 1e-9);
  }
  const Dart &d0 = before.panels[0].darts[0], &d1 = pattern.panels[0].darts[0];
  EXPECT_LT((place(before, d0.edge, d0.from) - place(pattern, d1.edge, d1.from)).norm(), 1e-9);
  EXPECT_LT((place(before, d0.edge, d0.to) - place(pattern, d1.edge, d1.to)).norm(), 1e-9);
  ASSERT_EQ(pattern.seams[0].a.size(), 3u) << "walked backwards: the last piece first";
  EXPECT_EQ(pattern.seams[0].a[0].edge, 3);
  EXPECT_GT(pattern.seams[0].a[0].from, pattern.seams[0].a[0].to);
  EXPECT_NEAR(chain_length(pattern, pattern.seams[0].a), chain_length(before, before.seams[0].a), 1e-9);
  EXPECT_TRUE(validate(pattern).ok()) << validate(pattern);
  const Pattern a = at_size(before, "L").value(), b = at_size(pattern, "L").value();
  EXPECT_LT((edge_at(a.panels[0], 1, 0.4) - b.panels[0].vertices[2]).norm(), 1e-9);
  EXPECT_NEAR(panel_area(a.panels[0]), panel_area(b.panels[0]), 1e-3) << "of polygons";
}

// ---- splitting ------------------------------------------------------------------------------------------------

// A front of one piece, a back of two pieces and a yoke: side seams, and a yoke seam of one edge to a chain of two.
Pattern shirt() {
  Pattern p;
  p.panels = {rectangle("yoke", 0.4, 0.1), rectangle("left", 0.15, 0.5), rectangle("right", 0.25, 0.5)};
  SeamSpec top;
  top.a = {{0, 0, 0.0, 1.0}};
  top.b = {{1, 2, 1.0, 0.0}, {2, 2, 1.0, 0.0}};
  SeamSpec middle;
  middle.a = {{1, 1, 0.0, 1.0}};
  middle.b = {{2, 3, 1.0, 0.0}};
  p.seams = {top, middle};
  return p;
}

TEST(SplitSeams, AChainOfTwoPiecesCutsThePartnerWhereTheyMeet) {
  const Pattern p = split_seams(shirt()).value();
  ASSERT_EQ(p.panels[0].edges.size(), 5u);
  EXPECT_NEAR(p.panels[0].vertices[1].x(), 0.15, 1e-12);
  ASSERT_EQ(p.stitches.size(), 3u);
  for (const Stitch& s : p.stitches) {
    EXPECT_NEAR(edge_length(p.panels[s.a.panel], s.a.edge), edge_length(p.panels[s.b.panel], s.b.edge), 1e-12);
    EXPECT_FALSE(s.right_wrong);
  }
  EXPECT_EQ(p.stitches[0].seam, 0);
  EXPECT_EQ(p.stitches[2].seam, 1);
}

// Every pair of points that the stitches join, by the share of the seam.
std::map<std::pair<int, int>, Vec2> joined(const Pattern& p) {
  std::map<std::pair<int, int>, Vec2> out;  // a point of the cloth in micrometres -> its partner
  for (const Stitch& s : p.stitches) {
    for (double t = 0.0; t <= 1.0; t += 0.25) {
      const Vec2 a = edge_at(p.panels[s.a.panel], s.a.edge, t);
      const Vec2 b = edge_at(p.panels[s.b.panel], s.b.edge, s.right_wrong ? t : 1.0 - t);
      out[{s.a.panel, static_cast<int>(std::lround(1e6 * (a.x() + 7.0 * a.y())))}] = b;
    }
  }
  return out;
}

TEST(SplitSeams, ASeamSplitInTwoIsTheSameGarment) {
  Pattern two = shirt();
  SeamSpec lower = two.seams[1];
  two.seams[1].a = {{1, 1, 0.0, 0.5}}, two.seams[1].b = {{2, 3, 1.0, 0.5}};
  lower.a = {{1, 1, 0.5, 1.0}}, lower.b = {{2, 3, 0.5, 0.0}};
  two.seams.push_back(lower);
  const Pattern p = split_seams(shirt()).value(), q = split_seams(two).value();
  const auto one = joined(p), other = joined(q);
  int compared = 0;
  for (const auto& [point, partner] : one) {
    const auto it = other.find(point);
    if (it == other.end()) continue;
    EXPECT_LT((it->second - partner).norm(), 1e-9);
    ++compared;
  }
  EXPECT_GE(compared, 12);
  for (size_t i = 0; i < p.panels.size(); ++i) {
    EXPECT_NEAR(panel_area(p.panels[i]), panel_area(q.panels[i]), 1e-12);
  }
}

TEST(SplitSeams, SplitAgainNothingChanges) {
  const Pattern once = split_seams(shirt()).value(), twice = split_seams(once).value();
  ASSERT_EQ(once.stitches.size(), twice.stitches.size());
  for (size_t s = 0; s < once.stitches.size(); ++s) {
    EXPECT_EQ(once.stitches[s].a.edge, twice.stitches[s].a.edge);
    EXPECT_EQ(once.stitches[s].b.edge, twice.stitches[s].b.edge);
  }
  for (size_t i = 0; i < once.panels.size(); ++i) EXPECT_EQ(once.panels[i].vertices, twice.panels[i].vertices);
}

TEST(SplitSeams, BothSidesWalkedForwardsSewStartToStart) {
  Pattern p = shirt();
  p.seams[1].b = {{2, 3, 0.0, 1.0}};
  EXPECT_TRUE(split_seams(p).value().stitches[2].right_wrong);
}

TEST(SplitSeams, AnOpenClosureIsCutButNotSewnAndAHemIsNoStitch) {
  Pattern p = shirt();
  p.seams[1].closure = SeamSpec::Closure::kZip;
  p.seams[1].a = {{1, 1, 0.0, 0.6}}, p.seams[1].b = {{2, 3, 1.0, 0.4}};
  SeamSpec hem;
  hem.kind = SeamSpec::Kind::kHem;
  hem.a = {{1, 0, 0.0, 1.0}};
  p.seams.push_back(hem);
  const Pattern closed = split_seams(p).value();
  p.seams[1].open = true;
  const Pattern open = split_seams(p).value();
  EXPECT_EQ(closed.stitches.size(), 3u);
  EXPECT_EQ(open.stitches.size(), 2u);
  EXPECT_EQ(open.panels[1].edges.size(), 5u);
}

TEST(SplitSeams, JointsThatNearlyMeetBecomeOne) {
  Pattern p = shirt();
  p.panels.push_back(rectangle("top_left", 0.1504, 0.1));
  p.panels.push_back(rectangle("top_right", 0.25, 0.1));
  p.seams[0].a = {{3, 0, 0.0, 1.0}, {4, 0, 0.0, 1.0}};
  const Pattern q = split_seams(p).value();
  EXPECT_EQ(q.stitches.size(), 3u) << "0.4 mm apart: no slivers";
  EXPECT_EQ(q.panels[3].edges.size(), 4u);
}

TEST(SplitSeams, ADartBecomesTwoLegsAndAStitchAndLeavesTheSeam) {
  Pattern p = shirt();
  p.panels[0].darts = {{0, 0.4, 0.5, {0.18, 0.06}}, {0, 0.8, 0.9, {0.34, 0.06}}};
  p.seams[0].gather = 0.8;
  const Pattern q = split_seams(p).value();
  EXPECT_TRUE(q.panels[0].darts.empty());
  ASSERT_EQ(q.seams[0].a.size(), q.seams[0].b.size());
  EXPECT_NEAR(chain_length(q, q.seams[0].a), 0.32, 1e-9) << "0.4 m without two mouths of 0.04 m";
  int darts = 0;
  for (const Stitch& s : q.stitches) {
    if (s.seam >= 0) continue;
    ++darts;
    EXPECT_EQ(s.a.panel, 0);
    EXPECT_EQ(q.panels[0].edges[s.a.edge].end, q.panels[0].edges[s.b.edge].start) << "the legs meet at the tip";
  }
  EXPECT_EQ(darts, 2);
}

TEST(SplitSeams, ASplitPatternMeshesWithEqualPartners) {
  const Pattern p = split_seams(shirt()).value();
  const GarmentMesh mesh = mesh_garment(RunContext{}, p, 0.02).value();
  ASSERT_EQ(mesh.seams.size(), 3u);
  for (const Seam& s : mesh.seams) EXPECT_EQ(s.left.size(), s.right.size());
}

TEST(SplitSeams, ClothInTwoSeamsIsRefused) {
  Pattern p = shirt();
  p.seams.push_back(p.seams[1]);
  const auto detail = error_detail(split_seams(p).status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, "SEAM_EDGE_TWICE");
  p.seams.pop_back();
  p.seams[0].a[0].to = 1.5;
  EXPECT_EQ(error_detail(split_seams(p).status())->reason, "SEAM_RANGE");
  p.seams[0].a[0].to = std::nan("");
  EXPECT_EQ(error_detail(split_seams(p).status())->reason, "SEAM_RANGE");
}

TEST(Sizes, AnUnknownSizeNamesTheKnownOnes) {
  Pattern p;
  p.size = "M";
  p.panels = {rectangle("p", 1.0, 1.0)};
  p.sizes = {{"L", {{{{0, 0}, {1.1, 0}, {1.1, 1.1}, {0, 1.1}}, std::vector<EdgeCurve>(4), {}}}}};
  const Pattern large = at_size(p, "L").value();
  EXPECT_EQ(large.size, "L");
  EXPECT_NEAR(panel_area(large.panels[0]), 1.21, 1e-12);
  EXPECT_NEAR(panel_area(at_size(large, "M").value().panels[0]), 1.0, 1e-12) << "and back again";
  const auto detail = error_detail(at_size(p, "XXL").status());
  EXPECT_EQ(detail->reason, "SIZE_UNKNOWN");
  EXPECT_NE(detail->remedy.find("M, L"), std::string::npos);
  p.sizes[0].panels[0].vertices.pop_back();
  EXPECT_EQ(error_detail(at_size(p, "L").status())->reason, "SIZE_TOPOLOGY");
}

}  // namespace
}  // namespace tryon
