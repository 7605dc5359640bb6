// What it is: panels without a placement put round the body by what they are: each piece gets a side of the trunk or of
// an arm to face, a place beside, above or below its seam partners on the unrolled surface there, grain upright, and is
// then wrapped round the axis at the smallest distance that clears the body's solids.
//   Arms stay on their side of the cloth: what hangs from the waist and is wider than the room between the hands is
// folded until it has that room, so that hands are outside once it is sewn; a circle skirt is opened below them like an
// umbrella; a sleeve goes round the middle of the part of the arm that it will cover, as far up as it closes round it.
// Units and frame: metres, +Y up, body facing +Z, +X the person's left. Shapes: GarmentMesh::placed is written whole.
// How it fails: only with the context: a piece that nothing speaks for stands in front. Thread rules: pure function.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/arrange.h"
#include "server/garment/role.h"

namespace tryon {

// [panel] whether it was put round an arm.
absl::StatusOr<std::vector<bool>> place_by_roles(const RunContext& run, const ArrangeTarget& body,
                                                 const Pattern& pattern, GarmentMesh* garment);

}  // namespace tryon
