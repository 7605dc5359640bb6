#include "server/garment/flat_layout.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tryon {
namespace {

Eigen::AlignedBox2d box_of(const Panel& panel) {
  Eigen::AlignedBox2d box;
  for (const Vec2& p : outline_points(panel, 24)) box.extend(p);
  for (const InternalLine& line : panel.lines) {
    for (const Vec2& p : line.points) box.extend(p);
  }
  return box;
}

}  // namespace

FlatLayout lay_flat(const Pattern& pattern, double gap_m) {
  const int n = static_cast<int>(pattern.panels.size());
  std::vector<Eigen::AlignedBox2d> boxes;
  double area = 0.0, widest = 0.0;
  for (const Panel& panel : pattern.panels) {
    boxes.push_back(box_of(panel));
    const Vec2 size = boxes.back().sizes() + Vec2(gap_m, gap_m);
    area += size.prod();
    widest = std::max(widest, size.x());
  }
  std::vector<int> order(n);  // tall ones first: rows waste least
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return boxes[a].sizes().y() > boxes[b].sizes().y(); });
  FlatLayout out;
  out.offset.resize(n);
  const double row_width = std::max(widest, std::sqrt(1.6 * area)) + gap_m;
  double x = gap_m, y = gap_m, row = 0.0;
  for (const int p : order) {
    const Vec2 size = boxes[p].sizes();
    if (x + size.x() + gap_m > row_width + 1e-9 && x > gap_m) x = gap_m, y += row + gap_m, row = 0.0;
    out.offset[p] = Vec2(x, y) - boxes[p].min();
    x += size.x() + gap_m, row = std::max(row, size.y());
    out.width = std::max(out.width, x);
  }
  out.height = y + row + gap_m;
  return out;
}

}  // namespace tryon
