// What it is: the number type of the hot loops. float is for speed, double judges it: -DTRYON_SIM_REAL=float.
#pragma once
#include "Eigen/Core"
#ifndef TRYON_SIM_REAL
#define TRYON_SIM_REAL double
#endif
namespace tryon::sim {
using Real = TRYON_SIM_REAL;
using RVec3 = Eigen::Matrix<Real, 3, 1>;
}  // namespace tryon::sim
