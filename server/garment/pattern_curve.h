// What it is: the one curve of an edge, resolved from its relative controls: points, length, arc-length parameters and
// exact cuts of lines, Beziers (as cubics), arcs and polylines. Units and frame: metres, panel frame.
// Shapes: parameters t in [0, 1], shares of arc length in [0, 1].
// How it fails: it does not; a degenerate chord gives non-finite numbers, which validate() refuses before.
// Thread rules: a value, free to share.
#pragma once

#include <array>
#include <vector>

#include "server/garment/pattern.h"

namespace tryon {

class CurveShape {
 public:
  CurveShape(const Vec2& s, const Vec2& e, const EdgeCurve& curve);

  double length() const { return length_; }
  Vec2 point(double t) const;            // of a polyline t is the share
  double parameter(double share) const;  // of arc length
  Vec2 at(double share) const { return point(parameter(share)); }
  // The curve between two shares, 0 <= from < to <= 1, relative to its own new ends `s` and `e`.
  EdgeCurve piece(double from, double to, const Vec2& s, const Vec2& e) const;

 private:
  struct Cubic {
    Vec2 p0, p1, p2, p3;
  };
  Vec2 bezier_point(double t) const;
  double speed(double t) const;
  double gauss_length(double a, double b) const;
  double adaptive_length(double a, double b, int depth) const;
  EdgeCurve bezier_piece(double t0, double t1, const Vec2& s, const Vec2& e) const;
  EdgeCurve polyline_piece(double from, double to, const Vec2& s, const Vec2& e) const;

  EdgeCurve::Kind kind_;
  Vec2 s_, e_;
  double length_ = 0.0;
  Cubic bezier_{};
  std::vector<double> table_;  // arc length: of a Bezier at even parameters, of a polyline at its points
  std::vector<Vec2> points_;   // of a polyline, ends included
  Vec2 centre_ = Vec2::Zero();
  double radius_ = 0.0, start_angle_ = 0.0, sweep_ = 0.0;  // sweep > 0: counter-clockwise
};

// Absolute points as controls of an edge from s to e, and back.
Vec2 to_relative(const Vec2& point, const Vec2& s, const Vec2& e);
Vec2 from_relative(const Vec2& control, const Vec2& s, const Vec2& e);
// The same curve walked from its end, and seen in a mirror.
EdgeCurve reversed(const EdgeCurve& curve);
EdgeCurve mirrored(const EdgeCurve& curve);

}  // namespace tryon
