// What it is: a person's surface made whole: manifold, outward, free of scanning noise, its holes filled.
// Units and frame: metres, the body's. Shapes: triangles and vertices may be dropped and added.
// How it fails: it does not by itself; holes that no patch fits are counted. Thread rules: pure function.
#pragma once

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/body/candidate.h"

namespace tryon {

struct HealReport {
  int open_holes = 0;
  double filled_ratio = 0.0;   // of the healed surface
  double largest_ratio = 0.0;  // of the largest patch
  Vec3 largest = Vec3::Zero();
};
// Says in person->source.healed what it did.
absl::StatusOr<HealReport> heal_person(const RunContext& run, Person* person);
// The same without filling: what was scanned, outward, as the ground for a reconstruction.
void mend_without_filling(Person* person);

}  // namespace tryon
