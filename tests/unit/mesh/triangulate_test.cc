#include "server/mesh/triangulate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/mesh/predicates.h"

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

TEST_P(Triangulated, AnglesStayWideAndInnerEdgesNearTheTarget) {
  double smallest = 180.0;
  for (const Triangle& t : mesh_.triangles) {
    for (int k = 0; k < 3; ++k) {
      const Vec2 u = (mesh_.positions[t[(k + 1) % 3]] - mesh_.positions[t[k]]).normalized();
      const Vec2 v = (mesh_.positions[t[(k + 2) % 3]] - mesh_.positions[t[k]]).normalized();
      smallest = std::min(smallest, std::acos(std::clamp(u.dot(v), -1.0, 1.0)) * 180.0 / M_PI);
    }
  }
  EXPECT_GE(smallest, GetParam().min_angle);
  int inner = 0, outside = 0;
  for (const auto& [edge, opposite] : edges_) {
    if (edge.second < boundary_) continue;
    const double ratio = (mesh_.positions[edge.first] - mesh_.positions[edge.second]).norm() / GetParam().edge;
    ++inner, outside += ratio < 0.6 || ratio > 1.6;
    EXPECT_GT(ratio, 0.4);
    EXPECT_LT(ratio, 1.9);
  }
  EXPECT_LE(outside, 0.002 * inner + 2) << "of " << inner;
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
