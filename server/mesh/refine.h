// What it is: what makes a constrained triangulation good cloth: how long edges should be where, which fixed edges are
// too long for good triangles (Ruppert's rule), points put in until all are small and wide, and smoothing.
// Units: the mesh's own; edge_length is the target far from details. Shapes: sizes [point_count].
// How it fails: it does not; where fixed edges forbid a wide angle the best that was found stays.
// Thread rules: pure functions of the mesh. Cites: Ruppert 1995, Chew 1993 (refinement); Chen 2004 (smoothing).
#pragma once

#include <utility>
#include <vector>

#include "server/mesh/delaunay.h"

namespace tryon {

// The length that edges should have at each point: the target, or less where fixed edges are shorter, growing from
// there by kGrading of the distance.
constexpr double kGrading = 0.35;
std::vector<double> local_sizes(const Delaunay& mesh, double edge_length);

// Where two fixed edges meet at less than this, no promise is made for the triangles that touch the corner.
constexpr double kSharpCornerDegrees = 60.0;
// No fixed edge is halved below this fraction of the target: a passage narrower than half of it keeps thin triangles.
constexpr double kShortestSide = 0.125;

// Fixed edges (a < b) that must be halved before points go in: much longer than the sizes at their ends, or seen from
// their opposite corner at more than a right angle (Ruppert's encroached edges).
std::vector<std::pair<int, int>> long_fixed_edges(const Delaunay& mesh, double edge_length);

// Points go in until every triangle is small for its place and wide where fixed edges allow it; then smoothing.
void refine(Delaunay* mesh, double edge_length);

// Fixed edges (a < b) that keep a triangle of the refined mesh narrow and should be halved.
std::vector<std::pair<int, int>> cramping_edges(const Delaunay& mesh, double edge_length);

double smallest_angle(const Vec2& a, const Vec2& b, const Vec2& c);  // radians

}  // namespace tryon
