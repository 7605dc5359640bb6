// What it is: which limbs a tube of cloth has closed beside, and a hood beside a head: where their middles go through
// the cloth. Nobody dresses so; what mends it is limb_tubes.h. Units and frame: metres, +Y up. Shapes: as GarmentMesh.
// How it fails: never; a limb that the body lacks is left out, an arm whose hand was cut off ends there. Thread rules:
// pure functions.
#pragma once

#include <optional>
#include <vector>

#include "server/base/surface_query.h"
#include "server/body/proxy_anatomy.h"
#include "server/garment/garment.h"
#include "server/garment/lint.h"
#include "server/mesh/triangle_mesh.h"
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
// Vertices of panels that lie beyond the shoulder as they are placed: sleeves.
std::vector<int> sleeves_of(const UpperArm& arm, const GarmentMesh& garment);
// Whether all of such vertices, `at` these places now, that are along the arm lie on one side of it: what would be its
// sleeve hangs empty. Not of what is too little to tell.
bool hang_beside(const UpperArm& arm, const std::vector<int>& sleeves, const std::vector<Vec3>& at);
// From the base of the neck into the head; empty where the body has no head.
std::vector<Vec3> head_middle(const ProxyAnatomy& anatomy);
std::optional<Vec3> nose(const ProxyAnatomy& anatomy);
bool is_beside(const std::vector<Vec3>& head, const TriangleMesh& cloth);  // a hood has closed behind it, or through it
// Of all limbs: what cloth may not pass.
std::vector<sim::Bone> bones(const GarmentMesh& garment);
// What the wearer should know of those that are beside the cloth, or whose sleeves hang empty.
std::vector<Finding> limb_findings(const GarmentMesh& garment, const WeldedMesh& cloth);

}  // namespace tryon
