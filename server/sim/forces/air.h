// What it is: the air's velocity at a place and time: the mean wind, gusts, and turbulence as a sum of random waves
// that the mean wind carries along. Every wave swings across its own direction, so the flow neither piles up nor thins
// out; wave lengths spread about turbulence_length and amplitudes fall off as in an inertial range (k^-5/6 a wave).
// Units: m/s, m, s, world frame. How it fails: never; no turbulence and no gusts give the mean. The same seed gives the
// same flow everywhere. Thread rules: const queries from any thread. Cites: Kraichnan 1970 (random Fourier modes).
#pragma once

#include <array>

#include "Eigen/Core"
#include "server/sim/forces/wind.h"

namespace tryon::sim {

class AirField {
 public:
  explicit AirField(const Wind& wind);
  Eigen::Vector3d velocity(const Eigen::Vector3d& place, double time) const;

 private:
  static constexpr int kWaves = 24;
  struct Wave {
    Eigen::Vector3d number, cosine, sine;  // 1/m; m/s
    double frequency = 0.0;                // 1/s
  };
  Wind wind_;
  std::array<Wave, kWaves> waves_;
};

}  // namespace tryon::sim
