// T7 (off-axis tension of an orthotropic sheet) on strips pulled in the simulator: validation.md 2.3.
#include "tests/validation/pull_scenes.h"

namespace tryon::sim::validation {
namespace {

// validation.md's material: E, Poisson's ratio and shear coupling by angle from warp.
constexpr double kTable[][4] = {{0, 2000, 0.2, 0},
                                {15, 596.216, 0.741544, 2.436775},
                                {30, 246.533, 0.870570, 1.030157},
                                {45, 187.793, 0.877934, 0.046948},
                                {60, 232.221, 0.820029, -0.869796},
                                {75, 473.876, 0.589383, -1.818294},
                                {90, 1000, 0.1, 0}};

TEST(T7PulledStrip, AnswersWithTheModulusOfItsDirectionOnEveryMesh) {
  for (const MeshKind mesh : kAllMeshes) {
    const double share = mesh == MeshKind::kM5 ? 0.02 : 0.01;
    for (const auto& [degrees, modulus, narrowing, coupling] : kTable) {
      Pull p;
      p.degrees = degrees, p.mesh = mesh;
      const Pulled pulled = pull_strip(p);
      EXPECT_LT(pulled.residual, 1e-4) << name_of(mesh) << " " << degrees;
      EXPECT_NEAR(pulled.modulus, modulus, share * modulus) << name_of(mesh) << " " << degrees;
      EXPECT_NEAR(pulled.narrowing, narrowing, 0.01) << name_of(mesh) << " " << degrees;
      EXPECT_NEAR(std::abs(pulled.coupling), std::abs(coupling), 0.03) << name_of(mesh) << " " << degrees;
    }
  }
}

// Thread springs have no Poisson's ratio to set: their law is that of nu = 0, within what their bias springs add.
TEST(T7PulledStrip, ThreadsHaveTheModulusOfEveryDirectionByEverySolverThatClaimsIt) {
  for (const char* solver : {"newton", "lbfgs", "spring_projection"})
    for (double degrees : {0.0, 30.0, 45.0}) {
      Pull p;
      p.degrees = degrees, p.layout = SpringLayout::kThreads, p.poisson = 0;
      const double exact = off_axis_exact(p);
      EXPECT_NEAR(pull_strip(p, solver, 300).modulus, exact, 0.01 * exact) << solver << " " << degrees;
    }
}

// Springs along the mesh's edges take their shear from their stretch: that is what this test is for.
TEST(T7PulledStrip, SpringsAlongTheEdgesFailIt) {
  Pull p;
  p.layout = SpringLayout::kEdges, p.poisson = 0;
  EXPECT_GT(pull_strip(p).modulus, 3 * off_axis_exact(p));
}

}  // namespace
}  // namespace tryon::sim::validation
