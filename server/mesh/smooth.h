// What it is: smoothing of a constrained Delaunay triangulation: its free points move to where triangles are even, then
// the narrowest triangles are widened one point at a time. Units: the mesh's own.
// Shapes: sizes [point_count], the local edge length; points before first_free stay. How it fails: it does not; no
// triangle turns over and no smallest angle of a point's triangles becomes smaller in the second part.
// Thread rules: pure function of the mesh. Cites: Chen 2004 (centroidal patches); Freitag 1997 (optimisation).
#pragma once

#include <vector>

#include "server/mesh/delaunay.h"

namespace tryon {

void smooth(Delaunay* mesh, int first_free, const std::vector<double>& sizes);

}  // namespace tryon
