// What it is: a piece cut as a sector of a ring (a circle skirt's front): two arcs about one centre, straight sides
// that point at it. Units and frame: metres, panel frame; radians. Shapes: one panel a call. How it fails: nothing for
// any other outline: arcs must be round to 2 % of the outer radius. Thread rules: pure function.
#pragma once

#include <optional>

#include "server/garment/pattern.h"

namespace tryon {

struct RingSector {
  Vec2 centre = Vec2::Zero();
  double inner = 0.0, outer = 0.0;  // m
  double angle = 0.0;               // that the piece spans
};
std::optional<RingSector> ring_sector(const Panel& panel);

}  // namespace tryon
