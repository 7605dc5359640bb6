#include "server/body/proxy_girth.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/body/bounding.h"

namespace tryon {
namespace {

constexpr double kFirst = 0.005, kSpacing = 0.017, kHigh = 0.6;
const Vec2 kRadii(0.17, 0.11);

// An upright elliptic tube, all trunk.
Body elliptic_trunk() {
  constexpr int kSides = 180, kRings = 31;
  Body body;
  body.height_m = 1.7;
  for (int k = 0; k < kRings; ++k) {
    for (int i = 0; i < kSides; ++i) {
      const double angle = 2.0 * M_PI * i / kSides, y = kHigh * k / (kRings - 1);
      body.mesh.positions.emplace_back(kRadii.x() * std::cos(angle), y, kRadii.y() * std::sin(angle));
    }
  }
  for (int k = 0; k + 1 < kRings; ++k) {
    for (int i = 0; i < kSides; ++i) {
      const int a = k * kSides + i, b = k * kSides + (i + 1) % kSides;
      body.mesh.triangles.emplace_back(a, a + kSides, b);
      body.mesh.triangles.emplace_back(b, a + kSides, b + kSides);
    }
  }
  body.part.assign(body.mesh.positions.size(), BodyPart::kTorso);
  return body;
}

Strand strand_of(const Vec2& radii, const Vec3& axis) {
  Strand strand;
  aim_strand(Vec3(0, 0.3, 0) - 0.4 * axis, Vec3(0, 0.3, 0), Vec3::UnitX(), &strand);
  strand.v = strand.u.cross(strand.axis);
  for (const double h : {0.0, 0.3, 0.8}) strand.levels.push_back({h, Vec2::Zero(), radii});
  return strand;
}

std::vector<GirthPull> pulls_on(const std::vector<Strand>& strands) {
  const Body body = elliptic_trunk();
  const ProxyAnatomy anatomy(body);
  return GirthRuler(anatomy, kFirst, kSpacing).pulls(strands);
}

TEST(GirthRuler, AStrandThatIsTheBodyIsHardlyPulled) {
  for (const GirthPull& pull : pulls_on({strand_of(kRadii, Vec3::UnitY())})) EXPECT_LT(pull.excess, 1e-4);
}

TEST(GirthRuler, AStrandWithinTheBodyIsNotPulled) {
  EXPECT_TRUE(pulls_on({strand_of(0.95 * kRadii, Vec3::UnitY())}).empty());
}

TEST(GirthRuler, AWiderStrandIsPulledInByWhatItReachesTooFar) {
  const std::vector<GirthPull> pulls = pulls_on({strand_of(kRadii + Vec2(0.01, 0.0), Vec3::UnitY())});
  double most = 0.0;
  for (const GirthPull& pull : pulls) most = std::max(most, pull.excess);
  EXPECT_NEAR(most, 0.01, 1e-4);
  EXPECT_GT(pulls.size(), 30u * 12u);
}

TEST(GirthRuler, TheFartherOfTwoStrandsIsPulled) {
  const std::vector<GirthPull> pulls = pulls_on(
      {strand_of(kRadii + Vec2(0.005, 0.005), Vec3::UnitY()), strand_of(kRadii + Vec2(0.01, 0.01), Vec3::UnitY())});
  ASSERT_FALSE(pulls.empty());
  for (const GirthPull& pull : pulls) EXPECT_EQ(pull.strand, 1);
}

// Upright strands are met analytically, lying ones along their generators: both as append_section cuts them.
void expect_farthest_points(const Vec3& axis, double tolerance) {
  const Strand strand = strand_of(Vec2(0.22, 0.20), axis);
  const std::vector<GirthPull> pulls = pulls_on({strand});
  ASSERT_FALSE(pulls.empty());
  for (const GirthPull& pull : pulls) {
    SectionPlane plane;
    const Vec3 p = strand.world(Vec2(pull.x, pull.y), pull.h);
    plane.origin.y() = p.y();
    const double index = (p.y() - 0.01 - kFirst) / kSpacing;
    EXPECT_NEAR(index, std::round(index), 0.02);
    std::vector<Vec2> section;
    for (const Frustum& frustum : strand_frusta(strand)) append_section(plane, frustum, &section);
    const std::vector<Vec2> hull = convex_hull(section);
    double beyond = 1.0;  // of p inside the hull's nearest side
    for (size_t i = 0; i < hull.size(); ++i) {
      const Vec2 side = (hull[(i + 1) % hull.size()] - hull[i]).normalized();
      const Vec2 to = plane.flat(p) - hull[i];
      beyond = std::min(beyond, side.x() * to.y() - side.y() * to.x());
    }
    EXPECT_NEAR(beyond, 0.0, tolerance);
  }
}

TEST(GirthRuler, PullsLieOnTheSectionOfAnUprightStrand) { expect_farthest_points(Vec3::UnitY(), 2e-4); }
TEST(GirthRuler, PullsLieOnTheSectionOfATiltedStrand) {
  expect_farthest_points(Vec3(0.17, 1.0, 0.05).normalized(), 5e-4);
}
TEST(GirthRuler, PullsLieOnTheSectionOfALyingStrand) { expect_farthest_points(Vec3(0.2, 0.1, 1.0).normalized(), 2e-4); }

}  // namespace
}  // namespace tryon
