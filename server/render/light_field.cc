#include "server/render/light_field.h"

#include <algorithm>
#include <cmath>

#include "server/base/units.h"

namespace tryon {
namespace {

constexpr int kSubsets = 9;                          // a block of 3 x 3 probes sees all directions
constexpr int kSkyRays = 8, kKeyRays = 8;            // a probe, a packet each
constexpr double kKeyRadius = 0.11;                  // of the soft light, at distance 1
constexpr double kSkyReach = 0.30, kKeyReach = 4.0;  // in sizes of the subject
constexpr double kLift = 2e-4;                       // of a ray's start, in sizes
constexpr double kThinnest = 1e-3;                   // weight below which neighbours say nothing

Vec2 plastic_point(int i) {  // additive recurrence with the powers of the plastic number
  const double x = 0.5 + 0.7548776662466927 * i, y = 0.5 + 0.5698402909980532 * i;
  return {x - std::floor(x), y - std::floor(y)};
}

// Two unit vectors that span the plane across n.
void span(const Vec3& n, Vec3* s, Vec3* t) {
  *s = (std::abs(n.x()) > 0.7 ? Vec3::UnitY() : Vec3::UnitX()).cross(n).normalized();
  *t = n.cross(*s);
}

}  // namespace

LightField::LightField(const RayScene& scene, const Vec3& key, double size, double pixel)
    : scene_(scene), size_(size), pixel_(pixel) {
  for (int i = 0; i < kSubsets * kSkyRays; ++i) {
    const Vec2 u = plastic_point(i);
    const double angle = 2 * kPi * u.x(), across = std::sqrt(u.y());
    sky_.push_back(Vec3(across * std::cos(angle), across * std::sin(angle), std::sqrt(1.0 - u.y())).cast<float>());
  }
  Vec3 s, t;
  span(key, &s, &t);
  for (int i = 0; i < kSubsets * kKeyRays; ++i) {
    const Vec2 u = plastic_point(i);
    const double angle = 2 * kPi * u.x(), across = kKeyRadius * std::sqrt(u.y());
    key_.push_back((key + across * (std::cos(angle) * s + std::sin(angle) * t)).normalized().cast<float>());
  }
}

LightSeen LightField::traced(const LitPoint& lit, int subset) const {
  const Vec3 normal = lit.flat_normal.cast<double>();
  const Vec3 start = lit.point.cast<double>() + kLift * size_ * normal;
  Vec3 s, t;
  span(normal, &s, &t);
  Eigen::Matrix3f frame;
  frame << s.cast<float>(), t.cast<float>(), lit.flat_normal;
  Packet rays;
  for (int k = 0; k < kPacket; ++k) rays[k] = frame * sky_[k * kSubsets + subset];
  LightSeen light;
  light.open = 1.0 - scene_.count_blocked(start, rays, kSkyReach * size_) / double(kPacket);
  for (int k = 0; k < kPacket; ++k) rays[k] = key_[k * kSubsets + subset];
  light.key = 1.0 - scene_.count_blocked(start, rays, kKeyReach * size_) / double(kPacket);
  return light;
}

void LightField::trace(const RunContext& run, int across, int down, std::vector<LitPoint> probes) {
  across_ = across, down_ = down;
  probes_ = std::move(probes);
  light_.assign(probes_.size(), {});
  run.parallel_for(down, 8, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end && run.check().ok(); ++row) {
      for (int column = 0; column < across; ++column) {
        const size_t i = static_cast<size_t>(row) * across + column;
        if (probes_[i].piece == LitPoint::kNothing) continue;
        light_[i] = traced(probes_[i], static_cast<int>(row % 3) * 3 + column % 3);
      }
    }
  });
  mark_clear();
}

void LightField::mark_clear() {
  clear_.assign(static_cast<size_t>(down_ + 1) * (across_ + 1), 1);
  for (int row = 0; row < down_; ++row) {
    for (int column = 0; column < across_; ++column) {
      const size_t i = static_cast<size_t>(row) * across_ + column;
      const bool lit = light_[i].open >= 1.0 && light_[i].key >= 1.0;
      if (probes_[i].piece < 0 && lit) continue;
      for (int j = std::max(0, row - 1); j <= row + 1; ++j) {
        for (int k = std::max(0, column - 1); k <= column + 1; ++k)
          clear_[static_cast<size_t>(j) * (across_ + 1) + k] = 0;
      }
    }
  }
}

LightSeen LightField::at(const LitPoint& lit, int x, int y) const {
  const int column = (x + 1) / 2, row = (y + 1) / 2;
  const bool plane = lit.piece == LitPoint::kFloor;          // where all neighbours count alike
  const float thickness = static_cast<float>(6.0 * pixel_);  // further off the tangent plane they belong elsewhere
  double sum = 0.0, open = 0.0, key = 0.0;
  for (int j = std::max(0, row - 1); j <= std::min(down_ - 1, row + 1); ++j) {
    for (int i = std::max(0, column - 1); i <= std::min(across_ - 1, column + 1); ++i) {
      const LitPoint& probe = probes_[static_cast<size_t>(j) * across_ + i];
      if (probe.piece != lit.piece) continue;
      double weight = 1.0;
      if (!plane) {
        const double off = (probe.point - lit.point).dot(lit.normal) / thickness;
        const double turn = std::max(0.0F, probe.normal.dot(lit.normal));
        weight = turn * turn * turn * turn * std::max(0.0, 1.0 - off * off);
      }
      const LightSeen& light = light_[static_cast<size_t>(j) * across_ + i];
      sum += weight, open += weight * light.open, key += weight * light.key;
    }
  }
  if (sum > kThinnest) return {open / sum, key / sum};
  LightSeen all{0.0, 0.0};
  for (const int subset : {0, 4}) {
    const LightSeen light = traced(lit, subset);
    all.open += 0.5 * light.open, all.key += 0.5 * light.key;
  }
  return all;
}

}  // namespace tryon
