// What it is: limbs in tubes of cloth, and a head in its hood. A cuff narrower than a hand, or a leg that reaches over
// the foot, may close beside it when panels are pulled shut round it. Nobody dresses so: the sleeve is pushed up, the
// hand goes in, the sleeve comes down. And an armhole that starts too low or too high closes beside the arm. Units and
// frame: metres, +Y up. Shapes: as GarmentMesh. How it fails: never; a limb that the body lacks is left out, an arm
// whose hand was cut off ends there. Thread rules: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "server/base/surface_query.h"
#include "server/body/proxy_anatomy.h"
#include "server/garment/garment.h"
#include "server/garment/lint.h"
#include "server/mesh/triangle_mesh.h"
#include "server/sim/collision/collider.h"
#include "server/sim/model.h"

namespace tryon {

std::vector<LimbEnd> limb_ends(const ProxyAnatomy& anatomy);
// Where the straight way into a hand or foot leaves the skin it ends before that.
void keep_inside(const SurfaceQuery& skin, std::vector<LimbEnd>* ends);
bool is_arm(const LimbEnd& end);
// Whether its middle goes through the cloth.
bool is_beside(const LimbEnd& end, const TriangleMesh& cloth);
// Plainly so: a hem that caught on toes or a heel may come free as it falls.
bool stays_beside(const LimbEnd& end, const TriangleMesh& cloth);
std::vector<LimbEnd> beside(const std::vector<LimbEnd>& ends, const TriangleMesh& cloth);  // those that are
std::vector<UpperArm> upper_arms(const ProxyAnatomy& anatomy);
std::vector<UpperArm> beside(const std::vector<UpperArm>& arms, const TriangleMesh& cloth);
// From the base of the neck into the head; empty where the body has no head.
std::vector<Vec3> head_middle(const ProxyAnatomy& anatomy);
std::optional<Vec3> nose(const ProxyAnatomy& anatomy);
bool is_beside(const std::vector<Vec3>& head, const TriangleMesh& cloth);  // a hood has closed behind it, or through it
// Panels that lie beyond the shoulder, sleeves as a file places them, turned round it until they go the way the arm
// does.
void turn_sleeves_to(const UpperArm& arm, GarmentMesh* garment);
// Of all limbs: what cloth may not pass.
std::vector<sim::Bone> bones(const GarmentMesh& garment);
// What the wearer should know of those that are beside the cloth.
std::vector<Finding> limb_findings(const GarmentMesh& garment, const TriangleMesh& cloth);
// Panels that go before or behind both legs reach beyond this one's middle, where it stands wider than they are;
// whether any did not.
bool spread_over(const LimbEnd& leg, GarmentMesh* garment);
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
