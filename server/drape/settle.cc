#include "server/drape/settle.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "server/base/kept_memory.h"
#include "server/base/text.h"
#include "server/drape/cloth_levels.h"
#include "server/drape/garment_descent.h"
#include "server/drape/layers_go_alike.h"
#include "server/drape/limb_ends.h"
#include "server/drape/put_limbs_in.h"
#include "server/metrics/metrics.h"

namespace tryon {
namespace {

// Vertices of the level on which a carried drape begins, at the least: iterations on a small garment reach far enough.
constexpr int kCarriedCoarsest = 1200;

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

// From what was sewn to where the garment's own mesh begins, or, where it is the only one, to its rest.
absl::StatusOr<std::vector<Vec3>> come_near(const ClothLevels& levels, const std::vector<Vec3>& sewn,
                                            GarmentDescent* descent) {
  ASSIGN_OR_RETURN(std::vector<Vec3> x, descent->rest_sewn(sewn));
  if (levels.count() == 1) return x;
  ASSIGN_OR_RETURN(x, descent->come_down(1, std::move(x)));
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
  bool lost = false;  // an arm or the head came through as it fell
  if (!plain) {
    ASSIGN_OR_RETURN(near, come_near(levels, sewn, descent));
    const TriangleMesh fallen = levels.welded(0, near).mesh;
    limbs = and_those_of(std::move(limbs), limbs_beside(garment, collider, fallen));
    lost = others_outside(garment, fallen) > others_outside(garment, coarsest);
  }
  if (lost || !limbs.empty()) {
    ASSIGN_OR_RETURN(put_in, put_limbs_in(run, garment, std::move(limbs), fabric, collider, options, descent));
  }
  if (put_in.empty() && plain) {
    ASSIGN_OR_RETURN(near, come_near(levels, sewn, descent));
  }
  // A limb came through the large triangles of a coarser level as that fell: the garment's own may hold it.
  if (put_in.empty() && held && !beside(garment.limb_ends, levels.welded(0, near).mesh).empty())
    near = straight_down(levels, sewn);
  if (put_in.empty() && levels.count() == 1) return near;
  return descent->rest_on(0, put_in.empty() ? near : put_in);
}

}  // namespace

absl::StatusOr<Settled> sew_and_settle(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                       const sim::Collider& collider, const SettleOptions& options) {
  const KeptMemory kept(kDrapeBytes * static_cast<size_t>(garment.vertex_count()));
  const RunContext forward = forward_only(run);
  ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(garment, options.coarsest));
  GarmentDescent descent(forward, fabric, collider, options, garment, levels);
  ASSIGN_OR_RETURN(std::vector<Vec3> x, descent.sew());
  ASSIGN_OR_RETURN(x, rests(options) ? come_to_lie(forward, garment, x, fabric, collider, options, levels, &descent)
                                     : descent.come_down(0, x));
  if (options.motion) return std::move(descent).moved(levels.welded(0, std::move(x)));
  return std::move(descent).result(std::move(x));
}

namespace {

// Another size lies far off in the large, where iterations on the garment's own mesh reach slowly: the coarser level
// goes there first, and its own takes over by how much that moved, so that its folds stay. Not where layers lie so
// close that the coarser level cannot tell them apart, nor by a way that drives them through each other whatever is
// done about it.
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
  auto way = layers_go_alike(run, levels.welded(0, positions).mesh, levels.finer(1, *moved), own);
  if (!way) return positions;
  for (size_t v = 0; v < positions.size(); ++v) (*way)[v] += positions[v];
  return *std::move(way);
}

}  // namespace

absl::StatusOr<Settled> settle_from(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                    const sim::Collider& collider, const SettleOptions& options,
                                    const std::vector<Vec3>& positions) {
  const KeptMemory kept(kDrapeBytes * static_cast<size_t>(garment.vertex_count()));
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
