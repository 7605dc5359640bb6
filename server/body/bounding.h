// What it is: the smallest circle and the tightest axis-parallel ellipse over points of a plane, and their convex hull.
// Units and frame: any one length unit; ellipse axes along x and y, so turn the points first for another orientation.
// Shapes: points [point_count], in any order, repeats allowed. How it fails: it does not; no points give zeros.
// The circle is Welzl's (1991), on the hull. The ellipse uses that squeezing y by k turns ellipses of axis ratio k into
// circles: for each k the smallest circle is exact, and the measure is searched over k. Thread rules: pure functions.
#pragma once

#include <vector>

#include "Eigen/Core"

namespace tryon {

// Counter-clockwise, without repeats or collinear points; fewer than three points come back as they are.
std::vector<Eigen::Vector2d> convex_hull(std::vector<Eigen::Vector2d> points);
double polygon_perimeter(const std::vector<Eigen::Vector2d>& polygon);

struct BoundingCircle {
  Eigen::Vector2d center = Eigen::Vector2d::Zero();
  double radius = 0.0;
};
BoundingCircle smallest_circle(const std::vector<Eigen::Vector2d>& points);

enum class EllipseMeasure { kArea, kPerimeter };
struct BoundingEllipse {
  Eigen::Vector2d center = Eigen::Vector2d::Zero();
  Eigen::Vector2d radii = Eigen::Vector2d::Zero();  // along x and y
};
BoundingEllipse smallest_ellipse(const std::vector<Eigen::Vector2d>& points, EllipseMeasure measure);

// Ramanujan's second approximation: relative error below 1e-5 for axis ratios up to 5.
double ellipse_perimeter(const Eigen::Vector2d& radii);

}  // namespace tryon
