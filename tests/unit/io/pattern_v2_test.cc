// tryon.pattern.v2 carries the whole model: what is written is read again, and written again it is the same bytes.
#include <string>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/garment/pattern.h"
#include "server/garment/seam_graph.h"
#include "server/io/pattern_json.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

using testing::rectangle;

// Everything that the model knows, at least once.
Pattern rich() {
  Pattern p;
  p.name = "everything";
  p.size = "M";
  p.panels = {rectangle("front", 0.4, 0.6), rectangle("back", 0.44, 0.6)};
  Panel& front = p.panels[0];
  front.role = "front", front.fabric = "main", front.layer = 1, front.quantity = 2, front.mirrored = true;
  front.grain_given = true, front.grain = Vec2(0.6, 0.8);
  front.edges[1].curve = {EdgeCurve::Kind::kPolyline, {{0.2, 0.02}, {0.5, 0.031}, {0.8, 1.0 / 70}}};
  front.lines = {{InternalLine::Kind::kCut, {{0.1, 0.1}, {0.2, 0.1}, {0.2, 0.2}}, {}, true, "window"},
                 {InternalLine::Kind::kDrawn,
                  {{0.1, 0.3}, {0.3, 0.3}},
                  {{EdgeCurve::Kind::kArc, {}, 0.2, false, true}},
                  false,
                  "fold"}};
  front.darts = {{0, 0.4, 0.5, {0.18, 0.1}}};
  front.pleats = {{Pleat::Kind::kInverted, 2, 0.5, 0.01, 0.05}};
  front.notches = {{Notch::Kind::kCastle, 1, 1.0 / 3.0, 0.004}};
  front.drill_holes = {{{0.2, 0.5}, "pocket"}};
  p.panels[1].placed = false;
  SeamSpec side;
  side.name = "left side", side.kind = SeamSpec::Kind::kFelled, side.closure = SeamSpec::Closure::kZip;
  side.a = {{0, 1, 0.0, 1.0}}, side.b = {{1, 3, 1.0, 0.25}};
  side.gather = 1.34, side.ease = 0.05, side.open = true;
  SeamSpec hem;
  hem.kind = SeamSpec::Kind::kCasing, hem.a = {{1, 0, 0.0, 1.0}}, hem.elastic = {0.7, 25.0};
  p.seams = {side, hem};
  p.stitches = {{{0, 3}, {1, 1}}};
  SizeVariant large{"L", {}};
  for (const Panel& panel : p.panels) {
    PanelShape shape;
    for (const Vec2& v : panel.vertices) shape.vertices.push_back(1.05 * v);
    for (const PanelEdge& e : panel.edges) shape.curves.push_back(e.curve);
    large.panels.push_back(shape);
  }
  for (const InternalLine& line : front.lines) {
    for (const Vec2& v : line.points) large.panels[0].marks.push_back(1.05 * v);
  }
  large.panels[0].marks.push_back({0.19, 0.105});
  large.panels[0].marks.push_back({0.21, 0.525});
  p.sizes = {large};
  return p;
}

TEST(OwnFormatV2, TheWholeModelIsKeptAndWrittenAgainItIsTheSameBytes) {
  const Pattern p = rich();
  ASSERT_TRUE(validate(p).ok()) << validate(p);
  const std::string text = write_pattern(p);
  const auto again = read_pattern(text, "x.json");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(write_pattern(*again), text);
  EXPECT_TRUE(validate(*again).ok()) << validate(*again);
  const Panel& front = again->panels[0];
  EXPECT_EQ(front.role, "front");
  EXPECT_EQ(front.lines[0].kind, InternalLine::Kind::kCut);
  EXPECT_TRUE(front.lines[0].closed);
  EXPECT_EQ(front.lines[1].curves.size(), 1u);
  EXPECT_EQ(front.darts[0].tip, p.panels[0].darts[0].tip);
  EXPECT_EQ(front.notches[0].at, 1.0 / 3.0);
  EXPECT_EQ(front.grain, Vec2(0.6, 0.8));
  EXPECT_EQ(front.edges[1].curve.controls.size(), 3u);
  EXPECT_FALSE(again->panels[1].placed);
  EXPECT_EQ(again->seams[0].b[0].to, 0.25);
  EXPECT_EQ(again->seams[1].elastic.stiffness, 25.0);
  EXPECT_EQ(at_size(*again, "L")->panels[0].drill_holes[0].at, Vec2(0.21, 0.525));
}

TEST(OwnFormatV2, ASplitPatternIsKeptToo) {
  Pattern p = rich();
  p.seams[0].open = false;
  const auto split = split_seams(p);
  ASSERT_TRUE(split.ok()) << split.status();
  const std::string text = write_pattern(*split);
  const auto again = split_seams(read_pattern(text, "x.json").value());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(write_pattern(*again), text);
  EXPECT_EQ(again->stitches.size(), split->stitches.size());
}

// An edge list in free order: marks, seams and sizes follow their edges.
TEST(OwnFormatV2, AFreeEdgeOrderCarriesMarksSeamsAndSizesAlong) {
  const auto p = read_pattern(
      R"({"schema": "tryon.pattern.v2", "size": "S", "panels": [{"name": "a", "vertices_mm": [[0,0],[400,600],[400,0],[0,600]],
          "edges": [{"endpoints": [0,2]}, {"endpoints": [1,3]}, {"endpoints": [2,1]}, {"endpoints": [3,0]}],
          "notches": [{"edge": 1, "at": 0.25}]}],
          "seams": [{"a": [{"panel": "a", "edge": 2}], "b": [{"panel": "a", "edge": 3, "from": 1, "to": 0}]}],
          "sizes": [{"name": "L", "panels": [{"vertices_mm": [[0,0],[500,700],[500,0],[0,700]]}]}]})",
      "x.json");
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_EQ(p->panels[0].notches[0].edge, 2);
  EXPECT_EQ(p->seams[0].a[0].edge, 1);
  EXPECT_LT((p->sizes[0].panels[0].vertices[2] - Vec2(0.5, 0.7)).norm(), 1e-12);
  EXPECT_TRUE(validate(*p).ok()) << validate(*p);
}

TEST(OwnFormatV2, FaultsOfTheNewPartsAreNamed) {
  const std::string good = write_pattern(rich());
  auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const auto p = read_pattern(text, "x.json");
    const auto detail = error_detail(p.ok() ? validate(*p) : p.status());
    return detail ? detail->reason : "none";
  };
  EXPECT_EQ(with("\"castle\"", "\"crown\""), "PATTERN_FIELD_TYPE");
  EXPECT_EQ(with("\"at\": 0.3333333333333333", "\"at\": 1.5"), "PANEL_MARK");
  EXPECT_EQ(with("\"edge\": 0, \"from\": 0.4", "\"edge\": 9, \"from\": 0.4"), "PANEL_MARK");
  EXPECT_EQ(with("\"grain\": [0.6,0.8]", "\"grain\": [0,0]"), "PANEL_MARK");
  EXPECT_EQ(with("\"quantity\": 2", "\"quantity\": 0"), "PANEL_MARK");
  EXPECT_EQ(with("\"to\": 0.25", "\"to\": 7"), "SEAM_RANGE");
  EXPECT_EQ(with("\"relaxed\": 0.7", "\"relaxed\": -1"), "SEAM_RANGE");
  EXPECT_EQ(with("\"name\": \"L\"", "\"name\": \"M\""), "SIZE_NAME");
  EXPECT_EQ(with("{\"vertices_mm\": [[0.0,0.0],", "{\"vertices_mm\": ["), "SIZE_TOPOLOGY");
  EXPECT_EQ(with("\"gather\": 1.34", "\"gather\": \"much\""), "PATTERN_FIELD_TYPE");
}

TEST(OwnFormatV2, PointsAndSizesAreCounted) {
  const std::string good = write_pattern(rich());
  PatternLimits limits;
  limits.max_sizes = 0;
  EXPECT_EQ(error_detail(read_pattern(good, "x.json", limits).status())->reason, "PATTERN_TOO_MANY_SIZES");
  limits = {};
  limits.max_points = 10;
  EXPECT_EQ(error_detail(read_pattern(good, "x.json", limits).status())->reason, "PATTERN_TOO_MANY_EDGES");
}

}  // namespace
}  // namespace tryon
