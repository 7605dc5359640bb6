// What it is: the key of a grid's cell; and which of many points lie within a reach of any of some others, by a grid of
// that pitch. Units: those of the points, x, y, z by [0], [1], [2]. Shapes: out [x]. How it fails: never; points must
// be finite. Thread rules: a pure function.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tryon {

// Of the cell that p lies in, or of one beside it. Cells 2^21 apart share a key.
template <typename Point>
int64_t cell_key(const Point& p, typename Point::Scalar pitch, int dx = 0, int dy = 0, int dz = 0) {
  const auto at = [&](int axis, int d) { return (static_cast<int64_t>(std::floor(p[axis] / pitch)) + d) & 0x1fffff; };
  return at(0, dx) << 42 | at(1, dy) << 21 | at(2, dz);
}

template <typename Point>
std::vector<uint8_t> within_reach(const std::vector<Point>& x, const std::vector<Point>& of,
                                  typename Point::Scalar reach) {
  std::unordered_map<int64_t, std::vector<Point>> cells;
  for (const Point& p : of) cells[cell_key(p, reach)].push_back(p);
  std::vector<uint8_t> out(x.size(), 0);
  for (size_t i = 0; i < x.size(); ++i)
    for (int k = 0; k < 27 && !out[i]; ++k) {
      const auto cell = cells.find(cell_key(x[i], reach, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
      if (cell == cells.end()) continue;
      out[i] = std::any_of(cell->second.begin(), cell->second.end(),
                           [&](const Point& p) { return (x[i] - p).squaredNorm() < reach * reach; });
    }
  return out;
}

}  // namespace tryon
