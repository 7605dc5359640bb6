// What it is: cloth opened along cut lines of a meshed panel: triangles inside a closed one go, the cloth on both sides
// of an open one gets vertices of its own. Units: metres. Shapes: the outline's vertices stay first and in their order;
// new ones come last. How it fails: it does not; a cut that would leave no triangle is not made. Thread rules: pure
// functions.
#pragma once

#include <vector>

#include "server/mesh/triangulate.h"

namespace tryon {

// Removes what lies inside the closed lines listed; vertices without triangles go, lines and points are renumbered (a
// point that is gone becomes -1).
void cut_holes(const std::vector<int>& lines, int outline_count, PlanarMesh* mesh);

// Opens the lines listed. An end inside stays one vertex; an end on the outline opens too, unless the outline is sewn
// there (sewn: [outline_count]).
void cut_slits(const std::vector<int>& lines, const std::vector<bool>& sewn, PlanarMesh* mesh);

}  // namespace tryon
