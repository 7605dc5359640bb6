// What it is: what is needed to see a failed step again: model, the state before the step, settings and air, as one
// string of bytes; and a solver that keeps that state and hands the bundle out when a step fails or the cloth flies
// apart. The body is not inside (it may be a person's): whoever replays a step with contact brings the collider. What a
// solver remembers between steps (contact multipliers, quasi-Newton pairs) is not inside either; a replay begins
// without it. Units: SI. Shapes: as model.h. How it fails: decode_replay() says REPLAY_UNREADABLE for bytes that are
// not a whole bundle of this build's number type; a recorded step SIM_DIVERGED with the fastest particle beyond 1 km/s.
// Thread rules: pure functions; a recorded solver as any solver.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

struct ReplayBundle {
  std::string solver;
  SolverSettings settings;
  DrapeModel model;
  DrapeState state;
  Wind wind;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  double contact_offset = 0;
  std::string failure;  // what the step said
};
std::string encode_replay(const ReplayBundle& bundle);
absl::StatusOr<ReplayBundle> decode_replay(std::string_view bytes);
// The step again, from the bundle's state by a new solver.
absl::StatusOr<StepReport> replay_step(const ReplayBundle& bundle, const RunContext& run, const Collider* collider);

using FaultSink = std::function<void(const std::string& bundle)>;
// As make_solver(); a step that ends INTERNAL, or diverges, gives its bundle to `on_fault` first.
absl::StatusOr<std::unique_ptr<Solver>> make_recorded_solver(std::string_view name, const DrapeModel& model,
                                                             const SolverSettings& settings, FaultSink on_fault);

}  // namespace tryon::sim
