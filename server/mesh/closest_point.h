// What it is: closest point on a triangle mesh, with the sign of the side (pseudo-normals), over Embree's BVH.
// Units and frame: the mesh's. signed_distance > 0 outside; exact for closed meshes with outward triangles.
// How it fails: an empty mesh gives triangle = -1. Thread rules: const queries from any thread.
// Cites: Baerentzen and Aanaes 2005 (angle-weighted pseudo-normal).
#pragma once

#include <memory>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct ClosestPoint {
  int triangle = -1;
  Vec3 point = Vec3::Zero();
  Vec3 normal = Vec3::UnitY();  // unit; from the surface point towards the query outside, pseudo-normal on it
  double signed_distance = 0.0;
};

class ClosestPointIndex {
 public:
  explicit ClosestPointIndex(const TriangleMesh& mesh);  // copies what it needs
  ~ClosestPointIndex();
  ClosestPointIndex(ClosestPointIndex&&) noexcept;
  ClosestPointIndex& operator=(ClosestPointIndex&&) noexcept;
  // Points farther than max_distance give triangle = -1.
  ClosestPoint query(const Vec3& point, double max_distance = 1e30) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tryon
