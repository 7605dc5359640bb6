#include "server/mesh/predicates.h"

#include <algorithm>
#include <numeric>

#include "CGAL/Exact_predicates_inexact_constructions_kernel.h"

namespace tryon {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;

Kernel::Point_2 exact(const Vec2& p) { return {p.x(), p.y()}; }

bool within(double value, double a, double b) { return std::min(a, b) <= value && value <= std::max(a, b); }

// p, known to be on the line of a and b, lies on the segment.
bool on_segment(const Vec2& a, const Vec2& b, const Vec2& p) {
  return within(p.x(), a.x(), b.x()) && within(p.y(), a.y(), b.y());
}

// Sides i and i + 1 share a point; they may share no more.
bool folds_back(const Vec2& a, const Vec2& b, const Vec2& c) {
  return a == b || b == c || (orientation(a, b, c) == 0 && (on_segment(a, b, c) || on_segment(b, c, a)));
}

bool sides_meet(const std::vector<Vec2>& loop, int i, int j) {
  const int n = static_cast<int>(loop.size());
  const int i1 = (i + 1) % n, j1 = (j + 1) % n;
  if (std::max(loop[i].y(), loop[i1].y()) < std::min(loop[j].y(), loop[j1].y())) return false;
  if (std::max(loop[j].y(), loop[j1].y()) < std::min(loop[i].y(), loop[i1].y())) return false;
  if (i1 == j) return folds_back(loop[i], loop[j], loop[j1]);
  if (j1 == i) return folds_back(loop[j], loop[i], loop[i1]);
  return segments_meet(loop[i], loop[i1], loop[j], loop[j1]);
}

}  // namespace

int orientation_exact(const Vec2& a, const Vec2& b, const Vec2& c) {
  return static_cast<int>(Kernel().orientation_2_object()(exact(a), exact(b), exact(c)));
}

int in_circle_exact(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  return static_cast<int>(Kernel().side_of_oriented_circle_2_object()(exact(a), exact(b), exact(c), exact(d)));
}

bool segments_meet(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const int abc = orientation(a, b, c), abd = orientation(a, b, d);
  const int cda = orientation(c, d, a), cdb = orientation(c, d, b);
  if (abc * abd < 0 && cda * cdb < 0) return true;
  return (abc == 0 && on_segment(a, b, c)) || (abd == 0 && on_segment(a, b, d)) || (cda == 0 && on_segment(c, d, a)) ||
         (cdb == 0 && on_segment(c, d, b));
}

double signed_area(const std::vector<Vec2>& loop) {
  double twice = 0.0;
  for (size_t i = 0; i < loop.size(); ++i) {
    const Vec2 a = loop[i] - loop[0], b = loop[(i + 1) % loop.size()] - loop[0];
    twice += a.x() * b.y() - a.y() * b.x();
  }
  return 0.5 * twice;
}

// Sweep along x: a side meets only sides whose x range overlaps its own.
std::optional<std::pair<int, int>> find_crossing(const std::vector<Vec2>& loop) {
  const int n = static_cast<int>(loop.size());
  auto low = [&](int i) { return std::min(loop[i].x(), loop[(i + 1) % n].x()); };
  auto high = [&](int i) { return std::max(loop[i].x(), loop[(i + 1) % n].x()); };
  std::vector<int> order(n), active;
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return std::pair(low(i), i) < std::pair(low(j), j); });
  std::optional<std::pair<int, int>> first;
  for (const int i : order) {
    std::erase_if(active, [&](int j) { return high(j) < low(i); });
    for (const int j : active) {
      const std::pair<int, int> pair(std::min(i, j), std::max(i, j));
      if ((!first || pair < *first) && sides_meet(loop, pair.first, pair.second)) first = pair;
    }
    active.push_back(i);
  }
  return first;
}

}  // namespace tryon
