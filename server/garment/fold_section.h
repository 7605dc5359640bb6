// What it is: the level section of a piece of cloth that is wrapped round an axis and, where it must be narrower than
// it is, folded: a curve by arc length whose heading swings as a sine of the length (Langbein & Leopold 1966, the
// sine-generated curve: of all meanders the one that bends least), on top of the slow turn of the wrap.
//
//     flat     -----------------       wrapped   .-""""-.       folded   /\  /\  /\      seen from above
//                                               /        \              '  \/  \/  '
//
// Rulings are upright, so the cloth keeps its lengths. Units: metres, radians. The curve is symmetric about s = 0.
// How it fails: never; a ratio above kMostFold is cut to it. Thread rules: plain values.
#pragma once

#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

inline constexpr double kMostFold = 4.0;  // length over width: tighter meanders would touch themselves

class FoldSection {
 public:
  // bend: radius of the wrap of the folded width, 0: flat. ratio >= 1: length over folded width. half: the largest |s|.
  FoldSection(double bend, double ratio, double half);
  Vec2 at(double s) const;                 // x: sideways, odd in s; y: forth, even in s and 0 at s = 0
  double depth() const { return depth_; }  // how far the curve falls back behind its foremost point
  double front() const { return front_; }  // the foremost y
  double reach() const { return reach_; }  // the largest |x|

 private:
  static constexpr double kStep = 2e-3;  // m
  std::vector<Vec2> points_;             // at s = 0, kStep, ...
  double depth_ = 0.0, front_ = 0.0, reach_ = 0.0;
};

}  // namespace tryon
