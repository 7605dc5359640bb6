// A failed step can be seen again from its bundle, and bytes that are not a bundle are refused.
#include "server/sim/replay.h"

#include <limits>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

ClothInput hung() {
  SheetOptions o;
  o.columns = o.rows = 5;
  ClothInput cloth = make_sheet(o);
  cloth.pinned = {0, 5};
  cloth.bend = BendLaw::kShape;
  cloth.tethers = pin_tethers(cloth);
  return cloth;
}

TEST(Replay, AStepThatFailsGivesABundleThatFailsTheSameWay) {
  const DrapeModel model = build_model(hung()).value();
  std::string bundle;
  const FaultSink sink = [&](const std::string& bytes) { bundle = bytes; };
  auto solver = make_recorded_solver("lbfgs", model, {}, sink).value();
  DrapeState state = start_state(hung());
  ASSERT_TRUE(solver->step({}, still_scene(), &state).ok());
  EXPECT_TRUE(bundle.empty());
  Scene storm = still_scene();
  storm.gravity = Eigen::Vector3d(0, std::numeric_limits<double>::max(), 0);  // forces beyond numbers
  const auto first = solver->step({}, storm, &state);
  ASSERT_EQ(first.status().code(), absl::StatusCode::kInternal);
  ASSERT_FALSE(bundle.empty());
  const ReplayBundle read = decode_replay(bundle).value();
  EXPECT_EQ(read.failure, encode_status(first.status()));
  EXPECT_TRUE(read.seen_again);
  EXPECT_EQ(read.states.size(), 1u);
  const auto again = replay_steps(read, {}, nullptr);
  EXPECT_EQ(again.status().message(), first.status().message());
  EXPECT_EQ(error_detail(again.status())->field, error_detail(first.status())->field);
}

TEST(Replay, AWholeRunFromABundleGivesTheSameBytesAsTheModelItself) {
  const DrapeModel model = build_model(hung()).value();
  ReplayBundle bundle{"newton", {}, model, {start_state(hung())}, {}, {0, -9.8, 0}, 0.002, ""};
  const ReplayBundle read = decode_replay(encode_replay(bundle)).value();
  EXPECT_EQ(encode_replay(read), encode_replay(bundle));
  const StepReport a = replay_steps(bundle, {}, nullptr).value(), b = replay_steps(read, {}, nullptr).value();
  EXPECT_EQ(a.potential, b.potential);
  EXPECT_EQ(a.residual_max, b.residual_max);
}

TEST(Replay, WhereLayersAreKeptApartIsInTheBundleAndMustBeOfTheCloth) {
  const DrapeModel model = build_model(hung()).value();
  ReplayBundle bundle{"newton", {}, model, {start_state(hung())}, {}, {0, -9.8, 0}, 0.002, ""};
  bundle.kept_apart.assign(model.particle_count, 0);
  bundle.kept_apart[3] = 1;
  EXPECT_EQ(decode_replay(encode_replay(bundle)).value().kept_apart, bundle.kept_apart);
  bundle.kept_apart.push_back(1);
  EXPECT_EQ(error_detail(decode_replay(encode_replay(bundle)).status())->reason, "REPLAY_UNREADABLE");
}

TEST(Replay, BonesAreInTheBundleAndBridgesMustBeOfTheCloth) {
  const DrapeModel model = build_model(hung()).value();
  ReplayBundle bundle{"newton", {}, model, {start_state(hung())}, {}, {0, -9.8, 0}, 0.002, ""};
  bundle.bones = {{Vec3(0.1, 1.2, 0.3), Vec3(0.1, 0.2, 0.3)}};
  bundle.bridges = {Triangle(0, 3, 5)};
  const ReplayBundle read = decode_replay(encode_replay(bundle)).value();
  EXPECT_EQ(read.bones, bundle.bones);
  EXPECT_EQ(read.bridges, bundle.bridges);
  ReplayBundle other = bundle;
  other.bridges[0][1] = model.particle_count;
  EXPECT_EQ(error_detail(decode_replay(encode_replay(other)).status())->reason, "REPLAY_UNREADABLE");
  other = bundle;
  other.bones[0].to.y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_detail(decode_replay(encode_replay(other)).status())->reason, "REPLAY_UNREADABLE");
}

TEST(Replay, SharpPointsOfTheBodyAreInTheBundleAndMustBePlaces) {
  ReplayBundle bundle{"newton", {}, build_model(hung()).value(), {start_state(hung())}, {}, {0, -9.8, 0}, 0.002, ""};
  bundle.sharp = {{Vec3(0.1, 1.2, 0.3), Vec3::UnitZ()}};
  EXPECT_EQ(decode_replay(encode_replay(bundle)).value().sharp[0].at, bundle.sharp[0].at);
  for (const double wrong : {1e9, std::numeric_limits<double>::quiet_NaN()}) {
    ReplayBundle other = bundle;
    other.sharp[0].at.x() = wrong;
    EXPECT_EQ(error_detail(decode_replay(encode_replay(other)).status())->reason, "REPLAY_UNREADABLE");
  }
}

TEST(Replay, FrictionInBendingIsInTheBundleAndItsElementsMustBeOfTheCloth) {
  ClothInput cloth = hung();
  cloth.bend = BendLaw::kIsometric;
  cloth.fabric.bend_friction = 1e-3;
  cloth.tethers.clear();
  ReplayBundle bundle{"newton", {}, build_model(cloth).value(), {start_state(cloth)}, {}, {0, -9.8, 0}, 0.002, ""};
  const ReplayBundle read = decode_replay(encode_replay(bundle)).value();
  EXPECT_EQ(encode_replay(read), encode_replay(bundle));
  EXPECT_EQ(replay_steps(bundle, {}, nullptr)->potential, replay_steps(read, {}, nullptr)->potential);
  for (const int wrong : {-1, 36}) {
    ReplayBundle other = bundle;
    other.model.bend_elements.particle[3][5] = wrong;
    EXPECT_FALSE(decode_replay(encode_replay(other)).ok()) << wrong;
  }
  for (const int wrong : {-1, 50}) {
    ReplayBundle other = bundle;
    other.model.bend_elements.triangle[3] = wrong;
    EXPECT_FALSE(decode_replay(encode_replay(other)).ok()) << wrong;
  }
  bundle.model.bend_elements.moment.pop_back();
  EXPECT_FALSE(decode_replay(encode_replay(bundle)).ok());
}

// A cloth over a ball, thrown at it so fast that the step ends beyond numbers.
TEST(Replay, AStepWithABodyIsSeenAgainWithoutTheBody) {
  const auto ball = make_solid_collider({Solid{Sphere{Vec3(0.1, -0.06, 0.1), 0.05}}});
  const DrapeModel model = build_model(hung()).value();
  Scene scene = still_scene();
  scene.collider = ball.get();
  DrapeState state = start_state(hung());
  for (RVec3& v : state.v) v = RVec3(0, Real(-5e4), 0);
  SolverSettings settings;
  settings.iterations = 3;
  std::string bundle;
  const FaultSink sink = [&](const std::string& bytes) { bundle = bytes; };
  auto solver = make_recorded_solver("lbfgs", model, settings, sink).value();
  const auto first = solver->step({}, scene, &state);
  ASSERT_EQ(first.status().code(), absl::StatusCode::kInternal);
  const ReplayBundle read = decode_replay(bundle).value();
  EXPECT_FALSE(read.asked.empty());
  EXPECT_EQ(encode_replay(read), bundle);
  EXPECT_EQ(replay_steps(read, {}).status().message(), first.status().message());
  int in_reach = 0;
  for (const AskedPoint& a : read.asked) in_reach += a.answer.distance < a.max_distance;
  EXPECT_GT(in_reach, 0);
}

TEST(Replay, ABundleHasTheFewestStepsThatShowTheFailure) {
  const DrapeModel model = build_model(hung()).value();
  std::string bundle;
  const FaultSink sink = [&](const std::string& bytes) { bundle = bytes; };
  auto solver = make_recorded_solver("lbfgs", model, {}, sink).value();
  DrapeState state = start_state(hung());
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(solver->step({}, still_scene(), &state).ok());
  state.v[11].x() = std::numeric_limits<Real>::quiet_NaN();
  const auto first = solver->step({}, still_scene(), &state);
  EXPECT_EQ(error_detail(first.status())->field, "particle[11]");
  const ReplayBundle read = decode_replay(bundle).value();
  EXPECT_TRUE(read.seen_again);
  ASSERT_EQ(read.states.size(), 1u);
  EXPECT_EQ(read.states[0].step, 7);
}

TEST(Replay, EverySolverFailsByItsNameAndIsSeenAgain) {
  const DrapeModel model = build_model([] {
                             ClothInput cloth = hung();
                             cloth.bend = BendLaw::kQuadratic;
                             return cloth;
                           }())
                               .value();
  for (const SolverInfo& info : solver_list()) {
    std::string bundle;
    const FaultSink sink = [&](const std::string& bytes) { bundle = bytes; };
    auto solver = make_recorded_solver(info.name, model, {}, sink).value();
    DrapeState state = start_state(hung());
    state.x[11].y() = std::numeric_limits<Real>::infinity();
    const auto first = solver->step({}, still_scene(), &state);
    ASSERT_EQ(first.status().code(), absl::StatusCode::kInternal) << info.name;
    EXPECT_EQ(error_detail(first.status())->field, "particle[11]") << info.name;
    const ReplayBundle read = decode_replay(bundle).value();
    EXPECT_TRUE(read.seen_again) << info.name;
    EXPECT_EQ(read.solver, info.name);
  }
}

TEST(Replay, ClothThatFliesApartIsReportedWithItsFastestParticle) {
  const DrapeModel model = build_model(hung()).value();
  DrapeState state = start_state(hung());
  for (RVec3& v : state.v) v = RVec3(0, Real(5e4), 0);
  state.v[7] *= 2;
  SolverSettings settings;
  settings.iterations = 1;
  int bundles = 0;
  const FaultSink sink = [&](const std::string&) { ++bundles; };
  auto solver = make_recorded_solver("lbfgs", model, settings, sink).value();
  const auto report = solver->step({}, still_scene(), &state);
  ASSERT_EQ(report.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(error_detail(report.status())->reason, "SIM_DIVERGED");
  EXPECT_EQ(bundles, 1);
}

TEST(Replay, DamagedBytesAreRefusedAndNeverReadBeyond) {
  const DrapeModel model = build_model(hung()).value();
  const std::string good = encode_replay({"newton", {}, model, {start_state(hung())}, {}, {0, -9.8, 0}, 0.002, ""});
  EXPECT_EQ(error_detail(decode_replay("").status())->reason, "REPLAY_UNREADABLE");
  for (size_t cut = 0; cut < good.size(); cut += 97) EXPECT_FALSE(decode_replay(good.substr(0, cut)).ok()) << cut;
  EXPECT_FALSE(decode_replay(good + "x").ok());
  for (size_t at = 0; at < good.size(); at += 61) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x7f);
    (void)decode_replay(bad);  // any answer, but no crash
  }
}

TEST(Cancellation, BeforeAStepStopsIt) {
  const DrapeModel model = build_model(hung()).value();
  for (const char* name : {"lbfgs", "newton"}) {
    RunContext context;
    SolverSettings settings;
    settings.iterations = 1000;
    settings.tolerance = 0;
    DrapeState state = start_state(hung());
    auto solver = make_solver(name, model, settings).value();
    context.cancel.cancel();
    EXPECT_EQ(solver->step(context, still_scene(), &state).status().code(), absl::StatusCode::kCancelled) << name;
  }
}

}  // namespace
}  // namespace tryon::sim
