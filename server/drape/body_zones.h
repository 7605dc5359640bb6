// What it is: the skin cut into the zones that a fitter speaks of, from head to foot, by the body's own segments,
// landmarks and measurement levels; the two sides of a person are one zone. Where a level is missing its usual share of
// the height stands in. Lengths are shares of the height, so that a scaled body has scaled zones.
// Units and frame: metres, as Body. Shapes: [vertex_count], [triangle_count] of the body. How it fails: it does not.
// Thread rules: pure functions.
//
//   neck        the neck, and what lies within h/60 of the neck base tape
//   shoulder    trunk and upper arm above h/33 below the shoulder point
//   under_arm   within h/28 of the armpit
//   upper_chest trunk between shoulder and armpit (front and back)
//   bust        from the armpit to halfway between under-bust and waist; for men the chest
//   waist, high_hip, hip: halfway to the next level each; hip ends at the crotch
//   upper_arm, elbow (within h/28), forearm, wrist (within h/28), hand
//   thigh, knee (within h/22), calf, ankle (below h/25 above the ankle's level), foot
#pragma once

#include <string_view>
#include <vector>

#include "server/body/body.h"

namespace tryon {

enum class BodyZone {
  kHead,
  kNeck,
  kShoulder,
  kUpperChest,
  kUnderArm,
  kBust,
  kWaist,
  kHighHip,
  kHip,
  kUpperArm,
  kElbow,
  kForearm,
  kWrist,
  kHand,
  kThigh,
  kKnee,
  kCalf,
  kAnkle,
  kFoot
};
inline constexpr int kBodyZoneCount = 19;
std::string_view body_zone_name(BodyZone zone);  // "head", "neck", "shoulder", "upper_chest", ...

std::vector<BodyZone> body_zones(const Body& body);
// [triangle_count] as ints, for metrics/fit.h.
std::vector<int> triangle_zones(const Body& body, const std::vector<BodyZone>& zones);

}  // namespace tryon
