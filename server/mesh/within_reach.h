// What it is: the key of a grid's cell; points by such cells; and which of many points lie within a reach of any of
// some others. Units: those of the points, x, y, z by [0], [1], [2]. Shapes: out [x]. How it fails: never; points must
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

// Points by the cells of a grid.
template <typename Point>
class PointGrid {
 public:
  using Scalar = typename Point::Scalar;
  PointGrid(const std::vector<Point>& points, Scalar pitch) : pitch_(pitch) {
    for (size_t i = 0; i < points.size(); ++i) cells_[cell_key(points[i], pitch)].push_back(i);
  }
  // Whether found(index) holds of any in the point's cell and those beside it; it is asked until it does.
  template <typename Found>
  bool any_round(const Point& point, const Found& found) const {
    for (int k = 0; k < 27; ++k) {
      const auto cell = cells_.find(cell_key(point, pitch_, k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
      if (cell != cells_.end() && std::any_of(cell->second.begin(), cell->second.end(), found)) return true;
    }
    return false;
  }

 private:
  Scalar pitch_;
  std::unordered_map<int64_t, std::vector<size_t>> cells_;
};

template <typename Point>
std::vector<uint8_t> within_reach(const std::vector<Point>& x, const std::vector<Point>& of,
                                  typename Point::Scalar reach) {
  const PointGrid<Point> grid(of, reach);
  std::vector<uint8_t> out(x.size(), 0);
  for (size_t i = 0; i < x.size(); ++i)
    out[i] = grid.any_round(x[i], [&](size_t k) { return (x[i] - of[k]).squaredNorm() < reach * reach; });
  return out;
}

}  // namespace tryon
