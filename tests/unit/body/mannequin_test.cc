#include "server/body/mannequin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "server/base/status.h"
#include "server/body/mannequin_figure.h"

namespace tryon {
namespace {

MannequinTable small_table() {
  MannequinTable t;
  t.height = 1560, t.neck_girth = 310, t.shoulder_width = 355, t.bust_girth = 820, t.under_bust_girth = 710;
  t.waist_girth = 630, t.hip_girth = 880, t.thigh_girth = 500, t.knee_girth = 335, t.calf_girth = 320;
  t.ankle_girth = 200, t.upper_arm_girth = 245, t.elbow_girth = 220, t.wrist_girth = 145, t.arm_length = 530;
  t.inside_leg = 705, t.head_girth = 540;
  return t;
}

MannequinTable full_table() {
  MannequinTable t;
  t.height = 1740, t.neck_girth = 400, t.shoulder_width = 430, t.bust_girth = 1180, t.under_bust_girth = 1010;
  t.waist_girth = 1040, t.hip_girth = 1240, t.thigh_girth = 720, t.knee_girth = 450, t.calf_girth = 430;
  t.ankle_girth = 255, t.upper_arm_girth = 390, t.elbow_girth = 310, t.wrist_girth = 185, t.arm_length = 610;
  t.inside_leg = 800, t.head_girth = 580;
  return t;
}

// A child-like column: tall legs, hardly a waist, steep arms.
MannequinTable straight_table() {
  MannequinTable t = small_table();
  t.bust_girth = 760, t.under_bust_girth = 730, t.waist_girth = 690, t.hip_girth = 820, t.thigh_girth = 450;
  t.inside_leg = 740, t.arm_angle_deg = 60;
  return t;
}

TriangleMesh made(const MannequinTable& table) {
  absl::StatusOr<TriangleMesh> mesh = make_mannequin(table);
  EXPECT_TRUE(mesh.ok()) << mesh.status();
  return mesh.ok() ? *std::move(mesh) : TriangleMesh();
}

struct Sample {
  const char* name;
  MannequinTable table;
  TriangleMesh mesh;
};
// Made once for all tests; the first is the default.
const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = [] {
    std::vector<Sample> out = {{"medium", MannequinTable(), {}},
                               {"small", small_table(), {}},
                               {"full", full_table(), {}},
                               {"straight", straight_table(), {}}};
    for (Sample& sample : out) sample.mesh = made(sample.table);
    return out;
  }();
  return all;
}

double turn(const Vec2& o, const Vec2& a, const Vec2& b) {
  return (a - o).x() * (b - o).y() - (a - o).y() * (b - o).x();
}

// Gift wrapping: slow and plain.
double hull_length(const std::vector<Vec2>& points) {
  size_t start = 0;
  for (size_t i = 1; i < points.size(); ++i) {
    if (points[i].x() < points[start].x()) start = i;
  }
  double length = 0.0;
  size_t at = start;
  for (size_t steps = 0; steps <= points.size(); ++steps) {
    size_t next = at == 0 ? 1 : 0;
    for (size_t i = 0; i < points.size(); ++i) {
      const double t = turn(points[at], points[next], points[i]);
      const bool farther = (points[i] - points[at]).norm() > (points[next] - points[at]).norm();
      if (i != at && (t < -1e-15 || (std::abs(t) <= 1e-15 && farther))) next = i;
    }
    length += (points[next] - points[at]).norm();
    at = next;
    if (at == start) break;
  }
  return length;
}

// The closed curves in which a plane cuts the mesh, as points; curves are told apart by the mesh edges that they share.
std::vector<std::vector<Vec3>> cuts(const TriangleMesh& mesh, const Vec3& point, const Vec3& normal) {
  using Edge = std::pair<int, int>;
  std::map<Edge, Vec3> crossing;
  std::map<Edge, std::vector<Edge>> links;
  for (const Triangle& t : mesh.triangles) {
    std::vector<Edge> crossed;
    for (int k = 0; k < 3; ++k) {
      const Edge e = std::minmax(t[k], t[(k + 1) % 3]);
      const double a = (mesh.positions[e.first] - point).dot(normal),
                   b = (mesh.positions[e.second] - point).dot(normal);
      if ((a < 0) == (b < 0)) continue;
      crossing[e] = mesh.positions[e.first] + a / (a - b) * (mesh.positions[e.second] - mesh.positions[e.first]);
      crossed.push_back(e);
    }
    if (crossed.size() == 2) links[crossed[0]].push_back(crossed[1]), links[crossed[1]].push_back(crossed[0]);
  }
  std::vector<std::vector<Vec3>> out;
  std::set<Edge> seen;
  for (const auto& [first, unused] : links) {
    if (!seen.insert(first).second) continue;
    out.emplace_back();
    std::vector<Edge> open = {first};
    while (!open.empty()) {
      const Edge e = open.back();
      open.pop_back();
      out.back().push_back(crossing[e]);
      for (const Edge& next : links[e]) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
  }
  return out;
}

// A tape round the curve whose middle is nearest to `near`.
double tape_mm(const TriangleMesh& mesh, const Vec3& near, const Vec3& normal) {
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
  double best = std::numeric_limits<double>::infinity(), length = 0.0;
  for (const std::vector<Vec3>& curve : cuts(mesh, near, normal)) {
    Vec3 middle = Vec3::Zero();
    std::vector<Vec2> flat;
    for (const Vec3& p : curve) middle += p / static_cast<double>(curve.size()), flat.emplace_back(p.dot(u), p.dot(v));
    if ((middle - near).norm() < best) best = (middle - near).norm(), length = hull_length(flat);
  }
  return 1e3 * length;
}

struct Named {
  const char* name;
  Girth girth;
  double MannequinTable::*wanted;
};
const Named kGirths[] = {{"neck", Girth::kNeck, &MannequinTable::neck_girth},
                         {"bust", Girth::kBust, &MannequinTable::bust_girth},
                         {"under bust", Girth::kUnderBust, &MannequinTable::under_bust_girth},
                         {"waist", Girth::kWaist, &MannequinTable::waist_girth},
                         {"hip", Girth::kHip, &MannequinTable::hip_girth},
                         {"thigh", Girth::kThigh, &MannequinTable::thigh_girth},
                         {"knee", Girth::kKnee, &MannequinTable::knee_girth},
                         {"calf", Girth::kCalf, &MannequinTable::calf_girth},
                         {"ankle", Girth::kAnkle, &MannequinTable::ankle_girth},
                         {"upper arm", Girth::kUpperArm, &MannequinTable::upper_arm_girth},
                         {"elbow", Girth::kElbow, &MannequinTable::elbow_girth},
                         {"wrist", Girth::kWrist, &MannequinTable::wrist_girth},
                         {"head", Girth::kHead, &MannequinTable::head_girth}};

TEST(Mannequin, IsClosedManifoldAndOfOnePiece) {
  for (const auto& [name, table, mesh] : samples()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(validate(mesh, "mannequin").ok());
    std::map<std::pair<int, int>, int> directed;
    for (const Triangle& t : mesh.triangles) {
      for (int k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
    }
    for (const auto& [edge, uses] : directed) {
      ASSERT_EQ(uses, 1);
      ASSERT_EQ(directed.count({edge.second, edge.first}), 1u) << "an edge has one side only";
    }
    EXPECT_EQ(mesh.vertex_count() - static_cast<int>(directed.size()) / 2 + mesh.triangle_count(), 2);
    EXPECT_EQ(connected_components(mesh).second, 1);
    EXPECT_GT(signed_volume(mesh), 0.02) << "a person has at least 20 litres, and faces look outwards";
  }
}

TEST(Mannequin, TapeReadsWhatTheTableSays) {
  for (const auto& [name, table, mesh] : samples()) {
    SCOPED_TRACE(name);
    for (const Named& named : kGirths) {
      const TapePlane plane = tape_plane(table, named.girth);
      const Vec3 near = plane.part == FigurePart::kLeftLeg ? Vec3(plane.point + Vec3(0.1, 0, 0)) : plane.point;
      const double wanted = table.*named.wanted;
      EXPECT_NEAR(tape_mm(mesh, near, plane.normal), wanted, 0.01 * wanted) << named.name;
    }
  }
}

TEST(Mannequin, StandsOnTheFloorWithItsHeightAndInsideLeg) {
  for (const auto& [name, table, mesh] : samples()) {
    SCOPED_TRACE(name);
    EXPECT_NEAR(bounds(mesh).min().y(), 0.0, 1e-6);
    EXPECT_NEAR(1e3 * bounds(mesh).max().y(), table.height, 0.005 * table.height);
    double low = 0.3e-3 * table.height, high = 0.6e-3 * table.height;  // two legs below the crotch, one trunk above
    for (int i = 0; i < 40; ++i) {
      const double y = 0.5 * (low + high);
      int limbs = 0;
      for (const auto& curve : cuts(mesh, Vec3(0, y, 0), Vec3::UnitY())) {
        double x = 0.0;
        for (const Vec3& p : curve) x += p.x() / static_cast<double>(curve.size());
        limbs += std::abs(x) < 0.25 ? 1 : 0;
      }
      (limbs >= 2 ? low : high) = y;
    }
    EXPECT_NEAR(1e3 * low, table.inside_leg, 0.005 * table.inside_leg);
  }
}

TEST(Mannequin, HasTheSameNetForEveryTable) {
  const TriangleMesh& first = samples()[0].mesh;
  EXPECT_GT(first.vertex_count(), 8000);
  EXPECT_LT(first.vertex_count(), 13000);
  for (const auto& [name, table, mesh] : samples()) {
    SCOPED_TRACE(name);
    ASSERT_EQ(mesh.vertex_count(), first.vertex_count());
    EXPECT_EQ(mesh.triangles, first.triangles);
  }
}

TEST(Mannequin, IsTheSameFigureEveryTime) { EXPECT_EQ(made(MannequinTable()).positions, samples()[0].mesh.positions); }

TEST(Mannequin, IsAsWideToTheLeftAsToTheRight) {
  const TriangleMesh& mesh = samples()[0].mesh;
  const Box3 box = bounds(mesh);
  EXPECT_NEAR(box.min().x(), -box.max().x(), 1e-6);
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : mesh.positions) middle += p / mesh.vertex_count();
  EXPECT_NEAR(middle.x(), 0.0, 1e-6);
}

TEST(Mannequin, FeetAndBustPointForward) {
  const TriangleMesh& mesh = samples()[0].mesh;
  Box3 feet, legs;
  for (const Vec3& p : mesh.positions) {
    if (p.y() < 0.05) feet.extend(p);
    if (p.y() > 0.10 && p.y() < 0.15) legs.extend(p);
  }
  EXPECT_GT(feet.max().z() - legs.max().z(), 0.10);
  EXPECT_LT(legs.min().z() - feet.min().z(), 0.04);
  EXPECT_GT(feet.sizes().z(), 0.22);
  EXPECT_LT(feet.sizes().z(), 0.28);
}

// The waist and the ankle are the narrowest, hip and calf the widest of their neighbourhood: whoever measures the
// figure by its extremes finds the table again.
TEST(Mannequin, WaistIsNarrowestAndHipWidest) {
  const MannequinTable table;
  const TriangleMesh& mesh = samples()[0].mesh;
  double narrowest = 1e9, widest = 0.0;
  for (double y = 0.95; y < 1.14; y += 0.01)
    narrowest = std::min(narrowest, tape_mm(mesh, Vec3(0, y, 0), Vec3::UnitY()));
  for (double y = 0.79; y < 0.95; y += 0.01) widest = std::max(widest, tape_mm(mesh, Vec3(0, y, 0), Vec3::UnitY()));
  EXPECT_NEAR(narrowest, table.waist_girth, 0.01 * table.waist_girth);
  EXPECT_NEAR(widest, table.hip_girth, 0.015 * table.hip_girth);
}

bool crosses(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& t) {
  const Vec3 n = (t[1] - t[0]).cross(t[2] - t[0]);
  const double a = (p - t[0]).dot(n), b = (q - t[0]).dot(n);
  if ((a < 0) == (b < 0)) return false;
  const Vec3 x = p + a / (a - b) * (q - p);
  for (int k = 0; k < 3; ++k) {
    if ((t[(k + 1) % 3] - t[k]).cross(x - t[k]).dot(n) < 0) return false;
  }
  return true;
}

// Triangles that an edge of another, not touching, triangle goes through. Cells of 2 cm hold the candidates.
int self_crossings(const TriangleMesh& mesh) {
  constexpr double kCell = 0.02;
  auto cell = [](const Vec3& p) {
    return std::array<int, 3>{static_cast<int>(std::floor(p.x() / kCell)), static_cast<int>(std::floor(p.y() / kCell)),
                              static_cast<int>(std::floor(p.z() / kCell))};
  };
  auto each_cell = [&](const std::array<Vec3, 3>& c, auto&& visit) {
    const auto low = cell(c[0].cwiseMin(c[1]).cwiseMin(c[2])), high = cell(c[0].cwiseMax(c[1]).cwiseMax(c[2]));
    for (int x = low[0]; x <= high[0]; ++x) {
      for (int y = low[1]; y <= high[1]; ++y) {
        for (int z = low[2]; z <= high[2]; ++z) visit(std::array<int, 3>{x, y, z});
      }
    }
  };
  auto corners = [&](const Triangle& t) {
    return std::array<Vec3, 3>{mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]};
  };
  std::map<std::array<int, 3>, std::vector<int>> cells;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    each_cell(corners(mesh.triangles[t]), [&](const std::array<int, 3>& c) { cells[c].push_back(t); });
  }
  int count = 0;
  for (const EdgeUse& e : mesh_edges(mesh)) {
    const Vec3 &p = mesh.positions[e.a], &q = mesh.positions[e.b];
    std::set<int> near;
    each_cell({p, q, p}, [&](const std::array<int, 3>& c) { near.insert(cells[c].begin(), cells[c].end()); });
    for (int t : near) {
      const Triangle& tri = mesh.triangles[t];
      const bool touches = (tri.array() == e.a).any() || (tri.array() == e.b).any();
      count += !touches && crosses(p, q, corners(tri)) ? 1 : 0;
    }
  }
  return count;
}

TEST(Mannequin, NeverCrossesItself) {
  for (const auto& [name, table, mesh] : samples()) EXPECT_EQ(self_crossings(mesh), 0) << name;
}

TEST(Mannequin, CrossingTestSeesACrossing) {  // the judge above is not blind
  TriangleMesh mesh = samples()[0].mesh;
  const int tip = mesh.vertex_count() - 1;  // of the right hand: push it into the belly
  mesh.positions[tip] = Vec3(0, 0.9, 0);
  EXPECT_GT(self_crossings(mesh), 0);
}

void expect_refused(const MannequinTable& table, std::string_view field) {
  const absl::StatusOr<TriangleMesh> mesh = make_mannequin(table);
  ASSERT_FALSE(mesh.ok()) << field;
  const auto detail = error_detail(mesh.status());
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, "MEASUREMENT_IMPOSSIBLE");
  EXPECT_EQ(detail->field, field);
  EXPECT_FALSE(detail->remedy.empty());
  EXPECT_THAT(std::string(mesh.status().message()), ::testing::HasSubstr(std::string(field)));
}

TEST(Mannequin, RefusesWaistHalfAMetreOverHip) {
  MannequinTable table;
  table.waist_girth = table.hip_girth + 500;
  expect_refused(table, "waist_girth");
}

TEST(Mannequin, RefusesNegativeAndUnknownNumbers) {
  MannequinTable negative, nan;
  negative.calf_girth = -355;
  expect_refused(negative, "calf_girth");
  nan.bust_girth = std::numeric_limits<double>::quiet_NaN();
  expect_refused(nan, "bust_girth");
}

TEST(Mannequin, RefusesFourMetresOfHeightAndCentimetres) {
  MannequinTable giant, centimetres;
  giant.height = 4000;
  expect_refused(giant, "height");
  centimetres.neck_girth = 34.0;
  expect_refused(centimetres, "neck_girth");
}

TEST(Mannequin, RefusesLegsThatDoNotGoWithTheHeight) {
  MannequinTable table;
  table.inside_leg = 1000;
  expect_refused(table, "inside_leg");
}

}  // namespace
}  // namespace tryon
