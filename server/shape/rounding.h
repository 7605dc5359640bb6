// What it is: the two small rules that the one-point and the batched questions share: which flank of a chain is nearest
// to a point inside it, and the smooth minimum of several solids. Units: metres. Shapes: one point.
// How it fails: never. Thread rules: plain values.
#pragma once

#include <algorithm>
#include <cmath>

#include "server/shape/solids.h"

namespace tryon {

constexpr double kRoundingWidths = 8.0;  // further solids weigh less than 4e-4

// Of a point inside a chain: `held` is the answer so far (negative distance), `other` what another member says.
inline SolidSet::Hit nearer_member(const SolidSet::Hit& held, const SolidSet::Hit& other) {
  const double near = std::abs(held.surface.distance), far = std::abs(other.surface.distance);
  if (far > near || (far == near && other.solid >= held.solid)) return held;
  const bool outside_it = other.surface.distance > 0.0;  // its normal then points inward, to the point
  return {other.solid, {-far, outside_it ? Eigen::Vector3d(-other.surface.normal) : other.surface.normal}};
}

// How much nearer than the nearest of so many solids their rounded union may lie.
inline double rounding_reach(double width, size_t solid_count) {
  return width * std::log(static_cast<double>(std::max<size_t>(solid_count, 1)));
}

// d = -w log(sum exp(-d_i / w)), the normal the weighted mean; `first` is the smallest d_i.
class RoundedSum {
 public:
  RoundedSum(const SurfacePoint& first, double width)
      : first_(first), width_(width), limit_(first.distance + kRoundingWidths * width) {}
  double limit() const { return limit_; }
  void add(const SurfacePoint& surface) {
    if (surface.distance > limit_) return;
    const double weight =
        surface.distance == first_.distance ? 1.0 : std::exp((first_.distance - surface.distance) / width_);
    sum_ += weight;
    normal_ += weight * surface.normal;
  }
  SurfacePoint within(double max_distance) const {
    const double length = normal_.norm(), distance = first_.distance - width_ * std::log(sum_);
    if (!(distance < max_distance)) return {max_distance, Eigen::Vector3d::UnitY()};
    return {distance, length > 1e-6 ? Eigen::Vector3d(normal_ / length) : first_.normal};
  }

 private:
  SurfacePoint first_;
  double width_, limit_, sum_ = 0.0;
  Eigen::Vector3d normal_ = Eigen::Vector3d::Zero();
};

}  // namespace tryon
