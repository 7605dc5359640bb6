#include "server/body/bounding.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "server/base/units.h"

namespace tryon {
namespace {

using Vec2 = Eigen::Vector2d;

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

bool holds(const BoundingCircle& circle, const Vec2& p) {
  return (p - circle.center).norm() <= circle.radius * (1.0 + 1e-12) + 1e-15;
}

BoundingCircle circle_of(const Vec2& a, const Vec2& b) { return {0.5 * (a + b), 0.5 * (a - b).norm()}; }

BoundingCircle circle_of(const Vec2& a, const Vec2& b, const Vec2& c) {
  const Vec2 ab = b - a, ac = c - a;
  const double twice_area = 2.0 * cross(ab, ac);
  if (std::abs(twice_area) < 1e-300) {  // on a line: the longest pair
    BoundingCircle best = circle_of(a, b);
    for (const BoundingCircle& other : {circle_of(a, c), circle_of(b, c)}) {
      if (other.radius > best.radius) best = other;
    }
    return best;
  }
  const Vec2 offset = Vec2(ac.y() * ab.squaredNorm() - ab.y() * ac.squaredNorm(),
                           ab.x() * ac.squaredNorm() - ac.x() * ab.squaredNorm()) /
                      twice_area;
  return {a + offset, offset.norm()};
}

// Welzl's algorithm unrolled: each loop adds a point that must lie on the circle. A multiplicative walk through the
// hull stands for the random order, the same on every run.
BoundingCircle circle_of_hull(const std::vector<Vec2>& hull) {
  const size_t n = hull.size();
  if (n == 0) return {};
  size_t stride = static_cast<size_t>(0.618 * static_cast<double>(n)) | 1;
  while (std::gcd(stride, n) != 1) ++stride;
  const auto at = [&](size_t i) -> const Vec2& { return hull[i * stride % n]; };
  BoundingCircle circle{at(0), 0.0};
  for (size_t i = 1; i < n; ++i) {
    if (holds(circle, at(i))) continue;
    circle = {at(i), 0.0};
    for (size_t j = 0; j < i; ++j) {
      if (holds(circle, at(j))) continue;
      circle = circle_of(at(i), at(j));
      for (size_t k = 0; k < j; ++k) {
        if (!holds(circle, at(k))) circle = circle_of(at(i), at(j), at(k));
      }
    }
  }
  return circle;
}

BoundingEllipse ellipse_of_ratio(const std::vector<Vec2>& hull, double ratio, std::vector<Vec2>* squeezed) {
  squeezed->resize(hull.size());
  for (size_t i = 0; i < hull.size(); ++i) (*squeezed)[i] = Vec2(hull[i].x(), hull[i].y() / ratio);
  const BoundingCircle circle = circle_of_hull(*squeezed);
  return {Vec2(circle.center.x(), circle.center.y() * ratio), Vec2(circle.radius, circle.radius * ratio)};
}

}  // namespace

std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(),
            [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Vec2> hull;
  const auto grow = [&](const Vec2& p, size_t base) {
    while (hull.size() >= base + 2 && cross(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0.0)
      hull.pop_back();
    hull.push_back(p);
  };
  for (const Vec2& p : points) grow(p, 0);
  const size_t upper = hull.size() - 1;
  for (size_t i = points.size() - 1; i-- > 0;) grow(points[i], upper);
  hull.pop_back();
  return hull;
}

double polygon_perimeter(const std::vector<Vec2>& polygon) {
  double sum = 0.0;
  for (size_t i = 0; i < polygon.size(); ++i) sum += (polygon[(i + 1) % polygon.size()] - polygon[i]).norm();
  return sum;
}

BoundingCircle smallest_circle(const std::vector<Vec2>& points) { return circle_of_hull(convex_hull(points)); }

double ellipse_perimeter(const Vec2& radii) {
  const double sum = radii.x() + radii.y(), difference = radii.x() - radii.y();
  if (!(sum > 0.0)) return 0.0;
  const double h = 3.0 * difference * difference / (sum * sum);
  return kPi * sum * (1.0 + h / (10.0 + std::sqrt(4.0 - h)));
}

BoundingEllipse smallest_ellipse(const std::vector<Vec2>& points, EllipseMeasure measure) {
  const std::vector<Vec2> hull = convex_hull(points);
  std::vector<Vec2> squeezed;
  const auto at = [&](double log_ratio) { return ellipse_of_ratio(hull, std::exp(log_ratio), &squeezed); };
  const auto cost = [&](double log_ratio) {
    const Vec2 radii = at(log_ratio).radii;
    return measure == EllipseMeasure::kArea ? radii.x() * radii.y() : ellipse_perimeter(radii);
  };
  double low = std::log(0.05), high = -low;  // axis ratios 1:20 to 20:1
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double cost_a = cost(a), cost_b = cost(b);
  while (high - low > 1e-4) {
    if (cost_a < cost_b) {
      high = b, b = a, cost_b = cost_a;
      a = high - kGolden * (high - low), cost_a = cost(a);
    } else {
      low = a, a = b, cost_a = cost_b;
      b = low + kGolden * (high - low), cost_b = cost(b);
    }
  }
  return at(0.5 * (low + high));
}

}  // namespace tryon
