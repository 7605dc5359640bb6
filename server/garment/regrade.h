// What it is: one triangulation for all sizes of a pattern: the mesh of one size carried to another. Points on outlines
// keep their edge and their share of its length (where pleats are laid, of the piece of the edge that is sewn as one: a
// pleat takes as much cloth in every size), creases stay straight; points inside move as a net of even springs between
// them (harmonic), so the topology, the seams' pairs and the order of vertices stay, and what was draped in one size
// can go on in the next. Units: metres. Shapes: as GarmentMesh; `placed` stays that of the mesh's own size. How it
// fails: SIZE_UNKNOWN; SIZE_TOPOLOGY where a triangle would turn over, or where pleats lie on each other otherwise than
// in the mesh's size: mesh that size afresh. Pure function.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "server/garment/garment.h"
#include "server/garment/pattern.h"

namespace tryon {

// `mesh` was made of `pattern` by mesh_garment(); in the pattern's own size it stays as it is.
absl::StatusOr<GarmentMesh> regraded(const GarmentMesh& mesh, const Pattern& pattern, const std::string& size);

}  // namespace tryon
