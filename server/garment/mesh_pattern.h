// What it is: a pattern that comes as triangles, not as outlines: flat rest coordinates and a start in space for each
// vertex, and the seams as points sewn to points of edges. Units: metres; world +Y up, as GarmentMesh.
// Shapes: flat, placed, panel [vertex_count]; triangles [triangle_count]; a stitch joins a to (1 - t) b + t c.
// How it fails: MESH_PATTERN_* naming vertex, triangle or stitch. Thread rules: plain values, pure functions.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/garment.h"
#include "server/garment/pattern.h"

namespace tryon {

struct MeshStitch {
  int a = 0, b = 0, c = 0;
  double t = 0.0;
};

struct MeshPattern {
  std::vector<Vec2> flat;
  std::vector<Vec3> placed;  // empty: the file says no place
  std::vector<int> panel;
  std::vector<Triangle> triangles;
  std::vector<MeshStitch> stitches;
  std::vector<std::string> panel_names;
  std::vector<double> panel_areas;  // m2 of the flat triangles

  int vertex_count() const { return static_cast<int>(flat.size()); }
};

// Finds the panels (connected pieces of cloth, or those that `panel` names already), checks every index and area.
absl::Status complete(MeshPattern* mesh);
// The pieces' outlines as panels of polylines, for pictures and lists.
absl::StatusOr<Pattern> outlines_of(const MeshPattern& mesh);
// As the rest of the server takes it: every stitch joins two vertices (stitch_points.h).
GarmentMesh ready_garment(const MeshPattern& mesh);

}  // namespace tryon
