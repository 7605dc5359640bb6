#include "server/drape/resting.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "server/drape/grade.h"
#include "server/drape/leave_body.h"
#include "server/metrics/metrics.h"
#include "server/sim/collision/bone_contact.h"
#include "server/sim/collision/tangle.h"

namespace tryon {
namespace {

// The goal lies within the grade: the certificate asks the body anew, at positions that the solver took as near enough.
constexpr double kWithin = 0.8;

// Falling: full weight in small steps, by which what was just sewn finds its folds and friction lets go what was
// pulled. Calming: large steps without inertia, each minimised well, until the forces balance.
constexpr int kCoarseCalmSteps = 12, kMaxCalmSteps = 120, kCalmIterations = 40;
constexpr double kRoughRms = 0.15, kRoughMax = 2;  // of a preview's coarser levels: as far as plain steps go
constexpr int kCarriedCalmSteps = 4;  // of the coarser level: what is far off is found, what is near is carried
constexpr int kPatience = 25, kLongPatience = 45;
constexpr int kCalmRounds = 3;    // what came to rest inside the body is moved out, and rests again
constexpr int kRestPasses = 3;    // to the goal; again from where it stalled; deeper
constexpr double kDeeper = 0.25;  // of a goal that was reached
constexpr int kCrossedSteps = 4, kMostRings = 4, kMostTimes = 4;
constexpr int kLookEvery = 4;       // steps: for places where the cloth crosses itself
constexpr double kFallShare = 0.3;  // of a level's progress, where it falls
constexpr double kFallKeep = 0.96, kFallStep = 1.0 / 30.0, kCalmStep = 0.3, kShortCalmStep = 0.1;

absl::Status fall(Stage* stage, const RestGoal& goal) {
  for (int i = 0; i < goal.fall_steps && !stage->run.winding_up(); ++i) {
    const auto step = advance(stage);
    if (!step.ok()) return step.status();
    ++stage->report.drape_steps;
    stage->run.report("drape", goal.begin + goal.share * kFallShare * (i + 1.0) / goal.fall_steps);
  }
  return absl::OkStatus();
}

// Smooths the patch round what is tangled that leaves the least of it; false where none lessens it. In laid pleats the
// film of a wide patch goes through the layers beside it, and that of a sleeve through the arm.
bool iron(Stage* stage) {
  sim::TangledCloth cloth(stage->model);
  const std::vector<int> tangled = cloth.vertices(stage->state.x, stage->run);
  const auto bones_through = [stage](const std::vector<sim::RVec3>& x) {
    return sim::bones_through(stage->scene.bones, stage->model.triangles, x);
  };
  const int through = bones_through(stage->state.x);
  size_t least = tangled.size();
  std::vector<sim::RVec3> best;
  for (int rings = 0; rings <= kMostRings && least > 0; ++rings) {
    std::vector<sim::RVec3> ironed = stage->state.x;
    cloth.smooth(stage->scene, tangled, rings, &ironed);
    const size_t left = cloth.vertices(ironed, stage->run).size();
    if (left >= least || bones_through(ironed) > through) continue;
    least = left;
    best = std::move(ironed);
  }
  if (best.empty()) return false;
  stage->state.x = std::move(best);
  return true;
}

// What has crossed itself for long is ironed, a few times at most.
class Ironing {
 public:
  bool after_step(const sim::StepReport& step, Stage* stage) {
    crossed_steps_ = step.crossings > 0 ? crossed_steps_ + 1 : 0;
    if (crossed_steps_ < kCrossedSteps || times_ == kMostTimes) return false;
    crossed_steps_ = 0;
    ++times_;
    return iron(stage);
  }

 private:
  int crossed_steps_ = 0, times_ = 0;
};

bool crosses(const RunContext& run, const sim::DrapeModel& model, const sim::DrapeState& state) {
  return count_self_intersections({positions_of(state), model.triangles}, run) > 0;
}

// True if there are more.
bool find_places(const RestGoal& goal, Stage* stage) {
  if (goal.places == nullptr || goal.places->everywhere() || stage->run.winding_up()) return false;
  if (!goal.places->take_in({positions_of(stage->state), stage->model.triangles}, stage->run)) return false;
  goal.places->tell(&stage->scene);
  return true;
}

// Friction between layers keeps to the limits of its step's start, the certificate asks what they press at its end.
// Where that is less, both come together in further steps of the same solver (a seventh a step where it was watched);
// one that begins anew remembers nothing of what was held.
class Doubt {
 public:
  bool raised() const { return looks_ > 0; }
  // Of a step whose forces balance for the solver. The certificate itself is asked, now and then: the body may carry
  // what layers do not.
  bool allayed(const sim::StepReport& step, const RestGoal& goal, const Stage& stage) {
    if (!goal.finest || step.overheld_max <= goal.max) return true;
    if (looks_++ % kLookEvery != 0) return false;
    const sim::Residual residual = sim::equilibrium_residual(stage.model, stage.scene, stage.state, 0.0, stage.run);
    return is_at_least(grade_of(residual.rms, residual.max, fast_speed(stage.state)),
                       target_of(stage.options.target_grade).name);
  }

 private:
  int looks_ = 0;
};

// Steps until the net nodal forces are those of the goal (true), nothing improves, or the deadline is near.
absl::StatusOr<bool> calm(Stage* stage, const RestGoal& goal) {
  SettleReport& report = stage->report;
  report.termination = "step_limit";
  const double fallen = goal.fall_steps > 0 ? kFallShare : 0.0;
  double best = 1e300;
  int since_best = 0;
  Ironing ironing;
  Doubt doubt;
  for (int i = 0; i < goal.calm_steps; ++i) {
    if (i % kLookEvery == 0 && find_places(goal, stage)) best = 1e300, since_best = 0;
    for (auto& v : stage->state.v) v.setZero();
    ASSIGN_OR_RETURN(const sim::StepReport step, advance(stage));
    ++report.drape_steps;
    stage->run.report("drape", goal.begin + goal.share * (fallen + (1.0 - fallen) * (i + 1.0) / goal.calm_steps));
    if (ironing.after_step(step, stage)) {
      best = 1e300, since_best = 0;
      continue;
    }
    const bool in_doubt = doubt.raised();
    const bool reached =
        step.residual_rms <= goal.rms && step.residual_max <= goal.max && doubt.allayed(step, goal, *stage);
    const bool preview_grade = step.residual_rms <= kPreviewRms && step.residual_max <= kPreviewMax;
    double wanting = std::max(step.residual_rms / goal.rms, step.residual_max / goal.max);
    if (doubt.raised()) wanting = std::max(wanting, step.overheld_max / goal.max);
    if (doubt.raised() && !in_doubt) best = 1e300;  // what is wanting is measured otherwise from here on
    since_best = wanting < 0.9 * best ? 0 : since_best + 1;
    best = std::min(best, wanting);
    const bool settled = reached || (preview_grade && since_best >= kPatience);
    if ((settled || since_best >= kLongPatience) && find_places(goal, stage)) {
      best = 1e300, since_best = 0;
      continue;
    }
    if (settled) {
      report.termination = "settled";
      return reached;
    }
    if (since_best >= kLongPatience) break;
    if (stage->run.winding_up()) {
      report.termination = "deadline";
      break;
    }
  }
  return false;
}

// Calm, and calm again where something had come to rest inside the body. True: the goal was reached.
absl::StatusOr<bool> rest(Stage* stage, const RestGoal& goal) {
  bool reached = false;
  for (int round = 0; round < kCalmRounds; ++round) {
    const int left = leave_body(stage->run, stage->model, stage->scene, &stage->state);
    if (round > 0 && (left == 0 || stage->run.winding_up())) break;
    ASSIGN_OR_RETURN(reached, calm(stage, goal));
  }
  return reached;
}

}  // namespace

double fast_speed(const sim::DrapeState& state) {
  std::vector<double> speeds;
  for (const auto& v : state.v) speeds.push_back(static_cast<double>(v.norm()));
  if (speeds.empty()) return 0.0;
  const size_t k = speeds.size() * 995 / 1000;
  std::nth_element(speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(k), speeds.end());
  return speeds[k];
}

RestGoal rest_goal(int level, int top, const SettleOptions& options) {
  RestGoal goal{0, kCoarseCalmSteps, kPreviewRms, kPreviewMax};
  if (options.target_grade == TargetGrade::kPreview) goal.rms = kRoughRms, goal.max = kRoughMax;
  if (level == top) goal.fall_steps = patience_of(options).fall_steps;
  if (level == 0) {
    const Target& target = target_of(options.target_grade);
    goal.calm_steps = kMaxCalmSteps, goal.rms = kWithin * target.rms, goal.max = kWithin * target.max;
    goal.finest = true;
  }
  goal.share = 1.0 / (top + 1);
  goal.begin = goal.share * (top - level);
  return goal;
}

void certify(const RunContext& run, const sim::DrapeModel& model, const sim::Scene& scene, sim::DrapeState* state,
             SettleReport* report) {
  leave_body(run, model, scene, state);
  const sim::NetForces net = sim::net_forces(model, scene, *state, 0.0, run);
  const sim::Residual residual = sim::equilibrium_residual(model, scene, *state, net, run);
  report->residual_max = residual.max;
  report->residual_rms = residual.rms;
  report->grade = grade_of(residual.rms, residual.max, fast_speed(*state));
  report->forces = sim::cloth_forces(model, scene, *state, net, run);
}

namespace {

// No time is left to move anything.
std::vector<Vec3> as_it_is(const RunContext& run, const sim::DrapeModel& model, const sim::Scene& scene,
                           const RestGoal& goal, sim::DrapeState* state, SettleReport* report) {
  report->termination = "deadline";
  if (goal.finest) certify(run, model, scene, state, report);
  return positions_of(*state);
}

// What the passes of a rest share; each has a solver of its own.
struct Rest {
  const RunContext& run;
  const sim::DrapeModel& model;
  sim::Scene& scene;
  sim::DrapeState& state;
  SettleReport& report;
  const SettleOptions& options;
};

sim::SolverSettings calm_settings(const SettleOptions& options) {
  sim::SolverSettings settings;
  settings.velocity_keep = 0.0;
  settings.time_step = options.solver == sim::kDefaultSolver || options.solver == "lbfgs" ? kCalmStep : kShortCalmStep;
  settings.iterations = kCalmIterations;
  settings.tolerance = kWithin * target_of(options.target_grade).rms / 2;
  return settings;
}

absl::StatusOr<std::unique_ptr<sim::Solver>> falling_solver(const sim::DrapeModel& model,
                                                            const SettleOptions& options) {
  sim::SolverSettings settings;
  settings.velocity_keep = kFallKeep;
  settings.time_step = kFallStep;
  return sim::make_recorded_solver(options.solver, model, settings, options.on_fault);
}

// The solver goes before the certificate is made: both at once were the peak of a drape.
absl::StatusOr<bool> rest_once(const Rest& r, const RestGoal& goal, std::unique_ptr<sim::Solver> calming) {
  Stage resting{r.run, r.model, r.scene, *calming, r.state, r.report, r.options};
  return rest(&resting, goal);
}

// To the goal: deeper where the certificate still finds too much (solver and certificate ask the body apart: what is
// right at the border for one may be over it for the other), and once more where it stalled. A solver that begins
// anew with plain steps leaves such a place; should it stall elsewhere, the better of both rests is kept.
absl::Status rest_to_grade(const Rest& r, RestGoal goal, std::unique_ptr<sim::Solver> calming) {
  const std::string_view wanted = target_of(r.options.target_grade).name;
  sim::SolverSettings settings = calm_settings(r.options);
  const bool anew = r.options.solver == sim::kDefaultSolver;
  std::optional<std::pair<double, sim::DrapeState>> stalled;
  for (int pass = 0; pass < kRestPasses; ++pass) {
    if (calming == nullptr) {
      ASSIGN_OR_RETURN(calming, sim::make_recorded_solver(r.options.solver, r.model, settings, r.options.on_fault));
    }
    ASSIGN_OR_RETURN(const bool reached, rest_once(r, goal, std::move(calming)));
    if (!goal.finest) break;
    certify(r.run, r.model, r.scene, &r.state, &r.report);
    if (is_at_least(r.report.grade, wanted) || r.run.winding_up()) break;
    if (reached) {
      settings.tolerance *= kDeeper, goal.rms *= kDeeper, goal.max *= kDeeper;
    } else if (anew && !stalled && !crosses(r.run, r.model, r.state)) {
      stalled.emplace(r.report.residual_max, r.state);
    } else {
      break;
    }
  }
  if (stalled && stalled->first < r.report.residual_max) {
    r.state = std::move(stalled->second);
    certify(r.run, r.model, r.scene, &r.state, &r.report);
  }
  return absl::OkStatus();
}

}  // namespace

RestGoal only_rest_goal(int fall_steps, const SettleOptions& options) {
  RestGoal goal = rest_goal(0, 1, options);
  goal.fall_steps = fall_steps, goal.begin = 0.0, goal.share = 1.0;
  return goal;
}

RestGoal carried_goal(int level, const SettleOptions& options) {
  constexpr double kCoarseShare = 0.2;  // of the time, about
  RestGoal goal = rest_goal(level, level + 1, options);
  goal.from_rest = true;
  goal.begin = kCoarseShare, goal.share = 1.0 - kCoarseShare;
  if (level > 0) goal.calm_steps = kCarriedCalmSteps, goal.begin = 0.0, goal.share = kCoarseShare;
  return goal;
}

absl::StatusOr<std::unique_ptr<Prepared>> prepare_rest(const RunContext& run, const std::vector<Cloth>& cloths,
                                                       const SettleOptions& options) {
  auto out = std::make_unique<Prepared>();
  ASSIGN_OR_RETURN(out->model, worn_model(cloths, options, false));
  if (!run.check().ok() || run.winding_up()) return out;
  ASSIGN_OR_RETURN(out->calming,
                   sim::make_recorded_solver(options.solver, out->model, calm_settings(options), options.on_fault));
  return out;
}

absl::StatusOr<std::vector<Vec3>> come_to_rest(const RunContext& run, const std::vector<Cloth>& cloths,
                                               const sim::Collider& collider, const SettleOptions& options,
                                               const RestGoal& goal, SettleReport* report) {
  Prepared prepared;
  ASSIGN_OR_RETURN(prepared.model, worn_model(cloths, options, false));
  return come_to_rest(run, cloths, collider, options, goal, &prepared, report);
}

absl::StatusOr<std::vector<Vec3>> come_to_rest(const RunContext& run, const std::vector<Cloth>& cloths,
                                               const sim::Collider& collider, const SettleOptions& options,
                                               const RestGoal& goal, Prepared* prepared, SettleReport* report) {
  sim::DrapeState state = worn_state(cloths);
  const sim::DrapeModel& model = prepared->model;
  sim::Scene scene = worn_scene(cloths, collider, options.layers);
  if (goal.places != nullptr) {
    if (goal.from_rest) goal.places->take_in_layers(model, state.x);
    goal.places->tell(&scene);
  }
  if (run.winding_up()) return as_it_is(run, model, scene, goal, &state, report);
  scene.bones = options.bones;
  if (goal.fall_steps > 0) {  // its factors go before others are made
    ASSIGN_OR_RETURN(const auto moving, falling_solver(model, options));
    Stage falling{run, model, scene, *moving, state, *report, options};
    find_places(goal, &falling);
    RETURN_IF_ERROR(fall(&falling, goal));
  }
  if (goal.finest) scene.bones.clear();  // bodies' surfaces alone bear what is certified
  RETURN_IF_ERROR(rest_to_grade({run, model, scene, state, *report, options}, goal, std::move(prepared->calming)));
  return positions_of(state);
}

}  // namespace tryon
