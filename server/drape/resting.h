// What it is: one level of a drape: sewn cloth comes to rest, after a fall where one is wanted. Units: SI. Shapes:
// positions [vertex_count of the level]. Stop rule: net nodal force over mean nodal weight (validation 6.1).
// How it fails: as the solver; near the deadline it returns early with what there is. Thread rules: as RunContext.
#pragma once

#include <memory>
#include <vector>

#include "server/drape/layer_places.h"
#include "server/drape/stage.h"
#include "server/drape/worn_model.h"

namespace tryon {

// How far a level goes: steps of falling, then steps of calming until net forces are below rms and max.
struct RestGoal {
  int fall_steps = 0, calm_steps = 0;
  double rms = 0.0, max = 0.0;      // of the mean nodal weight
  bool finest = false;              // leaves the body, gets its certificate
  LayerPlaces* places = nullptr;    // more of them where the cloth crosses itself; null: as options.layers
  bool from_rest = false;           // it begins as another rest ended: places also where layers lie on each other
  double begin = 0.0, share = 1.0;  // of the progress of the whole drape
};
// Of a level, where `top` is the coarsest and 0 the garment's own.
RestGoal rest_goal(int level, int top, const SettleOptions& options);
// Of the garment's own level where it is all there is: the whole progress.
RestGoal only_rest_goal(int fall_steps, const SettleOptions& options);
// Of cloth that begins where another size lies: of the coarser level (1), then of its own (0).
RestGoal carried_goal(int level, const SettleOptions& options);

// What a rest needs of the cloths but not of where they lie, so that it can be made ahead.
struct Prepared {
  sim::DrapeModel model;
  std::unique_ptr<sim::Solver> calming;  // of the first pass, with which it goes; none where there is no time for one
};
absl::StatusOr<std::unique_ptr<Prepared>> prepare_rest(const RunContext& run, const std::vector<Cloth>& cloths,
                                                       const SettleOptions& options);

// From the positions of the cloths, which are worn together, innermost first; fills the report. Positions one cloth
// after the other. `prepared`: of these cloths.
absl::StatusOr<std::vector<Vec3>> come_to_rest(const RunContext& run, const std::vector<Cloth>& cloths,
                                               const sim::Collider& collider, const SettleOptions& options,
                                               const RestGoal& goal, Prepared* prepared, SettleReport* report);
absl::StatusOr<std::vector<Vec3>> come_to_rest(const RunContext& run, const std::vector<Cloth>& cloths,
                                               const sim::Collider& collider, const SettleOptions& options,
                                               const RestGoal& goal, SettleReport* report);

// The 99.5th percentile of the particles' speeds, m/s; 0 without any.
double fast_speed(const sim::DrapeState& state);

// A last look at the body, and what the net forces are by code of its own: grade, residual, forces of the report.
void certify(const RunContext& run, const sim::DrapeModel& model, const sim::Scene& scene, sim::DrapeState* state,
             SettleReport* report);

}  // namespace tryon
