#include "server/body/segment_limbs.h"

#include <array>
#include <optional>
#include <string>

#include "server/body/segment_islands.h"

namespace tryon {
namespace {

constexpr double kIslandShare = 0.20;  // of a segment: larger pieces stay, they may be torn off by a hole

struct Cut {
  Vec3 origin, normal;  // towards the far end of the limb
  bool beyond(const Vec3& p) const { return (p - origin).dot(normal) > 0; }
};

struct LimbCuts {
  BodySegment piece[3];
  std::optional<Cut> first, second;
  BodySegment at(const Vec3& p) const {
    if (second && second->beyond(p) && first && first->beyond(p)) return piece[2];
    return first && first->beyond(p) ? piece[1] : piece[0];
  }
};

std::optional<Vec3> landmark(const Body& body, const std::string& name) {
  const auto it = body.landmarks.find(name);
  if (it == body.landmarks.end()) return std::nullopt;
  return it->second;
}

LimbCuts arm_cuts(const Body& body, int side) {
  using S = BodySegment;
  const std::string own = side == 0 ? "left_" : "right_";
  LimbCuts cuts{{side == 0 ? S::kLeftUpperArm : S::kRightUpperArm, side == 0 ? S::kLeftLowerArm : S::kRightLowerArm,
                 side == 0 ? S::kLeftHand : S::kRightHand},
                {},
                {}};
  const auto shoulder = landmark(body, own + "shoulder"), pit = landmark(body, own + "armpit");
  const auto elbow = landmark(body, own + "elbow"), wrist = landmark(body, own + "wrist");
  const auto tip = landmark(body, own + "fingertip");
  if (!shoulder || !pit || !elbow || !wrist || !tip) return cuts;
  const Vec3 upper = (*elbow - 0.5 * (*shoulder + *pit)).normalized(), lower = (*wrist - *elbow).normalized();
  const Vec3 hand = (*tip - *wrist).normalized();
  cuts.first = Cut{*elbow, upper + lower};
  cuts.second = Cut{*wrist, lower + hand};
  return cuts;
}

LimbCuts leg_cuts(const Body& body, int side) {
  using S = BodySegment;
  const std::string own = side == 0 ? "left_" : "right_";
  LimbCuts cuts{{side == 0 ? S::kLeftUpperLeg : S::kRightUpperLeg, side == 0 ? S::kLeftLowerLeg : S::kRightLowerLeg,
                 side == 0 ? S::kLeftFoot : S::kRightFoot},
                {},
                {}};
  if (const auto knee = landmark(body, own + "knee")) cuts.first = Cut{*knee, -Vec3::UnitY()};
  if (const auto ankle = landmark(body, own + "ankle_bone")) cuts.second = Cut{*ankle, -Vec3::UnitY()};
  return cuts;
}

}  // namespace

std::vector<BodySegment> segment_limbs(const Body& body) {
  const LimbCuts arm[2] = {arm_cuts(body, 0), arm_cuts(body, 1)}, leg[2] = {leg_cuts(body, 0), leg_cuts(body, 1)};
  auto segment_at = [&](BodyPart part, const Vec3& p) {
    switch (part) {
      case BodyPart::kHead:
        return BodySegment::kHead;
      case BodyPart::kNeck:
        return BodySegment::kNeck;
      case BodyPart::kTorso:
        return BodySegment::kTorso;
      case BodyPart::kLeftArm:
      case BodyPart::kRightArm:
        return arm[part == BodyPart::kRightArm].at(p);
      case BodyPart::kLeftLeg:
      case BodyPart::kRightLeg:
        return leg[part == BodyPart::kRightLeg].at(p);
    }
    return BodySegment::kTorso;
  };
  std::vector<uint8_t> label(body.part.size());
  for (size_t v = 0; v < label.size(); ++v) {
    label[v] = static_cast<uint8_t>(segment_at(body.part[v], body.mesh.positions[v]));
  }
  absorb_islands(vertex_links(body.mesh), kBodySegmentCount, kIslandShare, &label);
  std::vector<BodySegment> segment(label.size());
  for (size_t v = 0; v < label.size(); ++v) segment[v] = static_cast<BodySegment>(label[v]);
  return segment;
}

}  // namespace tryon
