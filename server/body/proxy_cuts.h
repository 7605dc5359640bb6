// What it is: the planes across trunk and limbs at which the girth of solids is held against the body's: the trunk
// from crotch to neck base, legs from above the ankle, arms from the armpit over the elbow to the wrist.
// Units and frame: metres, the body's. Shapes: triangles index the body's mesh.
//   Above the armpits, where arms join, both outlines end at the walls of the trunk's own skin (clip_above).
// How it fails: a part that the body lacks has last <= first. Thread rules: plain values, pure functions.
#pragma once

#include <limits>
#include <vector>

#include "server/body/proxy_anatomy.h"
#include "server/body/proxy_section.h"

namespace tryon {

// Planes along one part: from the origin, `first` to `last` along the normal.
struct PartCuts {
  BodyPart part = BodyPart::kTorso;
  SectionPlane plane;
  double first = 0.0, last = 0.0;
  double clip_above = std::numeric_limits<double>::infinity();  // world height
  std::vector<int> triangles, all_triangles;  // of the part; and of whatever else lies beside it above clip_above
  SectionPlane at(double height) const {
    SectionPlane out = plane;
    out.origin += plane.normal * height;
    return out;
  }
};

std::vector<PartCuts> girth_cuts(const ProxyAnatomy& anatomy);

bool is_arm(BodyPart part);
bool is_leg(BodyPart part);

// The part of the segment a-b with low <= x <= high; nothing where there is none.
void append_between(double low, double high, Vec2 a, Vec2 b, std::vector<Vec2>* out);

}  // namespace tryon
