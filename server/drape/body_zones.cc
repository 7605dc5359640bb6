#include "server/drape/body_zones.h"

#include <algorithm>
#include <string>

namespace tryon {
namespace {

struct Marks {
  double height, shoulder, armpit, bust_end, waist_end, high_hip_end, knee, ankle;
  Vec3 armpits[2], shoulders[2], elbows[2], wrists[2];  // left, right
  std::vector<Vec3> neck_base;
};

double level(const Body& body, const std::string& name, double usual) {
  const auto found = body.measurements_mm.find(name + "_height");
  return found == body.measurements_mm.end() ? usual * body.height_m : 1e-3 * found->second;
}

Vec3 place(const Body& body, int side, const char* name, const Vec3& usual) {
  const auto found = body.landmarks.find((side == 0 ? "left_" : "right_") + std::string(name));
  if (found != body.landmarks.end()) return found->second;
  return body.height_m * Vec3(side == 0 ? usual.x() : -usual.x(), usual.y(), usual.z());
}

Marks marks_of(const Body& body) {
  Marks m{};
  m.height = body.height_m;
  for (int side : {0, 1}) {
    m.armpits[side] = place(body, side, "armpit", Vec3(0.093, 0.745, 0));
    m.shoulders[side] = place(body, side, "shoulder", Vec3(0.10, 0.82, 0));
    m.elbows[side] = place(body, side, "elbow", Vec3(0.22, 0.67, 0));
    m.wrists[side] = place(body, side, "wrist", Vec3(0.34, 0.55, 0));
  }
  m.shoulder = 0.5 * (m.shoulders[0].y() + m.shoulders[1].y()) - m.height / 33;
  m.armpit = std::min(m.armpits[0].y(), m.armpits[1].y());
  const double under_bust = level(body, "under_bust", 0.69), waist = level(body, "waist", 0.63);
  const double high_hip = level(body, "high_hip", 0.57), hip = level(body, "hip", 0.51);
  m.bust_end = 0.5 * (under_bust + waist);
  m.waist_end = 0.5 * (waist + high_hip);
  m.high_hip_end = 0.5 * (high_hip + hip);
  m.knee = level(body, "knee", 0.27), m.ankle = level(body, "ankle", 0.065);
  const auto base = body.curves.find("neck_base_girth");
  if (base != body.curves.end()) m.neck_base = base->second.points;
  return m;
}

bool near_any(const Vec3& p, const std::vector<Vec3>& places, double reach) {
  return std::any_of(places.begin(), places.end(), [&](const Vec3& q) { return (p - q).norm() < reach; });
}

BodyZone trunk_zone(const Marks& m, const Vec3& p) {
  if (near_any(p, m.neck_base, m.height / 60)) return BodyZone::kNeck;
  if (near_any(p, {m.armpits[0], m.armpits[1]}, m.height / 28)) return BodyZone::kUnderArm;
  if (p.y() > m.shoulder) return BodyZone::kShoulder;
  if (p.y() > m.armpit) return BodyZone::kUpperChest;
  if (p.y() > m.bust_end) return BodyZone::kBust;
  if (p.y() > m.waist_end) return BodyZone::kWaist;
  return p.y() > m.high_hip_end ? BodyZone::kHighHip : BodyZone::kHip;
}

BodyZone arm_zone(const Marks& m, const Vec3& p, bool upper) {
  const int side = p.x() >= 0 ? 0 : 1;
  if (upper && (p - m.armpits[side]).norm() < m.height / 28) return BodyZone::kUnderArm;
  if (upper && p.y() > m.shoulder) return BodyZone::kShoulder;
  const double reach = m.height / 28;
  const Vec3 down = (m.wrists[side] - m.shoulders[side]).normalized();
  if (std::abs((p - m.elbows[side]).dot(down)) < reach) return BodyZone::kElbow;
  if (upper) return BodyZone::kUpperArm;
  return (m.wrists[side] - p).dot(down) < reach ? BodyZone::kWrist : BodyZone::kForearm;
}

BodyZone leg_zone(const Marks& m, const Vec3& p, bool upper) {
  if (std::abs(p.y() - m.knee) < m.height / 22) return BodyZone::kKnee;
  if (upper) return BodyZone::kThigh;
  return p.y() < m.ankle + m.height / 25 ? BodyZone::kAnkle : BodyZone::kCalf;
}

BodyZone zone_at(const Marks& m, BodySegment segment, const Vec3& p) {
  switch (segment) {
    case BodySegment::kHead:
      return BodyZone::kHead;
    case BodySegment::kNeck:
      return BodyZone::kNeck;
    case BodySegment::kTorso:
      return trunk_zone(m, p);
    case BodySegment::kLeftUpperArm:
    case BodySegment::kRightUpperArm:
      return arm_zone(m, p, true);
    case BodySegment::kLeftLowerArm:
    case BodySegment::kRightLowerArm:
      return arm_zone(m, p, false);
    case BodySegment::kLeftHand:
    case BodySegment::kRightHand:
      return BodyZone::kHand;
    case BodySegment::kLeftUpperLeg:
    case BodySegment::kRightUpperLeg:
      return leg_zone(m, p, true);
    case BodySegment::kLeftLowerLeg:
    case BodySegment::kRightLowerLeg:
      return leg_zone(m, p, false);
    case BodySegment::kLeftFoot:
    case BodySegment::kRightFoot:
      break;
  }
  return BodyZone::kFoot;
}

}  // namespace

std::string_view body_zone_name(BodyZone zone) {
  static constexpr std::string_view kNames[] = {
      "head",  "neck",    "shoulder", "upper_chest", "under_arm", "bust", "waist", "high_hip", "hip", "upper_arm",
      "elbow", "forearm", "wrist",    "hand",        "thigh",     "knee", "calf",  "ankle",    "foot"};
  static_assert(std::size(kNames) == kBodyZoneCount);
  return kNames[static_cast<size_t>(zone)];
}

std::vector<BodyZone> body_zones(const Body& body) {
  const Marks marks = marks_of(body);
  std::vector<BodyZone> out;
  for (int v = 0; v < body.mesh.vertex_count(); ++v)
    out.push_back(zone_at(marks, body.segment[v], body.mesh.positions[v]));
  return out;
}

std::vector<int> triangle_zones(const Body& body, const std::vector<BodyZone>& zones) {
  std::vector<int> out;
  for (const Triangle& t : body.mesh.triangles) {
    const BodyZone a = zones[t[0]], b = zones[t[1]], c = zones[t[2]];
    out.push_back(static_cast<int>(b == c ? b : a));
  }
  return out;
}

}  // namespace tryon
