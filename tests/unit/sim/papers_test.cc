// The short form of `scripts/bench papers`: each paper's claim as an order of errors or iterations on a small cloth,
// never as a time.
#include "gtest/gtest.h"
#include "tests/bench/papers_ji.h"
#include "tests/bench/papers_ma.h"
#include "tests/bench/papers_wan.h"
#include "tests/bench/papers_yong.h"

namespace tryon::study {
namespace {

TEST(Wan2020, ErrorFallsWithEveryIterationAndNewtonNeedsFewer) {
  const WanStep step(16, 1000);
  double last = 1;
  for (int iterations : {1, 2, 5, 10, 50}) {
    const double error = step.error("spring_projection", iterations);
    EXPECT_LT(error, last) << iterations;
    EXPECT_GT(error, -1e-9) << iterations;
    last = error;
  }
  EXPECT_LT(step.error("spring_projection", 1), 0.36);  // the paper's figure after one
  EXPECT_LT(step.error("newton", 3), step.error("spring_projection", 10));
}

// The paper's 0.36 and 0.25 after one iteration belong to a soft cloth and to Newton from the last positions, where one
// step is Baraff and Witkin's; from free flight ours is ten times nearer.
TEST(Wan2020, NewtonsFirstIterationLeavesThePapersShareFromTheLastPositions) {
  const WanStep step(50, 100);
  EXPECT_NEAR(step.error("spring_projection", 1), 0.36, 0.02);
  EXPECT_NEAR(step.error("baraff_witkin", 1), 0.25, 0.1);
  EXPECT_LT(step.error("newton", 1), 0.2 * step.error("baraff_witkin", 1));
}

// S1 of validation.md: errors fall at every stiffness, a hundred iterations of the descent are a drape's (1e-4 or
// better than local/global), and the converged answer is one.
TEST(Wan2020, DescentsMeetTheSpecificationsBoundsAtEveryStiffness) {
  for (double k : {100.0, 1000.0}) {
    const WanStep step(24, k);
    for (const char* name : {"lbfgs", "spring_projection", "pd_direct"}) {
      double last = 1;
      for (int iterations : {1, 5, 20, 100}) {
        const double error = step.error(name, iterations);
        EXPECT_LT(error, last) << name << " " << k << " " << iterations;
        last = error;
      }
    }
    EXPECT_LT(step.error("lbfgs", 100), std::max(1e-4, step.error("pd_direct", 100))) << k;
    EXPECT_LT(step.error("lbfgs", 20), 2e-2) << k << ": interactive";
    EXPECT_LT(std::abs(step.error("lbfgs", 1000)), 1e-5) << k;
    EXPECT_LT(std::abs(step.error("newton", 30)), 1e-5) << k;
  }
}

TEST(Wan2020, StiffnessHangsOnTheIterationsForPbdAndNotForSpringProjection) {
  const double exact = 0.15 * kGravity / 2000;
  const auto hung = [](const char* solver, int iterations) {
    return hung_elongation(solver, iterations, 1.0 / 30, 12);
  };
  EXPECT_NEAR(hung("spring_projection", 2), exact, 0.02 * exact);
  EXPECT_NEAR(hung("spring_projection", 20), exact, 0.02 * exact);
  EXPECT_GT(hung("pbd", 2), 3 * hung("pbd", 20));
}

int iterations_to(const MaCloth& cloth, const MaMethod& method, double error, int most) {
  sim::Scene scene = calm();
  scene.gravity.setZero();
  sim::SolverSettings settings;
  settings.iterations = 1;
  auto solver = method.make(cloth.model, settings);
  const sim::Elements elements = sim::make_elements(cloth.model, 0);
  sim::DrapeState state = cloth.stretched;
  const double first = stretch_error(elements, state.x);
  for (int k = 1; k <= most; ++k) {
    for (sim::RVec3& v : state.v) v.setZero();
    need(solver->step({}, scene, &state));
    if (stretch_error(elements, state.x) < error * first) return k;
  }
  return most + 1;
}

double error_after(const MaCloth& cloth, const MaMethod& method, int iterations) {
  sim::Scene scene = calm();
  scene.gravity.setZero();
  sim::SolverSettings settings;
  settings.iterations = iterations;
  sim::DrapeState state = cloth.stretched;
  need(method.make(cloth.model, settings)->step({}, scene, &state));
  return stretch_error(sim::make_elements(cloth.model, 0), state.x);
}

TEST(Ma2023, OnOneLevelSorBeatsGaussSeidelBeatsJacobi) {
  const MaCloth cloth(15, false);  // SOR first raises the error, then takes it down fastest
  for (int iterations : {800, 1000}) {
    const double jacobi = error_after(cloth, one_level("Jacobi", sim::Smoother::kJacobi, 1), iterations);
    const double gs = error_after(cloth, one_level("GS", sim::Smoother::kGaussSeidel, 1), iterations);
    const double sor = error_after(cloth, one_level("SOR", sim::Smoother::kGaussSeidel, 1.9), iterations);
    EXPECT_LT(sor, gs) << iterations;
    EXPECT_LT(gs, jacobi) << iterations;
  }
}

// From an error of all wave lengths, in iterations: every method reaches 2e-3; SOR 1.9 is behind Gauss-Seidel at first
// and ahead in the end, and the hierarchy needs fewer still.
TEST(Ma2023, FromARoughStartEveryMethodReachesItsErrorAndSorWinsInTheEnd) {
  const MaCloth cloth(31, false, MaStart::kRough);
  const MaMethod sor = one_level("SOR", sim::Smoother::kGaussSeidel, 1.9);
  const int slow = iterations_to(cloth, one_level("GS", sim::Smoother::kGaussSeidel, 1), 2e-3, 8000);
  EXPECT_LE(slow, 8000);
  EXPECT_LT(iterations_to(cloth, sor, 2e-3, 8000), 0.9 * slow);
  EXPECT_LT(4 * iterations_to(cloth, listed("qem_hpbd"), 2e-3, 2000), slow);
}

TEST(Ma2023, TheQuadricHierarchyConvergesInFewerSweepsThanPbdAndSorBeforeHelps) {
  for (const bool bending : {false, true}) {
    const MaCloth cloth(31, bending);
    // A cycle of three levels of a half each costs 2 (1 + 1/2) + 4/4 sweeps of the finest.
    EXPECT_LT(4 * iterations_to(cloth, listed("qem_hpbd"), 1e-1, 400), iterations_to(cloth, listed("pbd"), 1e-1, 1600));
  }
  const MaCloth cloth(31, false);
  sim::CycleOptions jacobi{sim::Smoother::kJacobi, sim::Smoother::kJacobi, 1, 1}, gs{};
  gs.relax_before = 1;
  const int with_jacobi = iterations_to(cloth, cycle("J", 3, jacobi), 1e-1, 1000);
  const int with_gs = iterations_to(cloth, cycle("GS", 3, gs), 1e-1, 1000);
  const int with_sor = iterations_to(cloth, cycle("SOR", 3, {}), 1e-1, 1000);
  EXPECT_LE(with_sor, with_gs);
  EXPECT_LT(with_gs, with_jacobi);
}

TEST(Ji2004, InternalForceCorrectionLowersTheLargestElongationOnASphere) {
  const double none = ji_sphere(0, 20, 40), some = ji_sphere(0.1, 20, 40);
  EXPECT_LT(some, 0.8 * none);
}

TEST(Ji2004, ADressStaysOutsideTheFigureInWindWithProxiesAndWithTriangles) {
  const auto frusta = sim::make_solid_collider(figure_frusta());
  const auto scan = sim::make_mesh_collider(figure_mesh(60, 48));
  for (const sim::Collider* body : {frusta.get(), scan.get()})
    EXPECT_GT(ji_garment("spring_projection", *body, 30, 15).nearest, 0);
}

TEST(Yong2021, EveryGlobalStepSolvesTheSameSystemAndIterationsGrowWithoutMultigrid) {
  const YongSystem small(16), large(32);
  std::vector<sim::RVec3> d(large.right.size());
  auto grid = sim::make_multigrid_step(large.matrix, 1e-2);
  grid->solve({}, large.right, &d);
  EXPECT_LT(large.residual(d), 1e-2 * 1.01);
  auto direct = sim::make_direct_step(large.matrix);
  ASSERT_TRUE(direct->set_diagonal(std::vector<double>(large.right.size(), 0.0)).ok());
  direct->solve({}, large.right, &d);
  EXPECT_LT(large.residual(d), 1e-10);
  EXPECT_GT(chebyshev_cost(large).iterations, 1.4 * chebyshev_cost(small).iterations);
}

}  // namespace
}  // namespace tryon::study
