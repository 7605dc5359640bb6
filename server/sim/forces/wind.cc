#include "server/sim/forces/wind.h"

#include <cmath>

namespace tryon::sim {

// Ji 2004, section 1.2: F_D = -K_D |n.V| |V| along V; F_L = K_L cos(theta) |V|^2 U, U across V and away from the body.
WindParts wind_parts(const Wind& wind, const Eigen::Vector3d& relative_velocity, const Eigen::Vector3d& normal,
                     double area) {
  WindParts parts;
  const double speed = relative_velocity.norm();
  if (speed < 1e-12) return parts;
  const Eigen::Vector3d along = relative_velocity / speed;
  const double facing = normal.dot(along);
  parts.drag_rate = area * wind.drag * std::abs(facing) * speed;
  const Eigen::Vector3d across = normal - facing * along;  // length |n x V/|V||
  const double edge_on = across.norm();
  if (edge_on < 1e-6) return parts;  // U is undefined square to the wind
  const double cosine = wind.lift_law == LiftLaw::kPaper ? edge_on : std::abs(facing);
  parts.lift = (area * wind.lift * cosine * speed * speed / edge_on) * across;
  return parts;
}

Eigen::Vector3d triangle_wind_force(const Wind& wind, const Eigen::Vector3d& relative_velocity,
                                    const Eigen::Vector3d& normal, double area) {
  const double facing = normal.dot(relative_velocity);
  return -wind.drag * area * std::abs(facing) * facing * normal;
}

Eigen::Vector3d wind_force(const Wind& wind, const Eigen::Vector3d& vertex_velocity, const Eigen::Vector3d& normal,
                           double area) {
  const Eigen::Vector3d relative = vertex_velocity - wind.velocity;
  const WindParts parts = wind_parts(wind, relative, normal, area);
  return parts.lift - parts.drag_rate * relative;
}

}  // namespace tryon::sim
