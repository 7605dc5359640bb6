// What it is: the analytic solids that bound a body: sphere and oblique elliptic frustum (Ji 2004, section 2.1-2.2).
// A cylinder and a right or circular frustum are frusta with equal numbers. Units: metres, any frame.
// The frustum's two end ellipses lie in parallel planes with normal `axis`; u, v are unit, orthogonal and span them.
// distance(): signed, negative inside, with the outward unit normal. How it fails: never; degenerate sizes are clamped.
// Thread rules: plain values, pure functions.
#pragma once

#include <variant>
#include <vector>

#include "Eigen/Core"
#include "Eigen/Geometry"

namespace tryon {

struct Sphere {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  double radius = 0.0;
};

struct Frustum {
  Eigen::Vector3d bottom = Eigen::Vector3d::Zero(), top = Eigen::Vector3d::UnitY();  // centres of the end ellipses
  Eigen::Vector3d axis = Eigen::Vector3d::UnitY();  // unit normal of the end planes; (top - bottom).dot(axis) > 0
  Eigen::Vector3d u = Eigen::Vector3d::UnitX();     // direction of the first semi-axis
  Eigen::Vector3d v = Eigen::Vector3d::UnitZ();     // direction of the second
  Eigen::Vector2d bottom_radii = Eigen::Vector2d::Zero(), top_radii = Eigen::Vector2d::Zero();  // along u, v
};

using Solid = std::variant<Sphere, Frustum>;

struct SurfacePoint {
  double distance = 0.0;  // signed: positive outside
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();  // outward unit normal at the closest surface point
};

SurfacePoint distance(const Sphere& sphere, const Eigen::Vector3d& point);
SurfacePoint distance(const Frustum& frustum, const Eigen::Vector3d& point);
SurfacePoint distance(const Solid& solid, const Eigen::Vector3d& point);
Eigen::AlignedBox3d bounds(const Solid& solid);

// Distance to the union: the smallest of all (a lower bound inside overlaps), with culling by bounds.
class SolidSet {
 public:
  explicit SolidSet(std::vector<Solid> solids = {});
  const std::vector<Solid>& solids() const { return solids_; }
  struct Hit {
    int solid = -1;  // -1: nothing within max_distance
    SurfacePoint surface;
  };
  Hit nearest(const Eigen::Vector3d& point, double max_distance) const;

 private:
  std::vector<Solid> solids_;
  std::vector<Eigen::AlignedBox3d> boxes_;
};

}  // namespace tryon
