// What it is: tubes of cloth placed anew where they have closed beside a limb (limb_ends.h). A cuff narrower than a hand,
// or a leg that reaches over the foot, may do so when panels are pulled shut: the sleeve is pushed up, the hand goes in,
// the sleeve comes down. Sleeves are wrapped round arms that bend or hang, skirts start as wide as legs stand. Units and
// frame: metres, +Y up. Shapes: as GarmentMesh. How it fails: never; what is not round the limb stays as it is. Thread
// rules: pure functions.
#pragma once

#include "server/garment/garment.h"
#include "server/sim/collision/collider.h"

namespace tryon {

// Panels that lie beyond the shoulder, sleeves as a file places them, turned round it until they go the way the arm
// does.
void turn_sleeves_to(const UpperArm& arm, GarmentMesh* garment);
// Panels that go before or behind both legs reach beyond this one's middle, where it stands wider than they are;
// whether any did not.
bool spread_over(const LimbEnd& leg, GarmentMesh* garment);
// Panels that hang from below the elbow, of a skirt or trousers, and start through this arm or beyond it are drawn in
// until they lie between it and the body; whether any did not.
bool draw_in_from(const LimbEnd& arm, GarmentMesh* garment);
// How far a tube is pushed up: so many metres above wrist or ankle it ends, 0: as far as it does; with `whole`, a
// sleeve of one piece lies close round the upper arm too, where an arm that hangs by the side keeps it from starting
// round it.
struct PushUp {
  double above = 0.0;
  bool whole = false;
};
// Panels round the limb become shorter from elbow or knee on, as if they were pushed up: they end above the wrist or
// ankle, in their rest shape and as they are placed, and a sleeve of one piece lies closer round the arm there, so that
// its edges meet behind it. What ends there anyway stays as it is; false where nothing reaches farther.
bool push_up(const LimbEnd& end, const PushUp& push, const sim::Collider& body, GarmentMesh* garment);

}  // namespace tryon
