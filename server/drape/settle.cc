#include "server/drape/settle.h"

#include <utility>

#include "server/base/text.h"
#include "server/drape/cloth_levels.h"
#include "server/drape/resting.h"

namespace tryon {

absl::StatusOr<Settled> sew_and_settle(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                       const sim::Collider& collider, const SettleOptions& options) {
  ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(garment, options.coarsest));
  const auto sewn = sew_panels(run, levels.open_panels(), fabric, collider, options);
  if (!sewn.ok()) return located(sewn.status(), "sew.");
  Settled out;
  out.report = sewn->report;
  std::vector<Vec3> x = levels.sewn(sewn->positions);
  const int top = levels.count() - 1;
  for (int level = top; level >= 0; --level) {
    out.cloth = levels.welded(level, std::move(x));
    auto rested = come_to_rest(run, out.cloth, fabric, collider, options, rest_goal(level, top), &out.report);
    if (!rested.ok()) return located(rested.status(), cat("level[", level, "]."));
    x = *std::move(rested);
    if (level > 0) x = levels.finer(level, x);
  }
  out.cloth.mesh.positions = std::move(x);
  return out;
}

absl::StatusOr<Settled> settle_from(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                    const sim::Collider& collider, const SettleOptions& options,
                                    const std::vector<Vec3>& positions) {
  Settled out;
  out.cloth = weld(garment, garment.placed);
  out.cloth.mesh.positions = positions;
  RestGoal goal = rest_goal(0, 1);
  goal.begin = 0.0, goal.share = 1.0;
  ASSIGN_OR_RETURN(out.cloth.mesh.positions,
                   come_to_rest(run, out.cloth, fabric, collider, options, goal, &out.report));
  return out;
}

}  // namespace tryon
