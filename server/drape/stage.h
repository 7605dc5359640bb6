// What it is: what the stages of a drape share: one cloth on one mesh, the solver that moves it, the report that they
// all fill, and the step between. Units: SI. How it fails: advance() as sim::Solver::step(). Thread rules: as
// RunContext.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "server/base/run_context.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/settle.h"
#include "server/sim/model.h"
#include "server/sim/solvers/solver.h"

namespace tryon {

using Pairs = std::vector<std::pair<int, int>>;

struct Stage {
  const RunContext& run;
  const sim::DrapeModel& model;
  sim::Scene& scene;
  sim::Solver& solver;
  sim::DrapeState& state;
  SettleReport& report;
  const SettleOptions& options;
};

// Steps in which seams close and what was sewn falls. Layers that are kept apart would catch each other for good if
// they were drawn fast or fell for a short while; in a preview what lies on the shoulders may hang some millimetres
// off.
struct Patience {
  int close_steps, fall_steps;
};
inline Patience patience_of(const SettleOptions& options) {
  if (options.layers == LayerContact::kAlways) return {50, 45};
  return options.target_grade == TargetGrade::kPreview ? Patience{10, 8} : Patience{25, 20};
}

// A fault of ours says where it happened; what the caller asked for (an end) needs no place.
inline absl::Status located(const absl::Status& status, std::string_view place) {
  return absl::IsInternal(status) ? prefix_field(status, place) : status;
}

inline absl::StatusOr<sim::StepReport> advance(Stage* stage) {
  if (stage->options.before_step) stage->options.before_step(&stage->state);
  const auto stepped = stage->solver.step(stage->run, stage->scene, &stage->state);
  if (!stepped.ok()) return located(stepped.status(), cat("step[", stage->state.step, "]."));
  const sim::StepReport& step = *stepped;
  stage->report.iterations += step.iterations;
  stage->report.collision_s += step.collision_s;
  stage->report.drape_s += step.total_s;
  if (stage->options.after_step) stage->options.after_step(stage->model.triangles, stage->state);
  return step;
}

inline std::vector<Vec3> positions_of(const sim::DrapeState& state) {
  std::vector<Vec3> out;
  out.reserve(state.x.size());
  for (const auto& x : state.x) out.push_back(x.cast<double>());
  return out;
}

}  // namespace tryon
