// What it is: limbs that their tubes have closed beside (limb_ends.h) are put in: what was sewn is sewn again round
// their bones (sim/collision/bone_contact.h), with the tubes placed anew and pushed up (limb_tubes.h), comes to rest so
// on the coarser levels, and comes down over them on the garment's own mesh. Units and frame: SI, +Y up. Shapes:
// positions [vertex_count of the garment's own mesh, welded]. How it fails: as sew_panels() and come_to_rest(). Thread
// rules: one caller.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/drape/garment_descent.h"
#include "server/fabric/fabric.h"
#include "server/garment/garment.h"
#include "server/mesh/triangle_mesh.h"
#include "server/sim/collision/collider.h"

namespace tryon {

// A limb that its tube has closed beside, and how far that is pushed up to be sewn again.
struct PushedLimb {
  LimbEnd end;
  size_t push, pushes;  // of what is tried in turn: this one, and how many there are for it
};

std::vector<PushedLimb> limbs_beside(const GarmentMesh& garment, const sim::Collider& collider,
                                     const TriangleMesh& cloth);
// Where any limb is outside still, those that the cloth has come free of since it was sewn are pushed up with it: sewn
// again, a hem often catches on the other foot instead.
std::vector<PushedLimb> and_those_of(std::vector<PushedLimb> as_sewn, std::vector<PushedLimb> still);
// Upper arms, and the head.
size_t others_outside(const GarmentMesh& garment, const TriangleMesh& cloth);

// Where the garment's own mesh begins then, of which `own` is the descent and goes on; none where it closes beside them
// even so. Without any limbs it is what it was, but round the bones.
absl::StatusOr<std::vector<Vec3>> put_limbs_in(const RunContext& run, const GarmentMesh& garment,
                                               std::vector<PushedLimb> limbs, const Fabric& fabric,
                                               const sim::Collider& collider, const SettleOptions& options,
                                               GarmentDescent* own);

}  // namespace tryon
