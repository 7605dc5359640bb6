// What it is: makes the stitches of a mesh join vertex to vertex. A stitch that ends between two vertices of an edge
// slides the nearer one along the edge, in the flat and in space, or puts a new one there where that one is another's;
// what is left alone between two sewn neighbours gets a partner on every edge across from it, so that the seam is shut
// all along, layer for layer, and no side is stretched by it.
// Units and shapes: see MeshPattern; new vertices follow the old ones. How it fails: it does not; a stitch to
// what is no edge of the outline takes the nearer of the two. Thread rules: pure function.
#pragma once

#include "server/garment/mesh_pattern.h"

namespace tryon {

MeshPattern with_stitched_vertices(const MeshPattern& mesh);

}  // namespace tryon
