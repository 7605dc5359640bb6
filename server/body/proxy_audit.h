// What it is: how well solids bound a body: what they leave outside, how far they stand off, how much they overstate
// girths, and how large a step a garment meets where one solid ends on another. Never looks at how they were fitted.
// Units and frame: metres (mm where the name says so), the body's frame.
//   Gap: of a skin vertex, its distance to the union (SolidSet::nearest: inside, the depth in the deepest solid); means
// weigh each vertex by its share of the body's area.
//   Girth: planes across each part's axis every 20 mm, trunk from crotch to neck base and limbs from ankle or armpit to
// their root, whether or not a slice was fitted there; convex hull of the union's section over that of the body's,
// minus 1. Above the armpits, where arms join, both are cut at the outline of the trunk's own skin.
//   Step: from an end ellipse that should lie inside a neighbour, outward to all other solids.
// How it fails: it does not; a part without cuts gives zeros. Thread rules: pure functions.
#pragma once

#include "server/body/proxy_anatomy.h"

namespace tryon {

struct GirthCut {
  BodyPart part = BodyPart::kTorso;
  Vec3 center = Vec3::Zero();  // of the body's section
  double error = 0.0;          // ratio
};

std::vector<GirthCut> audit_girths(const ProxyAnatomy& anatomy, const std::vector<Proxy>& proxies);

// Fills the summary of a set and each proxy's own gaps (over the vertices that it answers for) and girth error (at the
// cut nearest to its middle, of its part).
void audit_proxies(const ProxyAnatomy& anatomy, ProxySet* set);

}  // namespace tryon
