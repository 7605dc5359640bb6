#include "server/garment/pattern_curve.h"

#include <algorithm>
#include <cmath>

#include "server/base/units.h"

namespace tryon {
namespace {

constexpr int kTableSize = 32;

Vec2 turned_left(const Vec2& d) { return {-d.y(), d.x()}; }

}  // namespace

Vec2 to_relative(const Vec2& point, const Vec2& s, const Vec2& e) {
  const Vec2 d = e - s, c = point - s;
  return Vec2(c.dot(d), c.dot(turned_left(d))) / d.squaredNorm();
}

Vec2 from_relative(const Vec2& control, const Vec2& s, const Vec2& e) {
  const Vec2 d = e - s;
  return s + control.x() * d + control.y() * turned_left(d);
}

EdgeCurve reversed(const EdgeCurve& curve) {
  EdgeCurve out = curve;
  std::reverse(out.controls.begin(), out.controls.end());
  for (Vec2& c : out.controls) c = Vec2(1.0 - c.x(), -c.y());
  out.right = !out.right;
  return out;
}

EdgeCurve mirrored(const EdgeCurve& curve) {
  EdgeCurve out = curve;
  for (Vec2& c : out.controls) c.y() = -c.y();
  out.right = !out.right;
  return out;
}

CurveShape::CurveShape(const Vec2& s, const Vec2& e, const EdgeCurve& curve) : kind_(curve.kind), s_(s), e_(e) {
  const Vec2 d = e - s;
  switch (kind_) {
    case EdgeCurve::Kind::kLine:
      length_ = d.norm();
      break;
    case EdgeCurve::Kind::kArc: {  // SVG's rule in a y-up frame; a radius too small becomes half the chord
      const double half = 0.5 * d.norm();
      radius_ = std::max(curve.radius, half);
      const double rise = std::sqrt(std::max(0.0, (radius_ - half) * (radius_ + half)));
      const double side = curve.right != curve.large_arc ? 1.0 : -1.0;
      centre_ = s + 0.5 * d + turned_left(d).normalized() * (side * rise);
      start_angle_ = std::atan2(s.y() - centre_.y(), s.x() - centre_.x());
      const double small = 2.0 * std::asin(std::min(1.0, half / radius_));
      const double span = curve.large_arc ? 2.0 * kPi - small : small;
      sweep_ = curve.right ? span : -span;
      length_ = radius_ * span;
      break;
    }
    case EdgeCurve::Kind::kQuadratic:
    case EdgeCurve::Kind::kCubic: {
      const Vec2 c = from_relative(curve.controls.front(), s, e);
      if (kind_ == EdgeCurve::Kind::kCubic) {
        bezier_ = {s, c, from_relative(curve.controls.back(), s, e), e};
      } else {
        bezier_ = {s, s + 2.0 / 3.0 * (c - s), e + 2.0 / 3.0 * (c - e), e};
      }
      table_.assign(kTableSize + 1, 0.0);
      for (int i = 0; i < kTableSize; ++i) {
        table_[i + 1] = table_[i] + adaptive_length(double(i) / kTableSize, double(i + 1) / kTableSize, 0);
      }
      length_ = table_.back();
      break;
    }
    case EdgeCurve::Kind::kPolyline:
      points_.push_back(s);
      for (const Vec2& c : curve.controls) points_.push_back(from_relative(c, s, e));
      points_.push_back(e);
      table_.assign(points_.size(), 0.0);
      for (size_t i = 1; i < points_.size(); ++i) table_[i] = table_[i - 1] + (points_[i] - points_[i - 1]).norm();
      length_ = table_.back();
      break;
  }
}

Vec2 CurveShape::bezier_point(double t) const {
  const double u = 1.0 - t;
  return u * u * u * bezier_.p0 + 3.0 * u * u * t * bezier_.p1 + 3.0 * u * t * t * bezier_.p2 + t * t * t * bezier_.p3;
}

double CurveShape::speed(double t) const {
  const double u = 1.0 - t;
  const Cubic& b = bezier_;
  return (3.0 * (u * u * (b.p1 - b.p0) + 2.0 * u * t * (b.p2 - b.p1) + t * t * (b.p3 - b.p2))).norm();
}

// Five-point Gauss-Legendre on [a, b].
double CurveShape::gauss_length(double a, double b) const {
  constexpr std::array<double, 3> kNode = {0.0, 0.5384693101056831, 0.9061798459386640};
  constexpr std::array<double, 3> kWeight = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  const double mid = 0.5 * (a + b), half = 0.5 * (b - a);
  double sum = kWeight[0] * speed(mid);
  for (int i = 1; i < 3; ++i) sum += kWeight[i] * (speed(mid - half * kNode[i]) + speed(mid + half * kNode[i]));
  return sum * half;
}

// Halves the interval until halving changes the length by less than a picometre (or the rounding of a long curve).
double CurveShape::adaptive_length(double a, double b, int depth) const {
  const double mid = 0.5 * (a + b), whole = gauss_length(a, b);
  const double parts = gauss_length(a, mid) + gauss_length(mid, b);
  if (!(std::abs(parts - whole) > 1e-12 * std::max(1.0, whole)) || depth >= 16) return parts;  // also for NaN
  return adaptive_length(a, mid, depth + 1) + adaptive_length(mid, b, depth + 1);
}

Vec2 CurveShape::point(double t) const {
  if (t <= 0.0) return s_;
  if (t >= 1.0) return e_;
  if (kind_ == EdgeCurve::Kind::kLine) return s_ + t * (e_ - s_);
  if (kind_ == EdgeCurve::Kind::kArc) {
    const double angle = start_angle_ + t * sweep_;
    return centre_ + radius_ * Vec2(std::cos(angle), std::sin(angle));
  }
  if (kind_ != EdgeCurve::Kind::kPolyline) return bezier_point(t);
  const double target = t * length_;
  const auto above = std::upper_bound(table_.begin() + 1, table_.end() - 1, target);
  const size_t i = static_cast<size_t>(above - table_.begin());
  const double span = table_[i] - table_[i - 1];
  return points_[i - 1] + (span > 0.0 ? (target - table_[i - 1]) / span : 0.0) * (points_[i] - points_[i - 1]);
}

// Of a Bezier, the table gives the interval and bisection the rest; every other kind runs evenly.
double CurveShape::parameter(double share) const {
  if (share <= 0.0 || share >= 1.0) return share <= 0.0 ? 0.0 : 1.0;
  if (kind_ != EdgeCurve::Kind::kQuadratic && kind_ != EdgeCurve::Kind::kCubic) return share;
  const double target = share * length_;
  const auto above = std::upper_bound(table_.begin() + 1, table_.end() - 1, target);
  const int i = static_cast<int>(above - table_.begin()) - 1;
  const double begin = double(i) / kTableSize;
  double low = begin, high = double(i + 1) / kTableSize;
  for (int k = 0; k < 36; ++k) {
    const double mid = 0.5 * (low + high);
    (table_[i] + gauss_length(begin, mid) < target ? low : high) = mid;
  }
  return 0.5 * (low + high);
}

// De Casteljau's blossom of the cubic at (x, y, z).
EdgeCurve CurveShape::bezier_piece(double t0, double t1, const Vec2& s, const Vec2& e) const {
  const Cubic& b = bezier_;
  auto blossom = [&](double x, double y, double z) -> Vec2 {
    auto mix = [](const Vec2& p, const Vec2& q, double t) -> Vec2 { return (1.0 - t) * p + t * q; };
    const Vec2 a0 = mix(b.p0, b.p1, x), a1 = mix(b.p1, b.p2, x), a2 = mix(b.p2, b.p3, x);
    return mix(mix(a0, a1, y), mix(a1, a2, y), z);
  };
  EdgeCurve out;
  out.kind = kind_;
  const Vec2 c1 = blossom(t0, t0, t1), c2 = blossom(t0, t1, t1);
  if (kind_ == EdgeCurve::Kind::kCubic) {
    out.controls = {to_relative(c1, s, e), to_relative(c2, s, e)};
  } else {  // the quadratic's own control point lies where the cubic's arms, half as long again, meet
    const Vec2 p0 = bezier_point(t0), p3 = bezier_point(t1);
    out.controls = {to_relative(0.5 * (p0 + 1.5 * (c1 - p0) + p3 + 1.5 * (c2 - p3)), s, e)};
  }
  return out;
}

EdgeCurve CurveShape::polyline_piece(double from, double to, const Vec2& s, const Vec2& e) const {
  EdgeCurve out;
  const double low = from * length_, high = to * length_, near = 1e-9 * length_;
  for (size_t i = 1; i + 1 < points_.size(); ++i) {
    if (table_[i] > low + near && table_[i] < high - near) out.controls.push_back(to_relative(points_[i], s, e));
  }
  out.kind = out.controls.empty() ? EdgeCurve::Kind::kLine : EdgeCurve::Kind::kPolyline;
  return out;
}

EdgeCurve CurveShape::piece(double from, double to, const Vec2& s, const Vec2& e) const {
  if (kind_ == EdgeCurve::Kind::kLine) return {};
  if (kind_ == EdgeCurve::Kind::kPolyline) return polyline_piece(from, to, s, e);
  if (kind_ != EdgeCurve::Kind::kArc) return bezier_piece(parameter(from), parameter(to), s, e);
  EdgeCurve out;
  out.kind = EdgeCurve::Kind::kArc;
  out.radius = radius_;
  out.right = sweep_ > 0.0;
  out.large_arc = std::abs(sweep_) * (to - from) > kPi;
  return out;
}

}  // namespace tryon
