// What it is: whether to trust a drape, as keys of metrics.json (validation 6.1 to 6.5): equilibrium, motion, seams,
// penetration, self_intersections, strain. Units: as the key says; a figure that was not computed is absent, never 0.
// Shapes: `all` is the mesh of all that is worn, the garment last. How it fails: it does not. Thread rules: as
// RunContext.
#pragma once

#include "nlohmann/json_fwd.hpp"
#include "server/drape/measure.h"

namespace tryon {

nlohmann::json trust_json(const RunContext& run, const DrapeFacts& facts, const TriangleMesh& all);

// Pairs of triangles that cross in a motion, of all that is worn: the frame that has most of them, the first of
// several. Counting costs a seventh of a step of 1/60 s, so of frames that follow each other faster than 15 a second only
// every second, third or fourth is looked at, the last one always.
struct WorstFrame {
  int frame = 0;  // from 0
  int crossings = 0;
  int looked_at = 0;  // frames
};
WorstFrame worst_frame(const RunContext& run, const Settled& settled);  // which must have frames

}  // namespace tryon
