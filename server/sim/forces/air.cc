#include "server/sim/forces/air.h"

#include <cmath>

#include "Eigen/Geometry"
#include "server/base/units.h"

namespace tryon::sim {

namespace {

// SplitMix64: every value from the seed alone, the same on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  double unit() {  // 0 <= u < 1
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
  }
  Eigen::Vector3d direction() {
    const double height = 2 * unit() - 1, angle = 2 * kPi * unit(), flat = std::sqrt(1 - height * height);
    return {flat * std::cos(angle), height, flat * std::sin(angle)};
  }

 private:
  uint64_t state_;
};

}  // namespace

AirField::AirField(const Wind& wind) : wind_(wind) {
  const double rms = wind.turbulence * wind.velocity.norm();
  if (rms == 0) return;
  Random random(wind.seed);
  double power = 0;
  for (int i = 0; i < kWaves; ++i) {
    Wave& wave = waves_[i];
    const double share = (i + 0.5) / kWaves;  // lengths from twice to a quarter of the given one
    const double number = 2 * kPi / (wind.turbulence_length * 2 * std::pow(0.125, share));
    const Eigen::Vector3d along = random.direction();
    const double amplitude = std::pow(number, -5.0 / 6.0);
    wave.number = number * along;
    wave.cosine = amplitude * along.cross(random.direction());
    wave.sine = amplitude * along.cross(random.direction());
    wave.frequency = wave.number.dot(wind.velocity) + rms * number * (random.unit() - 0.5);
    power += 0.5 * (wave.cosine.squaredNorm() + wave.sine.squaredNorm());
  }
  const double scale = rms * std::sqrt(3.0 / power);  // rms of each component
  for (Wave& wave : waves_) {
    wave.cosine *= scale;
    wave.sine *= scale;
  }
}

Eigen::Vector3d AirField::velocity(const Eigen::Vector3d& place, double time) const {
  Eigen::Vector3d v = wind_.velocity;
  if (wind_.gust_ratio != 0) v *= 1 + wind_.gust_ratio * 0.5 * (1 - std::cos(2 * kPi * time / wind_.gust_period));
  if (wind_.turbulence == 0 || wind_.still()) return v;
  for (const Wave& wave : waves_) {
    const double phase = wave.number.dot(place) - wave.frequency * time;
    v += std::cos(phase) * wave.cosine + std::sin(phase) * wave.sine;
  }
  return v;
}

}  // namespace tryon::sim
