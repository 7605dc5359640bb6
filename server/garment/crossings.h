// What it is: where the panels of a garment start through one another: an exact test (CGAL's predicates) of their
// triangles. Seam partners that already lie on each other (within a micrometre) count as one vertex: panels that meet
// along a seam do not cross. Units: metres. Shapes: pairs of triangle or panel indices, each with first < second, in
// ascending order. How it fails: never. Thread rules: one object, one thread.
#pragma once

#include <utility>
#include <vector>

#include "server/garment/garment.h"

namespace tryon {

class PanelCrossings {
 public:
  explicit PanelCrossings(const GarmentMesh& garment);  // keeps a reference; positions are read at each call
  // Triangles of panels p and q that cross, or of one panel that do and share no vertex; at most `limit` pairs.
  std::vector<std::pair<int, int>> between(int p, int q, size_t limit = SIZE_MAX) const;
  bool cross(int p, int q) const { return !between(p, q, 1).empty(); }
  void moved(int p);  // the panel's vertices have new places
  int panel_count() const { return static_cast<int>(boxes_.size()); }

 private:
  void join_partners();
  bool triangles_cross(int a, int b) const;

  const GarmentMesh& garment_;
  std::vector<std::vector<int>> triangles_;  // [panel]
  std::vector<Box3> boxes_;                  // [panel]
  std::vector<int> same_;                    // [vertex] the vertex that it coincides with
};

std::vector<std::pair<int, int>> panel_crossings(const GarmentMesh& garment);  // triangles
std::vector<std::pair<int, int>> crossing_panels(const GarmentMesh& garment);

}  // namespace tryon
