#include "server/body/proxy_anatomy.h"

#include <algorithm>
#include <limits>

namespace tryon {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kElbow = 0.42, kWrist = 0.76;   // shares of the way from shoulder to finger tip
constexpr double kCutWrist = 0.95;               // where the hand is cut off
constexpr double kAnkle = 0.042, kKnee = 0.285;  // shares of the height

}  // namespace

ProxyAnatomy::ProxyAnatomy(const Body& body) : body_(body) {
  for (int v = 0; v < body.mesh.vertex_count(); ++v) vertices_[static_cast<size_t>(body.part[v])].push_back(v);
  for (int t = 0; t < body.mesh.triangle_count(); ++t) {
    const Triangle& corner = body.mesh.triangles[t];
    const BodyPart a = body.part[corner[0]];
    const bool whole = body.part[corner[1]] == a && body.part[corner[2]] == a;
    (whole ? triangles_[static_cast<size_t>(a)] : across_).push_back(t);
  }
  crotch_ = kFar, neck_base_ = -kFar;
  for (const int v : vertices(BodyPart::kTorso)) {
    crotch_ = std::min(crotch_, body.mesh.positions[v].y());
    neck_base_ = std::max(neck_base_, body.mesh.positions[v].y());
  }
  const PartBorder neck = border(BodyPart::kNeck, BodyPart::kTorso);
  if (neck.vertex_count > 0) neck_base_ = neck.center.y();
}

PartBorder ProxyAnatomy::border(BodyPart a, BodyPart b) const {
  PartBorder out;
  for (const int t : across_) {
    const Triangle& corner = body_.mesh.triangles[t];
    const auto has = [&](BodyPart part) {
      return std::any_of(corner.begin(), corner.end(), [&](int v) { return body_.part[v] == part; });
    };
    if (!has(a) || !has(b)) continue;
    for (const int v : corner) {
      const Vec3& p = body_.mesh.positions[v];
      if (out.vertex_count == 0 || p.y() < out.lowest.y()) out.lowest = p;
      if (out.vertex_count == 0 || p.y() > out.highest.y()) out.highest = p;
      out.center += p;
      ++out.vertex_count;
    }
  }
  if (out.vertex_count > 0) out.center /= out.vertex_count;
  return out;
}

Vec3 ProxyAnatomy::center_between(BodyPart part, const Vec3& from, const Vec3& along, double low, double high) const {
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (const int v : vertices(part)) {
    const Vec3& p = body_.mesh.positions[v];
    const double share = (p - from).dot(along) / along.squaredNorm();
    if (share < low || share > high) continue;
    sum += p, ++count;
  }
  return count > 0 ? Vec3(sum / count) : Vec3(from + 0.5 * (low + high) * along);
}

Vec3 ProxyAnatomy::neck_axis() const {
  constexpr double kUpright = 0.6;
  const auto tape = body_.curves.find("neck_girth");
  if (tape == body_.curves.end() || tape->second.points.size() < 3) return Vec3::UnitY();
  const std::vector<Vec3>& points = tape->second.points;
  Vec3 sum = Vec3::Zero();  // twice the area that the curve spans, as a vector
  for (size_t i = 0; i < points.size(); ++i) {
    sum += (points[i] - points[0]).cross(points[(i + 1) % points.size()] - points[0]);
  }
  if (sum.y() < 0.0) sum = -sum;
  const Vec3 axis = sum.normalized();
  return axis.y() > kUpright ? axis : Vec3::UnitY();
}

ArmJoints ProxyAnatomy::arm(BodyPart part) const {
  ArmJoints out;
  const PartBorder shoulder = border(BodyPart::kTorso, part);
  if (vertices(part).empty() || shoulder.vertex_count == 0) return out;
  out.found = true;
  out.shoulder = out.tip = shoulder.center;
  for (const int v : vertices(part)) {
    const Vec3& p = body_.mesh.positions[v];
    if ((p - out.shoulder).squaredNorm() > (out.tip - out.shoulder).squaredNorm()) out.tip = p;
  }
  const BodySegment hand = part == BodyPart::kLeftArm ? BodySegment::kLeftHand : BodySegment::kRightHand;
  const auto& segment = body_.segment;
  out.has_hand = segment.empty() || std::find(segment.begin(), segment.end(), hand) != segment.end();
  const Vec3 along = out.tip - out.shoulder;
  const std::string side = part == BodyPart::kLeftArm ? "left_" : "right_";
  const auto joint = [&](const char* name, double fallback) {
    const auto found = body_.landmarks.find(side + name);
    const double share =
        found == body_.landmarks.end() ? fallback : (found->second - out.shoulder).dot(along) / along.squaredNorm();
    return center_between(part, out.shoulder, along, share - 0.02, share + 0.02);
  };
  const double whole = out.has_hand ? 1.0 : 1.0 / kWrist;
  out.elbow = joint("elbow", kElbow * whole);
  out.wrist = joint("wrist", out.has_hand ? kWrist : kCutWrist);
  const Vec3 bone = (out.elbow - out.shoulder).normalized();
  out.pit = std::max(0.0, (shoulder.lowest - out.shoulder).dot(bone));
  return out;
}

LegJoints ProxyAnatomy::leg(BodyPart part) const {
  LegJoints out;
  if (vertices(part).empty()) return out;
  out.found = true;
  const double ankle = kAnkle * body_.height_m, knee = kKnee * body_.height_m;
  out.ankle = center_between(part, Vec3::Zero(), Vec3::UnitY() * ankle, 0.9, 1.1);
  out.knee = center_between(part, Vec3::Zero(), Vec3::UnitY() * knee, 0.95, 1.05);
  out.hip = center_between(part, Vec3::Zero(), Vec3::UnitY() * crotch_, 0.96, 1.0);
  out.toe = out.heel = out.ankle;
  for (const int v : vertices(part)) {
    const Vec3& p = body_.mesh.positions[v];
    if (p.y() > ankle) continue;
    if (p.z() > out.toe.z()) out.toe = p;
    if (p.z() < out.heel.z()) out.heel = p;
  }
  return out;
}

}  // namespace tryon
