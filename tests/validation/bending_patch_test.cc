// T1b (bending patch): validation.md 1.2. Quadratics interpolated on flat sheets: energy in a window, force within it.
#include "tests/validation/bending_patch.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace tryon::sim::validation {
namespace {

TEST(T1bPatch, TheShapeOperatorStoresTheExactEnergyOfEveryQuadraticOnLattices) {
  for (const MeshKind mesh : {MeshKind::kM1, MeshKind::kM3, MeshKind::kM4}) {
    const Patch patch(mesh, BendLaw::kShape);
    for (const Quadratic& q : quadratics())
      EXPECT_NEAR(patch.energy_ratio(q.shape), 1, 0.01) << name_of(mesh) << " " << q.name;
  }
}

TEST(T1bPatch, NoForceStandsOnAQuadraticOnLattices) {
  for (const MeshKind mesh : {MeshKind::kM1, MeshKind::kM3, MeshKind::kM4}) {
    const Patch patch(mesh, BendLaw::kShape);
    for (const Quadratic& q : quadratics())
      EXPECT_LT(patch.largest_force(q.shape), 1e-3) << name_of(mesh) << " " << q.name;
  }
}

// On alternating diagonals the specification's 1 % cannot hold: of twist the diagonals alone see anything, and what
// they see is an S_11 and S_22 that change sign from cell to cell beside the true S_12, so the energy is twice the
// exact one. A quadratic through each triangle's six points was tried: the cantilever on it came out up to 22 % wrong,
// growing with N: the average is the better of the two.
TEST(T1bPatch, OnAlternatingDiagonalsObliqueShapesCostUpToTwiceAsMuch) {
  const Patch patch(MeshKind::kM2, BendLaw::kShape);
  for (double degrees : {0.0, 90.0}) EXPECT_NEAR(patch.energy_ratio(cylinder(degrees)), 1, 0.01) << degrees;
  EXPECT_NEAR(patch.energy_ratio(Eigen::Matrix2d::Identity()), 1, 0.01);
  EXPECT_NEAR(patch.energy_ratio(cylinder(45)), 1.5, 0.01);
  EXPECT_NEAR(patch.energy_ratio(twist()), 2.0, 0.01);
  EXPECT_LT(patch.largest_force(cylinder(0)), 1e-3);
}

TEST(T1bPatch, OnUnstructuredMeshesItIsWithinFivePercentOnAverage) {
  for (uint32_t seed : {0u, 1u, 2u}) {
    const Patch patch(MeshKind::kM5, BendLaw::kShape, seed);
    double least = 10, most = 0, sum = 0;
    int count = 0;
    for (const Quadratic& q : quadratics()) {
      if (std::string(q.name).rfind("cylinder", 0) != 0) continue;
      const double ratio = patch.energy_ratio(q.shape);
      least = std::min(least, ratio), most = std::max(most, ratio), sum += ratio, ++count;
    }
    EXPECT_NEAR(sum / count, 1, 0.05) << seed;
    EXPECT_LT(most / least, 1.10) << seed;
  }
}

TEST(T1bPatch, TheUnstructuredMeshesAreWhatTheSpecificationAsksFor) {
  for (uint32_t seed : {0u, 1u, 2u}) {
    Strip s;
    s.columns = 40;
    s.rows = 8;
    s.mesh = MeshKind::kM5;
    s.seed = seed;
    s.width = even_width(s);
    EXPECT_GE(least_angle(flat_strip(s)) * 180 / kPi, 20) << seed;
  }
}

// The hinge must fail this test as the table of 1.2 says: its energy depends on the direction of the mesh.
TEST(T1bPatch, TheHingeModelHasTheBiasOfItsMesh) {
  const Patch right(MeshKind::kM1, BendLaw::kHinge), alternating(MeshKind::kM2, BendLaw::kHinge),
      even(MeshKind::kM3, BendLaw::kHinge);
  EXPECT_NEAR(right.energy_ratio(cylinder(0)), 1.0, 0.02);
  const double along = right.energy_ratio(cylinder(45)), against = right.energy_ratio(cylinder(135));
  EXPECT_NEAR(std::max(along, against), 3.0, 0.06);
  EXPECT_NEAR(std::min(along, against), 1.0, 0.02);
  EXPECT_NEAR(alternating.energy_ratio(cylinder(45)), 1.5, 0.02);
  EXPECT_NEAR(alternating.energy_ratio(twist()), 2.0, 0.02);
  EXPECT_GT(alternating.largest_force(cylinder(0)), 0.1);  // relaxed it would be 0.833
  for (double degrees : {0.0, 30.0, 75.0}) EXPECT_NEAR(even.energy_ratio(cylinder(degrees)), 1.0, 0.02) << degrees;
  EXPECT_NEAR(even.energy_ratio(twist()), 1.333, 0.03);
  EXPECT_NEAR(even.energy_ratio(Eigen::Matrix2d::Identity()), 0.667, 0.02);
}

}  // namespace
}  // namespace tryon::sim::validation
