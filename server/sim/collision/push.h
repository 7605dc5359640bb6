// What it is: how two surfaces that should keep an offset r push each other apart, per unit stiffness. Cloth and body:
// quadratic in the depth below the offset down to r / 2, a logarithm of the distance below. Layers of cloth: the
// barrier 2 depth^2 log(r / distance), which begins without curvature. Both quadratic again in what is nearer than a
// share of r (what starts deep inside is not shot out); value and slope continuous. Units: m in; m^2, m, 1 out. Shapes:
// one pair a call. How it fails: never. Thread rules: pure functions. Cites: Chen 2025 (offset geometric contact); Li
// 2020, eq. 6 (barriers of contact).
#pragma once

#include <algorithm>
#include <cmath>

#include "server/sim/real.h"

namespace tryon::sim {

struct Push {
  Real energy, force, curvature;  // force: minus the energy's slope in the distance
};

constexpr Real kSteepShare = Real(0.05);  // of the offset: nearer than that the force grows slowly
constexpr Real kFirmness = Real(2);       // of layers; with less, laid pleats that are pressed go through each other

inline Push push_below(Real depth, Real r) {
  if (depth <= 0) return {0, 0, 0};
  const Real half = Real(0.5) * r;
  if (depth <= half) return {Real(0.5) * depth * depth, depth, 1};
  const Real k = half * half, d = r - depth, steep = kSteepShare * r;  // slope and curvature continue at r / 2
  const Real at = std::max(d, steep), below = at - d;
  const Real energy = Real(0.5) * half * half - k * std::log(at / half);
  return {energy + (k / at + Real(0.5) * below) * below, k / at + below, d < steep ? Real(1) : k / (d * d)};
}

// A layer rests on another by its weight, a hundredth of what presses it elsewhere: with a curvature of 1 from the
// first contact on, that weight would be a hundredth of a millimetre deep, and contacts would come and go with every
// step.
inline Push push_layers(Real depth, Real r, Real steep_share) {
  if (depth <= 0) return {0, 0, 0};
  const Real d = r - depth, at = std::max(d, steep_share * r), below = at - d;
  const Real deep = r - at, log = std::log(r / at), share = deep / at;
  const Real energy = kFirmness * deep * deep * log, force = kFirmness * deep * (2 * log + share);
  return {energy + (force + Real(0.5) * below) * below, force + below,
          below > 0 ? Real(1) : kFirmness * (2 * log + (4 + share) * share)};
}

}  // namespace tryon::sim
