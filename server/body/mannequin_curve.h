// What it is: a smooth curve through a few knots that never overshoots them (monotone cubic: Fritsch and Carlson
// 1980), so that a girth given as the widest or narrowest stays so. Constant beyond its ends.
// How it fails: knots must rise in x and be at least two. Thread rules: plain value.
#pragma once

#include <utility>
#include <vector>

namespace tryon {

class MonotoneCurve {
 public:
  explicit MonotoneCurve(std::vector<std::pair<double, double>> knots);
  double at(double x) const;

 private:
  std::vector<std::pair<double, double>> knots_;
  std::vector<double> slope_;  // [knot_count]
};

}  // namespace tryon
