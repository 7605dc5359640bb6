#include "server/drape/put_limbs_in.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/base/status.h"
#include "server/drape/cloth_levels.h"
#include "server/drape/limb_ends.h"
#include "server/drape/limb_tubes.h"

namespace tryon {
namespace {

// What is tried in turn where a tube closed beside a limb, whose bone the cloth does not pass from then on: as it is,
// where no hand or foot is in the way; else, and then, pushed up. Of legs, which are wrapped no closer, the first few.
constexpr PushUp kPushedUp[] = {{}, {0.03}, {0.07}, {0.11}, {0.03, true}, {0.07, true}, {0.11, true}, {0.15, true}};
constexpr size_t kAsItIs = 0, kFirstPush = 1, kPushesOfALeg = 4;

// Of an arm, above the elbow or below.
bool goes_beside(const GarmentMesh& garment, const LimbEnd& end, const TriangleMesh& cloth) {
  const std::vector<UpperArm> outside = is_arm(end) ? beside(garment.upper_arms, cloth) : std::vector<UpperArm>();
  return is_beside(end, cloth) ||
         std::any_of(outside.begin(), outside.end(), [&](const UpperArm& arm) { return arm.elbow == end.inner; });
}

// Those that go beside the cloth even so are pushed farther, and left as they are where that helps none. Feet that the
// cloth has come away from as it `fell` are left at once: no other push would hold it.
bool push_farther(const GarmentMesh& garment, const TriangleMesh& cloth, bool fell, std::vector<PushedLimb>* limbs) {
  bool any = false;
  for (PushedLimb& limb : *limbs) {
    if (!goes_beside(garment, limb.end, cloth)) continue;
    limb.push = fell && !is_arm(limb.end) ? limb.pushes : limb.push + 1;
    any = true;
  }
  std::erase_if(*limbs, [&](const PushedLimb& limb) { return limb.push == limb.pushes; });
  return any;
}

// Limbs that nobody has pushed yet, and that the cloth has come away from as others were put in, join them; whether
// any.
bool others_join(const GarmentMesh& garment, const sim::Collider& collider, const TriangleMesh& cloth,
                 std::vector<std::string>* pushed, std::vector<PushedLimb>* limbs) {
  bool any = false;
  for (PushedLimb& limb : limbs_beside(garment, collider, cloth)) {
    if (std::find(pushed->begin(), pushed->end(), limb.end.name) != pushed->end()) continue;
    pushed->push_back(limb.end.name);
    limbs->push_back(std::move(limb));
    any = true;
  }
  return any;
}

}  // namespace

std::vector<PushedLimb> limbs_beside(const GarmentMesh& garment, const sim::Collider& collider,
                                     const TriangleMesh& cloth) {
  std::vector<PushedLimb> out;
  for (const LimbEnd& end : garment.limb_ends) {
    if (!goes_beside(garment, end, cloth)) continue;
    GarmentMesh pushed = garment;
    const bool can_be = push_up(end, std::end(kPushedUp)[-1], collider, &pushed);
    if (!can_be && is_arm(end)) draw_in_from(end, &pushed);
    // A hand whose panels it goes through as they are placed is not in the cloth whatever is done.
    if (!can_be && is_arm(end) && is_beside(end, {pushed.placed, pushed.triangles})) continue;
    const size_t pushes = !can_be ? kAsItIs + 1 : is_arm(end) ? std::size(kPushedUp) : kPushesOfALeg;
    out.push_back({end, can_be && end.whole ? kFirstPush : kAsItIs, pushes});
  }
  return out;
}

std::vector<PushedLimb> and_those_of(std::vector<PushedLimb> as_sewn, std::vector<PushedLimb> still) {
  if (still.empty()) return still;
  for (PushedLimb& limb : as_sewn) {
    const bool known = std::any_of(still.begin(), still.end(),
                                   [&](const PushedLimb& other) { return other.end.name == limb.end.name; });
    if (!known) still.push_back(std::move(limb));
  }
  return still;
}

size_t others_outside(const GarmentMesh& garment, const TriangleMesh& cloth) {
  return beside(garment.upper_arms, cloth).size() + is_beside(garment.head, cloth);
}

absl::StatusOr<std::vector<Vec3>> put_limbs_in(const RunContext& run, const GarmentMesh& garment,
                                               std::vector<PushedLimb> limbs, const Fabric& fabric,
                                               const sim::Collider& collider, const SettleOptions& options,
                                               GarmentDescent* own) {
  SettleOptions guarded = options;
  guarded.bones = bones(garment);
  std::vector<std::string> all_pushed;
  for (const PushedLimb& limb : limbs) all_pushed.push_back(limb.end.name);
  SewingStart start = own->start();
  bool known = false;  // whether it is the best of all, round the bones
  for (bool again = true; again && !run.winding_up(); again = !limbs.empty()) {
    GarmentMesh pushed = garment;
    for (const PushedLimb& limb : limbs) {
      if (limb.push == kAsItIs && !is_arm(limb.end)) spread_over(limb.end, &pushed);
      const bool is_round = push_up(limb.end, kPushedUp[limb.push], collider, &pushed);
      if (!is_round && is_arm(limb.end)) draw_in_from(limb.end, &pushed);
    }
    ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(pushed, options.coarsest));
    GarmentDescent descent(run, fabric, collider, guarded, pushed, levels);
    ASSIGN_OR_RETURN(std::vector<Vec3> x, descent.sew(start, known));
    start = descent.start(), known = true;
    if (descent.faults() > own->faults()) {  // a bodice on the floor holds no limbs
      own->count(descent.report());
      break;
    }
    again = push_farther(garment, descent.welded(x).mesh, false, &limbs);
    if (!again) {
      ASSIGN_OR_RETURN(x, descent.rest_sewn(x));
      again = push_farther(garment, descent.welded(x).mesh, true, &limbs);
    }
    if (!again) {
      ASSIGN_OR_RETURN(x, descent.come_down(1, std::move(x)));
      again = others_join(garment, collider, descent.welded(x).mesh, &all_pushed, &limbs);
    }
    if (!again) {
      own->go_on_from(std::move(descent));
      return levels.count() == 1 ? x : levels.finer(1, x);
    }
    own->count(descent.report());
  }
  return std::vector<Vec3>();
}

}  // namespace tryon
