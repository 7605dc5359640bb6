// What it is: which of many points lie within a reach of any of some others, by a grid of that pitch. Units: those of
// the points, x, y, z by [0], [1], [2]. Shapes: out [x]. How it fails: never; points must be finite. Thread rules: a
// pure function.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tryon {

template <typename Point>
std::vector<uint8_t> within_reach(const std::vector<Point>& x, const std::vector<Point>& of,
                                  typename Point::Scalar reach) {
  const auto cell_of = [reach](const Point& p, int dx, int dy, int dz) {
    const auto at = [&](int axis, int d) { return (static_cast<int64_t>(std::floor(p[axis] / reach)) + d) & 0x1fffff; };
    return at(0, dx) << 42 | at(1, dy) << 21 | at(2, dz);
  };
  std::unordered_map<int64_t, std::vector<Point>> cells;
  for (const Point& p : of) cells[cell_of(p, 0, 0, 0)].push_back(p);
  std::vector<uint8_t> out(x.size(), 0);
  for (size_t i = 0; i < x.size(); ++i)
    for (int k = 0; k < 27 && !out[i]; ++k) {
      const auto cell = cells.find(cell_of(x[i], k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
      if (cell == cells.end()) continue;
      out[i] = std::any_of(cell->second.begin(), cell->second.end(),
                           [&](const Point& p) { return (x[i] - p).squaredNorm() < reach * reach; });
    }
  return out;
}

}  // namespace tryon
