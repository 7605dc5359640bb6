// What it is: a garment dressed over those that a body wears already (shirt under jacket). It is arranged clear of
// them, sewn and draped on them as if they held still, then all come to rest together, layers kept apart, each of its
// own fabric: what is beneath gives way. Units and frame: metres, +Y up, body facing +Z. Shapes: Settled::beneath has
// all that was beneath, innermost first, as it lies now. How it fails: as sew_and_settle. Thread rules: as RunContext.
// Cites: Yong 2021 section 5 (contact between layers).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/drape/settle.h"
#include "server/shape/solids.h"

namespace tryon {

absl::StatusOr<Settled> dress_over(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                   const sim::Collider& body, const SettleOptions& options, std::vector<Worn> beneath);

// The body's solids and small spheres along what it wears: what panels that go over it must clear.
SolidSet solids_of_worn(const SolidSet& body, const std::vector<Worn>& beneath);

// All cloth in one mesh: what is beneath, then the garment.
TriangleMesh outfit_mesh(const Settled& settled);

}  // namespace tryon
