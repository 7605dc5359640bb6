// What it is: one question that every surface answers, analytic or scanned: how far, on which side, which way is out.
// Units and frame: metres, the surface's own frame. Shapes: one point, or a batch points [point_count] into answers
// [point_count]; a batch gives each point the same bytes whatever the other points are and however they are split.
// How it fails: never; nothing within max_distance, and points that are no numbers, give element -1, max_distance, +Y.
// Thread rules: const questions from any thread.
#pragma once

#include <span>

#include "Eigen/Core"

namespace tryon {

struct SurfaceAnswer {
  int element = -1;                                   // solid or triangle
  double distance = 0.0;                              // signed: positive outside
  Eigen::Vector3d normal = Eigen::Vector3d::UnitY();  // outward unit; the closest point is query - distance * normal
};

class SurfaceQuery {
 public:
  virtual ~SurfaceQuery() = default;
  virtual SurfaceAnswer surface(const Eigen::Vector3d& point, double max_distance) const = 0;
  virtual void surface(std::span<const Eigen::Vector3d> points, double max_distance,
                       std::span<SurfaceAnswer> answers) const = 0;
};

}  // namespace tryon
