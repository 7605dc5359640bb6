// What it is: anything that cloth may not enter, asked by signed distance: analytic solids (Ji 2004 2.2), a plane,
// or a scan's surface. Units: metres, world frame. Shapes: one query a point, or a batch: points and contacts
// [point_count]; a batch gives every point the same bytes however the points are split.
// How it fails: it does not; points beyond max_distance report `max_distance`. Thread rules: const queries from any
// thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "Eigen/Core"
#include "server/mesh/closest_point.h"
#include "server/mesh/sharp_points.h"
#include "server/shape/solids.h"

namespace tryon::sim {

struct Contact {
  double distance = 1e30;                             // positive outside
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();  // outward unit
};

// m: no point of a body is deeper. Who asks less far takes its depths for open air.
inline constexpr double kDeepestInside = 0.3;

class Collider {
 public:
  virtual ~Collider() = default;
  virtual Contact query(const Eigen::Vector3d& point, double max_distance) const = 0;
  // Many at once: faster where the surface has a batch; by default one after the other.
  virtual void query(std::span<const Eigen::Vector3d> points, double max_distance, std::span<Contact> contacts) const;
  // What would come through triangles whose corners keep off: none unless the surface was made with some.
  virtual std::span<const SharpPoint> sharp_points() const { return {}; }
};

std::unique_ptr<Collider> make_solid_collider(std::vector<Solid> solids);
std::unique_ptr<Collider> make_mesh_collider(TriangleMesh mesh);  // outward; holes are bridged by the winding number
std::unique_ptr<Collider> make_surface_collider(std::shared_ptr<const ClosestPointIndex> surface,
                                                std::vector<SharpPoint> sharp = {});
std::unique_ptr<Collider> make_plane_collider(const Eigen::Vector3d& point, const Eigen::Vector3d& normal);

// A body, which must outlive it, and cloth on it that holds still, as thick as that on its outer side. The inner side
// of the cloth counts as inside: what is caught beneath goes out through it.
std::unique_ptr<Collider> make_covered_collider(const Collider& body, TriangleMesh cloth, double thickness);

// Several at once: the nearest surface of all.
std::unique_ptr<Collider> make_union_collider(std::vector<std::unique_ptr<Collider>> parts);

}  // namespace tryon::sim
