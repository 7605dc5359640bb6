#include "server/body/scan_scalp.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "Eigen/Cholesky"
#include "server/base/units.h"
#include "server/body/scan_points.h"

namespace tryon {
namespace {

// Shares of the height.
constexpr double kHead = 0.075;  // below the crown: what the ellipsoid is fitted to
constexpr double kCap = 0.065;   // below the crown: what it may close
constexpr double kMostError = 0.005;
constexpr double kNear = 0.010;       // m about a point of the cap: with fewer than
constexpr int kFewNear = 6;           // neighbours it was hardly seen
constexpr double kStep = 0.004;       // m between the points that close it
constexpr double kLeastArea = 0.002;  // m2: smaller gaps close by themselves

using Quadric = Eigen::Matrix<double, 6, 1>;  // a x^2 + b y^2 + c z^2 + d x + e y + f z = 1 about the head's middle

struct Ellipsoid {
  Vec3 centre, radii;
};

std::optional<Ellipsoid> fit(const std::vector<Vec3>& points) {
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
  Eigen::Matrix<double, 6, 6> normal = Eigen::Matrix<double, 6, 6>::Zero();
  Quadric right = Quadric::Zero();
  for (const Vec3& p : points) {
    const Vec3 q = 10.0 * (p - middle);
    Quadric row;
    row << q.cwiseProduct(q), q;
    normal += row * row.transpose();
    right += row;
  }
  const Quadric x = normal.ldlt().solve(right);
  if (!x.allFinite() || x.head<3>().minCoeff() <= 0.0) return std::nullopt;
  Vec3 centre, radii;
  double level = 1.0;
  for (int k = 0; k < 3; ++k) {
    centre[k] = -0.5 * x[3 + k] / x[k];
    level += x[k] * centre[k] * centre[k];
  }
  for (int k = 0; k < 3; ++k) radii[k] = std::sqrt(level / x[k]) / 10.0;
  return Ellipsoid{middle + centre / 10.0, radii};
}

double distance(const Ellipsoid& e, const Vec3& p) {  // first order
  const Vec3 q = (p - e.centre).cwiseQuotient(e.radii), g = q.cwiseQuotient(e.radii);
  return std::abs(q.squaredNorm() - 1.0) / std::max(2.0 * g.norm(), 1e-9);
}

double middle_distance(const Ellipsoid& e, const std::vector<Vec3>& points) {
  std::vector<double> all;
  for (const Vec3& p : points) all.push_back(distance(e, p));
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

std::optional<Ellipsoid> fit_without_strays(std::vector<Vec3> points, double height) {
  std::optional<Ellipsoid> found;
  for (int round = 0; round < 3; ++round) {
    if (points.size() < 60) return std::nullopt;
    found = fit(points);
    if (!found) return std::nullopt;
    const double far = 2.5 * middle_distance(*found, points) + 0.001;
    std::erase_if(points, [&](const Vec3& p) { return distance(*found, p) > far; });
  }
  const bool like_a_head = found->radii.minCoeff() > 0.025 * height && found->radii.maxCoeff() < 0.12 * height;
  if (!like_a_head || middle_distance(*found, points) > kMostError * height) return std::nullopt;
  return found;
}

}  // namespace

double close_scalp(PointCloud* person) {
  std::vector<double> heights;
  for (const Vec3& p : person->positions) heights.push_back(p.y());
  if (heights.size() < 1000) return 0.0;
  const auto high = heights.end() - 1 - static_cast<std::ptrdiff_t>(heights.size() / 5000);
  std::nth_element(heights.begin(), high, heights.end());
  const double top = *high;
  std::vector<Vec3> head;
  for (const Vec3& p : person->positions) {
    if (p.y() > top * (1.0 - kHead)) head.push_back(p);
  }
  std::vector<Vec3> even;
  for (int i : thin_points(head, 0.006)) even.push_back(head[i]);
  const auto ellipsoid = fit_without_strays(even, top);
  if (!ellipsoid) return 0.0;
  const PointGrid seen(head, kNear);
  PointCloud made;
  const double step = kStep / ellipsoid->radii.maxCoeff();
  for (double polar = 0.5 * step; polar < 0.5 * kPi; polar += step) {
    const int around = std::max(1, static_cast<int>(2.0 * kPi * std::sin(polar) / step));
    for (int k = 0; k < around; ++k) {
      const double turn = 2.0 * kPi * k / around;
      const Vec3 unit(std::sin(polar) * std::cos(turn), std::cos(polar), std::sin(polar) * std::sin(turn));
      const Vec3 p = ellipsoid->centre + unit.cwiseProduct(ellipsoid->radii);
      if (p.y() < top * (1.0 - kCap)) continue;
      int near = 0;
      seen.for_near(p, kNear, [&](int) { ++near; });
      if (near >= kFewNear) continue;
      made.positions.push_back(p);
      made.normals.push_back(unit.cwiseQuotient(ellipsoid->radii).normalized());
    }
  }
  const double area = static_cast<double>(made.positions.size()) * kStep * kStep;
  if (area < kLeastArea) return 0.0;
  for (size_t i = 0; i < made.positions.size(); ++i) {
    if (!person->normals.empty()) person->normals.push_back(made.normals[i]);
    person->positions.push_back(made.positions[i]);
  }
  return area;
}

}  // namespace tryon
