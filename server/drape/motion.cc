#include "server/drape/motion.h"

#include <algorithm>
#include <cmath>

#include "server/drape/resting.h"
#include "server/drape/stage.h"

namespace tryon {
namespace {

constexpr double kLongestStep = 1.0 / 60.0;  // s
constexpr double kKeepOfASecond = 0.3;       // of the velocity, by solvers that do not know the fabric's damping

// Whole steps a frame.
int steps_a_frame(const Motion& motion) {
  return std::max(1, static_cast<int>(std::ceil(1.0 / (motion.frames_per_second * kLongestStep) - 1e-9)));
}

bool is_still(const SettleOptions& options, double time) {
  const double wind = options.motion->wind_seconds;
  return options.wind_mps.isZero(0.0) || (wind > 0 && time >= wind - 1e-9);
}

sim::Wind air_at(const SettleOptions& options, double time) {
  sim::Wind air = options.air;
  air.velocity = options.wind_mps;
  if (is_still(options, time)) air.velocity.setZero();
  return air;
}

// One cloth of all, as the positions lie one after the other: the outermost comes last.
std::vector<Vec3> of_the_garment(const std::vector<Vec3>& all, const std::vector<Cloth>& cloths) {
  return {all.end() - static_cast<std::ptrdiff_t>(cloths.back().welded.mesh.positions.size()), all.end()};
}

MotionEnd end_of(const sim::DrapeModel& model, const sim::DrapeState& state) {
  double mass = 0.0, doubled = 0.0;
  for (size_t i = 0; i < state.v.size(); ++i) {
    mass += static_cast<double>(model.mass[i]);
    doubled += static_cast<double>(model.mass[i] * state.v[i].squaredNorm());
  }
  return {fast_speed(state), mass > 0.0 ? 0.5 * doubled / mass : 0.0};
}

absl::StatusOr<std::vector<Vec3>> rest_where_they_hang(const RunContext& run, const std::vector<Cloth>& cloths,
                                                       const sim::Collider& collider, const SettleOptions& options,
                                                       const std::vector<Vec3>& positions, SettleReport* report) {
  std::vector<WeldedMesh> hanging;
  size_t vertex = 0;
  for (const Cloth& cloth : cloths) {
    hanging.push_back(cloth.welded);
    for (Vec3& p : hanging.back().mesh.positions) p = positions[vertex++];
  }
  std::vector<Cloth> moved;
  for (size_t k = 0; k < cloths.size(); ++k) moved.push_back({hanging[k], cloths[k].fabric});
  return come_to_rest(run, moved, collider, options, only_rest_goal(0, options), report);
}

}  // namespace

absl::StatusOr<std::vector<Vec3>> move_in_air(const RunContext& run, const std::vector<Cloth>& cloths,
                                              const sim::Collider& collider, const SettleOptions& options,
                                              SettleReport* report) {
  const Motion& motion = *options.motion;
  const int steps = steps_a_frame(motion), frames = motion.frame_count();
  sim::DrapeState state = worn_state(cloths);
  ASSIGN_OR_RETURN(const sim::DrapeModel model, worn_model(cloths, options, true));
  sim::SolverSettings settings;
  settings.time_step = 1.0 / (motion.frames_per_second * steps);
  settings.velocity_keep = keeps_layers_apart(options.solver) ? 1.0 : std::pow(kKeepOfASecond, settings.time_step);
  ASSIGN_OR_RETURN(auto solver, sim::make_recorded_solver(options.solver, model, settings, options.on_fault));
  sim::Scene scene = worn_scene(cloths, collider, options.layers);
  Stage moving{run, model, scene, *solver, state, *report, options};
  report->blown.clear();
  report->blown_step_s = 1.0 / motion.frames_per_second;
  for (int frame = 1; frame <= frames; ++frame) {
    for (int i = 0; i < steps; ++i) {
      scene.wind = air_at(options, state.time);
      RETURN_IF_ERROR(advance(&moving).status());
      ++report->drape_steps;
    }
    run.report("blow", static_cast<double>(frame) / frames);
    const bool last = frame == frames || run.winding_up();
    if (last) {
      report->motion_end = end_of(model, state);
      certify(run, model, scene, &state, report);
    }
    report->blown.push_back(positions_of(state));
    if (options.on_frame) options.on_frame(of_the_garment(report->blown.back(), cloths));
    if (last) break;
  }
  const bool whole = static_cast<int>(report->blown.size()) == frames;
  report->termination = whole ? "blown" : "deadline";
  if (!whole || !is_still(options, motion.seconds)) return report->blown.back();
  return rest_where_they_hang(run, cloths, collider, options, report->blown.back(), report);
}

}  // namespace tryon
