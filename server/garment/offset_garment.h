// What it is: Ji 2004's geometric way to a garment: horizontal slices of the body, the convex hull of each, moved
// outward by the chosen ease, and a grid of particles on them: rows are slices, columns equal shares of the way round.
// The grown shape is the rest shape. A tube of the trunk, or of trunk and legs (a skirt, a strapless dress).
// Sleeveless: the grid has one ring a slice, and where arms leave the trunk a slice has three.
//   cut_into_gores() makes cloth that can be cut of it: the strip of triangles between two columns lies flat without
//   any
// strain, so that every strip is a piece, sewn to its neighbours.
// Units and frame: metres, +Y up. Shapes: columns * rows vertices, row by row from the top, closed round the body;
// corner_flat has the warp upright. How it fails: OFFSET_GARMENT_SPEC names a number out of range, OFFSET_GARMENT_EMPTY
// a height at which there is no body. Thread rules: pure function.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/garment.h"
#include "server/garment/mesh_pattern.h"

namespace tryon {

struct OffsetGarmentSpec {
  double bottom_m = 0.6, top_m = 1.05;  // heights of the hem and of the upper end
  double ease_m = 0.02;                 // between body and cloth at the top
  double flare_m = 0.0;                 // more of it at the hem
  double edge_m = 0.02;                 // distance of particles
};

struct OffsetGarment {
  WeldedMesh cloth;  // `source` is empty: nothing was sewn
  int rows = 0, columns = 0;
  std::vector<double> girths;  // [row] metres round the cloth
};

// `use` marks the triangles that count (arms do not); empty: all.
absl::StatusOr<OffsetGarment> grow_offset_garment(const TriangleMesh& body, const std::vector<bool>& use,
                                                  const OffsetGarmentSpec& spec);

absl::StatusOr<MeshPattern> cut_into_gores(const OffsetGarment& garment);

}  // namespace tryon
