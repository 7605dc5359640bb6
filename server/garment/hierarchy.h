// What it is: the coarser levels of a sewn garment: mesh/hierarchy.h on its welded vertices, with the flat panels as
// the domain, so that both sides of every seam lose and keep the same vertices.
// Units and frame: metres; rest coordinates in each panel's own frame. Shapes: level 0's finer vertices are the welded
// mesh's [vertex_count]; notches, drill holes and `kept_vertices` (garment vertices) stay on every level, internal
// lines and folds keep their course. How it fails: as build_hierarchy(). Thread rules: pure function.
#pragma once

#include <vector>

#include "server/garment/garment.h"
#include "server/mesh/hierarchy.h"

namespace tryon {

// The garment's panels as corners of the welded mesh's vertices; ends of seams, notches and drill holes are locked,
// internal lines are lines.
FlatCloth flat_cloth(const GarmentMesh& garment, const WeldedMesh& welded, const std::vector<int>& kept_vertices = {});

absl::StatusOr<Hierarchy> build_hierarchy(const GarmentMesh& garment, const WeldedMesh& welded,
                                          const std::vector<int>& kept_vertices = {},
                                          const HierarchySettings& settings = {});

}  // namespace tryon
