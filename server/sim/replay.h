// What it is: what is needed to see a failed step again: model, the states before the last steps, settings and air, as
// one string of bytes; and a solver that keeps those states and hands the bundle out when a step fails or the cloth
// flies apart. Nothing of the collider is kept while steps succeed: the failing one is run again by a new solver, and
// the collider's answers of that run go into the bundle, so that contact is seen again without the body; a question
// that was not asked then is answered by the tangent plane of the nearest one that was. What a solver remembers between
// steps (contact stiffness, quasi-Newton pairs) comes back by the steps before: as few of them are kept as the
// failure needs. `seen_again` says that the bundle alone failed in the same way before it was handed out. Units: SI.
// Shapes: as model.h. How it fails: decode_replay() says REPLAY_UNREADABLE for bytes that are not a whole bundle of
// this build's number type; a recorded step SIM_DIVERGED with the fastest particle beyond 1 km/s. Thread rules: pure
// functions; a recorded solver as any solver.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/sim/solvers/solver.h"

namespace tryon::sim {

inline constexpr int kReplaySteps = 4;  // at most, with the one that failed

struct AskedPoint {
  Eigen::Vector3d point;
  double max_distance = 0;
  Contact answer;
};

struct ReplayBundle {
  std::string solver;
  SolverSettings settings;
  DrapeModel model;
  std::vector<DrapeState> states;  // [1 .. kReplaySteps] before each step, the last before the one that failed
  Wind wind;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  double contact_offset = 0;
  std::string failure;  // what the step said, encode_status()
  double self_contact = 0, pressure = 0, middle_room = 0, steep_share = 0;
  std::vector<AskedPoint> asked = {};  // of the collider, sorted by point; empty: there was none, or none in reach
  std::vector<SharpPoint> sharp = {};  // the collider's, near the cloth
  bool seen_again = false;
  std::vector<uint8_t> kept_apart = {};  // as Scene's
  std::vector<Bone> bones = {};          // the same
  std::vector<Triangle> bridges = {};    // the same
};
std::string encode_replay(const ReplayBundle& bundle);
absl::StatusOr<ReplayBundle> decode_replay(std::string_view bytes);
// The steps again, from the bundle's states by a new solver; against `collider`, or what the bundle knows of it. The
// report is the last step's.
absl::StatusOr<StepReport> replay_steps(const ReplayBundle& bundle, const RunContext& run,
                                        const Collider* collider = nullptr);

using FaultSink = std::function<void(std::string bundle)>;  // may be empty
// As make_solver(); a step that ends INTERNAL, or diverges, gives its bundle to `on_fault` first.
absl::StatusOr<std::unique_ptr<Solver>> make_recorded_solver(std::string_view name, const DrapeModel& model,
                                                             const SolverSettings& settings, FaultSink on_fault);

}  // namespace tryon::sim
