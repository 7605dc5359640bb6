// Position-based methods stretch as validation 5.2 says; their elements hold the model's whole energy.
#include <cmath>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "server/sim/constraints/elastic.h"
#include "server/sim/solvers/solver.h"
#include "server/sim/solvers/sweep.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

// Validation 5.2: a strip of 1 m, 50 elements, 0.15 kg, Y = 2000 N, hung from its top for 2 s; exact: 0.036775 %.
double elongation(const std::string& solver, int iterations, double h) {
  SheetOptions o;
  o.hung = true;
  o.width = 0.1;
  o.columns = 2;
  o.rows = 50;
  o.slanted = false;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.areal_density = 1.5;  // 0.15 kg
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 20000;
  cloth.fabric.shear = 1;
  for (int i = 0; i <= 2; ++i) cloth.pinned.push_back(50 * 3 + i);
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.time_step = h;
  settings.iterations = iterations;
  auto solve = make_solver(solver, model, settings).value();
  for (int i = 0; i < static_cast<int>(2 / h); ++i) EXPECT_TRUE(solve->step({}, still_scene(), &state).ok());
  double low = 0;
  for (int i = 0; i <= 2; ++i) low += static_cast<double>(state.x[i].y()) / 3;
  return -low - 1.0;
}

TEST(PositionBased, StiffnessFailsToBeTheFabricsAndDependsOnIterationsAndTimeStep) {
  const double exact = 0.00036775;
  for (const char* solver : {"pbd", "xpbd"}) {
    const double few = elongation(solver, 5, 1.0 / 30), more = elongation(solver, 20, 1.0 / 30);
    const double fine = elongation(solver, 20, 1.0 / 120);
    EXPECT_GT(few, 1.0) << solver;  // more than double its length
    EXPECT_LT(more, few / 2) << solver;
    EXPECT_LT(fine, more / 2) << solver;
    EXPECT_GT(fine, 10 * exact) << solver;
  }
}

TEST(PositionBased, ConvergedXpbdHasTheFabricsStiffnessAndPbdHasNone) {
  SheetOptions o;
  o.hung = true;
  o.width = 0.2;
  o.length = 0.2;
  o.columns = o.rows = 4;
  o.slanted = false;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 20;
  cloth.fabric.shear = 1;
  cloth.fabric.areal_density = 0.5;
  for (int i = 0; i <= 4; ++i) cloth.pinned.push_back(4 * 5 + i);
  const DrapeModel model = build_model(cloth).value();
  const auto hang = [&](const char* name) {
    DrapeState state = start_state(cloth);
    SolverSettings settings;
    settings.iterations = 400;
    settings.velocity_keep = 0.9;
    auto solver = make_solver(name, model, settings).value();
    for (int i = 0; i < 120; ++i) EXPECT_TRUE(solver->step({}, still_scene(), &state).ok());
    return -static_cast<double>(state.x[2].y()) - 0.2;
  };
  const double expected = 0.5 * kGravity * 0.2 * 0.2 / (2 * 20);  // w L^2 / (2 Y) = 4.9 mm
  EXPECT_NEAR(hang("xpbd"), expected, 0.05 * expected);
  EXPECT_NEAR(hang("lbfgs"), expected, 0.05 * expected);
  EXPECT_LT(hang("pbd"), 0.2 * expected);  // converged PBD is rigid
}

TEST(PositionBased, AColourNeverMovesAParticleTwice) {
  ClothInput cloth = soft_sheet(10);
  cloth.ties = {{0, 10}, {0, 110}};
  const DrapeModel model = build_model(cloth).value();
  const Elements elements = make_elements(model, 200);
  EXPECT_EQ(elements.count(), 4 * model.threads.count() + model.hinges.count() + 2);
  for (int c = 0; c < elements.colour_count(); ++c) {
    std::vector<int> used(model.particle_count, 0);
    for (int i = elements.colour_begin[c]; i < elements.colour_begin[c + 1]; ++i)
      for (int k = 0; k < 4; ++k)
        if (elements.weight[i][k] != 0) {
          EXPECT_EQ(used[elements.particle[i][k]]++, 0) << c;
        }
  }
}

TEST(Elements, HoldTheModelsWholeEnergy) {
  ClothInput cloth = soft_sheet(5);
  cloth.ties = {{0, 7}};
  for (const SpringLayout layout : {SpringLayout::kThreads, SpringLayout::kEdges}) {
    cloth.layout = layout;
    const DrapeModel model = build_model(cloth).value();
    DrapeState state = start_state(cloth);
    for (size_t i = 0; i < state.x.size(); ++i)
      state.x[i] += RVec3(0.02 * std::sin(5.0 * i), 0.03 * std::cos(3.0 * i), 0);
    const Elements elements = make_elements(model, 150);
    double sum = 0;
    for (int i = 0; i < elements.count(); ++i) {
      const double off = static_cast<double>(elements.vector(i, state.x.data()).norm() - elements.rest[i]);
      sum += 0.5 * static_cast<double>(elements.stiffness[i]) * off * off;
    }
    ElasticEnergy energy(model, 150);
    std::vector<RVec3> gradient(state.x.size());
    EXPECT_NEAR(sum, energy.evaluate({}, state.x.data(), 1, gradient.data()), 1e-9 * sum);
  }
}

}  // namespace
}  // namespace tryon::sim
