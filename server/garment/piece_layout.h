// What it is: where pieces lie on the unrolled surface of the trunk and the arms, before they are wrapped: seen from
// outside, u to the viewer's right, t up the axis (arms: towards the shoulder). Units: metres, radians.
// Shapes: [panel]. How it fails: never. Thread rules: pure functions.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/pattern.h"
#include "server/garment/role.h"

namespace tryon {

enum class PieceTube { kTrunk, kLeftArm, kRightArm };

struct PieceLayout {
  PieceRole role;
  PieceTube tube = PieceTube::kTrunk;
  bool flip = false;           // the panel is drawn from its inner side
  double turn = 0.0;           // then turned by this, counter-clockwise
  Vec2 offset = Vec2::Zero();  // then moved to here: u about `facing`, t
  double facing = 0.0;         // angle about the axis: trunk 0 = front, pi / 2 = the person's left
  double ring_radius = 0.0;    // 0: a piece with a face; else the radius of the ring that it is one of
  bool closes_itself = false;  // sewn to itself: it goes all the way round
  Vec2 low = Vec2::Zero(), high = Vec2::Zero();  // its box, turned, before the move
  Vec2 to_surface(const Vec2& flat) const;       // u, t
};

struct GarmentLayout {
  std::vector<PieceLayout> pieces;
  bool upper = false;          // hangs on the shoulders or the chest
  double anchor_t = 0.0;       // trunk: the t that belongs at the shoulders, the chest or the waist
  bool has_shoulders = false;  // anchor_t is that of shoulder seams
};

absl::StatusOr<GarmentLayout> lay_out(const Pattern& pattern);

}  // namespace tryon
