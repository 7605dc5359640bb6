// What it is: Ji 2004's wind on each vertex: drag -K_D |n.V| |V| along V and lift K_L cos(theta) |V|^2 across V,
// pointing away from the body; V is the vertex velocity relative to the air, theta as in the paper (section 1.2).
// Units: velocity m/s, K in N s^2/m^2 per m^2 of cloth (the force is scaled by the vertex area). Shapes:
// [particle_count]. How it fails: never; still air relative to the vertex gives zero. Thread rules: pure function.
// Beside it the standard force on each triangle, -K (V.n)|V.n| n an area (validation 2.8, model N), for real fabrics:
// it does not care which way a triangle looks, and is zero edge-on.
#pragma once

#include <cstdint>

#include "Eigen/Core"

namespace tryon::sim {

// The paper says cos(theta) with pi/2 - theta between V and n, so the lift of kPaper is K_L |n x V/|V|| |V|^2: it
// fades where a sheet stands square to the wind and V, n no longer span a plane. kFacing takes |n . V/|V|| instead.
enum class LiftLaw { kPaper, kFacing };

enum class WindModel { kVertex, kTriangle };  // Ji's; the normal force of each triangle

struct Wind {
  Eigen::Vector3d velocity{0, 0, 0};  // m/s, the air's
  double drag = 0.77;                 // K_D, per area: 1/2 rho C with C = 1.28 for a plate
  double lift = 0.2;                  // K_L, per area
  LiftLaw lift_law = LiftLaw::kPaper;
  WindModel model = WindModel::kVertex;  // kTriangle takes `drag` as K and knows no lift
  // Gusts: the speed rises to (1 + gust_ratio) times the mean and falls again once a period, as 1 - cos. Turbulence: a
  // smooth random flow carried along by the mean one, `turbulence` of its speed (rms), eddies of about this length.
  double gust_ratio = 0.0, gust_period = 3.0;        // 0 .. 5; s, 0.1 .. 60
  double turbulence = 0.0, turbulence_length = 0.4;  // 0 .. 1; m, 0.05 .. 10
  uint64_t seed = 1;                                 // of the turbulence
  bool still() const { return velocity.squaredNorm() == 0.0; }
};

// Model N: the force on a triangle of this area and unit normal. Its rate is K |V.n| area: -rate (V.n) n.
Eigen::Vector3d triangle_wind_force(const Wind& wind, const Eigen::Vector3d& relative_velocity,
                                    const Eigen::Vector3d& normal, double area);

// Force on a vertex of the given area, unit normal (outward, away from the body) and velocity.
Eigen::Vector3d wind_force(const Wind& wind, const Eigen::Vector3d& vertex_velocity, const Eigen::Vector3d& normal,
                           double area);

// Its two parts: drag is `-drag_rate * V`, so that a solver can take it implicitly.
struct WindParts {
  double drag_rate = 0.0;                          // N s/m
  Eigen::Vector3d lift = Eigen::Vector3d::Zero();  // N
};
WindParts wind_parts(const Wind& wind, const Eigen::Vector3d& relative_velocity, const Eigen::Vector3d& normal,
                     double area);

}  // namespace tryon::sim
