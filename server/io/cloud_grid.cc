#include "server/io/cloud_grid.h"

#include <cmath>
#include <numeric>

namespace tryon {

CloudGrid::CloudGrid(const std::vector<Vec3>& points, double cell) : cell_(cell), order_(points.size()) {
  Box3 box;
  for (const Vec3& p : points) box.extend(p);
  if (!points.empty()) middle_ = box.center();
  std::vector<uint64_t> of_point(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    const Eigen::Array<int64_t, 3, 1> at = cell_of(points[i]);
    of_point[i] = key(at[0], at[1], at[2]);
  }
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    const uint64_t ka = of_point[static_cast<size_t>(a)], kb = of_point[static_cast<size_t>(b)];
    return ka != kb ? ka < kb : a < b;
  });
  sorted_.reserve(points.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    const auto p = static_cast<size_t>(order_[i]);
    if (i == 0 || of_point[p] != keys_.back()) {
      keys_.push_back(of_point[p]);
      starts_.push_back(static_cast<int>(i));
    }
    sorted_.push_back(points[p]);
  }
  starts_.push_back(static_cast<int>(order_.size()));
}

Eigen::Array<int64_t, 3, 1> CloudGrid::cell_of(const Vec3& p) const {
  constexpr double kMost = 2.0 * kHalf;
  const Eigen::Array3d at = ((p - middle_) / cell_).array().floor().max(-kMost).min(kMost);
  return at.cast<int64_t>();
}

// Over the cells whose largest coordinate distance from p's own cell is `ring`.
double CloudGrid::nearest_in_shell(const Vec3& p, int64_t ring, double best) const {
  const Eigen::Array<int64_t, 3, 1> at = cell_of(p);
  double squared = best * best;
  auto look = [&](int64_t x, int64_t y, int64_t from, int64_t to) {
    const uint64_t last = key(x, y, to);
    auto cell = std::lower_bound(keys_.begin(), keys_.end(), key(x, y, from));
    for (; cell != keys_.end() && *cell <= last; ++cell) {
      const size_t c = static_cast<size_t>(cell - keys_.begin());
      for (int i = starts_[c]; i < starts_[c + 1]; ++i) {
        squared = std::min(squared, (sorted_[static_cast<size_t>(i)] - p).squaredNorm());
      }
    }
  };
  for (int64_t x = -ring; x <= ring; ++x) {
    for (int64_t y = -ring; y <= ring; ++y) {
      const bool side = std::max(std::abs(x), std::abs(y)) == ring;
      if (side) look(at[0] + x, at[1] + y, at[2] - ring, at[2] + ring);
      if (!side) look(at[0] + x, at[1] + y, at[2] - ring, at[2] - ring);
      if (!side) look(at[0] + x, at[1] + y, at[2] + ring, at[2] + ring);
    }
  }
  return std::sqrt(squared);
}

double CloudGrid::nearest(const Vec3& p, double radius) const {
  double best = radius;
  for (int64_t ring = 0; static_cast<double>(ring - 1) * cell_ < best; ++ring) best = nearest_in_shell(p, ring, best);
  return best;
}

CloudNeighbours cloud_neighbours(const std::vector<Vec3>& points, double radius) {
  const CloudGrid grid(points, radius);
  CloudNeighbours out;
  out.starts.reserve(points.size() + 1);
  out.starts.push_back(0);
  for (const Vec3& p : points) {
    grid.for_near(p, radius, [&](int j, double) { out.index.push_back(j); });
    out.starts.push_back(static_cast<int>(out.index.size()));
  }
  return out;
}

}  // namespace tryon
