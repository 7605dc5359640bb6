// Where the legs part: free, pressed into one piece, or hidden.
#include "server/body/segment_crotch.h"

#include <map>

#include "server/base/status.h"
#include "server/body/body_from_measurements.h"
#include "tests/unit/body/body_fixtures.h"

namespace tryon {
namespace {

using testing::body_of;
using testing::mannequin_mesh;

// A tube of elliptic rings, open at its ends: (level, centre x, half width, half depth).
void add_tube(const std::vector<std::array<double, 4>>& rings, TriangleMesh* mesh) {
  constexpr int kAround = 48;
  const int base = mesh->vertex_count();
  for (const auto& [y, x, width, depth] : rings) {
    for (int i = 0; i < kAround; ++i) {
      const double a = 2 * 3.14159265358979323846 * i / kAround;
      mesh->positions.emplace_back(x + width * std::cos(a), y, depth * std::sin(a));
    }
  }
  for (int r = 0; r + 1 < static_cast<int>(rings.size()); ++r) {
    for (int i = 0; i < kAround; ++i) {
      const int a = base + r * kAround + i, b = base + r * kAround + (i + 1) % kAround;
      mesh->triangles.emplace_back(a, a + kAround, b);
      mesh->triangles.emplace_back(b, a + kAround, b + kAround);
    }
  }
}

TEST(Crotch, ASkirtIsRefusedByName) {
  TriangleMesh skirt;
  add_tube({{0.35, 0, 0.34, 0.30}, {0.70, 0, 0.27, 0.22}, {1.05, 0, 0.16, 0.12}, {1.40, 0, 0.18, 0.12}}, &skirt);
  for (double side : {-0.1, 0.1}) add_tube({{0.0, side, 0.05, 0.06}, {0.35, side, 0.05, 0.06}}, &skirt);
  const auto crotch = find_crotch(LevelSlicer(skirt, nullptr, Vec3::UnitY()), 1.68, 0.0);
  ASSERT_FALSE(crotch.ok());
  EXPECT_EQ(error_detail(crotch.status())->reason, "BODY_LEGS_HIDDEN");
  EXPECT_NE(std::string(crotch.status().message()).find("skirt"), std::string::npos);
}

TEST(Crotch, APostWithoutLegsIsNoBody) {
  TriangleMesh legs;
  for (double side : {-0.3, 0.3}) add_tube({{0.0, side, 0.05, 0.06}, {1.6, side, 0.05, 0.06}}, &legs);
  const auto crotch = find_crotch(LevelSlicer(legs, nullptr, Vec3::UnitY()), 1.6, 0.0);
  ASSERT_FALSE(crotch.ok());
  EXPECT_EQ(error_detail(crotch.status())->reason, "BODY_NOT_HUMAN");
}

// The inner skins between two levels are laid onto the middle plane and taken out: one piece, as a scanner sees closed
// legs.
TriangleMesh with_closed_legs(const TriangleMesh& mesh, double low, double high, double reach) {
  TriangleMesh out = mesh;
  for (Vec3& p : out.positions) {
    if (p.y() > low && p.y() < high && std::abs(p.x()) < reach) p.x() = 0.0;
  }
  std::map<std::array<double, 3>, int> first;
  std::vector<int> index(out.positions.size());
  for (int v = 0; v < out.vertex_count(); ++v) {
    const Vec3& p = out.positions[v];
    const std::array<double, 3> key = {p.x(), p.x() == 0.0 ? std::round(1e7 * p.y()) : p.y(),
                                       p.x() == 0.0 ? std::round(1e7 * p.z()) : p.z()};
    index[v] = first.try_emplace(key, v).first->second;
  }
  std::vector<Triangle> kept;
  for (Triangle t : out.triangles) {
    bool inner = true;
    for (int k = 0; k < 3; ++k) {
      const Vec3& p = out.positions[t[k]];
      inner = inner && p.x() == 0.0 && p.y() < high && p.y() > low;
      t[k] = index[t[k]];
    }
    if (!inner && t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) kept.push_back(t);
  }
  out.triangles = std::move(kept);
  return out;
}

TEST(Crotch, LegsGrownTogetherAreToldApartAndMeasured) {
  const BodyTable table{1680, {{"bust_girth", 1000}, {"waist_girth", 850}, {"hip_girth", 1080}}, FigureType::kFemale};
  const auto made = body_from_measurements(RunContext(), table);
  ASSERT_TRUE(made.ok()) << made.status();
  const Body& known = made->body;
  const double crotch = 1e-3 * known.measurements_mm.at("crotch_height");
  const TriangleMesh closed = with_closed_legs(known.mesh, 0.70 * crotch, 1.02 * crotch, 0.022);
  const auto found = find_crotch(LevelSlicer(closed, nullptr, Vec3::UnitY()), known.height_m, 0.0);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found->legs_touch);
  EXPECT_NEAR(found->level / crotch, 1.0, 0.03);
  const auto body = make_body(RunContext(), closed, ScanOptions());
  ASSERT_TRUE(body.ok()) << body.status();
  for (const char* name : {"bust_girth", "waist_girth", "hip_girth", "knee_girth", "calf_girth"}) {
    EXPECT_NEAR(body->measurements_mm.at(name) / known.measurements_mm.at(name), 1.0, 0.02) << name;
  }
  EXPECT_NEAR(body->measurements_mm.at("thigh_girth") / known.measurements_mm.at("thigh_girth"), 1.0, 0.05);
  EXPECT_NEAR(body->measurements_mm.at("left_thigh_girth") / body->measurements_mm.at("right_thigh_girth"), 1.0, 1e-3);
}

}  // namespace
}  // namespace tryon
