// T5 (catenary), T6 (dead load), T7 (off-axis), T8 (picture frame): validation.md 2.1 to 2.4.
#include "server/sim/constraints/membrane.h"

#include "server/sim/constraints/threads.h"
#include "tests/validation/membrane_scenes.h"

namespace tryon::sim::validation {
namespace {

// Force per rest width along warp of a patch stretched by lambda along it, the weft side free (nu = 0: at 1).
double threads_pull(double stiffness, double lambda) {
  const thread::Stiffness k = thread::from_fabric(stiffness, stiffness, 0);
  return static_cast<double>(thread::gradient(k, RVec3(1, 0, 0), RVec3(0, Real(lambda), 0))[4]);
}
double limited_pull(double stiffness, double limit, double lambda) {
  thread::Stiffness k = thread::from_fabric(stiffness, stiffness, 0);
  k.limit_warp = static_cast<Real>(limit);
  return static_cast<double>(thread::gradient(k, RVec3(1, 0, 0), RVec3(0, Real(lambda), 0))[4]);
}
double membrane_pull(double stiffness, double lambda) {
  const membrane::Stiffness k = membrane::from_fabric(stiffness, stiffness, 0, 0, 0);
  return static_cast<double>(membrane::gradient(k, RVec3(1, 0, 0), RVec3(0, Real(lambda), 0))[4]);
}

TEST(T6DeadLoad, ThreadsAreLinearAndMembranesStVenantKirchhoff) {
  const double load[] = {0.001, 0.01, 0.02, 0.05, 0.10, 0.20};
  const double linear[] = {0.1, 1, 2, 5, 10, 20};
  const double stvk[] = {0.099850, 0.985387, 1.943004, 4.668053, 8.803391, 15.970485};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(threads_pull(700, 1 + linear[i] / 100), 700 * load[i], 1e-4 * 700 * load[i]);
    EXPECT_NEAR(membrane_pull(700, 1 + stvk[i] / 100), 700 * load[i], 1e-4 * 700 * load[i]);
  }
}

// Past the limit the pull is Y (s + 50 (s - limit)^2): at 2 % beyond it the modulus has tripled.
TEST(T6DeadLoad, ThreadsStiffenPastTheFabricsLimit) {
  EXPECT_NEAR(limited_pull(700, 0.1, 1.1), 70, 1e-9);
  EXPECT_NEAR(limited_pull(700, 0.1, 1.2), 700 * (0.2 + 50 * 0.01), 1e-9);
  EXPECT_NEAR((limited_pull(700, 0.1, 1.1201) - limited_pull(700, 0.1, 1.1199)) / 2e-4, 3 * 700, 1e-6 * 700);
}

double hung_stretch(const std::string& solver, SpringLayout layout, double load, double h, int iterations) {
  Strip s;
  s.columns = 20;
  s.cell = 0.05;
  s.width = 0.1;
  ClothInput cloth = make_strip(s);
  for (Vec3& p : cloth.positions) p = Vec3(0, -p.x(), p.z());
  const double w = cloth.fabric.areal_density * kGravity;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = w / load;
  cloth.fabric.shear = 0;
  cloth.layout = layout;
  for (int k = 0; k <= s.rows; ++k) cloth.pinned.push_back(k);
  const DrapeModel model = build_model(cloth).value();
  const Rest rest = bring_to_rest(solver, model, vacuum(), start_state(cloth), 1e-6, 300, h, iterations);
  return -static_cast<double>(rest.state.x[s.at(20, 1)].y()) - 1;
}

TEST(T6OwnWeight, AHangingStripStretchesByHalfItsWeightOverItsStiffness) {
  for (const char* solver : {"newton", "lbfgs", "spring_projection", "pd_direct"})
    for (double load : {0.01, 0.05})
      EXPECT_NEAR(hung_stretch(solver, SpringLayout::kThreads, load, 0.1, 80), load / 2, 0.005 * load / 2) << solver;
}

// The continuum's law is StVK: hanging_strip_self_weight.csv.
TEST(T6OwnWeight, AHangingMembraneStretchesAsStVenantKirchhoff) {
  const double table[][2] = {{0.01, 0.00495097}, {0.05, 0.02386074}, {0.2, 0.08535073}};
  for (const auto& [load, exact] : table)
    EXPECT_NEAR(hung_stretch("newton", SpringLayout::kMembrane, load, 0.1, 80), exact, 0.005 * exact) << load;
}

TEST(S2Stiffness, DoesNotDependOnIterationsOrTimeStepForMinimisers) {
  const double exact = 0.00036775;  // wL / 2Y of the chain of validation.md 5.2
  for (const char* solver : {"newton", "lbfgs", "spring_projection"})
    for (double h : {1.0 / 30, 1.0 / 60, 1.0 / 120})
      for (int iterations : {10, 40})
        EXPECT_NEAR(hung_stretch(solver, SpringLayout::kThreads, 2 * exact, h, iterations), exact, 0.01 * exact)
            << solver << " " << h << " " << iterations;
}

TEST(S2Stiffness, PositionBasedMethodsFailIt) {
  const double exact = 0.00036775;
  for (const char* solver : {"pbd", "xpbd", "hpbd", "qem_hpbd"}) {
    const double few = hung_stretch(solver, SpringLayout::kThreads, 2 * exact, 1.0 / 30, 5);
    const double more = hung_stretch(solver, SpringLayout::kThreads, 2 * exact, 1.0 / 30, 20);
    EXPECT_GT(std::abs(few - exact), exact) << solver;
    EXPECT_GT(std::abs(few - more), 0.5 * std::abs(few - exact)) << solver;
  }
}

// Compliance of the membrane at rest by differences of its stress, turned by theta.
double off_axis_modulus(double degrees) {
  const membrane::Stiffness k = membrane::from_fabric(2000, 1000, 50, 0.2 * std::sqrt(0.5), 0);
  const auto stress = [&](const Eigen::Vector3d& e) -> Eigen::Vector3d {  // weft, warp, 2 shear -> N_xx, N_yy, N_xy
    const auto g =
        membrane::gradient(k, RVec3(Real(1 + e[0]), Real(e[2] / 2), 0), RVec3(Real(e[2] / 2), Real(1 + e[1]), 0));
    return {static_cast<double>(g[0]), static_cast<double>(g[4]), static_cast<double>(g[1])};
  };
  Eigen::Matrix3d stiffness;
  for (int i = 0; i < 3; ++i)
    stiffness.col(i) = (stress(1e-6 * Eigen::Vector3d::Unit(i)) - stress(-1e-6 * Eigen::Vector3d::Unit(i))) / 2e-6;
  const double t = degrees * kPi / 180, c = std::cos(t), s = std::sin(t);  // theta from warp
  const Eigen::Vector3d pull(s * s, c * c, s * c);
  const Eigen::Vector3d strain = stiffness.inverse() * pull;
  return 1 / pull.dot(strain);
}

TEST(T7OffAxis, TheMembraneHasTheOrthotropicModulusInEveryDirection) {
  const double degrees[] = {0, 15, 30, 45, 60, 75, 90};
  const double exact[] = {2000, 596.216, 246.533, 187.793, 232.221, 473.876, 1000};
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(off_axis_modulus(degrees[i]), exact[i], 0.01 * exact[i]) << degrees[i];
}

TEST(T8PictureFrame, TheShearForceIsThatOfStVenantKirchhoff) {
  const double shear = 40;
  const membrane::Stiffness k = membrane::from_fabric(1000, 1000, shear, 0, 0);
  const double degrees[] = {1, 5, 10, 20, 30}, exact[] = {0.0248959, 0.1285159, 0.2660444, 0.5603330, 0.8660254};
  for (int i = 0; i < 5; ++i) {
    const double gamma = degrees[i] * kPi / 180, step = 1e-6;
    // Inextensible arms: unit vectors an angle pi/2 - gamma apart.
    const auto energy = [&](double g) {
      return static_cast<double>(membrane::value(k, RVec3(1, 0, 0), RVec3(Real(std::sin(g)), Real(std::cos(g)), 0)));
    };
    const double conjugate = (energy(gamma + step) - energy(gamma - step)) / (2 * step);
    EXPECT_NEAR(conjugate / std::sin(kPi / 4 - gamma / 2) / shear, exact[i], 1e-4 * exact[i] + 1e-7) << degrees[i];
  }
}

TEST(T5Catenary, SagAndPullAreTheElasticCatenarys) {
  for (const char* solver : {"newton", "lbfgs"}) {
    const Sag firm = catenary(solver, 0.8, 100, 40), soft = catenary(solver, 0.8, 30, 40);
    EXPECT_NEAR(firm.sag, 0.26874628, 0.005 * 0.269) << solver;
    EXPECT_NEAR(firm.pull, 0.33354809, 0.01 * 0.334) << solver;
    EXPECT_NEAR(soft.sag, 0.27618690, 0.005 * 0.276) << solver;
    EXPECT_NEAR(soft.pull, 0.32351452, 0.01 * 0.324) << solver;
    EXPECT_NEAR(firm.support, 1, 1e-4) << solver;
  }
}

TEST(T5Catenary, AnInextensibleOneHangsAsTheTableAtEverySpan) {
  const double table[][3] = {{0.2, 0.47283367, 0.02794674},
                             {0.5, 0.39819418, 0.11482011},
                             {0.9, 0.19070900, 0.56009438},
                             {0.95, 0.13589750, 0.85186210}};
  for (const auto& [span, sag, pull] : table) {
    const Sag c = catenary("newton", span, 1e5, 40);
    EXPECT_NEAR(c.sag, sag, 0.005 * sag) << span;
    EXPECT_NEAR(c.pull, pull, 0.01 * pull) << span;
    EXPECT_NEAR(c.support, 1, 1e-4) << span;
  }
  const Sag tight = catenary("newton", 1.0, 100, 40);
  EXPECT_NEAR(tight.sag, 0.07819026, 0.005 * 0.0782);
  EXPECT_NEAR(tight.pull, 1.58616706, 0.01 * 1.586);
}

}  // namespace
}  // namespace tryon::sim::validation
