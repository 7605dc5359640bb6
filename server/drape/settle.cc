#include "server/drape/settle.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "server/base/text.h"
#include "server/drape/cloth_levels.h"
#include "server/drape/garment_descent.h"
#include "server/drape/limb_ends.h"
#include "server/drape/limb_tubes.h"
#include "server/metrics/metrics.h"

namespace tryon {
namespace {

// Vertices of the level on which a carried drape begins, at the least: iterations on a small garment reach far enough.
constexpr int kCarriedCoarsest = 1200;
// What is tried in turn where a tube closed beside a limb, whose bone the cloth does not pass from then on: as it is,
// where no hand or foot is in the way; else, and then, pushed up. Of legs, which are wrapped no closer, the first few.
constexpr PushUp kPushedUp[] = {{}, {0.03}, {0.07}, {0.11}, {0.03, true}, {0.07, true}, {0.11, true}, {0.15, true}};
constexpr size_t kAsItIs = 0, kFirstPush = 1, kPushesOfALeg = 4;

// What is tried again is the same stage to whoever watches: progress never goes back.
RunContext forward_only(const RunContext& run) {
  if (!run.on_progress) return run;
  RunContext out = run;
  out.on_progress = [told = run.on_progress, last = std::make_shared<Progress>()](const Progress& now) {
    const bool back =
        now.stage == last->stage ? now.fraction < last->fraction : now.stage == "sew" && !last->stage.empty();
    if (back) return;
    *last = now;
    told(now);
  };
  return out;
}

// As far as a level that another one follows, where the garment's own is to be continued too.
RestGoal goal_of(int level, int top, const SettleOptions& options) {
  RestGoal goal = rest_goal(level, top, options);
  if (!options.to_be_continued) return goal;
  const RestGoal coarse = rest_goal(1, 2, options);
  goal.calm_steps = coarse.calm_steps, goal.rms = coarse.rms, goal.max = coarse.max;
  return goal;
}

absl::StatusOr<std::vector<Vec3>> rest_on(int level, const SettleOptions& options, const ClothLevels& levels,
                                          const std::vector<Vec3>& x, GarmentDescent* descent) {
  auto rested = descent->rest(level, x, goal_of(level, levels.count() - 1, options));
  return rested.ok() ? std::move(rested) : located(rested.status(), cat("level[", level, "]."));
}

// From the coarsest level's rest to that of `last`.
absl::StatusOr<std::vector<Vec3>> come_down(const SettleOptions& options, const ClothLevels& levels, int last,
                                            std::vector<Vec3> x, GarmentDescent* descent) {
  for (int level = levels.count() - 2; level >= last; --level) {
    x = levels.finer(level + 1, x);
    if (!rests(options)) continue;
    ASSIGN_OR_RETURN(x, rest_on(level, options, levels, x, descent));
  }
  return x;
}

// A limb that its tube has closed beside, and how far that is pushed up to be sewn again.
struct PushedLimb {
  LimbEnd end;
  size_t push, pushes;  // of kPushedUp: this one, and how many there are for it
};

std::vector<PushedLimb> limbs_beside(const GarmentMesh& garment, const sim::Collider& collider,
                                     const TriangleMesh& cloth) {
  std::vector<PushedLimb> out;
  for (LimbEnd& end : beside(garment.limb_ends, cloth)) {
    GarmentMesh pushed = garment;
    const bool can_be = push_up(end, std::end(kPushedUp)[-1], collider, &pushed);
    // A hand in a wide skirt, whose panels it goes through as they are placed, is not in the cloth whatever is done.
    if (!can_be && is_arm(end) && is_beside(end, {garment.placed, garment.triangles})) continue;
    const size_t pushes = !can_be ? kAsItIs + 1 : is_arm(end) ? std::size(kPushedUp) : kPushesOfALeg;
    out.push_back({std::move(end), can_be && end.whole ? kFirstPush : kAsItIs, pushes});
  }
  return out;
}

// Those that go beside the cloth even so are pushed farther, and left as they are where that helps none. Feet that the
// cloth has come away from as it `fell` are left at once: no other push would hold it.
bool push_farther(const TriangleMesh& cloth, bool fell, std::vector<PushedLimb>* limbs) {
  bool any = false;
  for (PushedLimb& limb : *limbs) {
    if (!is_beside(limb.end, cloth)) continue;
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

// Where any limb is outside still, those that the cloth has come free of since it was sewn are pushed up with it: sewn
// again, a hem often catches on the other foot instead.
std::vector<PushedLimb> and_those_of(std::vector<PushedLimb> as_sewn, std::vector<PushedLimb> still) {
  if (still.empty()) return still;
  for (PushedLimb& limb : as_sewn) {
    const bool known = std::any_of(still.begin(), still.end(),
                                   [&](const PushedLimb& other) { return other.end.name == limb.end.name; });
    if (!known) still.push_back(std::move(limb));
  }
  return still;
}

// What has closed beside limbs is sewn again round their bones, with its tubes pushed up, comes to rest so, and is to
// come down over them on the garment's own mesh, whose positions these are; none where it closes beside them even so.
absl::StatusOr<std::vector<Vec3>> put_limbs_in(const RunContext& run, const GarmentMesh& garment,
                                               std::vector<PushedLimb> limbs, const Fabric& fabric,
                                               const sim::Collider& collider, const SettleOptions& options,
                                               GarmentDescent* own) {
  SettleOptions guarded = options;
  guarded.bones = bones(garment);
  std::vector<std::string> all_pushed;
  for (const PushedLimb& limb : limbs) all_pushed.push_back(limb.end.name);
  while (!limbs.empty() && !run.winding_up()) {
    GarmentMesh pushed = garment;
    for (const PushedLimb& limb : limbs) {
      if (limb.push == kAsItIs && !is_arm(limb.end)) spread_over(limb.end, &pushed);
      push_up(limb.end, kPushedUp[limb.push], collider, &pushed);
    }
    ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(pushed, options.coarsest));
    GarmentDescent descent(run, fabric, collider, guarded, pushed, levels);
    ASSIGN_OR_RETURN(std::vector<Vec3> x, descent.sew(own->start()));
    if (descent.faults() > own->faults()) {  // a bodice on the floor holds no limbs
      own->count(descent.report());
      break;
    }
    bool again = push_farther(descent.welded(x).mesh, false, &limbs);
    if (!again) {
      ASSIGN_OR_RETURN(x, descent.rest_sewn(x));
      again = push_farther(descent.welded(x).mesh, true, &limbs);
    }
    if (!again) {
      ASSIGN_OR_RETURN(x, come_down(options, levels, 1, std::move(x), &descent));
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

// From what was sewn to where the garment's own mesh begins, or, where it is the only one, to its rest.
absl::StatusOr<std::vector<Vec3>> come_near(const SettleOptions& options, const ClothLevels& levels,
                                            const std::vector<Vec3>& sewn, GarmentDescent* descent) {
  ASSIGN_OR_RETURN(std::vector<Vec3> x, descent->rest_sewn(sewn));
  if (levels.count() == 1) return x;
  ASSIGN_OR_RETURN(x, come_down(options, levels, 1, std::move(x), descent));
  return levels.finer(1, x);
}

// What was sewn on the coarsest level, on the garment's own mesh.
std::vector<Vec3> straight_down(const ClothLevels& levels, std::vector<Vec3> sewn) {
  for (int level = levels.count() - 1; level > 0; --level) sewn = levels.finer(level, sewn);
  return sewn;
}

// From what was sewn to the rest of the garment's own mesh.
absl::StatusOr<std::vector<Vec3>> come_to_lie(const RunContext& run, const GarmentMesh& garment,
                                              const std::vector<Vec3>& sewn, const Fabric& fabric,
                                              const sim::Collider& collider, const SettleOptions& options,
                                              const ClothLevels& levels, GarmentDescent* descent) {
  std::vector<Vec3> near, put_in;
  const TriangleMesh coarsest = descent->welded(sewn).mesh;
  std::vector<PushedLimb> limbs = limbs_beside(garment, collider, coarsest);
  const bool held = limbs.empty();
  const bool plain =
      std::any_of(limbs.begin(), limbs.end(), [&](const PushedLimb& limb) { return stays_beside(limb.end, coarsest); });
  if (!plain) {
    ASSIGN_OR_RETURN(near, come_near(options, levels, sewn, descent));
    limbs = and_those_of(std::move(limbs), limbs_beside(garment, collider, levels.welded(0, near).mesh));
  }
  ASSIGN_OR_RETURN(put_in, put_limbs_in(run, garment, std::move(limbs), fabric, collider, options, descent));
  if (put_in.empty() && plain) {
    ASSIGN_OR_RETURN(near, come_near(options, levels, sewn, descent));
  }
  // A limb came through the large triangles of a coarser level as that fell: the garment's own may hold it.
  if (put_in.empty() && held && !beside(garment.limb_ends, levels.welded(0, near).mesh).empty())
    near = straight_down(levels, sewn);
  if (put_in.empty() && levels.count() == 1) return near;
  return rest_on(0, options, levels, put_in.empty() ? near : put_in, descent);
}

}  // namespace

absl::StatusOr<Settled> sew_and_settle(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                       const sim::Collider& collider, const SettleOptions& options) {
  const RunContext forward = forward_only(run);
  ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(garment, options.coarsest));
  GarmentDescent descent(forward, fabric, collider, options, garment, levels);
  ASSIGN_OR_RETURN(std::vector<Vec3> x, descent.sew());
  ASSIGN_OR_RETURN(x, rests(options) ? come_to_lie(forward, garment, x, fabric, collider, options, levels, &descent)
                                     : come_down(options, levels, 0, x, &descent));
  if (options.motion) return std::move(descent).moved(levels.welded(0, std::move(x)));
  return std::move(descent).result(std::move(x));
}

namespace {

// Another size lies far off in the large, where iterations on the garment's own mesh reach slowly: the coarser level
// goes there first, and its own takes over by how much that moved, so that its folds stay. Not where layers lie so
// close that the coarser level cannot tell them apart, nor by a way that would drive them through each other.
absl::StatusOr<std::vector<Vec3>> moved_coarsely(const RunContext& run, const ClothLevels& levels,
                                                 const SettleOptions& options, const std::vector<Vec3>& positions,
                                                 GarmentDescent* descent) {
  if (levels.count() == 1) return positions;
  const auto crossings = [&](int level, const std::vector<Vec3>& x) {
    return count_self_intersections(levels.welded(level, x).mesh, run);
  };
  const int own = crossings(0, positions);
  const std::vector<Vec3> before = levels.at(1, positions);
  if (crossings(1, before) > own) return positions;
  auto moved = descent->rest(1, before, carried_goal(1, options));
  if (!moved.ok()) return located(moved.status(), "level[1].");
  descent->hope_again();
  for (size_t v = 0; v < before.size(); ++v) (*moved)[v] -= before[v];
  std::vector<Vec3> there = levels.finer(1, *moved);
  for (size_t v = 0; v < positions.size(); ++v) there[v] += positions[v];
  return crossings(0, there) > own ? positions : there;
}

}  // namespace

absl::StatusOr<Settled> settle_from(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                    const sim::Collider& collider, const SettleOptions& options,
                                    const std::vector<Vec3>& positions) {
  ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(garment, kCarriedCoarsest, 2));
  GarmentDescent descent(forward_only(run), fabric, collider, options, garment, levels);
  ASSIGN_OR_RETURN(std::vector<Vec3> x, moved_coarsely(run, levels, options, positions, &descent));
  ASSIGN_OR_RETURN(x, descent.rest(0, x, carried_goal(0, options)));
  ASSIGN_OR_RETURN(Settled out, options.motion ? std::move(descent).moved(levels.welded(0, std::move(x)))
                                               : std::move(descent).result(std::move(x)));
  out.report.carried = true;
  return out;
}

}  // namespace tryon
