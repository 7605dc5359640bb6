// What it is: closest point on a triangle mesh, with the sign of the side (pseudo-normals), over Embree's BVH.
// Units and frame: the mesh's, metres. signed_distance > 0 outside; exact for closed meshes with outward triangles that
// do not cross each other. Where the closest point lies on the rim of a hole, or on an edge whose triangles disagree,
// the winding number tells the side; and of a closed mesh, who seems to be more than a millimetre inside is so only if
// the winding number says so too: what crosses the surface from within sticks out of it inside out.
// How it fails: an empty mesh, or a point that is no number, gives triangle = -1. Thread rules: const queries from any
// thread. Cites: Baerentzen and Aanaes 2005 (angle-weighted pseudo-normal); Jacobson et al. 2013 (winding number).
#pragma once

#include <memory>
#include <span>

#include "server/base/surface_query.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct ClosestPoint {
  int triangle = -1;
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // unit; from the surface point towards the query outside, pseudo-normal on it
  double signed_distance = 0.0;
};

enum class SideRule {
  kAutomatic,      // pseudo-normal, and the winding number at rims and deep inside
  kPseudoNormal,   // the side of the nearest triangle, even of a scrap that bounds nothing
  kWindingNumber,  // everywhere: slower, for meshes of several shells that overlap
};

class ClosestPointIndex : public SurfaceQuery {
 public:
  explicit ClosestPointIndex(const TriangleMesh& mesh, SideRule rule = SideRule::kAutomatic);  // copies what it needs
  ~ClosestPointIndex() override;
  ClosestPointIndex(ClosestPointIndex&&) noexcept;
  ClosestPointIndex& operator=(ClosestPointIndex&&) noexcept;
  // Points farther than max_distance give triangle = -1. Many at once are faster where they lie beside each other.
  ClosestPoint query(const Vec3& point, double max_distance = 1e30) const;
  void query(std::span<const Vec3> points, double max_distance, std::span<ClosestPoint> out) const;
  // The corner normals of the found triangle interpolated at the found point: unit, turns without steps from facet to
  // facet where the normal of the distance jumps.
  Vec3 smooth_normal(const ClosestPoint& found) const;

  SurfaceAnswer surface(const Vec3& point, double max_distance) const override;
  void surface(std::span<const Vec3> points, double max_distance, std::span<SurfaceAnswer> answers) const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tryon
