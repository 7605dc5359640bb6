// What it is: a tailor's tape. Round a cut it is the cut's convex hull: tight, spanning hollows. Between two points it
// is the shortest way over what stands out between them. And the search for the level at which a tape is taken.
// Units and frame: the mesh's. Shapes: points in walking order; a closed tape does not repeat its first point.
// How it fails: no points give an empty tape of length 0. Thread rules: pure functions.
#pragma once

#include <functional>
#include <vector>

#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct Tape {
  std::vector<Vec3> points;
  bool closed = false;
  double length = 0.0;
};

// Round points that lie in (or near) the plane through the first of them.
Tape tape_round(const std::vector<Vec3>& points, const Vec3& normal);
// The same round a cut of triangles that stand for rounded flesh: what the hull's corners add to the length of a ring
// of its area is taken off, and the ring shrinks about its middle to that length. On a fine mesh next to nothing.
Tape tape_round_flesh(const std::vector<Vec3>& points, const Vec3& normal);
// The same of a closed tape that need not lie in a plane: its corners are those that are seen along `normal`.
Tape without_corners(const Tape& tape, const Vec3& normal);
// A tape has a width: the mean length of tapes across `width` about a place, with the curve of the middle one.
Tape tape_of_width(double at, double width, const std::function<Tape(double)>& tape);
// By how much a convex polygon is longer than the ring of equal area that has none of its corners. The edges, each by
// the direction that it faces, are the shape's curvature; of its Fourier modes the first `modes` are kept:
//   length = c_0,   area = c_0^2 / 4 pi - sum_{k >= 2} |c_k|^2 / (2 pi (k^2 - 1)),   c_k = sum edge exp(i k direction),
// and an inward offset d takes away the surplus of area, length d (Hurwitz 1902; Groemer 1996, section 4.2).
double corner_surplus(const std::vector<Vec2>& hull, int modes);
// From one point to another, tight over those of `points` that stand out towards `outward` by at most `reach`, between
// the two or up to `overhang` beside them. All is taken in the plane of the two ends and `outward`.
Tape tape_over(const std::vector<Vec3>& points, const Vec3& from, const Vec3& to, const Vec3& outward, double reach,
               double overhang = 0.0);
// One after the other.
Tape joined_tapes(const Tape& first, const Tape& second);
// Straight through the given points.
Tape tape_through(const std::vector<Vec3>& points);

struct Extremum {
  double at = 0, value = 0;
  bool inner = false;  // not at an end of the range that was searched
};

// Where a smooth function of [low, high] is largest: the best of samples at most `step` apart, then golden sections
// around it, so that the answer does not depend on where the samples fall. Values that are not finite do not count.
Extremum find_largest(double low, double high, double step, const std::function<double(double)>& value);
// The mean of all levels, each weighing the more the nearer its value is to the largest (in units of `softness`): a
// clear maximum gives its own level, a shallow one gives a level that does not jump from place to place. `value` is the
// largest one; it must be finite somewhere.
Extremum find_blended(double low, double high, double softness, const std::function<double(double)>& value);
Extremum find_smallest(double low, double high, double step, const std::function<double(double)>& value);

// Where a function that a coarse mesh makes uneven is largest: from the best sample, vertex of the parabola fitted over
// `window` to either side, three times.
Extremum find_peak(double low, double high, double step, double window, const std::function<double(double)>& value);

// A cut's length for such a search, or `nothing` where the cut is empty.
inline double length_or(double nothing, double length) { return length > 0 ? length : nothing; }

// Going from `from` towards `to` in steps, where `holds` first becomes true, then halved to a thousandth of a step;
// `to` if it never does.
double find_change(double from, double to, double step, const std::function<bool(double)>& holds);

}  // namespace tryon
