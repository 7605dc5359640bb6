// What it is: how two surfaces that should keep an offset r push each other apart, per unit stiffness: quadratic in the
// depth below the offset down to r / 2, a logarithm of the distance below, quadratic again below r / 20 (what starts
// deep inside is not shot out), with value and slope continuous, the curvature at r / 2 too. Units: m in; m^2, m, 1
// out. Shapes: one pair a call. How it fails: never. Thread rules: pure functions. Cites: Chen 2025 (offset geometric
// contact); Li 2020 (barriers of contact).
#pragma once

#include <algorithm>
#include <cmath>

#include "server/sim/real.h"

namespace tryon::sim {

struct Push {
  Real energy, force, curvature;  // force: minus the energy's slope in the distance
};

constexpr Real kSteepShare = Real(0.05);  // of the offset: nearer than that the force grows slowly

inline Push push_below(Real depth, Real r, Real steep_share = kSteepShare) {
  if (depth <= 0) return {0, 0, 0};
  const Real half = Real(0.5) * r;
  if (depth <= half) return {Real(0.5) * depth * depth, depth, 1};
  const Real k = half * half, d = r - depth, steep = steep_share * r;  // slope and curvature continue at r / 2
  const Real at = std::max(d, steep), below = at - d;
  const Real energy = Real(0.5) * half * half - k * std::log(at / half);
  return {energy + (k / at + Real(0.5) * below) * below, k / at + below, d < steep ? Real(1) : k / (d * d)};
}

}  // namespace tryon::sim
