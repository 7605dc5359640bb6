#include "server/mesh/triangulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/mesh/predicates.h"
#include "server/mesh/quality.h"

namespace tryon {
namespace {

using Loop = std::vector<Vec2>;

Loop sampled(const Loop& corners, double spacing) {
  Loop out;
  for (size_t i = 0; i < corners.size(); ++i) {
    const Vec2 a = corners[i], b = corners[(i + 1) % corners.size()];
    const int n = std::max(1, static_cast<int>(std::lround((b - a).norm() / spacing)));
    for (int k = 0; k < n; ++k) out.push_back(a + (b - a) * k / n);
  }
  return out;
}

Loop rectangle(double width, double height, double spacing) {
  return sampled({{0, 0}, {width, 0}, {width, height}, {0, height}}, spacing);
}

Loop flower(double radius, int points) {
  Loop out;
  for (int i = 0; i < points; ++i) {
    const double a = 2.0 * M_PI * i / points;
    out.push_back(radius * (1.0 + 0.3 * std::sin(5.0 * a)) * Vec2(std::cos(a), std::sin(a)));
  }
  return out;
}

struct Shape {
  std::string name;
  Loop loop;
  double edge;
  double min_angle;  // degrees, that the shape's own corners and side lengths allow
};

std::vector<Shape> shapes() {
  Loop clockwise = rectangle(0.5, 0.6, 0.02);
  std::reverse(clockwise.begin(), clockwise.end());
  return {{"Rectangle20mm", rectangle(0.5, 0.6, 0.02), 0.02, 27},
          {"Rectangle5mm", rectangle(0.5, 0.6, 0.005), 0.005, 25},
          {"Clockwise", clockwise, 0.02, 27},
          {"Waistband", rectangle(0.8, 0.04, 0.015), 0.015, 27},
          {"Binding", rectangle(0.8, 0.02, 0.015), 0.015, 27},
          {"Gathered", rectangle(0.8, 0.6, 0.04), 0.02, 20},
          {"Eased", rectangle(0.8, 0.6, 0.01), 0.02, 18},
          {"Flower", flower(0.5, 160), 0.02, 25},
          {"Dart", sampled({{0, 0}, {0.2, 0}, {0.21, 0.1}, {0.22, 0}, {0.4, 0}, {0.4, 0.3}, {0, 0.3}}, 0.01), 0.01, 5},
          {"OneTriangle", {{0, 0}, {0.01, 0}, {0, 0.01}}, 0.02, 40}};
}

class Triangulated : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    auto result = triangulate(GetParam().loop, GetParam().edge);
    ASSERT_TRUE(result.ok()) << result.status();
    mesh_ = *std::move(result);
    boundary_ = static_cast<int>(GetParam().loop.size());
    for (int t = 0; t < static_cast<int>(mesh_.triangles.size()); ++t) {
      const Triangle& v = mesh_.triangles[t];
      for (int k = 0; k < 3; ++k) {
        edges_[{std::min(v[k], v[(k + 1) % 3]), std::max(v[k], v[(k + 1) % 3])}].push_back(v[(k + 2) % 3]);
      }
    }
  }
  bool is_side(int a, int b) const { return a < boundary_ && b < boundary_ && (b - a == 1 || b - a == boundary_ - 1); }

  PlanarMesh mesh_;
  int boundary_ = 0;
  std::map<std::pair<int, int>, std::vector<int>> edges_;  // -> opposite corners
};

TEST_P(Triangulated, KeepsTheOutlineAndAddsNoPointToIt) {
  ASSERT_GE(mesh_.positions.size(), GetParam().loop.size());
  for (int i = 0; i < boundary_; ++i) EXPECT_EQ(mesh_.positions[i], GetParam().loop[i]) << i;
  for (const auto& [edge, opposite] : edges_) {
    EXPECT_EQ(opposite.size(), is_side(edge.first, edge.second) ? 1u : 2u) << edge.first << " " << edge.second;
  }
  const size_t inner = mesh_.positions.size() - GetParam().loop.size();
  EXPECT_EQ(mesh_.triangles.size(), 2 * inner + GetParam().loop.size() - 2);
}

TEST_P(Triangulated, TrianglesFollowTheLoopAndFillIt) {
  const double area = signed_area(GetParam().loop);
  const int direction = area > 0.0 ? 1 : -1;
  double sum = 0.0;
  for (const Triangle& t : mesh_.triangles) {
    const Loop corners = {mesh_.positions[t[0]], mesh_.positions[t[1]], mesh_.positions[t[2]]};
    EXPECT_EQ(orientation(corners[0], corners[1], corners[2]), direction);
    sum += signed_area(corners);
  }
  EXPECT_NEAR(sum, area, 1e-9 * std::abs(area));
}

TEST_P(Triangulated, EveryInnerEdgeObeysTheEmptyCircleRule) {
  for (const auto& [edge, opposite] : edges_) {
    if (opposite.size() < 2) continue;
    Vec2 a = mesh_.positions[edge.first], b = mesh_.positions[edge.second];
    const Vec2 c = mesh_.positions[opposite[0]], d = mesh_.positions[opposite[1]];
    if (orientation(a, b, c) < 0) std::swap(a, b);
    // Mirrored coordinates of a clockwise loop and of a circle's exact ties are the same numbers: no tolerance needed.
    EXPECT_LE(in_circle(a, b, c, d), 0);
  }
}

TEST_P(Triangulated, AnglesStayWideAndInnerEdgesNearTheLengthWantedThere) {
  const MeshQuality q = measure_quality(mesh_, boundary_, GetParam().edge);
  EXPECT_GE(q.min_angle, GetParam().min_angle);
  EXPECT_LE(q.outside, 0.002 * q.inner_edges + 2) << "of " << q.inner_edges;
  EXPECT_EQ(q.histogram[0] + q.histogram[1], 0) << "inner edges below 0.4";
  EXPECT_EQ(q.triangles, static_cast<int>(mesh_.triangles.size()));
}

TEST_P(Triangulated, TheMirroredPanelGetsTheMirroredMesh) {
  Loop mirrored = GetParam().loop;
  for (Vec2& p : mirrored) p.x() = -p.x();
  const auto other = triangulate(mirrored, GetParam().edge);
  ASSERT_TRUE(other.ok());
  ASSERT_EQ(other->positions.size(), mesh_.positions.size());
  EXPECT_EQ(other->triangles, mesh_.triangles);
  for (size_t i = 0; i < mesh_.positions.size(); ++i) {
    EXPECT_EQ(other->positions[i], Vec2(-mesh_.positions[i].x(), mesh_.positions[i].y()));
  }
}

TEST_P(Triangulated, ATurnedAndShiftedPanelGetsAsManyTriangles) {
  const Eigen::Rotation2Dd turn(0.7);
  Loop turned = GetParam().loop;
  for (Vec2& p : turned) p = turn * p + Vec2(3.0, -2.0);
  const auto other = triangulate(turned, GetParam().edge);
  ASSERT_TRUE(other.ok());
  const double count = static_cast<double>(mesh_.triangles.size());
  EXPECT_NEAR(static_cast<double>(other->triangles.size()), count, 0.03 * count + 4.0);
}

TEST_P(Triangulated, TheSameInputGivesTheSameBytes) {
  const auto again = triangulate(GetParam().loop, GetParam().edge);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->positions, mesh_.positions);
  EXPECT_EQ(again->triangles, mesh_.triangles);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Triangulated, ::testing::ValuesIn(shapes()),
                         [](const auto& info) { return info.param.name; });

TEST(Triangulate, TheMeanInnerEdgeIsTheTarget) {
  const Loop loop = rectangle(0.5, 0.6, 0.01);
  const auto mesh = triangulate(loop, 0.01);
  ASSERT_TRUE(mesh.ok());
  double sum = 0.0;
  int count = 0;
  for (const Triangle& t : mesh->triangles) {
    for (int k = 0; k < 3; ++k) {
      if (t[k] < static_cast<int>(loop.size())) continue;
      sum += (mesh->positions[t[k]] - mesh->positions[t[(k + 1) % 3]]).norm();
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 0.01, 0.0005);
}

TEST(Triangulate, InnerEdgesRunInEveryDirectionAlike) {
  const Loop loop = rectangle(0.5, 0.6, 0.01);
  const auto mesh = triangulate(loop, 0.01);
  ASSERT_TRUE(mesh.ok());
  std::array<int, 12> sector{};
  int total = 0;
  for (const Triangle& t : mesh->triangles) {
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      if (a >= b || a < static_cast<int>(loop.size())) continue;
      const Vec2 d = mesh->positions[b] - mesh->positions[a];
      const double turn = std::atan2(d.y(), d.x()) / M_PI + 1.0;
      ++sector[static_cast<int>(turn * 12.0) % 12];
      ++total;
    }
  }
  for (int s = 0; s < 12; ++s) EXPECT_NEAR(sector[s] * 12.0 / total, 1.0, 0.25) << "sector of 15 degrees " << s;
}

TEST(Triangulate, AWaistbandHasInnerPointsSoThatItCanBend) {
  const Loop loop = rectangle(0.8, 0.04, 0.015);
  const auto mesh = triangulate(loop, 0.015);
  ASSERT_TRUE(mesh.ok());
  const int n = static_cast<int>(loop.size());
  int locked = 0;
  for (const Triangle& t : mesh->triangles) locked += t.maxCoeff() < n;
  EXPECT_LE(locked, 4) << "at most one in each corner";
}

// ---- lines and points ------------------------------------------------------------------------------------------

PlanarDomain panel_with_lines() {
  PlanarDomain domain;
  domain.outline = rectangle(0.4, 0.3, 0.02);
  // A pleat from side to side, a dart's leg and another line that crosses both, and three drill holes.
  domain.lines = {{{0.2, 0.0}, {0.2, 0.3}}, {{0.05, 0.25}, {0.1, 0.1}, {0.15, 0.25}}, {{0.04, 0.155}, {0.33, 0.143}}};
  domain.points = {{0.3, 0.21}, {0.30, 0.22}, {0.1, 0.05}};
  return domain;
}

TEST(PlanarLines, LinesBecomeChainsOfEdgesAndPointsBecomeVertices) {
  const PlanarDomain domain = panel_with_lines();
  const auto mesh = triangulate(domain, 0.02);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  std::map<std::pair<int, int>, int> edges;
  for (const Triangle& t : mesh->triangles) {
    for (int k = 0; k < 3; ++k) ++edges[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}];
  }
  ASSERT_EQ(mesh->lines.size(), domain.lines.size());
  for (size_t l = 0; l < domain.lines.size(); ++l) {
    const std::vector<int>& chain = mesh->lines[l];
    ASSERT_GE(chain.size(), 12u);
    EXPECT_LT((mesh->positions[chain.front()] - domain.lines[l].front()).norm(), 1e-12);
    EXPECT_LT((mesh->positions[chain.back()] - domain.lines[l].back()).norm(), 1e-12);
    double length = 0.0, drawn = 0.0;
    for (size_t i = 0; i + 1 < chain.size(); ++i) {
      EXPECT_EQ((edges[{std::min(chain[i], chain[i + 1]), std::max(chain[i], chain[i + 1])}]), 2);
      length += (mesh->positions[chain[i + 1]] - mesh->positions[chain[i]]).norm();
    }
    for (size_t i = 0; i + 1 < domain.lines[l].size(); ++i)
      drawn += (domain.lines[l][i + 1] - domain.lines[l][i]).norm();
    EXPECT_NEAR(length, drawn, 1e-9) << "the chain is straight between the points drawn";
  }
  for (size_t i = 0; i < domain.points.size(); ++i) {
    EXPECT_EQ(mesh->positions[mesh->points[i]], domain.points[i]);
  }
}

TEST(PlanarLines, TheyKeepOutlineAreaAndAngles) {
  const PlanarDomain domain = panel_with_lines();
  const auto mesh = triangulate(domain, 0.02);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  double sum = 0.0;
  for (const Triangle& t : mesh->triangles) {
    const Loop corners = {mesh->positions[t[0]], mesh->positions[t[1]], mesh->positions[t[2]]};
    EXPECT_EQ(orientation(corners[0], corners[1], corners[2]), 1);
    sum += signed_area(corners);
  }
  EXPECT_NEAR(sum, 0.12, 1e-12);
  for (size_t i = 0; i < domain.outline.size(); ++i) EXPECT_EQ(mesh->positions[i], domain.outline[i]);
  EXPECT_GE(measure_quality(*mesh, static_cast<int>(domain.outline.size()), 0.02).min_angle, 20.0);
}

TEST(PlanarLines, CrossingLinesShareAVertex) {
  PlanarDomain domain;
  domain.outline = rectangle(0.2, 0.2, 0.02);
  domain.lines = {{{0.05, 0.05}, {0.15, 0.15}}, {{0.05, 0.15}, {0.15, 0.05}}};
  const auto mesh = triangulate(domain, 0.02);
  ASSERT_TRUE(mesh.ok()) << mesh.status();
  int shared = 0;
  for (const int v : mesh->lines[0]) {
    if (std::count(mesh->lines[1].begin(), mesh->lines[1].end(), v) == 0) continue;
    ++shared;
    EXPECT_LT((mesh->positions[v] - Vec2(0.1, 0.1)).norm(), 1e-9);
  }
  EXPECT_EQ(shared, 1);
}

TEST(PlanarLines, ThoseOutsideOrTouchingTheOutlineBetweenItsPointsAreRefusedByName) {
  PlanarDomain domain;
  domain.outline = rectangle(0.2, 0.2, 0.02);
  const auto field = [&](const std::vector<Vec2>& line) {
    domain.lines = {{{0.05, 0.05}, {0.1, 0.05}}, line};
    return error_detail(triangulate(domain, 0.02).status())->field;
  };
  EXPECT_EQ(field({{0.1, 0.1}, {0.3, 0.1}}), "lines[1]");
  EXPECT_EQ(field({{0.1, 0.1}, {0.19, 0.0}}), "lines[1]") << "between two points of the outline";
  EXPECT_EQ(field({{0.1, 0.1}}), "lines[1]");
  domain.lines.clear();
  domain.points = {{0.1, 0.1}, {-0.1, 0.1}};
  EXPECT_EQ(error_detail(triangulate(domain, 0.02).status())->field, "points[1]");
}

TEST(PlanarLines, ALineOverADentOfTheOutlineIsRefused) {
  PlanarDomain domain;
  domain.outline = sampled({{0, 0}, {0.3, 0}, {0.3, 0.2}, {0.15, 0.05}, {0, 0.2}}, 0.02);
  domain.lines = {{{0.03, 0.15}, {0.27, 0.15}}};
  EXPECT_EQ(error_detail(triangulate(domain, 0.02).status())->reason, "LINE_OUTSIDE_OUTLINE");
}

// ---- random polygons -------------------------------------------------------------------------------------------

TEST(RandomPolygons, AreFilledExactlyWithTheSidesKeptAndTheEmptyCircleRuleHeld) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  int meshed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    Loop corners;
    const int n = 5 + trial % 9;
    for (int i = 0; i < n; ++i) {
      const double a = 2.0 * M_PI * (i + 0.7 * unit(random)) / n;
      corners.push_back((0.1 + 0.25 * unit(random)) * Vec2(std::cos(a), std::sin(a)));
    }
    const Loop loop = sampled(corners, 0.012 + 0.02 * unit(random));
    if (find_crossing(loop)) continue;
    const auto mesh = triangulate(loop, 0.02);
    ASSERT_TRUE(mesh.ok()) << trial << ": " << mesh.status();
    ++meshed;
    double sum = 0.0;
    std::map<std::pair<int, int>, std::vector<int>> edges;
    for (const Triangle& t : mesh->triangles) {
      sum += signed_area({mesh->positions[t[0]], mesh->positions[t[1]], mesh->positions[t[2]]});
      for (int k = 0; k < 3; ++k) {
        edges[{std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])}].push_back(t[(k + 2) % 3]);
      }
    }
    EXPECT_NEAR(sum, signed_area(loop), 1e-9 * signed_area(loop));
    const int sides = static_cast<int>(loop.size());
    for (int i = 0; i < sides; ++i) {
      EXPECT_EQ((edges[{std::min(i, (i + 1) % sides), std::max(i, (i + 1) % sides)}].size()), 1u) << trial;
    }
    for (const auto& [edge, opposite] : edges) {
      if (opposite.size() < 2) continue;
      Vec2 a = mesh->positions[edge.first], b = mesh->positions[edge.second];
      const Vec2 c = mesh->positions[opposite[0]], d = mesh->positions[opposite[1]];
      if (orientation(a, b, c) < 0) std::swap(a, b);
      EXPECT_LE(in_circle(a, b, c, d), 0) << trial;
    }
  }
  EXPECT_GT(meshed, 40);
}

// The slow, obvious judge: no vertex lies in a triangle's circle unless a side of the outline hides it.
TEST(RandomPolygons, OfAConvexOutlineEveryCircleIsEmptyByBruteForce) {
  for (const int n : {12, 25, 40}) {
    Loop loop;
    for (int i = 0; i < n; ++i)
      loop.push_back(0.1 * Vec2(std::cos(2.0 * M_PI * i / n), 0.7 * std::sin(2.0 * M_PI * i / n)));
    const auto mesh = triangulate(loop, 0.02);
    ASSERT_TRUE(mesh.ok());
    for (const Triangle& t : mesh->triangles) {
      for (size_t v = 0; v < mesh->positions.size(); ++v) {
        if (static_cast<int>(v) == t[0] || static_cast<int>(v) == t[1] || static_cast<int>(v) == t[2]) continue;
        EXPECT_LE(in_circle(mesh->positions[t[0]], mesh->positions[t[1]], mesh->positions[t[2]], mesh->positions[v]),
                  0);
      }
    }
  }
}

TEST(LongSides, AreThoseMuchLongerThanTheTargetOrSeenFromNear) {
  const Loop even = rectangle(0.4, 0.3, 0.02);
  EXPECT_TRUE(long_sides({even, {}, {}}, 0.02)->empty());
  EXPECT_EQ(long_sides({{{0, 0}, {0.04, 0}, {0.04, 0.02}, {0, 0.02}}, {}, {}}, 0.02)->size(), 2u) << "twice the target";
  EXPECT_FALSE(triangulate(rectangle(0.2, 0.004, 0.02), 0.02)->cramping_sides.empty()) << "a strip of 4 mm";
  EXPECT_TRUE(triangulate(even, 0.02)->cramping_sides.empty());
}

struct Refusal {
  std::string name;
  Loop loop;
  double edge;
  std::string reason, field;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, ByReasonAndPlace) {
  const auto mesh = triangulate(GetParam().loop, GetParam().edge);
  ASSERT_FALSE(mesh.ok());
  const auto detail = error_detail(mesh.status());
  ASSERT_TRUE(detail.has_value()) << mesh.status();
  EXPECT_EQ(detail->reason, GetParam().reason);
  EXPECT_EQ(detail->field, GetParam().field);
  EXPECT_FALSE(detail->remedy.empty());
}

const double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Loops, Refused,
    ::testing::Values(
        Refusal{"BowTie", {{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 0.1, "OUTLINE_CROSSES_ITSELF", "outline[0]"},
        Refusal{"Flat", {{0, 0}, {1, 0}, {2, 0}}, 0.1, "OUTLINE_CROSSES_ITSELF", "outline[0]"},
        Refusal{"RepeatedPoint", {{0, 0}, {1, 0}, {1, 0}, {0, 1}}, 0.1, "OUTLINE_CROSSES_ITSELF", "outline[0]"},
        Refusal{"TwoPoints", {{0, 0}, {1, 0}}, 0.1, "OUTLINE_TOO_SHORT", "outline"},
        Refusal{"Nothing", {}, 0.1, "OUTLINE_TOO_SHORT", "outline"},
        Refusal{"NotFinite", {{0, 0}, {1, kNan}, {0, 1}}, 0.1, "OUTLINE_NOT_FINITE", "outline[1]"},
        Refusal{"NoEdgeLength", {{0, 0}, {1, 0}, {0, 1}}, 0.0, "EDGE_LENGTH", "edge_length"},
        Refusal{"NanEdgeLength", {{0, 0}, {1, 0}, {0, 1}}, kNan, "EDGE_LENGTH", "edge_length"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tryon
