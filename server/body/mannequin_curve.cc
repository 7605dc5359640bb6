#include "server/body/mannequin_curve.h"

#include <algorithm>
#include <cstddef>

namespace tryon {

MonotoneCurve::MonotoneCurve(std::vector<std::pair<double, double>> knots)
    : knots_(std::move(knots)), slope_(knots_.size(), 0.0) {
  auto secant = [&](size_t i) {
    return (knots_[i + 1].second - knots_[i].second) / (knots_[i + 1].first - knots_[i].first);
  };
  for (size_t i = 1; i + 1 < knots_.size(); ++i) {
    const double before = secant(i - 1), after = secant(i);
    if (before * after <= 0.0) continue;  // an extremum stays flat
    const double h0 = knots_[i].first - knots_[i - 1].first, h1 = knots_[i + 1].first - knots_[i].first;
    const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
    slope_[i] = (w0 + w1) / (w0 / before + w1 / after);  // weighted harmonic mean
  }
  slope_.front() = secant(0);
  slope_.back() = secant(knots_.size() - 2);
}

double MonotoneCurve::at(double x) const {
  if (x <= knots_.front().first) return knots_.front().second;
  if (x >= knots_.back().first) return knots_.back().second;
  size_t i = 0;
  while (x > knots_[i + 1].first) ++i;
  const double h = knots_[i + 1].first - knots_[i].first, t = (x - knots_[i].first) / h;
  const double t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * knots_[i].second + (t3 - 2 * t2 + t) * h * slope_[i] +
         (-2 * t3 + 3 * t2) * knots_[i + 1].second + (t3 - t2) * h * slope_[i + 1];
}

}  // namespace tryon
