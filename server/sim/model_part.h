// What it is: a part of a cloth as a model of its own: the particles that move, everything that acts on them, and as
// much of the cloth beside them as that needs, which is pinned. Forces on what moves are those of the whole, its energy
// differs from the whole's by a constant, its residuals are counted in the whole's mean weight.
// Units: SI. Shapes: `whole` [particle_count of the part], ascending. How it fails: never; models that bend by folds
// have no parts. Thread rules: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/model.h"

namespace tryon::sim {

struct ModelPart {
  DrapeModel model;
  std::vector<int> whole;  // the whole's particles
};

inline bool has_parts(const DrapeModel& model) { return model.folds.count() == 0; }
// `moves` [particle_count]; what stands beside it and is not to be gone through: `beside` [particle_count].
ModelPart part_of(const DrapeModel& model, const std::vector<uint8_t>& moves, const std::vector<uint8_t>& beside);

// Those and their neighbours along edges, `rings` times: [particle_count].
std::vector<uint8_t> widened(const DrapeModel& model, std::vector<uint8_t> chosen, int rings);

}  // namespace tryon::sim
