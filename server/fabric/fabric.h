// What it is: a measured cloth. Units: SI, forces and bending per unit width. Sources stand in each library file.
// How it fails: fabric_by_name names the nearest known ones. Thread rules: const library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "Eigen/Core"
#include "absl/status/statusor.h"

namespace tryon {

// How far the cloth may be stretched all day before its wearer minds: engineering strain, 0 .. 1.
struct ComfortableStrain {
  double warp = 0.02, weft = 0.02, bias = 0.06;
};

// Engineering strain beyond which the cloth stiffens, 0: nowhere is known.
struct StrainLimit {
  double warp = 0, weft = 0;
};

struct Fabric {
  std::string name, title, source;
  double areal_density = 0.15;           // kg/m^2
  double thickness = 0.5e-3;             // m
  double stretch_warp = 500.0;           // N/m
  double stretch_weft = 500.0;           // N/m
  double shear = 40.0;                   // N/m
  double bend_warp = 5e-6;               // N m
  double bend_weft = 5e-6;               // N m
  double bend_bias = 0;                  // N m, of a strip at 45 degrees; 0: as an isotropic plate
  double bend_hysteresis = 0;            // N, KES 2HB: the moment between bending and unbending
  double shear_hysteresis = 0;           // N/m, KES 2HG at 0.5 degrees; 0 of both: not measured
  double drape_low = 0, drape_high = 0;  // published drape coefficient, 0 .. 1; equal where measured, 0 where none
  std::string drape_source;
  double poisson = 0;                                     // of the membrane, -0.9 .. 0.9
  double friction_static = 0.4, friction_kinetic = 0.35;  // cloth on body
  StrainLimit strain_limit;                               // how far it was measured, or is known to go
  ComfortableStrain comfortable_strain;                   // where a file is silent: comfortable_strain_of()
  Eigen::Vector3d colour = {0.5, 0.55, 0.65};             // linear RGB for pictures
};

// The strain at which the cloth pulls with 10 N/m (on a limb of 10 cm radius 100 Pa), within 1 .. 35 %.
ComfortableStrain comfortable_strain_of(const Fabric& fabric);

// Viscous over elastic bending stiffness, s: what loses as much energy in a swing of a second between folds of 3 cm
// radius as 2HB does, 2 (2HB) / (pi B curvature 2 pi / 1 s); where 2HB was not measured it is taken as B / 2 per cm.
double bend_damping_of(const Fabric& fabric);
// The same of shear: what loses as much in a swing of a second between 5 degrees to either side as 2HG does, 2 (2HG) /
// (pi G angle 2 pi / 1 s); where 2HG was not measured it is taken as G times 1.5 degrees.
double shear_damping_of(const Fabric& fabric);

absl::StatusOr<Fabric> fabric_by_name(std::string_view name);  // or a whole tryon.fabric.v1 document, up to 64 KiB
absl::StatusOr<Fabric> fabric_from_json(std::string_view json, std::string_view file_name);
std::vector<std::string> fabric_names();  // sorted
inline constexpr char kDefaultFabric[] = "cotton_jersey";

}  // namespace tryon
