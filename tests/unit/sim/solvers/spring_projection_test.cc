// The solver as a whole: exact motions, convergence, contact, friction, ties, determinism, refusals.
#include <cstring>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/base/units.h"
#include "server/sim/collision/contact.h"
#include "server/sim/constraints/elastic.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using ::testing::HasSubstr;
using namespace tryon::sim::testing;

struct Trial {
  ClothInput cloth;
  DrapeModel model;
  DrapeState state;
  StepReport last;

  explicit Trial(const ClothInput& input)
      : cloth(input), model(build_model(input).value()), state(start_state(input)) {}
  void steps(int count, const SolverSettings& settings, const Scene& scene, const RunContext& context = {}) {
    auto solver = make_solver(kDefaultSolver, model, settings).value();
    for (int i = 0; i < count; ++i) {
      auto report = solver->step(context, scene, &state);
      ASSERT_TRUE(report.ok()) << report.status();
      last = *report;
    }
  }
};

ClothInput small_sheet(int cells = 8, double size = 0.3, double height = 0) {
  SheetOptions o;
  o.width = o.length = size;
  o.columns = o.rows = cells;
  o.jitter = 0.3;
  o.height = height;
  return make_sheet(o);
}

TEST(SpringProjection, AFlatSheetFallsExactlyAsImplicitEulerDoes) {
  for (int history : {0, 6}) {
    Trial run(small_sheet());
    SolverSettings settings;
    settings.velocity_keep = 1;
    settings.history = history;
    const Real start = run.state.x[0].y();
    run.steps(30, settings, still_scene());
    const double h = settings.time_step, drop = 0.5 * kGravity * h * h * 30 * 31;  // 5.0667692 m
    EXPECT_NEAR(drop, 5.0667692, 1e-7);
    for (const RVec3& x : run.state.x) EXPECT_NEAR(static_cast<double>(start - x.y()), drop, 1e-10);
    for (size_t i = 0; i < run.state.x.size(); ++i)
      EXPECT_NEAR(static_cast<double>(run.state.x[i].x()), run.cloth.positions[i].x(), 1e-10);
  }
}

RVec3 momentum(const Trial& run) {
  RVec3 sum = RVec3::Zero();
  for (int i = 0; i < run.model.particle_count; ++i) sum += run.model.mass[i] * run.state.v[i];
  return sum;
}

TEST(SpringProjection, WithoutOuterForceMomentumStays) {
  Trial run(small_sheet());
  Scene scene = still_scene();
  scene.gravity.setZero();
  SolverSettings settings;
  settings.velocity_keep = 1;
  for (size_t i = 0; i < run.state.v.size(); ++i)
    run.state.v[i] = RVec3(Real(0.3 + std::sin(i)), Real(std::cos(3.0 * i)), Real(-0.2));
  const RVec3 before = momentum(run);
  run.steps(20, settings, scene);
  EXPECT_LT((momentum(run) - before).norm(), 1e-10 * before.norm());
}

TEST(SpringProjection, RestStaysAtRest) {
  Trial run(small_sheet());
  Scene scene = still_scene();
  scene.gravity.setZero();
  run.steps(10, {}, scene);
  for (size_t i = 0; i < run.state.x.size(); ++i)
    EXPECT_LT((run.state.x[i].cast<double>() - run.cloth.positions[i]).norm(), 1e-12);
  EXPECT_LT(equilibrium_residual(run.model, scene, run.state).max, 1e-9);
}

// g after one step from the same state with different budgets; the potential is that of the whole step.
double potential_after(const Trial& start, int iterations, int history) {
  Trial run = start;
  SolverSettings settings;
  settings.iterations = iterations;
  settings.history = history;
  settings.tolerance = history == 0 ? 0 : 1e-9;
  run.steps(1, settings, still_scene());
  return run.last.potential;
}

TEST(SpringProjection, PlainModeDescendsAtEveryIterationTowardsTheConvergedMinimum) {
  ClothInput cloth = small_sheet(19, 1.0);  // 20 x 20
  cloth.pinned = {0, 19};
  Trial run(cloth);
  run.steps(6, {}, still_scene());
  const double best = std::min(potential_after(run, 1000, 8), potential_after(run, 1000, 20));
  const double first = potential_after(run, 1, 0);
  double last = first;
  for (int iterations : {2, 3, 5, 10, 30, 100}) {
    const double now = potential_after(run, iterations, 0);
    EXPECT_LE(now, last + 1e-12 * std::abs(last)) << iterations;
    last = now;
  }
  EXPECT_GE(last, best - 1e-9 * std::abs(best));
  EXPECT_LT(last - best, 0.1 * (first - best));
  EXPECT_LT(potential_after(run, 30, 6), last);  // pairs reach farther in 30 iterations than the plain method in 100
}

TEST(SpringProjection, StretchDoesNotDependOnIterationsOrTimeStep) {
  // Validation 5.2 in spirit: a strip of 1 m, 0.15 kg/m^2, Y = 2000 N/m: elongation w L / (2 Y) = 0.036775 %.
  SheetOptions o;
  o.hung = true;
  o.width = 0.1;
  o.columns = 4;
  o.rows = 50;
  o.slanted = false;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2000;
  for (int i = 0; i <= 4; ++i) cloth.pinned.push_back(50 * 5 + i);
  for (double h : {1.0 / 30, 1.0 / 120})
    for (int iterations : {10, 40}) {
      Trial run(cloth);
      SolverSettings settings;
      settings.time_step = h;
      settings.iterations = iterations;
      run.steps(static_cast<int>(4 / h), settings, still_scene());
      double low = 0;
      for (int i = 0; i <= 4; ++i) low += static_cast<double>(run.state.x[i].y()) / 5;
      EXPECT_NEAR(-low - 1.0, 0.00036775, 0.02 * 0.00036775)
          << h << " s, " << iterations;  // two per cent: the clamped edge
    }
}

TEST(SpringProjection, AHangingClothComesToRestAndTwoResidualsAgree) {
  SheetOptions o;
  o.hung = true;
  o.columns = o.rows = 20;
  o.jitter = 0.3;
  ClothInput cloth = make_sheet(o);
  cloth.pinned = {20 * 21, 20 * 21 + 20};
  Trial run(cloth);
  run.steps(120, {}, still_scene());
  const Residual judged = equilibrium_residual(run.model, still_scene(), run.state);
  EXPECT_LT(judged.max, 1e-2);
  EXPECT_LT(judged.rms, 1e-3);
  EXPECT_NEAR(run.last.residual_max, judged.max, 1e-6);
  EXPECT_NEAR(run.last.residual_rms, judged.rms, 1e-6);
}

TEST(SpringProjection, AClothOnASphereIsCarriedWholeAndNowhereEnters) {
  const SphereCollider sphere(Vec3(0, 0, 0), 0.12);
  ClothInput cloth = small_sheet(20, 0.4, 0.13);
  Trial run(cloth);
  const Scene scene = still_scene(&sphere);
  run.steps(60, {}, scene);
  SolverSettings settle;
  settle.velocity_keep = 0;
  settle.time_step = 0.1;
  settle.iterations = 60;
  run.steps(60, settle, scene);
  const Residual judged = equilibrium_residual(run.model, scene, run.state);
  EXPECT_LT(judged.rms, 5e-2);
  EXPECT_LT(judged.max, 0.5);
  for (const RVec3& x : run.state.x) EXPECT_GT(sphere.query(x.cast<double>(), 1).distance, scene.contact_offset - 2e-4);
  // What the elastic forces hand down to the touching particles, plus their own weight, is the cloth's weight.
  ElasticEnergy energy(run.model, 0);
  std::vector<RVec3> gradient(run.state.x.size());
  energy.evaluate({}, run.state.x.data(), 1, gradient.data());
  double carried = 0, weight = 0;
  for (size_t i = 0; i < run.state.x.size(); ++i) {
    const double own = static_cast<double>(run.model.mass[i]) * kGravity;
    weight += own;
    const bool touches = sphere.query(run.state.x[i].cast<double>(), 1).distance < scene.contact_offset + 1e-4;
    if (touches) carried += own + static_cast<double>(gradient[i].y());
  }
  EXPECT_NEAR(carried, weight, 0.01 * weight);
}

// Distance along the slope that a stiff sheet of friction mu travels in `seconds` on a plane at `angle` degrees.
struct Slide {
  double first = 0, last = 0, speed = 0;  // m at one third of the time and at its end, m/s
};
Slide slide_on_incline(double mu, double angle, double seconds, double h) {
  const double a = radians(angle);
  const Vec3 normal(std::sin(a), std::cos(a), 0), down(std::cos(a), -std::sin(a), 0);
  const auto plane = make_plane_collider(Vec3::Zero(), normal);
  ClothInput cloth = small_sheet(4, 0.2);
  cloth.fabric.friction_static = cloth.fabric.friction_kinetic = mu;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1e-2;  // a stiff sheet: T13 judges friction, not folds
  const Scene scene = still_scene(plane.get());
  for (Vec3& p : cloth.positions) p = p.x() * down + p.z() * Vec3::UnitZ() + scene.contact_offset * normal;
  Trial run(cloth);
  SolverSettings settings;
  settings.velocity_keep = 1;
  settings.time_step = h;
  settings.iterations = 40;
  auto solver = make_solver(kDefaultSolver, run.model, settings).value();
  const int steps = static_cast<int>(std::lround(seconds / h));
  const int middle = 12;
  const double start = down.dot(run.state.x[middle].cast<double>());
  Slide out;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(solver->step({}, scene, &run.state).ok());
    out.last = down.dot(run.state.x[middle].cast<double>()) - start;
    if (i == steps / 3) out.first = out.last;
  }
  out.speed = down.dot(run.state.v[middle].cast<double>());
  return out;
}

TEST(Friction, BelowTheCriticalAngleTheSheetSticksWithoutCreep) {
  for (double mu : {0.3, 0.6}) {
    const Slide s = slide_on_incline(mu, degrees(std::atan(mu)) - 0.3, 10.0, 1.0 / 30);
    EXPECT_LT(std::abs(s.last), 1e-3) << mu;
    EXPECT_LT(std::abs(s.last - s.first), 1e-5) << mu;
    EXPECT_LT(std::abs(s.speed), 1e-6) << mu;
  }
}

TEST(Friction, AboveItTheSheetSlidesWithTheTextbooksAcceleration) {
  for (double h : {1.0 / 60, 1.0 / 120})
    for (double extra : {5.0, 10.0}) {
      const double mu = 0.3, angle = degrees(std::atan(mu)) + extra, a = radians(angle);
      const double expected = kGravity * (std::sin(a) - mu * std::cos(a));
      const Slide s = slide_on_incline(mu, angle, 1.0, h);
      EXPECT_NEAR(s.speed, expected * 1.0, 0.02 * expected) << h << " " << extra;
    }
}

TEST(Contact, OutsideConeIsWhatTheBestReactionLeaves) {
  const RVec3 n(0, 1, 0);
  EXPECT_EQ(outside_cone(RVec3(Real(0.3), -1, 0), n, Real(0.4)).norm(), 0);
  EXPECT_NEAR(outside_cone(RVec3(0, 2, 0), n, Real(0.4)).norm(), 2, 1e-12);
  const RVec3 f(1, -1, 0);
  const RVec3 left = outside_cone(f, n, Real(0.5));
  EXPECT_NEAR(left.norm(), 0.5 / std::sqrt(1.25), 1e-12);  // distance from (1, 1) to the line t = r / 2
  const RVec3 reaction = left - f;
  EXPECT_NEAR(reaction.x() / reaction.y(), -0.5, 1e-12);
}

TEST(Contact, AParticleThatStartsDeepInsideComesOutWithoutBeingShotAway) {
  const SphereCollider sphere(Vec3(0, 0, 0), 0.15);
  Trial run(small_sheet(10, 0.2, 0.10));  // 5 cm inside
  const Scene scene = still_scene(&sphere);
  run.steps(30, {}, scene);
  for (const RVec3& x : run.state.x) {
    const double distance = sphere.query(x.cast<double>(), 10).distance;
    EXPECT_GT(distance, scene.contact_offset - 1.1e-3);
    EXPECT_LT(distance, 0.1);
  }
}

TEST(Ties, CloseAGapOfThirtyCentimetresWithinTwoSeconds) {
  // Two panels face to face, sewn along their vertical edges round a ball.
  SheetOptions o;
  o.hung = true;
  o.width = 0.3;
  o.length = 0.3;
  o.columns = o.rows = 12;
  ClothInput front = make_sheet(o);
  ClothInput both = front;
  const int n = static_cast<int>(front.positions.size());
  for (Vec3& p : both.positions) p.z() = 0.15;
  for (const Vec3& p : front.positions) both.positions.push_back(Vec3(p.x(), p.y(), -0.15));
  for (size_t t = 0; t < front.triangles.size(); ++t) {
    both.triangles.push_back(front.triangles[t] + Triangle(n, n, n));
    both.corner_flat.push_back(front.corner_flat[t]);
  }
  for (int j = 0; j <= 12; ++j)
    for (int i : {0, 12}) both.ties.push_back({j * 13 + i, n + j * 13 + i});
  both.pinned = {12 * 13 + 6};
  const SphereCollider body(Vec3(0, -0.15, 0), 0.08);
  Trial run(both);
  const Scene scene = still_scene(&body);
  auto solver = make_solver(kDefaultSolver, run.model, {}).value();
  for (int step = 0; step < 60; ++step) {
    run.state.tie_rest_ratio = Real(std::max(0.0, 1 - step / 30.0));
    ASSERT_TRUE(solver->step({}, scene, &run.state).ok());
  }
  for (const auto& [a, b] : both.ties) EXPECT_LT((run.state.x[a] - run.state.x[b]).norm(), 2e-3);
}

TEST(SpringProjection, TheSameBytesForAnyNumberOfThreads) {
  const SphereCollider sphere(Vec3(0, 0, 0), 0.2);
  SheetOptions o;
  o.columns = o.rows = 40;
  o.jitter = 0.3;
  o.height = 0.21;
  const ClothInput cloth = make_sheet(o);
  Scene scene = still_scene(&sphere);
  scene.wind.drag = 0.7;
  std::vector<RVec3> reference;
  for (int threads : {1, 2, 7}) {
    Executor executor(threads);
    RunContext context;
    context.executor = &executor;
    Trial run(cloth);
    run.steps(8, {}, scene, context);
    if (reference.empty()) reference = run.state.x;
    EXPECT_EQ(0, std::memcmp(reference.data(), run.state.x.data(), reference.size() * sizeof(RVec3))) << threads;
  }
}

void expect_refused(SolverSettings settings, const std::string& field, const std::string& range) {
  const absl::Status status = validate(settings);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(error_detail(status).has_value());
  EXPECT_EQ(error_detail(status)->field, field);
  EXPECT_THAT(std::string(status.message()), HasSubstr(range));
  Trial run(small_sheet(2));
  EXPECT_FALSE(make_solver(kDefaultSolver, run.model, settings).ok());
}

TEST(Settings, ImpossibleOnesAreRefusedWithFieldAndRange) {
  EXPECT_TRUE(validate({}).ok());
  SolverSettings s;
  s.time_step = 0;
  expect_refused(s, "solver.time_step", "0.0001 .. 1");
  s = {};
  s.velocity_keep = 1.01;
  expect_refused(s, "solver.velocity_keep", "0 .. 1");
  s = {};
  s.tie_stiffness = std::nan("");
  expect_refused(s, "solver.tie_stiffness", "0 .. 100000");
  s = {};
  s.iterations = 0;
  expect_refused(s, "solver.iterations", "1 .. 1000");
  s = {};
  s.history = 21;
  expect_refused(s, "solver.history", "0 .. 20");
  s = {};
  s.tolerance = -1;
  expect_refused(s, "solver.tolerance", "0 .. 1");
  s = {};
  s.strain_threshold = 1.5;
  expect_refused(s, "solver.strain_threshold", "0 .. 1");
  s = {};
  s.correction_gain = 0.5;
  expect_refused(s, "solver.correction_gain", "1 .. 100");
  s = {};
  s.relaxation = 2;
  expect_refused(s, "solver.relaxation", "0.1 .. 1.95");
  s = {};
  s.levels = 7;
  expect_refused(s, "solver.levels", "1 .. 6");
}

TEST(Registry, AnUnknownSolverIsRefusedWithTheKnownNames) {
  Trial run(small_sheet(2));
  const auto solver = make_solver("velvet", run.model, {});
  ASSERT_FALSE(solver.ok());
  EXPECT_THAT(error_detail(solver.status())->remedy, HasSubstr(kDefaultSolver));
  ASSERT_FALSE(solver_list().empty());
  for (const SolverInfo& info : solver_list()) EXPECT_TRUE(make_solver(info.name, run.model, {}).ok());
}

TEST(SpringProjection, CancellationAndDeadlineAreNoticed) {
  Trial run(small_sheet());
  auto solver = make_solver(kDefaultSolver, run.model, {}).value();
  RunContext context;
  context.cancel.cancel();
  EXPECT_EQ(solver->step(context, still_scene(), &run.state).status().code(), absl::StatusCode::kCancelled);
  RunContext late;
  late.deadline = absl::InfinitePast();
  EXPECT_EQ(solver->step(late, still_scene(), &run.state).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(SpringProjection, ANumberThatIsNoneIsReportedWithItsParticleAndPhase) {
  Trial run(small_sheet());
  auto solver = make_solver(kDefaultSolver, run.model, {}).value();
  run.state.x[17].y() = std::numeric_limits<Real>::quiet_NaN();
  const auto report = solver->step({}, still_scene(), &run.state);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("particle 17"));
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("start"));
}

TEST(SpringProjection, AForceBeyondNumbersIsReportedNotPassedOn) {
  Trial run(small_sheet());
  Scene scene = still_scene();
  scene.gravity = Vec3(0, -std::numeric_limits<double>::infinity(), 0);
  auto solver = make_solver(kDefaultSolver, run.model, {}).value();
  const auto report = solver->step({}, scene, &run.state);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(error_detail(report.status())->reason, "NOT_FINITE");
}

}  // namespace
}  // namespace tryon::sim
