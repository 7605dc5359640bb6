// The solvers that minimise the incremental potential agree on the minimum, bring membranes and folds to rest as the
// judge of equilibrium says, and refuse by name what they cannot; their Hessian is the gradient's derivative.
#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/sim/solvers/descent.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/solver.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

TEST(LineSearch, GoesToTheLeastOfWhatItFitsAndHalvesWhereNothingFits) {
  const auto share = [](double first, double second, double fourth) {  // of E(t) = first t + second t^2 + fourth t^4
    return share_of_way(first, first + second + fourth, first + 2 * second + 4 * fourth);
  };
  EXPECT_NEAR(share(-1, 1, 0), 0.5, 0.01);
  EXPECT_NEAR(share(-1, 0, 2), 0.5, 0.01);
  EXPECT_NEAR(share(-3, 0.5, 4), 0.536, 0.01);  // -3 + t + 16 t^3
  EXPECT_DOUBLE_EQ(share(-1, 1000, 1e6), 0.25);
  EXPECT_NEAR(share(-1, 0.5, 0), 0.7, 0.01);
  EXPECT_DOUBLE_EQ(share(-1, -3, 10), 0.5);
  EXPECT_DOUBLE_EQ(share(-1, 10, -3), 0.5);
}

// What g / h^2 of one step ends at, from a common state.
double potential_of(const std::string& name, const DrapeModel& model, const DrapeState& start, int iterations) {
  DrapeState state = start;
  SolverSettings settings;
  settings.iterations = iterations;
  settings.tolerance = 1e-10;
  return make_solver(name, model, settings).value()->step({}, still_scene(), &state)->potential;
}

TEST(Minimisers, AgreeOnTheMinimumAndNewtonNeedsFewIterations) {
  ClothInput cloth = soft_sheet();
  cloth.pinned = {0, 6};
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  auto warm = make_solver("lbfgs", model, {}).value();
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(warm->step({}, still_scene(), &state).ok());
  const double best = potential_of("newton", model, state, 100);
  const double start = potential_of("spring_projection", model, state, 1);
  ASSERT_GT(start, best);
  EXPECT_LT(potential_of("lbfgs", model, state, 300) - best, 1e-8 * (start - best));
  EXPECT_LT(potential_of("spring_projection", model, state, 1000) - best, 1e-3 * (start - best));
  EXPECT_LT(potential_of("newton", model, state, 12) - best, 1e-9 * (start - best));
  for (const char* name : {"pd_direct", "pd_multigrid", "admm"})
    EXPECT_LT(potential_of(name, model, state, 1000) - best, 1e-3 * (start - best)) << name;
  for (const char* name : {"pd_chebyshev", "pd_gauss_seidel"})
    EXPECT_LT(potential_of(name, model, state, 1000) - best, 1e-2 * (start - best)) << name;
}

// Twenty plain steps are what it has where layers are kept apart; a sheet that hangs is near rest long before.
TEST(Minimisers, DrapeTakesTheHessianAsSoonAsASheetIsNearRest) {
  ClothInput cloth = soft_sheet(24);
  cloth.pinned = {0, 24};
  cloth.bend = BendLaw::kIsometric;
  const DrapeModel model = build_model(cloth).value();
  const auto steps_to_rest = [&](const char* name, double self_contact) {
    Scene scene = still_scene();
    scene.self_contact = self_contact;
    DrapeState state = start_state(cloth);
    auto solver = make_solver(name, model, long_steps()).value();
    int steps = 0;
    for (double rms = 1; rms > 1e-3 && steps < 100; ++steps) {
      for (auto& v : state.v) v.setZero();
      rms = solver->step({}, scene, &state)->residual_rms;
    }
    return steps;
  };
  EXPECT_LT(steps_to_rest("drape", 0), 17);
  EXPECT_GT(steps_to_rest("drape", 2e-3), 20);
  EXPECT_GT(steps_to_rest("lbfgs", 0), 20);
}

// Elastic and with friction between the threads, with layers and without: what is made by another thread while the
// first steps are plain is what would be made when it is wanted; and a solver may go before it is.
TEST(Minimisers, DrapeGivesTheSameBytesWhetherItsHessianIsMadeAheadOrNot) {
  for (const auto& [friction, self_contact] : {std::pair(0.0, 0.0), std::pair(1e-3, 0.0), std::pair(1e-3, 2e-3)}) {
    ClothInput cloth = soft_sheet(24);
    cloth.pinned = {0, 24};
    cloth.bend = BendLaw::kIsometric;
    cloth.fabric.bend_friction = friction;
    const DrapeModel model = build_model(cloth).value();
    Scene scene = still_scene();
    scene.self_contact = self_contact;
    std::vector<DrapeState> ends;
    for (const auto& [threads, ahead] : {std::pair(1, false), std::pair(1, true), std::pair(2, true)}) {
      Executor executor(threads);
      RunContext context;
      context.executor = &executor;
      auto solver = make_solver("drape", model, long_steps()).value();
      if (ahead) solver->begin_ahead(context);
      ends.push_back(start_state(cloth));
      for (int step = 0; step < 22; ++step) {
        for (auto& v : ends.back().v) v.setZero();
        ASSERT_TRUE(solver->step(context, scene, &ends.back()).ok());
      }
      auto unused = make_solver("drape", model, long_steps()).value();
      unused->begin_ahead(context);
    }
    const size_t bytes = ends[0].x.size() * sizeof(RVec3);
    for (const DrapeState& end : ends) EXPECT_EQ(std::memcmp(ends[0].x.data(), end.x.data(), bytes), 0);
  }
}

// The models that every_solver_test leaves out: membranes, angles, one bending matrix, layers that press on each other.
TEST(Minimisers, GiveTheSameBytesForAnyNumberOfThreadsOnEveryModel) {
  const SphereCollider sphere(Vec3(0, 0, 0), 0.1);
  Scene scene = still_scene(&sphere);
  scene.self_contact = 2e-3;
  SolverSettings settings;
  settings.iterations = 4;
  for (const auto& [layout, bend] :
       {std::pair(SpringLayout::kMembrane, BendLaw::kShape), std::pair(SpringLayout::kThreads, BendLaw::kIsometric),
        std::pair(SpringLayout::kEdges, BendLaw::kQuadratic)}) {
    ClothInput cloth = soft_sheet(24, 0.105);  // more elements than one chunk
    cloth.layout = layout;
    cloth.bend = bend;
    cloth.fabric.bend_friction = 1e-3;
    const DrapeModel model = build_model(cloth).value();
    for (const char* name : {"lbfgs", "newton"}) {
      std::vector<DrapeState> ends;
      for (int threads : {1, 2, 7}) {
        Executor executor(threads);
        RunContext context;
        context.executor = &executor;
        ends.push_back(start_state(cloth));
        auto solver = make_solver(name, model, settings).value();
        for (int i = 0; i < 2; ++i) ASSERT_TRUE(solver->step(context, scene, &ends.back()).ok()) << name;
      }
      const size_t bytes = ends[0].x.size() * sizeof(RVec3);
      for (const DrapeState& end : ends) EXPECT_EQ(std::memcmp(ends[0].x.data(), end.x.data(), bytes), 0) << name;
    }
  }
}

class HessianOf : public ::testing::TestWithParam<std::pair<SpringLayout, BendLaw>> {};
INSTANTIATE_TEST_SUITE_P(Layouts, HessianOf,
                         ::testing::Values(std::pair(SpringLayout::kThreads, BendLaw::kQuadratic),
                                           std::pair(SpringLayout::kMembrane, BendLaw::kQuadratic),
                                           std::pair(SpringLayout::kThreads, BendLaw::kHinge),
                                           std::pair(SpringLayout::kThreads, BendLaw::kShape),
                                           std::pair(SpringLayout::kThreads, BendLaw::kIsometric)));

TEST_P(HessianOf, IsTheDerivativeOfTheGradientWithContactSeamsAndPins) {
  const SphereCollider sphere(Vec3(0, 0, 0), 0.1);
  ClothInput cloth = soft_sheet(6, 0.101);
  cloth.layout = GetParam().first;
  cloth.bend = GetParam().second;
  if (cloth.bend != BendLaw::kQuadratic) cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1e-3;
  cloth.fabric.bend_friction = 0.02;
  cloth.tethers = {{3, 45, 0.02}};
  cloth.fabric.poisson = 0.2;
  cloth.pinned = {3};
  cloth.ties = {{0, 6}, {42, 48}};
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  auto mover = make_solver("lbfgs", model, settings).value();
  const Scene scene = still_scene(&sphere);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(mover->step({}, scene, &state).ok());
  IncrementalPotential potential(model, settings);
  StepReport report;
  ASSERT_TRUE(potential.begin({}, scene, state, &report).ok());
  potential.contact().lag_normal_forces(state.x);
  PotentialHessian hessian(potential, settings);
  hessian.assemble(state.x, PotentialHessian::kTrueHessian);
  const size_t n = state.x.size();
  std::vector<RVec3> direction(n), product(n, RVec3::Zero()), plus(n), minus(n), moved = state.x;
  for (size_t i = 0; i < n; ++i)
    direction[i] = potential.pinned(static_cast<int>(i))
                       ? RVec3(RVec3::Zero())
                       : RVec3(Real(std::sin(7.0 * i)), Real(std::cos(5.0 * i)), Real(std::sin(3.0 * i + 1)));
  hessian.multiply(direction, &product);
  const Real step = Real(1e-8);
  for (size_t i = 0; i < n; ++i) moved[i] = state.x[i] + step * direction[i];
  potential.evaluate({}, moved, &plus);
  for (size_t i = 0; i < n; ++i) moved[i] = state.x[i] - step * direction[i];
  potential.evaluate({}, moved, &minus);
  double difference = 0, size = 0;
  for (size_t i = 0; i < n; ++i) {
    difference += ((plus[i] - minus[i]) / (2 * step) - product[i]).squaredNorm();
    size += product[i].squaredNorm();
  }
  EXPECT_LT(std::sqrt(difference / size), 1e-5);
}

TEST(Bending, TheMinimisersBringFoldsToRestTheJudgeAgreesAndOthersRefuseByName) {
  ClothInput cloth = soft_sheet(8);
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 2e-4;
  for (int i = 0; i < 18; ++i) cloth.pinned.push_back(i);
  for (const BendLaw law : {BendLaw::kHinge, BendLaw::kShape}) {
    cloth.bend = law;
    const DrapeModel model = build_model(cloth).value();
    for (const char* name : {"lbfgs", "newton"}) {
      DrapeState state = start_state(cloth);
      SolverSettings settings;
      settings.iterations = 60;
      settings.velocity_keep = 0.8;
      auto solver = make_solver(name, model, settings).value();
      StepReport last;
      for (int i = 0; i < 120; ++i) last = solver->step({}, still_scene(), &state).value();
      const Residual judged = equilibrium_residual(model, still_scene(), state);
      EXPECT_LT(judged.max, 1e-2) << name;
      EXPECT_NEAR(judged.max, last.residual_max, 1e-5) << name;
    }
    for (const char* name : {"pbd", "hpbd", "mass_spring", "pd_direct", "admm", "spring_projection"})
      EXPECT_EQ(error_detail(make_solver(name, model, {}).status())->reason, "MODEL_UNSUPPORTED") << name;
  }
}

// One constant matrix: newton, lbfgs and spring_projection end at one shape, near that of the angles; sweeps refuse it.
// So does drape, whose matrices have hinges in its place.
TEST(Bending, TheIsometricShapeOperatorRestsWhereTheAnglesDoAndSweepsRefuseItByName) {
  ClothInput cloth = soft_sheet(8);
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 2e-4;
  for (int i = 0; i < 18; ++i) cloth.pinned.push_back(i);
  const auto settle = [&](const char* name) {
    const DrapeModel model = build_model(cloth).value();
    DrapeState state = start_state(cloth);
    SolverSettings settings;
    settings.iterations = 100;
    settings.velocity_keep = 0.8;
    auto solver = make_solver(name, model, settings).value();
    StepReport last;
    for (int i = 0; i < 150; ++i) last = solver->step({}, still_scene(), &state).value();
    EXPECT_NEAR(equilibrium_residual(model, still_scene(), state).max, last.residual_max, 1e-5) << name;
    return state;
  };
  cloth.bend = BendLaw::kShape;
  const DrapeState angles = settle("newton");
  cloth.bend = BendLaw::kIsometric;
  const DrapeState reference = settle("newton");
  double drop = 0, apart = 0;
  for (size_t i = 0; i < angles.x.size(); ++i) {
    drop = std::max(drop, static_cast<double>((angles.x[i] - cloth.positions[i].cast<Real>()).norm()));
    apart = std::max(apart, static_cast<double>((angles.x[i] - reference.x[i]).norm()));
  }
  EXPECT_LT(apart, 0.05 * drop);
  for (const char* name : {"lbfgs", "spring_projection", "drape"}) {
    const DrapeState state = settle(name);
    for (size_t i = 0; i < state.x.size(); ++i) EXPECT_LT((state.x[i] - reference.x[i]).norm(), 1e-3 * drop) << name;
  }
  const DrapeModel model = build_model(cloth).value();
  DrapeState long_stepped = start_state(cloth);
  auto drape = make_solver("drape", model, long_steps()).value();
  take_long_steps(drape.get(), still_scene(), 40, &long_stepped);  // the last ones with the Hessian
  for (size_t i = 0; i < reference.x.size(); ++i)
    EXPECT_LT((long_stepped.x[i] - reference.x[i]).norm(), 1e-3 * drop) << i;
  for (const char* name : {"pbd", "hpbd", "mass_spring", "pd_direct", "admm"})
    EXPECT_EQ(error_detail(make_solver(name, model, {}).status())->reason, "MODEL_UNSUPPORTED") << name;
}

// In long waves the bending matrix and the hinges that stand for it are about as stiff, with fewer neighbours.
TEST(Bending, TheHingesThatStandForTheMatrixAreAboutAsStiff) {
  ClothInput cloth = make_sheet({.width = 0.3, .length = 0.3, .columns = 20, .rows = 20, .jitter = 0.4});
  cloth.fabric.bend_warp = 3e-5, cloth.fabric.bend_weft = 1e-5;
  cloth.bend = BendLaw::kIsometric;
  const DrapeModel model = build_model(cloth).value();
  const ElasticEnergy elastic(model, 0.0);
  EXPECT_LT(static_cast<double>(elastic.matrix(BendInMatrix::kLikeHinges).nonZeros()),
            0.75 * static_cast<double>(elastic.matrix().nonZeros()));
  const Hinges hinges = hinges_like_bend_matrix(model);
  const BendMatrix& q = model.bend_matrix;
  for (const double waves : {1.0, 2.0, 3.0}) {
    for (const bool along_warp : {false, true}) {
      std::vector<double> lift;
      for (const Vec3& p : cloth.positions)
        lift.push_back(std::cos(2 * M_PI * waves * (along_warp ? p.z() : p.x()) / 0.3));
      double like = 0, whole = 0;
      for (int h = 0; h < hinges.count(); ++h) {
        double curvature = 0;
        for (int k = 0; k < 4; ++k) curvature += static_cast<double>(hinges.weight[h][k]) * lift[hinges.particle[h][k]];
        like += static_cast<double>(hinges.stiffness[h]) * curvature * curvature;
      }
      for (int i = 0; i < model.particle_count; ++i)
        for (int k = q.row_begin[i]; k < q.row_begin[i + 1]; ++k)
          whole -= 0.5 * static_cast<double>(q.stiffness[k]) * std::pow(lift[q.column[k]] - lift[i], 2);
      EXPECT_GT(like / whole, 0.7) << waves << along_warp;
      EXPECT_LT(like / whole, 1.4) << waves << along_warp;
    }
  }
}

// Two layers, one on the other.
ClothInput two_layers(double gap) {
  ClothInput cloth = make_sheet({.width = 0.2, .length = 0.2, .columns = 8, .rows = 8});
  const ClothInput upper = make_sheet({.width = 0.15, .length = 0.15, .columns = 5, .rows = 5, .jitter = 0.3});
  const int first = static_cast<int>(cloth.positions.size());
  for (const Vec3& p : upper.positions) cloth.positions.push_back(Vec3(p.x(), gap, p.z()));
  for (const Triangle& t : upper.triangles) cloth.triangles.push_back(Triangle(t.array() + first));
  cloth.corner_flat.insert(cloth.corner_flat.end(), upper.corner_flat.begin(), upper.corner_flat.end());
  return cloth;
}

TEST(Hessian, LayersThatTouchMoveTogetherFreelyAndApartNotAtAll) {
  const ClothInput cloth = two_layers(1.5e-3);
  const DrapeModel model = build_model(cloth).value();
  const DrapeState state = start_state(cloth);
  Scene scene = still_scene();
  scene.self_contact = 2e-3;
  IncrementalPotential potential(model, {});
  StepReport report;
  ASSERT_TRUE(potential.begin({}, scene, state, &report).ok());
  PotentialHessian hessian(potential, {});
  hessian.assemble(state.x, PotentialHessian::kConvexHessian);
  const size_t n = state.x.size(), below = n - 36;
  std::vector<RVec3> together(n, RVec3(0, 1, 0)), apart = together, product(n, RVec3::Zero());
  hessian.multiply(together, &product);
  for (size_t i = 0; i < n; ++i) {
    const double inertia = static_cast<double>(potential.inertia(static_cast<int>(i)));
    EXPECT_NEAR(static_cast<double>(product[i].y()), inertia, 1e-6 * inertia) << i;
  }
  for (size_t i = 0; i < below; ++i) apart[i] = -apart[i];
  hessian.multiply(apart, &product);
  double stiffest = 0;
  for (size_t i = below; i < n; ++i) stiffest = std::max(stiffest, static_cast<double>(product[i].y()));
  EXPECT_GT(stiffest, 20 * static_cast<double>(potential.inertia(static_cast<int>(n) - 1)));
  EXPECT_EQ(hessian.factor(), -1);
}

TEST(Hessian, SolvesWhatItMultiplies) {
  ClothInput cloth = soft_sheet();
  cloth.pinned = {0};
  const DrapeModel model = build_model(cloth).value();
  const DrapeState state = start_state(cloth);
  IncrementalPotential potential(model, {});
  StepReport report;
  ASSERT_TRUE(potential.begin({}, still_scene(), state, &report).ok());
  PotentialHessian hessian(potential, {});
  hessian.assemble(state.x, PotentialHessian::kConvexHessian);
  ASSERT_EQ(hessian.factor(), -1);
  std::vector<RVec3> right(state.x.size()), solution(state.x.size()), back(state.x.size());
  for (size_t i = 1; i < right.size(); ++i) right[i] = RVec3(Real(std::sin(i)), Real(1), Real(std::cos(2.0 * i)));
  right[0].setZero();
  hessian.solve(right, &solution);
  hessian.multiply(solution, &back);
  for (size_t i = 0; i < right.size(); ++i) EXPECT_LT((back[i] - right[i]).norm(), 1e-9);
}

ClothInput membrane_sheet() {
  ClothInput cloth = soft_sheet(10);
  cloth.layout = SpringLayout::kMembrane;
  cloth.fabric.poisson = 0.25;
  cloth.fabric.limit_warp = cloth.fabric.limit_weft = 0.02;
  cloth.fabric.areal_density = 0.4;
  cloth.pinned = {0, 10};
  return cloth;
}

// Both membranes, with a limit that the corners' pulls reach.
class LimitedSheet : public ::testing::TestWithParam<SpringLayout> {};
INSTANTIATE_TEST_SUITE_P(Layouts, LimitedSheet, ::testing::Values(SpringLayout::kMembrane, SpringLayout::kThreads));

TEST_P(LimitedSheet, TheMinimisersBringItToRestAndTheJudgeAgrees) {
  ClothInput cloth = membrane_sheet();
  cloth.layout = GetParam();
  const DrapeModel model = build_model(cloth).value();
  for (const char* name : {"lbfgs", "newton", "drape"}) {
    DrapeState state = start_state(cloth);
    SolverSettings settings;
    settings.iterations = 40;
    settings.velocity_keep = 0.9;
    auto solver = make_solver(name, model, settings).value();
    StepReport last;
    for (int i = 0; i < 120; ++i) last = solver->step({}, still_scene(), &state).value();
    const Residual judged = equilibrium_residual(model, still_scene(), state);
    EXPECT_LT(judged.max, 1e-2) << name;
    EXPECT_NEAR(judged.max, last.residual_max, 1e-6) << name;
  }
}

TEST(Membrane, SpringMethodsRefuseItByName) {
  const DrapeModel model = build_model(membrane_sheet()).value();
  for (const char* name : {"pbd", "xpbd", "mass_spring", "pd_direct", "admm", "spring_projection"}) {
    const auto solver = make_solver(name, model, {});
    ASSERT_FALSE(solver.ok()) << name;
    EXPECT_EQ(error_detail(solver.status())->reason, "MODEL_UNSUPPORTED");
  }
}

}  // namespace
}  // namespace tryon::sim
