#include <algorithm>

#include "server/body/measure_parts.h"

namespace tryon {
namespace {

constexpr double kFlat = 5e-4;  // m: a side is flat, so its depth is that of all that lies within half a millimetre

// Outermost point of the trunk's level on one side.
Vec3 side_point(const BodyRuler& ruler, int side, double y) {
  const Vec3 out = side_sign(side) * Vec3::UnitX();
  Vec3 point = ruler.furthest(y, out);
  double weights = 0.0, sum = 0.0;
  for (const Vec3& p : ruler.ring(y)) {
    const double weight = std::max(0.0, kFlat - (point - p).dot(out));
    weights += weight, sum += weight * p.z();
  }
  if (weights > 0) point.z() = sum / weights;
  return point;
}

// The part of a ring that lies behind a depth, from the person's left to the right.
Tape behind(const Tape& ring, double z) {
  const auto n = static_cast<int>(ring.points.size());
  std::vector<Vec3> part;
  int start = -1;  // of the run behind, which is one, since the ring is convex
  for (int i = 0; i < n; ++i) {
    if (ring.points[i].z() >= z && ring.points[(i + 1) % n].z() < z) start = i;
  }
  auto crossing = [&](const Vec3& a, const Vec3& b) -> Vec3 { return a + (z - a.z()) / (b.z() - a.z()) * (b - a); };
  for (int k = 0; start >= 0 && k < n; ++k) {
    const Vec3 &a = ring.points[(start + k) % n], &b = ring.points[(start + k + 1) % n];
    if (k == 0) part.push_back(crossing(a, b));
    if (k > 0) part.push_back(a);
    if (k > 0 && b.z() >= z) {
      part.push_back(crossing(a, b));
      break;
    }
  }
  if (!part.empty() && part.front().x() < part.back().x()) std::reverse(part.begin(), part.end());
  return tape_through(part);
}

}  // namespace

void measure_back_and_slopes(const TrunkLevels& at, BodyRuler* ruler) {
  double seam = 0.0;  // depth of the side line
  for (int side = 0; side < 2; ++side) {
    const Vec3 waist = side_point(*ruler, side, at.waist), hip = side_point(*ruler, side, at.hip);
    seam += 0.25 * (waist.z() + hip.z());
    const Vec3 over(waist.x(), hip.y(), hip.z());
    if (side_sign(side) * (hip.x() - waist.x()) > 0)
      ruler->set_side(side, "hip_flare", tape_through({over, hip}), at.hip);
    const Vec3 neck = ruler->landmark(sided(side, "neck_side")), shoulder = ruler->landmark(sided(side, "shoulder"));
    auto plumb = [](const Vec3& from, double y) { return tape_through({from, Vec3(from.x(), y, from.z())}); };
    ruler->set_side(side, "shoulder_drop", plumb(neck, std::min(neck.y(), shoulder.y())), neck.y());
    const Vec3 pit = ruler->landmark(sided(side, "armpit"));
    ruler->set_side(side, "armscye_depth", plumb(shoulder, std::min(shoulder.y(), pit.y())), shoulder.y());
  }
  ruler->set_tape("bust_back_arc", behind(ruler->girth_tape(at.bust), seam), at.bust);
  ruler->set_tape("waist_back_arc", behind(ruler->girth_tape(at.waist), seam), at.waist);
  ruler->set_tape("hip_back_arc", behind(ruler->girth_tape(at.hip), seam), at.hip);
  const Vec3 seat[2] = {ruler->landmark("left_buttock"), ruler->landmark("right_buttock")};
  ruler->set_tape("buttock_point_width", tape_through({seat[0], seat[1]}), at.buttock);
}

}  // namespace tryon
