#include "server/metrics/fit.h"

#include <cmath>
#include <numbers>

#include "gtest/gtest.h"
#include "server/metrics/rim.h"
#include "server/metrics/section.h"
#include "tests/support/cloth_tube.h"
#include "tests/support/test_meshes.h"

namespace tryon {
namespace {
using testing::ClothTube;
using testing::make_tube;
using testing::polygon_girth;
constexpr double kPi = std::numbers::pi;

ClothTube plain_tube(double radius, double rest_girth, int sides = 64, int rings = 10) {
  return make_tube(sides, rings, 0.0, 0.5, rest_girth, 0.5, [=](double, double) { return radius; });
}

TEST(Section, ATapeRoundATubeReadsItsGirthAndItsGirthAtRest) {
  const ClothTube tube = plain_tube(0.15, 0.9);
  for (const double level : {0.123, 0.25, 0.377}) {
    const auto loops = cut_cloth(tube.mesh, tube.corner_flat, Vec3(0, level, 0), Vec3::UnitY());
    ASSERT_EQ(loops.size(), 1u);
    EXPECT_TRUE(loops[0].closed);
    EXPECT_NEAR(loops[0].length, polygon_girth(0.15, 64), 1e-12);
    EXPECT_NEAR(loops[0].rest_length, 0.9, 1e-12);
    EXPECT_TRUE(goes_round(loops[0].points, Vec3::UnitY(), Vec3(0.1, level, 0.05)));
    EXPECT_FALSE(goes_round(loops[0].points, Vec3::UnitY(), Vec3(0.16, level, 0.0)));
  }
}

TEST(Section, ASlitLeavesAnOpenLoopAndItsLengthStays) {
  ClothTube tube = plain_tube(0.15, 0.9);
  for (size_t t = tube.mesh.triangles.size(); t-- > 0;) {
    if (t % 128 >= 2) continue;  // the first square of each ring
    tube.mesh.triangles.erase(tube.mesh.triangles.begin() + static_cast<std::ptrdiff_t>(t));
    tube.corner_flat.erase(tube.corner_flat.begin() + static_cast<std::ptrdiff_t>(t));
  }
  const auto loops = cut_cloth(tube.mesh, tube.corner_flat, Vec3(0, 0.26, 0), Vec3::UnitY());
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_FALSE(loops[0].closed);
  EXPECT_NEAR(loops[0].rest_length, 0.9 * 63 / 64, 1e-12);
}

TEST(Rims, ATubeHasTwoOfItsGirthEach) {
  const auto rims = find_rims(plain_tube(0.15, 0.9).mesh, plain_tube(0.15, 0.9).corner_flat);
  ASSERT_EQ(rims.size(), 2u);
  for (const Rim& rim : rims) {
    EXPECT_TRUE(rim.closed);
    EXPECT_NEAR(rim.length, polygon_girth(0.15, 64), 1e-12);
    EXPECT_NEAR(rim.rest_length, 0.9, 1e-12);
    EXPECT_NEAR(rim.normal.y(), 1.0, 1e-12);
    EXPECT_NEAR(rim.highest - rim.lowest, 0.0, 1e-15);
  }
}

// r = R + a cos(n angle): n folds, each 2 a from crest to valley.
std::vector<Vec3> wavy_rim(double radius, double amplitude, int waves, double squeeze = 1.0) {
  std::vector<Vec3> out;
  for (int k = 0; k < 900; ++k) {
    const double angle = 2 * kPi * k / 900, r = radius + amplitude * std::cos(waves * angle);
    out.emplace_back(r * std::sin(angle), 0.4, squeeze * r * std::cos(angle));
  }
  return out;
}

TEST(Folds, OfASinusoidalHemAreItsWavesAndTwiceItsAmplitudeDeep) {
  for (const int waves : {5, 8, 13}) {
    for (const double amplitude : {0.01, 0.03}) {
      const Folds folds = find_folds(wavy_rim(0.3, amplitude, waves));
      EXPECT_EQ(folds.count, waves);
      EXPECT_NEAR(folds.mean_depth, 2 * amplitude, 0.03 * amplitude) << waves << " waves";
      EXPECT_NEAR(folds.max_depth, 2 * amplitude, 0.03 * amplitude) << waves << " waves";
    }
  }
}

TEST(Folds, ABodysEllipseHasNoneWhicheverWayItIsWalked) {
  for (const double squeeze : {1.0, 0.8, 0.65}) {
    std::vector<Vec3> rim = wavy_rim(0.2, 0.0, 1, squeeze);
    EXPECT_EQ(find_folds(rim).count, 0) << squeeze;
    std::reverse(rim.begin(), rim.end());
    EXPECT_EQ(find_folds(rim).count, 0) << squeeze;
  }
}

TEST(Folds, DoNotDependOnTheScale) {
  std::vector<Vec3> rim = wavy_rim(0.3, 0.02, 7);
  const Folds before = find_folds(rim);
  for (Vec3& p : rim) p *= 1.7;
  const Folds after = find_folds(rim);
  EXPECT_EQ(after.count, before.count);
  EXPECT_NEAR(after.mean_depth, 1.7 * before.mean_depth, 1e-9);
}

TEST(FibreStrain, OfATubeThatIsStretchedRoundIsInTheWeftAndHalfOfItInTheBias) {
  const double stretch = 0.08;
  const ClothTube tube = plain_tube(0.15, polygon_girth(0.15, 64) / (1 + stretch));
  const FibreStrain strain = fibre_strain(tube.mesh, tube.corner_flat);
  for (size_t t = 0; t < strain.weft.size(); ++t) {
    EXPECT_NEAR(strain.weft[t], stretch, 1e-12);
    EXPECT_NEAR(strain.warp[t], 0.0, 1e-12);
    EXPECT_NEAR(strain.bias[t], std::sqrt(0.5 * (1 + (1 + stretch) * (1 + stretch))) - 1, 1e-9);
  }
}

TEST(Distribution, WeighsByAreaAndNotByCount) {
  const Distribution d = distribution({{1.0, 90.0}, {2.0, 4.0}, {5.0, 6.0}});
  EXPECT_DOUBLE_EQ(d.min, 1.0);
  EXPECT_DOUBLE_EQ(d.max, 5.0);
  EXPECT_DOUBLE_EQ(d.p5, 1.0);
  EXPECT_DOUBLE_EQ(d.p95, 5.0);
  EXPECT_DOUBLE_EQ(d.mean, (90.0 + 8.0 + 30.0) / 100.0);
  EXPECT_EQ(distribution({}).weight, 0.0);
}

TEST(Zones, ATubeOffACylinderLiesEverywhereAtTheirDifferenceOfRadii) {
  const ClothTube tube = plain_tube(0.17, 1.0);
  ClothOnBody cloth{tube.mesh, tube.corner_flat, {}, {}, std::vector<double>(tube.mesh.positions.size(), 0.0)};
  for (const Vec3& p : tube.mesh.positions) {
    cloth.zone.push_back(p.y() > 0.26 ? 1 : 0);
    cloth.distance.push_back(std::hypot(p.x(), p.z()) - 0.15);
  }
  const auto zones = fit_by_zone(cloth, fibre_strain(tube.mesh, tube.corner_flat), 3);
  double area = 0;
  for (const int z : {0, 1}) {
    EXPECT_NEAR(zones[z].distance.min, 0.02, 1e-12);
    EXPECT_NEAR(zones[z].distance.p95, 0.02, 1e-12);
    EXPECT_EQ(zones[z].contact.force, 0.0);
    area += zones[z].area;
  }
  EXPECT_NEAR(area, polygon_girth(0.17, 64) * 0.5, 1e-9);
  EXPECT_EQ(zones[2].area, 0.0) << "nothing lies there";
}

TEST(Pressure, IsForceOverTheAreaThatIsPressedWhateverTheMesh) {
  for (const int rings : {4, 16}) {
    const ClothTube tube = plain_tube(0.15, 0.9, 64, rings);
    const std::vector<double> area = vertex_areas(tube.mesh);
    std::vector<double> press;
    double pressed = 0;
    for (size_t v = 0; v < area.size(); ++v) {
      const bool upper = tube.mesh.positions[v].y() > 0.3;
      press.push_back(upper ? 700.0 * area[v] : 0.0);
      pressed += upper ? area[v] : 0.0;
    }
    const PressureFit fit = contact_pressure(tube.mesh, press);
    EXPECT_NEAR(fit.pressure.mean, 700.0, 1e-9);
    EXPECT_NEAR(fit.pressure.p95, 700.0, 1e-9);
    EXPECT_NEAR(fit.contact_area, pressed, 1e-12);
    EXPECT_NEAR(fit.force, 700.0 * pressed, 1e-9);
  }
}

TEST(Coverage, ATubeOverTheLowerHalfOfACylinderCoversItsLowerHalf) {
  const TriangleMesh body = testing::make_cylinder(0.15, 1.0, 96, 100);  // -0.5 .. 0.5
  ClothTube tube = make_tube(96, 20, -0.5, 0.5, 1.0, 0.5, [](double, double) { return 0.17; });
  std::vector<int> zone;
  for (const Triangle& t : body.triangles) {
    const Vec3 middle = (body.positions[t[0]] + body.positions[t[1]] + body.positions[t[2]]) / 3;
    const bool side = std::hypot(middle.x(), middle.z()) > 0.14;
    zone.push_back(!side ? -1 : middle.y() < 0 ? 0 : 1);
  }
  const auto share = coverage_by_zone(RunContext(), body, zone, tube.mesh, 2);
  EXPECT_NEAR(share[0], 1.0, 0.02);
  EXPECT_NEAR(share[1], 0.0, 0.02);
  for (Triangle& t : tube.mesh.triangles) std::swap(t[1], t[2]);
  EXPECT_NEAR(coverage_by_zone(RunContext(), body, zone, tube.mesh, 2)[0], 0.0, 1e-12)
      << "the body would lie on the outer side of the cloth";
}

TEST(SeamTension, IsThePullSquareToTheSeam) {
  const TriangleMesh sheet = testing::make_cloth_sheet(0.4, 0.4, 4);  // in y = 0
  Eigen::Matrix3d tension = Eigen::Matrix3d::Zero();
  tension(0, 0) = 12.0, tension(2, 2) = 5.0;
  std::vector<std::pair<int, int>> along_x, along_z;
  for (const EdgeUse& e : mesh_edges(sheet)) {
    const Vec3 d = sheet.positions[e.b] - sheet.positions[e.a];
    if (std::abs(d.z()) < 1e-12) along_x.emplace_back(e.a, e.b);
    if (std::abs(d.x()) < 1e-12) along_z.emplace_back(e.a, e.b);
  }
  const std::vector<Eigen::Matrix3d> all(sheet.triangles.size(), tension);
  for (const auto& [value, length] : seam_tension(sheet, all, along_x)) EXPECT_NEAR(value, 5.0, 1e-9);
  for (const auto& [value, length] : seam_tension(sheet, all, along_z)) {
    EXPECT_NEAR(value, 12.0, 1e-9);
    EXPECT_NEAR(length, 0.1, 1e-9);
  }
}

TEST(DrapeCoefficient, OfAConeIsTheSineOfItsHalfAngle) {
  const double top = 0.12, bottom = 0.30, slant = 0.6;
  const double rest = kPi * (top + bottom) * slant;
  EXPECT_NEAR(drape_coefficient(kPi * bottom * bottom, kPi * top * top, rest), (bottom - top) / slant, 1e-12);
  EXPECT_EQ(drape_coefficient(1.0, 1.0, 0.0), 0.0);
}

}  // namespace
}  // namespace tryon
