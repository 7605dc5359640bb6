#include "server/body/measure_ruler.h"

#include <algorithm>
#include <cmath>

#include "server/base/text.h"
#include "server/base/units.h"

namespace tryon {
namespace {

constexpr double kFar = 1e300;
constexpr double kDense = 4e-4;  // of the height, between the points of a cut that a tape lies on

// Triangles that reach into a box round two points.
std::vector<int> triangles_between(const TriangleMesh& mesh, const std::vector<int>& of, const Vec3& a, const Vec3& b,
                                   double margin) {
  const Vec3 low = a.cwiseMin(b).array() - margin, high = a.cwiseMax(b).array() + margin;
  std::vector<int> out;
  for (int t : of) {
    const Vec3& p = mesh.positions[mesh.triangles[t][0]];
    if ((p.array() >= low.array()).all() && (p.array() <= high.array()).all()) out.push_back(t);
  }
  return out;
}

// Outermost crossing of loops with the line where coordinate `axis` has a value, by the sign of coordinate `of`.
double outermost(const std::vector<SliceLoop>& loops, int axis, double value, int of, double sign) {
  double best = -kFar;
  for (const SliceLoop& loop : loops) {
    for (size_t i = 0; i + (loop.closed ? 0 : 1) < loop.points.size(); ++i) {
      const Vec3 &a = loop.points[i], &b = loop.points[(i + 1) % loop.points.size()];
      if ((a[axis] > value) == (b[axis] > value)) continue;
      best = std::max(best, sign * (a[of] + (value - a[axis]) / (b[axis] - a[axis]) * (b[of] - a[of])));
    }
  }
  return best;
}

// Points of all loops and between them, so that what lies in a window does not hang on where triangles end.
std::vector<Vec3> dense_points(const std::vector<SliceLoop>& loops, double spacing) {
  std::vector<Vec3> out;
  for (const SliceLoop& loop : loops) {
    for (size_t i = 0; i + (loop.closed ? 0 : 1) < loop.points.size(); ++i) {
      const Vec3 &a = loop.points[i], &b = loop.points[(i + 1) % loop.points.size()];
      const int pieces = std::max(1, static_cast<int>(std::ceil((b - a).norm() / spacing)));
      for (int k = 0; k < pieces; ++k) out.push_back(a + (b - a) * k / pieces);
    }
    if (!loop.closed && !loop.points.empty()) out.push_back(loop.points.back());
  }
  return out;
}

}  // namespace

std::string sided(int side, std::string_view name) { return cat(side == 0 ? "left_" : "right_", name); }

std::vector<int> triangles_of_parts(const Body& body, const std::vector<BodyPart>& wanted) {
  bool is_wanted[kBodyPartCount] = {};
  for (BodyPart p : wanted) is_wanted[static_cast<size_t>(p)] = true;
  std::vector<int> out;
  for (int t = 0; t < body.mesh.triangle_count(); ++t) {
    const Triangle& tri = body.mesh.triangles[t];
    int inside = 0;
    for (int k = 0; k < 3; ++k) inside += is_wanted[static_cast<size_t>(body.part[tri[k]])];
    if (inside >= 2) out.push_back(t);
  }
  return out;
}

std::vector<Vec3> all_points(const std::vector<SliceLoop>& loops) {
  std::vector<Vec3> points;
  for (const SliceLoop& loop : loops) points.insert(points.end(), loop.points.begin(), loop.points.end());
  return points;
}

BodyRuler::BodyRuler(const BodyLevels& levels, Body* body)
    : levels_(levels),
      body_(*body),
      armless_(triangles_of_parts(
          *body, {BodyPart::kHead, BodyPart::kNeck, BodyPart::kTorso, BodyPart::kLeftLeg, BodyPart::kRightLeg})),
      headless_(triangles_of_parts(*body, {BodyPart::kTorso, BodyPart::kNeck, BodyPart::kLeftArm, BodyPart::kRightArm,
                                           BodyPart::kLeftLeg, BodyPart::kRightLeg})),
      trunk_(body->mesh, &armless_, Vec3::UnitY()) {
  midline_ = slice_mesh(body_.mesh, &armless_, Vec3(levels_.middle, 0, 0), Vec3::UnitX());
}

Tape BodyRuler::girth_tape(double y) const {
  return tape_of_width(y, tape_width(), [&](double at) { return tape_round_flesh(ring(at), Vec3::UnitY()); });
}

double BodyRuler::girth(double y) const { return hull_perimeter(ring(y), Vec3::UnitY()); }

Vec3 BodyRuler::middle_at(double y) const {
  const auto loops = level(y);
  const SliceLoop* loop = trunk_loop(loops, levels_.middle);
  return loop == nullptr ? Vec3(levels_.middle, y, 0) : loop->centroid;
}

Vec3 BodyRuler::furthest(double y, const Vec3& direction, int side, double aside) const {
  Vec3 best(levels_.middle, y, 0);
  double reach = -kFar;
  for (const Vec3& p : ring(y)) {
    if (side_sign(side) * (p.x() - levels_.middle) < aside || p.dot(direction) <= reach) continue;
    reach = p.dot(direction);
    best = p;
  }
  return best;
}

Vec3 BodyRuler::on_midline(double y, double sign) const {
  const double best = outermost(midline_, 1, y, 2, sign);
  return {levels_.middle, y, best > -1e200 ? sign * best : middle_at(y).z()};
}

Vec3 BodyRuler::on_surface(double x, double y, double sign) const {
  const double best = outermost(slice_mesh(body_.mesh, nullptr, Vec3(0, y, 0), Vec3::UnitY()), 0, x, 2, sign);
  return {x, y, best > -1e200 ? sign * best : middle_at(y).z()};
}

Vec3 BodyRuler::on_side(double y, double z, int side) const {
  const double best = outermost(level(y), 2, z, 0, side_sign(side));
  return {best > -1e200 ? side_sign(side) * best : levels_.middle, y, z};
}

Vec3 BodyRuler::on_top(double x, double z, double low) const {
  const double best = outermost(slice_mesh(body_.mesh, &headless_, Vec3(x, 0, 0), Vec3::UnitX()), 2, z, 1, 1.0);
  return {x, best > -1e200 ? best : low, z};
}

Tape BodyRuler::tape_on_body(const Vec3& from, const Vec3& to, const Vec3& outward, double reach,
                             double overhang) const {
  const Vec3 normal = (to - from).cross(outward);
  const std::vector<int> near = triangles_between(body_.mesh, headless_, from, to, reach + 0.05 * height());
  const auto loops = slice_mesh(body_.mesh, &near, from, normal.normalized());
  return tape_over(dense_points(loops, kDense * height()), from, to, outward, reach, overhang);
}

void BodyRuler::set(const std::string& name, double metres) {
  if (std::isfinite(metres) && metres > 0) body_.measurements_mm[name] = to_mm(metres);
}

void BodyRuler::set_height(const std::string& name, const Vec3& p) { set_drop(name, p, 0.0); }

void BodyRuler::set_drop(const std::string& name, const Vec3& from, double y) {
  Tape line = tape_through({Vec3(from.x(), y, from.z()), from});
  line.length = from.y() - y;
  set_tape(name, line, from.y());
}

void BodyRuler::set_tape(const std::string& name, const Tape& tape, double at) {
  if (!(tape.length > 0)) return;
  set(name, tape.length);
  body_.curves[name] = {tape.points, tape.closed, at};
}

void BodyRuler::set_side(int side, const std::string& name, const Tape& tape, double at) {
  if (!(tape.length > 0)) return;
  set_tape(sided(side, name), tape, at);
  if (side == 1 || pairs_[name].empty()) body_.curves[name] = {tape.points, tape.closed, at};
  pairs_[name].push_back(tape.length);
}

void BodyRuler::finish() {
  for (const auto& [name, values] : pairs_) {
    double sum = 0.0;
    for (double v : values) sum += v;
    set(name, sum / static_cast<double>(values.size()));
  }
}

}  // namespace tryon
