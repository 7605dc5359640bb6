#include "server/body/tape.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "server/base/units.h"
#include "server/body/bounding.h"

namespace tryon {
namespace {

constexpr double kFinestWave = 0.040;  // m of a girth: what is finer is the mesh's corners
constexpr int kLeastModes = 5;         // oval, triangular and square shapes are kept of any girth
constexpr int kGoldenSections = 14;    // narrow the bracket of two steps by a factor of 800

double path_length(const std::vector<Vec3>& points, bool closed) {
  double length = 0.0;
  for (size_t i = 1; i < points.size(); ++i) length += (points[i] - points[i - 1]).norm();
  if (closed && points.size() > 1) length += (points.front() - points.back()).norm();
  return length;
}

// Across a direction, through the first of some points.
struct Plane {
  Vec3 origin = Vec3::Zero(), u, v;
  Plane(const std::vector<Vec3>& points, const Vec3& normal) {
    const Vec3 axis = normal.normalized();
    const Vec3 seed = std::abs(axis.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
    if (!points.empty()) origin = points[0];
    u = (seed - seed.dot(axis) * axis).normalized(), v = axis.cross(u);
  }
  std::vector<Vec2> flat(const std::vector<Vec3>& points) const {
    std::vector<Vec2> out;
    out.reserve(points.size());
    for (const Vec3& p : points) out.emplace_back((p - origin).dot(u), (p - origin).dot(v));
    return out;
  }
  Vec3 lifted(const Vec2& p) const { return origin + p.x() * u + p.y() * v; }
};

// Of the tape's length, wherever its points lie close together.
Vec3 middle_of(const Tape& tape) {
  Vec3 sum = Vec3::Zero();
  for (size_t i = 0; i < tape.points.size(); ++i) {
    const size_t next = (i + 1) % tape.points.size();
    if (next == 0 && !tape.closed) break;
    sum += (tape.points[next] - tape.points[i]).norm() * 0.5 * (tape.points[i] + tape.points[next]);
  }
  return sum / tape.length;
}

// A ring made larger or smaller about its middle.
Tape scaled_to(const Tape& tape, double length) {
  Tape out = tape;
  const Vec3 middle = middle_of(tape);
  for (Vec3& p : out.points) p = middle + length / tape.length * (p - middle);
  out.length = path_length(out.points, tape.closed);
  return out;
}

}  // namespace

Tape tape_round(const std::vector<Vec3>& points, const Vec3& normal) {
  Tape tape;
  tape.closed = true;
  if (points.empty()) return tape;
  const Plane plane(points, normal);
  for (const Vec2& p : convex_hull(plane.flat(points))) tape.points.push_back(plane.lifted(p));
  tape.length = path_length(tape.points, true);
  return tape;
}

double corner_surplus(const std::vector<Vec2>& hull, int modes) {
  const size_t n = hull.size();
  double length = 0.0, twice_area = 0.0;
  std::vector<std::complex<double>> mode(static_cast<size_t>(modes), 0.0);
  for (size_t i = 0; i < n; ++i) {
    const Vec2 &a = hull[i], &b = hull[(i + 1) % n];
    const double size = (b - a).norm();
    if (!(size > 0)) continue;
    length += size;
    twice_area += a.x() * b.y() - a.y() * b.x();
    const std::complex<double> direction((b - a).x() / size, (b - a).y() / size);
    std::complex<double> turned = size;
    for (std::complex<double>& sum : mode) sum += turned, turned *= direction;
  }
  if (!(length > 0)) return 0.0;
  double smooth = length * length / (4 * kPi);
  for (int k = 2; k < modes; ++k) smooth -= std::norm(mode[k]) / (2 * kPi * (k * k - 1));
  return std::max(0.0, 2 * kPi * (smooth - 0.5 * std::abs(twice_area)) / length);
}

Tape tape_round_flesh(const std::vector<Vec3>& points, const Vec3& normal) {
  return without_corners(tape_round(points, normal), normal);
}

Tape without_corners(const Tape& tape, const Vec3& normal) {
  const Plane plane(tape.points, normal);
  const std::vector<Vec2> hull = convex_hull(plane.flat(tape.points));
  if (hull.size() < 3) return tape;
  const double seen = polygon_perimeter(hull);
  const int modes = std::max(kLeastModes, static_cast<int>(seen / kFinestWave));
  return scaled_to(tape, tape.length * (1.0 - corner_surplus(hull, modes) / seen));
}

Tape tape_of_width(double at, double width, const std::function<Tape(double)>& tape) {
  constexpr int kSide = 2;  // tapes to either side of the middle one
  const Tape middle = tape(at);
  double sum = middle.length;
  for (int i = 1; i <= kSide; ++i) {
    const double above = tape(at + 0.5 * width * i / kSide).length, below = tape(at - 0.5 * width * i / kSide).length;
    if (!(above > 0 && below > 0)) return middle;
    sum += above + below;
  }
  return middle.length > 0 ? scaled_to(middle, sum / (2 * kSide + 1)) : middle;
}

Tape tape_over(const std::vector<Vec3>& points, const Vec3& from, const Vec3& to, const Vec3& outward, double reach,
               double overhang) {
  const double span = (to - from).norm();
  if (!(span > 0)) return tape_through({from});
  const Vec3 along = (to - from) / span;
  const Vec3 out = (outward - outward.dot(along) * along).normalized();
  std::vector<Vec2> standing = {{0, 0}, {span, 0}};  // (along, out)
  for (const Vec3& p : points) {
    const double x = (p - from).dot(along), y = (p - from).dot(out);
    if (x > -overhang && x < span + overhang && y > 0 && y < reach) standing.emplace_back(x, y);
  }
  // The hull runs counter-clockwise: from the first end along the chord to the other, then back over the top.
  const std::vector<Vec2> hull = convex_hull(std::move(standing));
  const auto far_end = std::find(hull.begin(), hull.end(), Vec2(span, 0));
  const auto count = static_cast<ptrdiff_t>(hull.size());
  std::vector<Vec3> path;
  for (ptrdiff_t i = 0; i < count; ++i) {
    const Vec2& p = hull[static_cast<size_t>((far_end - hull.begin() + i) % count)];
    path.push_back(from + p.x() * along + p.y() * out);
  }
  std::reverse(path.begin(), path.end());
  return tape_through(path);
}

Tape joined_tapes(const Tape& first, const Tape& second) {
  Tape tape = first;
  for (const Vec3& p : second.points) {
    if (tape.points.empty() || (tape.points.back() - p).norm() > 1e-9) tape.points.push_back(p);
  }
  tape.length = path_length(tape.points, false);
  return tape;
}

Tape tape_through(const std::vector<Vec3>& points) {
  Tape tape;
  tape.points = points;
  tape.length = path_length(points, false);
  return tape;
}

Extremum find_largest(double low, double high, double step, const std::function<double(double)>& value) {
  constexpr double kNone = -1e300;
  auto at = [&](double x) {
    const double v = value(x);
    return std::isfinite(v) ? v : kNone;
  };
  Extremum best{0.5 * (low + high), kNone, false};
  if (!(high > low)) return {low, at(low), false};
  const int count = std::max(3, static_cast<int>(std::ceil((high - low) / step)) + 1);
  const double gap = (high - low) / (count - 1);
  for (int i = 0; i < count; ++i) {
    const double x = low + gap * i, v = at(x);
    if (v > best.value) best = {x, v, i > 0 && i + 1 < count};
  }
  constexpr double kGolden = 0.6180339887498949;
  double a = std::max(low, best.at - gap), b = std::min(high, best.at + gap);
  double c = b - kGolden * (b - a), d = a + kGolden * (b - a), at_c = at(c), at_d = at(d);
  for (int i = 0; i < kGoldenSections; ++i) {
    if (at_c > at_d) {
      b = d, d = c, at_d = at_c;
      c = b - kGolden * (b - a), at_c = at(c);
    } else {
      a = c, c = d, at_c = at_d;
      d = a + kGolden * (b - a), at_d = at(d);
    }
  }
  if (std::max(at_c, at_d) > best.value) {
    best.at = at_c > at_d ? c : d;
    best.value = std::max(at_c, at_d);
  }
  return best;
}

Extremum find_peak(double low, double high, double step, double window, const std::function<double(double)>& value) {
  Extremum best = find_largest(low, high, step, value);
  if (!best.inner) return best;
  constexpr int kCount = 17;
  for (int round = 0; round < 3; ++round) {
    double s2 = 0, s4 = 0, d0 = 0, d1 = 0, d2 = 0;
    for (int i = 0; i < kCount; ++i) {
      const double x = -1.0 + 2.0 * i / (kCount - 1), v = value(best.at + x * window);
      s2 += x * x, s4 += x * x * x * x;
      d0 += v, d1 += x * v, d2 += x * x * v;
    }
    const double curve = (d2 - s2 * d0 / kCount) / (s4 - s2 * s2 / kCount), slope = d1 / s2;
    if (!(curve < 0)) break;
    best.at = std::clamp(best.at + std::clamp(-0.5 * slope / curve, -1.0, 1.0) * window, low, high);
  }
  best.value = value(best.at);
  return best;
}

Extremum find_blended(double low, double high, double softness, const std::function<double(double)>& value) {
  constexpr int kLevels = 33;
  double values[kLevels], largest = -1e300, weights = 0.0, sum = 0.0;
  for (int i = 0; i < kLevels; ++i) {
    const double v = value(low + (high - low) * i / (kLevels - 1));
    values[i] = std::isfinite(v) ? v : -1e300;
    largest = std::max(largest, values[i]);
  }
  for (int i = 0; i < kLevels; ++i) {
    const double w = std::exp((values[i] - largest) / softness);
    weights += w, sum += w * (low + (high - low) * i / (kLevels - 1));
  }
  return {sum / weights, largest, true};
}

double find_change(double from, double to, double step, const std::function<bool(double)>& holds) {
  const int count = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) / step)));
  for (int i = 1; i <= count; ++i) {
    double before = from + (to - from) * (i - 1) / count, after = from + (to - from) * i / count;
    if (!holds(after)) continue;
    for (int k = 0; k < 10; ++k) {
      const double middle = 0.5 * (before + after);
      (holds(middle) ? after : before) = middle;
    }
    return after;
  }
  return to;
}

Extremum find_smallest(double low, double high, double step, const std::function<double(double)>& value) {
  Extremum best = find_largest(low, high, step, [&](double x) { return -value(x); });
  best.value = -best.value;
  return best;
}

}  // namespace tryon
