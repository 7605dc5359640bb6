// What it is: plane cuts of a mesh as closed loops, and the lengths that a tape would take of them.
// Units and frame: the mesh's. Shapes: loop points in walking order; a closed loop does not repeat its first point.
// How it fails: an open mesh gives loops with closed = false. Thread rules: pure functions.
#pragma once

#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct SliceLoop {
  std::vector<Vec3> points;
  double perimeter = 0.0, hull_perimeter = 0.0, area = 0.0;
  Vec3 centroid = Vec3::Zero();
  bool closed = false;
};

// Loops of the plane through `origin` with `normal`, largest area first. `triangle_subset`: only these triangles.
std::vector<SliceLoop> slice_mesh(const TriangleMesh& mesh, const std::vector<int>* triangle_subset, const Vec3& origin,
                                  const Vec3& normal);

// The same loops for many planes across one axis: triangles are sorted into bands first, so that a cut looks only at
// the few it may meet. Keeps a reference to the mesh.
class LevelSlicer {
 public:
  LevelSlicer(const TriangleMesh& mesh, const std::vector<int>* triangle_subset, const Vec3& unit_axis);
  std::vector<SliceLoop> at(double offset) const;  // the plane with axis.dot(p) = offset
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  int band(double offset) const;
  const TriangleMesh& mesh_;
  Vec3 axis_;
  double low_ = 0, high_ = 0;            // of the triangles along the axis
  std::vector<std::vector<int>> bands_;  // triangles that reach into each band, in rising order
};

// Perimeter of the convex hull of points that lie in a plane with `normal`.
double hull_perimeter(const std::vector<Vec3>& points, const Vec3& normal);

}  // namespace tryon
