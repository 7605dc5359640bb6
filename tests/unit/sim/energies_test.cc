// Value, gradient and Hessian of every energy against central differences (validation 5.6).
#include <random>

#include "gtest/gtest.h"
#include "server/sim/collision/friction.h"
#include "server/sim/constraints/bend.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/constraints/folds.h"
#include "server/sim/constraints/membrane.h"
#include "server/sim/constraints/springs.h"
#include "server/sim/constraints/threads.h"
#include "server/sim/forces/gravity.h"
#include "tests/unit/sim/cloth_fixtures.h"
#include "tests/unit/sim/fold_judge.h"

namespace tryon::sim {
namespace {

using testing::bound;
using testing::make_sheet;
using testing::SheetOptions;

RVec3 random_vector(std::mt19937* random, double size) {
  const auto unit = [&] { return static_cast<double>((*random)()) / 2147483648.0 - 1.0; };
  return RVec3(Real(size * unit()), Real(size * unit()), Real(size * unit()));
}

// Largest relative difference of gradient and Hessian to central differences of value and gradient.
template <int N, typename Value, typename Gradient, typename Hessian>
void expect_derivatives(const Eigen::Matrix<Real, N, 1>& at, Value value, Gradient gradient, Hessian hessian) {
  if constexpr (std::is_same_v<Real, double>) {  // a difference of floats judges nothing: the double build does
    const Real step = Real(1e-6);
    const auto g = gradient(at);
    const auto h = hessian(at);
    for (int i = 0; i < N; ++i) {
      Eigen::Matrix<Real, N, 1> plus = at, minus = at;
      plus[i] += step;
      minus[i] -= step;
      EXPECT_NEAR(g[i], (value(plus) - value(minus)) / (2 * step), 1e-6 * (1 + g.norm()));
      const Eigen::Matrix<double, N, 1> column =
          ((gradient(plus) - gradient(minus)) / (2 * step)).template cast<double>();
      EXPECT_LT((h.col(i).template cast<double>() - column).norm(), 1e-6 * (1 + h.norm()));
    }
  }
}

TEST(SpringEnergy, DerivativesAgreeWithDifferencesStretchedAndCompressed) {
  std::mt19937 random(1);
  for (int k = 0; k < 1100; ++k) {
    const RVec3 e = random_vector(&random, 1.0);
    if (e.norm() < 0.05) continue;
    expect_derivatives<3>(
        e, [](const RVec3& v) { return spring::value(3, Real(0.7), v); },
        [](const RVec3& v) { return spring::gradient(3, Real(0.7), v); },
        [](const RVec3& v) { return spring::hessian(3, Real(0.7), v); });
  }
}

TEST(SpringEnergy, AVanishedSpringPullsNowhereAndStaysFinite) {
  EXPECT_EQ(spring::gradient(5, Real(0.1), RVec3::Zero()).norm(), 0);
  EXPECT_TRUE(spring::hessian(5, Real(0.1), RVec3::Zero()).allFinite());
}

void expect_thread_derivatives(const thread::Stiffness& k) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 1100; ++trial) {
    thread::Vector6 f;
    f << random_vector(&random, 1.5), random_vector(&random, 1.5);
    if ((f.head<3>() + f.tail<3>()).norm() < 0.1 || (f.head<3>() - f.tail<3>()).norm() < 0.1) continue;
    expect_derivatives<6>(
        f, [&](const thread::Vector6& v) { return thread::value(k, v.head<3>(), v.tail<3>()); },
        [&](const thread::Vector6& v) { return thread::gradient(k, v.head<3>(), v.tail<3>()); },
        [&](const thread::Vector6& v) { return thread::hessian(k, v.head<3>(), v.tail<3>()); });
  }
}

TEST(ThreadEnergy, DerivativesAgreeWithDifferencesAtLargeDeformations) { expect_thread_derivatives({3, 5, 2}); }
TEST(ThreadEnergy, DerivativesAgreeWithDifferencesPastTheLimit) {
  expect_thread_derivatives({3, 5, 2, Real(0.2), Real(0.1)});
}

TEST(MembraneEnergy, DerivativesAgreeWithDifferencesBelowAndBeyondTheLimit) {
  std::mt19937 random(5);
  for (const double limit : {0.0, 0.1}) {
    const membrane::Stiffness k = membrane::from_fabric(5, 3, 2, 0.3, limit);
    for (int trial = 0; trial < 600; ++trial) {
      membrane::Vector6 f;
      f << random_vector(&random, 1.2), random_vector(&random, 1.2);
      expect_derivatives<6>(
          f, [&](const membrane::Vector6& v) { return membrane::value(k, v.head<3>(), v.tail<3>()); },
          [&](const membrane::Vector6& v) { return membrane::gradient(k, v.head<3>(), v.tail<3>()); },
          [&](const membrane::Vector6& v) { return membrane::hessian(k, v.head<3>(), v.tail<3>()); });
    }
  }
}

TEST(MembraneEnergy, APulledPatchAnswersWithItsModulusAndNarrowsByPoissonsRatio) {
  const double nu = 0.3, strain = 1e-4;
  const membrane::Stiffness k = membrane::from_fabric(800, 800, 100, nu, 0);
  // Pulled along warp, the weft side is free where dW/df_x = 0: at -nu times the strain.
  const RVec3 fx(Real(1 - nu * strain), 0, 0), fy(0, Real(1 + strain), 0);
  const auto g = membrane::gradient(k, fx, fy);
  EXPECT_NEAR(g[0], 0, 1e-3 * 800 * strain);
  EXPECT_NEAR(g[4], 800 * strain, 1e-3 * 800 * strain);
}

TEST(MembraneEnergy, TheStrainLimitStiffensAndLeavesSmallStrainsAlone) {
  const membrane::Stiffness plain = membrane::from_fabric(500, 500, 50, 0, 0);
  const membrane::Stiffness limited = membrane::from_fabric(500, 500, 50, 0, 0.05);
  const auto pull = [](const membrane::Stiffness& k, double strain) {
    return static_cast<double>(membrane::gradient(k, RVec3(1, 0, 0), RVec3(0, Real(1 + strain), 0))[4]);
  };
  EXPECT_EQ(pull(limited, 0.04), pull(plain, 0.04));
  EXPECT_GT(pull(limited, 0.15), 2 * pull(plain, 0.15));
}

TEST(FrictionEnergy, DerivativesAgreeWithDifferencesStickingAndSliding) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1100; ++trial) {
    const RVec3 u = random_vector(&random, 1.0);
    const Real k = 2, limit = Real(1.1);
    if (std::abs(k * u.norm() - limit) < 1e-3) continue;  // the curvature jumps there
    expect_derivatives<3>(
        u, [&](const RVec3& v) { return friction::value(k, limit, v); },
        [&](const RVec3& v) { return friction::gradient(k, limit, v); },
        [&](const RVec3& v) { return friction::hessian(k, limit, v); });
  }
}

TEST(FrictionEnergy, TheForceNeverPassesTheCoulombLimit) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 100; ++trial)
    EXPECT_LE(friction::gradient(7, Real(0.3), random_vector(&random, 1.0)).norm(), 0.3 * (1 + bound(1e-9, 1e-6)));
}

TEST(GravityEnergy, GradientIsMinusTheForceAndTheSlopeOfTheValue) {
  const RVec3 g(0, Real(-9.8), 1), x(1, 2, 3);
  EXPECT_EQ((gravity::gradient(2, g) + gravity::force(2, g)).norm(), 0);
  for (int i = 0; i < 3; ++i) {
    const RVec3 step = RVec3::Unit(i) * Real(1e-3);
    EXPECT_NEAR((gravity::value(2, g, x + step) - gravity::value(2, g, x - step)) / 2e-3, gravity::gradient(2, g)[i],
                bound(1e-9, 5e-2));
  }
}

TEST(BendEnergy, HessianIsTheConstantMatrixOfTheGradient) {
  const auto side = bend::side_weights(Vec2(0, 0), Vec2(1, 0), Vec2(0.3, 0.8));
  const auto other = bend::side_weights(Vec2(0, 0), Vec2(1, 0), Vec2(0.6, -0.7));
  const bend::Weights w{Real(side[0] + other[0]), Real(side[1] + other[1]), Real(side[2]), Real(other[2])};
  const auto h = bend::hessian(3, w);
  std::mt19937 random(5);
  RVec3 x[4];
  for (RVec3& p : x) p = random_vector(&random, 1);
  const RVec3 e = bend::vector(w, x[0], x[1], x[2], x[3]);
  double energy = 0;
  for (int i = 0; i < 4; ++i) {
    RVec3 row = RVec3::Zero();
    for (int j = 0; j < 4; ++j) row += h(i, j) * x[j];
    EXPECT_LT((row - w[i] * bend::gradient(3, e)).norm(), bound(1e-12, 1e-4));
    energy += 0.5 * row.dot(x[i]);
  }
  EXPECT_NEAR(energy, bend::value(3, e), bound(1e-12, 1e-4));
}

TEST(BendEnergy, ALineAcrossTheEdgeGivesEdgeLengthTimesItsSlope) {
  // Opposite vertices lifted by the slope times their height: the conormals part by 2 slope.
  const auto left = bend::side_weights(Vec2(0, 0), Vec2(2, 0), Vec2(0.5, 1));
  const auto right = bend::side_weights(Vec2(0, 0), Vec2(2, 0), Vec2(1.5, -3));
  const bend::Weights w{Real(left[0] + right[0]), Real(left[1] + right[1]), Real(left[2]), Real(right[2])};
  const RVec3 flat = bend::vector(w, RVec3(0, 0, 0), RVec3(2, 0, 0), RVec3(0.5, 1, 0), RVec3(1.5, -3, 0));
  EXPECT_LT(flat.norm(), bound(1e-14, 1e-6));
  const RVec3 folded = bend::vector(w, RVec3(0, 0, 0), RVec3(2, 0, 0), RVec3(0.5, 1, 0.01), RVec3(1.5, -3, 0.03));
  EXPECT_NEAR(folded.norm(), 2 * 0.02, bound(1e-14, 1e-7));
}

// A random hinge, folded to the angle: edge along a random line, opposite vertices at random feet and heights.
fold::Corners folded(double angle, std::mt19937* random) {
  const auto unit = [&] { return static_cast<double>((*random)()) / 4294967296.0; };
  const double foot1 = 2 * unit() - 0.5, foot2 = 2 * unit() - 0.5, h1 = 0.05 + unit(), h2 = 0.05 + unit();
  const Eigen::Matrix<Real, 3, 3> turn =
      Eigen::AngleAxis<Real>(Real(6 * unit()), random_vector(random, 1).normalized()).toRotationMatrix();
  fold::Corners x = {RVec3(0, 0, 0), RVec3(1, 0, 0),
                     RVec3(Real(foot1), Real(h1 * std::cos(angle)), Real(h1 * std::sin(angle))),
                     RVec3(Real(foot2), Real(-h2), 0)};
  for (RVec3& p : x) p = turn * p;
  return x;
}

TEST(FoldEnergy, TheAngleIsTheFoldsAndItsDerivativesAgreeWithDifferencesUpTo170Degrees) {
  std::mt19937 random(9);
  for (int trial = 0; trial < 1100; ++trial) {
    const double angle = 2.967 * (2 * (trial + 0.5) / 1100 - 1);
    const fold::Corners x = folded(angle, &random);
    EXPECT_NEAR(fold::angle(x), angle, bound(1e-12, 1e-4));
    const auto corner = [](const testing::Vector12& v, int k) -> RVec3 { return v.segment<3>(3 * k).cast<Real>(); };
    const auto corners = [&](const testing::Vector12& v) -> fold::Corners {
      return {corner(v, 0), corner(v, 1), corner(v, 2), corner(v, 3)};
    };
    const auto flat = [](const fold::Corners& c) {
      testing::Vector12 v;
      for (int k = 0; k < 4; ++k) v.segment<3>(3 * k) = c[k].cast<double>();
      return v;
    };
    expect_derivatives<12>(
        flat(x).cast<Real>(), [&](const testing::Vector12& v) { return fold::angle(corners(v)); },
        [&](const testing::Vector12& v) { return flat(fold::angle_gradient(corners(v))); },
        [&](const testing::Vector12& v) { return testing::fold_angle_hessian(corners(v)); });
  }
}

TEST(FoldEnergy, AFlatTriangleWithoutAreaPullsNowhere) {
  const fold::Corners x = {RVec3(0, 0, 0), RVec3(1, 0, 0), RVec3(2, 0, 0), RVec3(0, -1, 0)};
  EXPECT_EQ(fold::angle(x), 0);
  for (const RVec3& g : fold::angle_gradient(x)) EXPECT_EQ(g.norm(), 0);
}

// The assembled energy: gradient at random deformed shapes, and L v for the constant matrix where it is exact.
class WholeEnergy : public ::testing::TestWithParam<std::pair<SpringLayout, BendLaw>> {};

TEST_P(WholeEnergy, GradientAgreesWithDifferences) {
  if constexpr (std::is_same_v<Real, float>) return;  // as expect_derivatives()
  SheetOptions o;
  o.columns = o.rows = 4;
  o.jitter = 0.3;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.bend_warp = 1e-2;
  cloth.fabric.bend_weft = 2e-2;
  cloth.fabric.bend_friction = 0.1;
  cloth.ties = {{0, 24}, {3, 17}};
  cloth.layout = GetParam().first;
  cloth.bend = GetParam().second;
  cloth.tethers = {{2, 20, 0.5}, {7, 9, 5.0}};  // taut, slack
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy energy(model, 50.0);
  DrapeState state = start_state(cloth);
  std::mt19937 random(6);
  for (RVec3& x : state.x) x += random_vector(&random, 0.1);
  std::vector<RVec3> gradient(state.x.size()), unused(state.x.size());
  energy.evaluate({}, state.x.data(), Real(0.5), gradient.data());
  for (size_t i = 0; i < state.x.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      const Real step = Real(1e-6), kept = state.x[i][k];
      state.x[i][k] = kept + step;
      const double plus = energy.evaluate({}, state.x.data(), Real(0.5), unused.data());
      state.x[i][k] = kept - step;
      const double minus = energy.evaluate({}, state.x.data(), Real(0.5), unused.data());
      state.x[i][k] = kept;
      EXPECT_NEAR(gradient[i][k], (plus - minus) / (2 * step), 1e-5 * (1 + gradient[i].norm()));
    }
}
INSTANTIATE_TEST_SUITE_P(Layouts, WholeEnergy,
                         ::testing::Values(std::pair(SpringLayout::kThreads, BendLaw::kQuadratic),
                                           std::pair(SpringLayout::kEdges, BendLaw::kQuadratic),
                                           std::pair(SpringLayout::kMembrane, BendLaw::kQuadratic),
                                           std::pair(SpringLayout::kThreads, BendLaw::kHinge),
                                           std::pair(SpringLayout::kMembrane, BendLaw::kShape),
                                           std::pair(SpringLayout::kThreads, BendLaw::kIsometric)));

TEST(WholeEnergy, RigidMotionCostsNothingAndPullsNowhere) {
  SheetOptions o;
  o.columns = o.rows = 6;
  o.jitter = 0.3;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.bend_friction = 1e-3;
  for (const BendLaw law : {BendLaw::kQuadratic, BendLaw::kHinge, BendLaw::kShape, BendLaw::kIsometric}) {
    cloth.bend = law;
    const DrapeModel model = build_model(cloth).value();
    ElasticEnergy energy(model, 0.0);
    DrapeState state = start_state(cloth);
    const Eigen::Matrix<Real, 3, 3> turn =
        Eigen::AngleAxis<Real>(Real(1.1), RVec3(1, 2, 3).normalized()).toRotationMatrix();
    for (RVec3& x : state.x) x = turn * x + RVec3(1, 2, 3);
    std::vector<RVec3> gradient(state.x.size());
    EXPECT_LT(energy.evaluate({}, state.x.data(), 1, gradient.data()), bound(1e-18, 1e-9));
    for (const RVec3& g : gradient) EXPECT_LT(g.norm(), bound(1e-10, 5e-3));
  }
}

TEST(WholeEnergy, TheConstantMatrixBoundsEveryCurvature) {
  // Wan 2020: E(x) <= E(x0) + g.(x - x0) + 1/2 |x - x0|_L^2, which is why plain local/global never goes uphill.
  SheetOptions o;
  o.columns = o.rows = 5;
  const ClothInput cloth = make_sheet(o);
  const DrapeModel model = build_model(cloth).value();
  ElasticEnergy energy(model, 0.0);
  const Eigen::SparseMatrix<double> l = energy.matrix();
  std::mt19937 random(8);
  const size_t n = cloth.positions.size();
  for (int trial = 0; trial < 20; ++trial) {
    DrapeState state = start_state(cloth);
    for (RVec3& x : state.x) x += random_vector(&random, 0.05);
    std::vector<RVec3> g(n), unused(n);
    const double e0 = energy.evaluate({}, state.x.data(), 1, g.data());
    Eigen::MatrixXd d(n, 3);
    double slope = 0;
    for (size_t i = 0; i < n; ++i) {
      const RVec3 move = random_vector(&random, 0.1);
      d.row(i) = move.cast<double>().transpose();
      slope += static_cast<double>(g[i].dot(move));
      state.x[i] += move;
    }
    const double most = e0 + slope + 0.5 * (d.transpose() * (l * d)).trace();
    EXPECT_LE(energy.evaluate({}, state.x.data(), 1, unused.data()), most + bound(1e-9, 1e-5) * std::abs(most));
  }
}

}  // namespace
}  // namespace tryon::sim
