// What it is: coarser and coarser versions of a sheet of cloth, made by half-edge collapses in its flat domain, and the
// rows that carry values from each to the next finer one. Units: those of `flat` (metres).
// Shapes: a corner is a vertex as one flat piece sees it; seam partners are corners of one vertex. Level 0 of `coarser`
// is the first coarser one; its vertices are a subset of the finer level's, its triangles keep their direction.
// How it fails: INVALID_ARGUMENT for indices out of range; a level keeps more vertices than asked where no collapse is
// allowed any more. Pure function. Cites: Ma 2023 (levels, inverse-distance weights), Garland 1997 (quadrics).
#pragma once

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct FlatCloth {
  std::vector<Vec2> flat;               // [corner_count]
  std::vector<Triangle> triangles;      // of corners; flat pieces may run either way round
  std::vector<int> vertex;              // [corner_count] -> vertex
  int vertex_count = 0;                 // every vertex has a corner
  std::vector<int> locked;              // vertices that stay on every level: notches, drill holes, seam ends
  std::vector<std::vector<int>> lines;  // chains of corners inside a piece; their vertices move along them only
};
FlatCloth flat_sheet(const std::vector<Vec2>& flat, const std::vector<Triangle>& triangles);

struct HierarchySettings {
  int levels = 3;                   // with the finest, 1 to 8
  double keep = 0.5;                // of the finer level's vertices, 0.05 to 0.95; Ma 2023: not below one half
  double distance_power = 2.0;      // p of the inverse-distance weights, above 0
  double corner_turn_degrees = 30;  // where the outline turns by more, its vertex stays on every level
};

// One row a finer vertex: value = sum of weight * value of the coarse vertex. Rows sum to 1.
struct SparseRows {
  std::vector<int> first;   // [row_count + 1]
  std::vector<int> column;  // [first.back()] ascending in each row
  std::vector<double> weight;
};

struct CoarseLevel {
  std::vector<int> kept;                         // [vertex_count] index on the finer level, ascending
  std::vector<int> finest;                       // [vertex_count] index on the finest level
  std::vector<Triangle> triangles;               // of this level's vertices
  std::vector<Triangle> corners;                 // [triangle_count] the same, as corners of the FlatCloth
  std::vector<std::array<Vec2, 3>> corner_flat;  // [triangle_count] rest coordinates of each corner
  // From the coarse vertices that a removed one touches on the finer level, by d^-p over its sum (Ma 2023).
  SparseRows inverse_distance;
  // From the coarse triangle that holds a removed vertex: exact for functions linear in the flat coordinates. A vertex
  // beyond a curved outline's chord has a weight below zero; a seam's vertex takes the mean of its sides.
  SparseRows barycentric;

  int vertex_count() const { return static_cast<int>(kept.size()); }
};

struct Hierarchy {
  std::vector<CoarseLevel> coarser;  // [levels - 1]
};

// What a collapse costs, why: planes of triangles give no error in the plane. A corner's quadric therefore sums squared
// distances to the lines of its outline and line edges (curves keep their shape) and to the points merged into it over
// the local edge length squared (spacing stays even), and a term for the narrowest new triangle picks the target.
// Outline, seam and line vertices move along their own curve, both sides of a seam at once; no triangle turns over.
absl::StatusOr<Hierarchy> build_hierarchy(const FlatCloth& cloth, const HierarchySettings& settings = {});

}  // namespace tryon
