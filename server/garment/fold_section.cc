#include "server/garment/fold_section.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tryon {
namespace {

constexpr double kWave = 0.30;  // m of cloth in one fold

// The swing whose sine-generated curve is `ratio` times as long as it is wide: its width is J0(swing).
double swing_for(double ratio) {
  double low = 0.0, high = 2.3;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    (std::cyl_bessel_j(0.0, middle) * ratio > 1.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

FoldSection::FoldSection(double bend, double ratio, double half) {
  ratio = std::clamp(ratio, 1.0, kMostFold);
  const double swing = swing_for(ratio);
  const auto heading = [&](double s) {
    const double turn = bend > 0.0 ? -s / (ratio * bend) : 0.0;
    return turn + swing * std::sin(2 * std::numbers::pi * s / kWave);
  };
  points_.push_back(Vec2::Zero());
  double back = 0.0;
  for (double s = 0.0; s < half + kStep; s += kStep) {
    const double angle = heading(s + 0.5 * kStep);
    points_.emplace_back(points_.back() + kStep * Vec2(std::cos(angle), std::sin(angle)));
    front_ = std::max(front_, points_.back().y());
    back = std::min(back, points_.back().y());
    reach_ = std::max(reach_, std::abs(points_.back().x()));
  }
  depth_ = front_ - back;
}

Vec2 FoldSection::at(double s) const {
  const double place = std::min(std::abs(s) / kStep, static_cast<double>(points_.size() - 1) - 1e-9);
  const auto k = static_cast<size_t>(place);
  const Vec2 p = points_[k] + (place - static_cast<double>(k)) * (points_[k + 1] - points_[k]);
  return {s < 0.0 ? -p.x() : p.x(), p.y()};
}

}  // namespace tryon
