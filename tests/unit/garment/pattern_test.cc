#include "server/garment/pattern.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "tests/support/test_panels.h"

namespace tryon {
namespace {

using testing::rectangle;

Panel one_edge(const Vec2& s, const Vec2& e, EdgeCurve curve) {
  Panel panel;
  panel.name = "p";
  panel.vertices = {s, e};
  panel.edges = {{0, 1, std::move(curve), ""}, {1, 0, {}, ""}};
  return panel;
}

EdgeCurve quadratic(Vec2 c) { return {EdgeCurve::Kind::kQuadratic, {c}}; }
EdgeCurve cubic(Vec2 a, Vec2 b) { return {EdgeCurve::Kind::kCubic, {a, b}}; }
EdgeCurve arc(double radius, bool large, bool right) { return {EdgeCurve::Kind::kArc, {}, radius, large, right}; }

// Two rectangles joined at both sides: a tube.
Pattern tube() {
  Pattern pattern;
  pattern.name = "tube";
  pattern.panels = {rectangle("front", 0.4, 0.6), rectangle("back", 0.4, 0.6)};
  pattern.stitches = {{{0, 1}, {1, 3}}, {{0, 3}, {1, 1}}};
  return pattern;
}

TEST(EdgePoint, ARelativeControlPointIsMeasuredAlongAndToTheLeftOfTheWalk) {
  // The curve's middle lies half way to the control point: s + u d + v n with d = (0.2, 0), n = (0, 0.2).
  const Panel panel = one_edge({0.1, 0.1}, {0.3, 0.1}, quadratic({0.5, 0.4}));
  EXPECT_TRUE(edge_point(panel, 0, 0.5).isApprox(Vec2(0.2, 0.14), 1e-12));
}

TEST(EdgePoint, EndsAreTheVerticesToTheLastBit) {
  for (const EdgeCurve& curve :
       {quadratic({0.3, 0.4}), cubic({0.1, 0.2}, {0.7, -0.3}), arc(0.27, true, false), EdgeCurve{}}) {
    const Panel panel = one_edge({0.1, 0.7}, {0.33, -0.1}, curve);
    EXPECT_EQ(edge_point(panel, 0, 0.0), panel.vertices[0]);
    EXPECT_EQ(edge_point(panel, 0, 1.0), panel.vertices[1]);
    const auto points = sample_edge(panel, 0, 7);
    ASSERT_EQ(points.size(), 8u);
    EXPECT_EQ(points.front(), panel.vertices[0]);
    EXPECT_EQ(points.back(), panel.vertices[1]);
  }
}

TEST(Arc, RightAndSmallBulgesToTheRightOfTheWalk) {
  const Panel right = one_edge({0, 0}, {1, 0}, arc(0.5, false, true));
  EXPECT_TRUE(edge_point(right, 0, 0.5).isApprox(Vec2(0.5, -0.5), 1e-12));
  const Panel left = one_edge({0, 0}, {1, 0}, arc(0.5, false, false));
  EXPECT_TRUE(edge_point(left, 0, 0.5).isApprox(Vec2(0.5, 0.5), 1e-12));
}

TEST(Arc, SmallAndLargeArcTogetherMakeTheWholeCircle) {
  const double radius = 0.3;
  for (const bool right : {false, true}) {
    const Panel small = one_edge({0, 0}, {0.4, 0.1}, arc(radius, false, right));
    const Panel large = one_edge({0, 0}, {0.4, 0.1}, arc(radius, true, right));
    EXPECT_NEAR(edge_length(small, 0) + edge_length(large, 0), 2.0 * M_PI * radius, 1e-12);
    EXPECT_GT(edge_length(large, 0), M_PI * radius);
  }
}

TEST(Arc, ARadiusTooSmallForItsChordBecomesAHalfCircle) {
  EXPECT_NEAR(edge_length(one_edge({0, 0}, {1, 0}, arc(0.2, false, true)), 0), M_PI * 0.5, 1e-12);
}

TEST(EdgeLength, OfAParabolaEqualsTheClosedForm) {
  // y = x - x^2 from 0 to 1: length = (sqrt 2 + asinh 1) / 2.
  const Panel panel = one_edge({0, 0}, {1, 0}, quadratic({0.5, 0.5}));
  EXPECT_NEAR(edge_length(panel, 0), 0.5 * (std::sqrt(2.0) + std::asinh(1.0)), 1e-11);
}

TEST(EdgeLength, OfCubicsEqualsAFinePolygon) {
  for (const EdgeCurve& curve :
       {cubic({0.1, 0.5}, {0.8, -0.6}), cubic({1.4, 0.3}, {-0.4, 0.3}), cubic({1, 1}, {0, 1})}) {
    const Panel panel = one_edge({0, 0}, {0.4, 0.3}, curve);
    double polygon = 0.0;
    constexpr int kSteps = 20'000;
    for (int i = 0; i < kSteps; ++i) {
      polygon += (edge_point(panel, 0, double(i + 1) / kSteps) - edge_point(panel, 0, double(i) / kSteps)).norm();
    }
    EXPECT_NEAR(edge_length(panel, 0), polygon, 1e-8);
  }
}

TEST(SampleEdge, PointsLieEvenlyAlongTheCurve) {
  for (const EdgeCurve& curve : {quadratic({0.1, 0.6}), cubic({0.1, 0.5}, {0.3, -0.4}), arc(0.6, true, false)}) {
    const Panel panel = one_edge({0, 0}, {1, 0}, curve);
    const auto points = sample_edge(panel, 0, 400);
    const double step = edge_length(panel, 0) / 400;
    for (int i = 0; i < 400; ++i) EXPECT_NEAR((points[i + 1] - points[i]).norm(), step, 2e-3 * step) << i;
  }
}

TEST(SampleEdge, TheSameCurveWalkedBackwardsGivesTheSamePoints) {
  const Panel there = one_edge({0, 0}, {1, 0}, cubic({0.2, 0.5}, {0.6, 0.1}));
  const Panel back = one_edge({1, 0}, {0, 0}, cubic({0.4, -0.1}, {0.8, -0.5}));
  const auto a = sample_edge(there, 0, 17), b = sample_edge(back, 0, 17);
  for (int i = 0; i <= 17; ++i) EXPECT_LT((a[i] - b[17 - i]).norm(), 1e-9);
}

TEST(Validate, ATubeIsSound) { EXPECT_TRUE(validate(tube()).ok()) << validate(tube()); }

TEST(Validate, TwoCurvedEdgesMakeAPanel) {
  Pattern pattern;
  pattern.panels = {one_edge({0, 0}, {0.3, 0}, arc(0.2, false, true))};
  EXPECT_TRUE(validate(pattern).ok()) << validate(pattern);
}

struct Fault {
  const char* name;
  std::function<void(Pattern*)> harm;
  const char* reason;
  const char* field;
};

class Faulty : public ::testing::TestWithParam<Fault> {};

TEST_P(Faulty, IsNamedWithItsElementAndARemedy) {
  Pattern pattern = tube();
  GetParam().harm(&pattern);
  const auto detail = error_detail(validate(pattern));
  ASSERT_TRUE(detail.has_value()) << validate(pattern);
  EXPECT_EQ(detail->reason, GetParam().reason);
  EXPECT_EQ(detail->field, GetParam().field);
  EXPECT_FALSE(detail->remedy.empty());
}

const double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Patterns, Faulty,
    ::testing::Values(
        Fault{"NoPanels", [](Pattern* p) { *p = {}; }, "PATTERN_WITHOUT_PANELS", "pattern.panels"},
        Fault{"SameName", [](Pattern* p) { p->panels[1].name = "front"; }, "PANEL_NAME", "pattern.panels[front]"},
        Fault{"NoName", [](Pattern* p) { p->panels[1].name = ""; }, "PANEL_NAME", "pattern.panels[]"},
        Fault{"NanVertex", [](Pattern* p) { p->panels[1].vertices[2].x() = kNan; }, "PANEL_SIZE",
              "pattern.panels[back].vertices[2]"},
        Fault{"VertexOutOfRange", [](Pattern* p) { p->panels[0].edges[2].end = 4; }, "PANEL_VERTEX_MISSING",
              "pattern.panels[front].edges[2].endpoints"},
        Fault{"NegativeVertex", [](Pattern* p) { p->panels[0].edges[0].start = -1; }, "PANEL_VERTEX_MISSING",
              "pattern.panels[front].edges[0].endpoints"},
        Fault{"OpenLoop", [](Pattern* p) { p->panels[0].edges.pop_back(); }, "PANEL_LOOP_OPEN",
              "pattern.panels[front].edges[2]"},
        Fault{"OneEdge", [](Pattern* p) { p->panels[0].edges.resize(1); }, "PANEL_LOOP_OPEN", "pattern.panels[front]"},
        Fault{"NoLength", [](Pattern* p) { p->panels[0].vertices[1] = p->panels[0].vertices[0]; },
              "EDGE_WITHOUT_LENGTH", "pattern.panels[front].edges[0]"},
        Fault{"MissingControl", [](Pattern* p) { p->panels[0].edges[1].curve.kind = EdgeCurve::Kind::kCubic; },
              "EDGE_CURVE", "pattern.panels[front].edges[1].curvature"},
        Fault{"NanControl",
              [](Pattern* p) {
                p->panels[0].edges[1].curve = quadratic({kNan, 0});
              },
              "EDGE_CURVE", "pattern.panels[front].edges[1].curvature"},
        Fault{"NegativeRadius", [](Pattern* p) { p->panels[0].edges[1].curve = arc(-1, false, false); }, "EDGE_CURVE",
              "pattern.panels[front].edges[1].curvature"},
        Fault{"CrossedCorners", [](Pattern* p) { std::swap(p->panels[1].vertices[2], p->panels[1].vertices[3]); },
              "PANEL_CROSSES_ITSELF", "pattern.panels[back].edges[1]"},
        Fault{"CurveCrossesSide",
              [](Pattern* p) {
                p->panels[1].edges[0].curve = quadratic({0.5, 3.5});
              },
              "PANEL_CROSSES_ITSELF", "pattern.panels[back].edges[0]"},
        Fault{"CurveCrossesItself",
              [](Pattern* p) {
                p->panels[1].edges[0].curve = cubic({3, -2}, {-2, -2});
              },
              "PANEL_CROSSES_ITSELF", "pattern.panels[back].edges[0]"},
        Fault{"TooLarge", [](Pattern* p) { p->panels[0].vertices[2] *= 30.0; }, "PANEL_SIZE", "pattern.panels[front]"},
        Fault{"ArcTooLarge", [](Pattern* p) { p->panels[0].edges[2].curve = arc(9, true, true); }, "PANEL_SIZE",
              "pattern.panels[front]"},
        Fault{"TooSmall",
              [](Pattern* p) {
                for (Vec2& v : p->panels[0].vertices) v *= 1e-3;
              },
              "PANEL_SIZE", "pattern.panels[front]"},
        Fault{"FarAway", [](Pattern* p) { p->panels[0].translation.z() = 1e6; }, "PANEL_PLACEMENT",
              "pattern.panels[front].translation"},
        Fault{"Mirrored", [](Pattern* p) { p->panels[0].rotation(0, 0) = -1.0; }, "PANEL_PLACEMENT",
              "pattern.panels[front].rotation"},
        Fault{"MissingPanel", [](Pattern* p) { p->stitches[1].b.panel = 2; }, "SEAM_PANEL_MISSING",
              "pattern.stitches[1]"},
        Fault{"MissingEdge", [](Pattern* p) { p->stitches[0].a.edge = 4; }, "SEAM_EDGE_MISSING", "pattern.stitches[0]"},
        Fault{"EdgeTwice",
              [](Pattern* p) {
                p->stitches[1].a = {0, 1};
              },
              "SEAM_EDGE_TWICE", "pattern.stitches[1]"},
        Fault{"EdgeToItself",
              [](Pattern* p) {
                p->stitches = {{{0, 1}, {0, 1}}};
              },
              "SEAM_EDGE_TWICE", "pattern.stitches[0]"},
        Fault{"ImpossibleGathering", [](Pattern* p) { p->panels[0] = rectangle("front", 0.4, 0.05); },
              "SEAM_LENGTHS_DIFFER", "pattern.stitches[0]"}),
    [](const auto& info) { return info.param.name; });

TEST(Validate, MessagesAreWrittenForATailor) {
  Pattern pattern = tube();
  pattern.panels[0] = rectangle("front", 0.4, 0.05);
  const std::string message(validate(pattern).message());
  EXPECT_NE(message.find("edge 1 of panel front is 50 mm"), std::string::npos) << message;
  EXPECT_NE(message.find("panel back, is 600 mm"), std::string::npos) << message;
}

}  // namespace
}  // namespace tryon
