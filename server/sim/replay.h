// What it is: what is needed to see a failed step again: model, the state before the step, settings and air, as one
// string of bytes; and a solver that keeps that state and hands the bundle out when a step fails or the cloth flies
// apart. Of the collider, whatever it is, the bundle keeps the questions of the failed step with their answers, so that
// contact is seen again without the body; a question that was not asked then is answered by the tangent plane of the
// nearest one that was. What a solver remembers between steps (contact multipliers, quasi-Newton pairs) is not inside;
// a replay begins without it. Units: SI. Shapes: as model.h. How it fails: decode_replay() says REPLAY_UNREADABLE for
// bytes that are not a whole bundle of this build's number type; a recorded step SIM_DIVERGED with the fastest particle
// beyond 1 km/s. Thread rules: pure functions; a recorded solver as any solver.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

struct AskedPoint {
  Eigen::Vector3d point;
  double max_distance = 0;
  Contact answer;
};

struct ReplayBundle {
  std::string solver;
  SolverSettings settings;
  DrapeModel model;
  DrapeState state;
  Wind wind;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  double contact_offset = 0;
  std::string failure;  // what the step said
  double self_contact = 0, pressure = 0;
  std::vector<AskedPoint> asked = {};  // of the collider, sorted by point; empty: there was none, or none in reach
};
std::string encode_replay(const ReplayBundle& bundle);
absl::StatusOr<ReplayBundle> decode_replay(std::string_view bytes);
// The step again, from the bundle's state by a new solver; against `collider`, or what the bundle knows of it.
absl::StatusOr<StepReport> replay_step(const ReplayBundle& bundle, const RunContext& run,
                                       const Collider* collider = nullptr);

using FaultSink = std::function<void(const std::string& bundle)>;
// As make_solver(); a step that ends INTERNAL, or diverges, gives its bundle to `on_fault` first.
absl::StatusOr<std::unique_ptr<Solver>> make_recorded_solver(std::string_view name, const DrapeModel& model,
                                                             const SolverSettings& settings, FaultSink on_fault);

}  // namespace tryon::sim
