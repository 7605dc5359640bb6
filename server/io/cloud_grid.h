// What it is: who is near whom in a cloud: points sorted into the cells of a grid, and lists of neighbours.
// Units and frame: the cloud's. Shapes: lists [point_count], each in a fixed order that depends on the points alone.
// How it fails: cells are counted to 2^20 from the middle along each axis; points beyond share the outermost cells.
// Thread rules: const queries from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

class CloudGrid {
 public:
  CloudGrid(const std::vector<Vec3>& points, double cell);

  // visit(index, squared distance) for every point within `radius` <= cell of `p`.
  template <typename Visit>
  void for_near(const Vec3& p, double radius, Visit visit) const {
    const Eigen::Array<int64_t, 3, 1> at = cell_of(p);
    for (int64_t x = at[0] - 1; x <= at[0] + 1; ++x) {
      for (int64_t y = at[1] - 1; y <= at[1] + 1; ++y) {  // cells along z follow one another
        const auto first = std::lower_bound(keys_.begin(), keys_.end(), key(x, y, at[2] - 1));
        const uint64_t last = key(x, y, at[2] + 1);
        for (auto cell = first; cell != keys_.end() && *cell <= last; ++cell) {
          const size_t c = static_cast<size_t>(cell - keys_.begin());
          for (int i = starts_[c]; i < starts_[c + 1]; ++i) {
            const double squared = (sorted_[static_cast<size_t>(i)] - p).squaredNorm();
            if (squared <= radius * radius) visit(order_[static_cast<size_t>(i)], squared);
          }
        }
      }
    }
  }
  // The distance to the nearest point, or `radius` where none is nearer; any radius.
  double nearest(const Vec3& p, double radius) const;

  int cell_count() const { return static_cast<int>(keys_.size()); }
  const std::vector<int>& order() const { return order_; }  // [point_count] points by cell, rising within each
  int cell_begin(int c) const { return starts_[static_cast<size_t>(c)]; }

 private:
  static constexpr int64_t kHalf = 1 << 20;
  static uint64_t key(int64_t x, int64_t y, int64_t z) {
    auto part = [](int64_t v) { return static_cast<uint64_t>(std::clamp(v + kHalf, int64_t{0}, 2 * kHalf - 1)); };
    return part(x) << 42 | part(y) << 21 | part(z);
  }
  Eigen::Array<int64_t, 3, 1> cell_of(const Vec3& p) const;
  double nearest_in_shell(const Vec3& p, int64_t ring, double best) const;

  double cell_;
  Vec3 middle_ = Vec3::Zero();
  std::vector<Vec3> sorted_;    // [point_count]
  std::vector<int> order_;      // [point_count]
  std::vector<uint64_t> keys_;  // [cell_count] rising
  std::vector<int> starts_;     // [cell_count + 1] into order_
};

// Neighbour lists end to end: point i has index[starts[i]] .. index[starts[i + 1] - 1]; itself is among them.
struct CloudNeighbours {
  std::vector<int> starts, index;
  int count(int i) const { return starts[static_cast<size_t>(i) + 1] - starts[static_cast<size_t>(i)]; }
};
CloudNeighbours cloud_neighbours(const std::vector<Vec3>& points, double radius);

}  // namespace tryon
