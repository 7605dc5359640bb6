// What it is: what the stages of a drape share: one cloth on one mesh, the solver that moves it, the report that they
// all fill, and the step between. Units: SI. How it fails: advance() as sim::Solver::step(). Thread rules: as
// RunContext.
#pragma once

#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "server/base/run_context.h"
#include "server/base/status.h"
#include "server/drape/settle.h"
#include "server/sim/model.h"
#include "server/sim/solvers/solver.h"

namespace tryon {

inline constexpr double kLayerGap = 2e-3;  // m between layers of the cloth where they press on each other

using Pairs = std::vector<std::pair<int, int>>;

struct Stage {
  const RunContext& run;
  const sim::Scene& scene;
  sim::Solver& solver;
  sim::DrapeState& state;
  SettleReport& report;
};

inline absl::StatusOr<sim::StepReport> advance(Stage* stage) {
  ASSIGN_OR_RETURN(sim::StepReport step, stage->solver.step(stage->run, stage->scene, &stage->state));
  stage->report.iterations += step.iterations;
  stage->report.collision_s += step.collision_s;
  stage->report.drape_s += step.total_s;
  return step;
}

// Time is kept for measuring and exporting what there is.
inline bool near_deadline(const RunContext& run) {
  return run.deadline != absl::InfiniteFuture() && absl::Now() > run.deadline - absl::Seconds(3);
}

inline std::vector<Vec3> positions_of(const sim::DrapeState& state) {
  std::vector<Vec3> out;
  out.reserve(state.x.size());
  for (const auto& x : state.x) out.push_back(x.cast<double>());
  return out;
}

sim::SpringFabric spring_fabric(const Fabric& fabric);  // resting.cc

}  // namespace tryon
