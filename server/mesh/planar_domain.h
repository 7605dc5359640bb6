// What it is: a polygon with its inner lines and points as a constrained Delaunay triangulation, before refinement.
// Units: the domain's own; runs counter-clockwise (mirror the domain first). Shapes: points [n] gives their vertices.
// How it fails: INVALID_ARGUMENT naming the line or point that lies outside or touches the outline between its points.
// Thread rules: one object, one thread. Lines that cross share a vertex where they do.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/delaunay.h"
#include "server/mesh/triangulate.h"

namespace tryon {

class DomainMesh {
 public:
  absl::Status build(const PlanarDomain& domain, double edge_length);

  bool is_side(const std::pair<int, int>& edge) const;
  int side_of(const std::pair<int, int>& edge) const;  // i: from point i to the next
  // Halves those of the fixed edges that are parts of lines; how many they were.
  int halve_lines(const std::vector<std::pair<int, int>>& edges);
  std::vector<int> line(int index) const;  // vertices along a line

  Delaunay mesh;
  std::vector<int> points;

 private:
  absl::StatusOr<int> add_point(const Vec2& p, const std::string& field);
  absl::Status add_piece(int a, int b, const std::string& field, int depth);
  int split(int a, int b, const Vec2& at);
  void expand(int a, int b, std::vector<int>* out) const;

  double snap_ = 0.0;                                // points nearer than this are one
  std::vector<std::vector<int>> chains_;             // [line] as drawn
  std::map<std::pair<int, int>, int> split_points_;  // parts of lines that were cut, and where
};

}  // namespace tryon
