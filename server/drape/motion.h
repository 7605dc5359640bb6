// What it is: the cloth in time: from rest, or as it was sewn, it moves in wind and gravity, damped by its own fabric
// (bend_damping.h, shear_damping.h) and the air; where the air is still at the end it comes to rest again. Frames go out as they are
// made. Units: SI, simulated seconds. Shapes: frames [frame][particle_count of all cloths]. How it fails: as
// sim::Solver::step(); near the deadline it ends early with what there is. Thread rules: as RunContext.
// Cites: Ji 2004 sections 3.2, 3.3 (wind, explicit motion); Yong 2021 section 3.
#pragma once

#include "server/drape/worn_model.h"

namespace tryon {

// From the positions of the cloths, which options.motion must tell how to move; fills the report and its frames.
// Positions at the end, one cloth after the other.
absl::StatusOr<std::vector<Vec3>> move_in_air(const RunContext& run, const std::vector<Cloth>& cloths,
                                              const sim::Collider& collider, const SettleOptions& options,
                                              SettleReport* report);

}  // namespace tryon
