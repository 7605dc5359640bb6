#include "server/drape/garment_descent.h"

#include <algorithm>
#include <utility>

#include "server/base/text.h"
#include "server/drape/limb_ends.h"
#include "server/drape/limb_tubes.h"
#include "server/drape/motion.h"
#include "server/drape/stage.h"
#include "server/metrics/metrics.h"

namespace tryon {
namespace {

constexpr SewingStart kOtherStarts[] = {
    {0.05},      {0.1},       {-0.05}, {0.15}, {0.2}, {0.0, false, true}, {0.05, false, true}, {0.1, false, true},
    {0.1, true}, {0.05, true}};
constexpr double kDragged = 0.25;  // m that a garment's top goes down as it is sewn where it is dragged there
// Steps after which at most a third of the crossings may be left, or one for so many vertices.
constexpr int kTrialSteps = 12, kTrialGain = 3, kFewShare = 15;

// What has caught on itself comes another way so.
RestGoal after_a_fall(RestGoal goal) {
  goal.fall_steps = kTrialSteps;
  return goal;
}

double top(const std::vector<Vec3>& positions) {
  double out = positions.front().y();
  for (const Vec3& p : positions) out = std::max(out, p.y());
  return out;
}

}  // namespace

bool rests(const SettleOptions& options) { return !options.motion || !options.motion->from_sewn; }

GarmentDescent::GarmentDescent(const RunContext& run, const Fabric& fabric, const sim::Collider& collider,
                               const SettleOptions& options, const GarmentMesh& garment, const ClothLevels& levels)
    : run_(run),
      fabric_(fabric),
      collider_(collider),
      levels_(levels),
      arms_(garment.upper_arms),
      head_(garment.head),
      options_(options) {
  const bool able = keeps_layers_apart(options.solver);
  may_begin_ = options.layers == LayerContact::kWhereNeeded && able;
  // Laid pleats are layers from the start: without contact between them they would lie in one another.
  if (may_begin_ && garment.has_laid_pleats()) keep_apart();
  if (may_begin_ || !able) options_.layers = LayerContact::kNever;
  if (rests(options)) prepared_.emplace(run_, levels, fabric, options_);
}

absl::StatusOr<std::vector<Vec3>> GarmentDescent::rest_sewn(const std::vector<Vec3>& sewn) {
  const bool began = !can_begin();
  ASSIGN_OR_RETURN(const std::vector<Vec3> first, rest_once(sewn, coarsest_goal()));
  const int before = crossings();
  if (began || run_.winding_up() || before <= few()) return first;
  const Settled crossed = settled_;
  keep_apart();
  const RestGoal goal = coarsest_goal();
  ASSIGN_OR_RETURN(const std::vector<Vec3> drawn_apart, try_apart(first, before, goal));
  const int left = crossings();
  if (left == 0) return drawn_apart;
  const Settled drawn = settled_;
  ASSIGN_OR_RETURN(const Sewing sewn_apart, sew_from(start_));
  take_gaps(sewn_apart.report);
  ASSIGN_OR_RETURN(const std::vector<Vec3> again, try_apart(sewn_apart.positions, before, goal));
  const int still = crossings();
  if (still == 0 || still <= std::min(left, few())) return again;
  if (left > few()) return give_up(crossed, first);
  settled_ = drawn;
  return drawn_apart;
}

absl::StatusOr<std::vector<Vec3>> GarmentDescent::rest(int level, const std::vector<Vec3>& positions,
                                                       const RestGoal& goal) {
  if (level < level_) places_.go_down(levels_, level_);
  level_ = level;
  const bool began = !can_begin();
  ASSIGN_OR_RETURN(const std::vector<Vec3> first, rest_once(positions, goal));
  if (level > 0 && (began || !places_.everywhere())) return first;
  if (began && options_.layers != LayerContact::kAlways) return first;
  const int left = run_.winding_up() ? 0 : crossings();
  if (left == 0) return first;
  const Settled crossed = settled_;
  if (began) {
    ASSIGN_OR_RETURN(const std::vector<Vec3> fallen, rest_once(positions, after_a_fall(goal)));
    if (crossings() < left) return fallen;
    settled_ = crossed;
    return first;
  }
  keep_apart();
  ASSIGN_OR_RETURN(const std::vector<Vec3> apart, rest_once(positions, goal));
  if (crossings() == 0 || run_.winding_up()) return apart;
  return rest_once(give_up(crossed, first), goal);
}

// As far as a level that another one follows, where the garment's own is to be continued too.
RestGoal GarmentDescent::goal_of(int level) const {
  RestGoal goal = rest_goal(level, levels_.count() - 1, options_);
  if (!options_.to_be_continued) return goal;
  const RestGoal coarse = rest_goal(1, 2, options_);
  goal.calm_steps = coarse.calm_steps, goal.rms = coarse.rms, goal.max = coarse.max;
  return goal;
}

absl::StatusOr<std::vector<Vec3>> GarmentDescent::rest_on(int level, const std::vector<Vec3>& positions) {
  auto rested = rest(level, positions, goal_of(level));
  return rested.ok() ? std::move(rested) : located(rested.status(), cat("level[", level, "]."));
}

absl::StatusOr<std::vector<Vec3>> GarmentDescent::come_down(int last, std::vector<Vec3> positions) {
  for (int level = levels_.count() - 2; level >= last; --level) {
    positions = levels_.finer(level + 1, positions);
    if (!rests(options_)) continue;
    ASSIGN_OR_RETURN(positions, rest_on(level, positions));
  }
  return positions;
}

absl::StatusOr<std::vector<Vec3>> GarmentDescent::sew(const SewingStart& first, bool only) {
  ASSIGN_OR_RETURN(Sewing best, sew_from(first));
  for (const SewingStart& start : kOtherStarts) {
    if (only || best.faults == 0 || run_.winding_up()) break;
    ASSIGN_OR_RETURN(Sewing other, sew_from(start));
    if (other.faults < best.faults) best = std::move(other);
  }
  start_ = best.start;
  faults_ = best.faults;
  take_gaps(best.report);
  return std::move(best.positions);
}

absl::StatusOr<GarmentDescent::Sewing> GarmentDescent::sew_from(const SewingStart& start) {
  level_ = levels_.count() - 1;
  GarmentMesh panels = levels_.open_panels();
  for (Vec3& p : panels.placed) p.y() += start.higher;
  if (start.along_arms)
    for (const UpperArm& arm : arms_) turn_sleeves_to(arm, &panels);
  const auto sewn = sew_panels(run_, panels, fabric_, collider_, options_, start.stays_near);
  if (!sewn.ok()) return located(sewn.status(), "sew.");
  count(sewn->report);
  Sewing out{start, levels_.sewn(sewn->positions), 0, sewn->report};
  const TriangleMesh cloth = welded(out.positions).mesh;
  const bool dragged = top(panels.placed) - top(out.positions) > kDragged;
  const size_t outside = beside(arms_, cloth).size() + is_beside(head_, cloth) + dragged;
  out.faults = (arms_.size() + 1) * outside + empty_sleeves(sewn->positions);
  return out;
}

size_t GarmentDescent::empty_sleeves(const std::vector<Vec3>& open) const {
  size_t out = 0;
  for (const UpperArm& arm : arms_) out += hang_beside(arm, sleeves_of(arm, levels_.open_panels()), open);
  return out;
}

void GarmentDescent::go_on_from(GarmentDescent&& other) {
  count(other.settled_.report);
  take_gaps(other.settled_.report);
  if (other.level_ > 0) other.places_.go_down(other.levels_, other.level_);
  places_ = std::move(other.places_);
  options_.layers = other.options_.layers;
  may_begin_ = other.may_begin_, gave_up_ = other.gave_up_;
  level_ = 0;
}

void GarmentDescent::count(const SettleReport& other) {
  SettleReport& report = settled_.report;
  report.sew_steps += other.sew_steps, report.drape_steps += other.drape_steps;
  report.iterations += other.iterations;
  report.collision_s += other.collision_s, report.drape_s += other.drape_s;
}

absl::StatusOr<Settled> GarmentDescent::moved(const WeldedMesh& cloth) && {
  settled_.cloth = cloth;
  if (!places_.nowhere() || (may_begin_ && crossings() == 0)) keep_apart();
  ASSIGN_OR_RETURN(std::vector<Vec3> x,
                   move_in_air(run_, {{settled_.cloth, fabric_}}, collider_, options_, &settled_.report));
  return std::move(*this).result(std::move(x));
}

absl::StatusOr<Settled> GarmentDescent::result(std::vector<Vec3> positions) && {
  settled_.cloth.mesh.positions = std::move(positions);
  settled_.report.layers_kept_apart = options_.layers == LayerContact::kAlways || !places_.nowhere();
  return std::move(settled_);
}

void GarmentDescent::keep_apart() {
  options_.layers = LayerContact::kAlways;
  places_.become_everywhere();
  may_begin_ = false;
}

void GarmentDescent::take_gaps(const SettleReport& other) {
  settled_.report.gap_before_weld_mm = other.gap_before_weld_mm;
  settled_.report.mean_gap_before_weld_mm = other.mean_gap_before_weld_mm;
}

int GarmentDescent::crossings() const { return count_self_intersections(settled_.cloth.mesh, run_); }

// As many are drawn apart on the way down, where triangles are small enough to slip past each other.
int GarmentDescent::few() const { return settled_.cloth.mesh.vertex_count() / kFewShare; }

const std::vector<Vec3>& GarmentDescent::give_up(const Settled& crossed, const std::vector<Vec3>& positions) {
  settled_ = crossed;
  options_.layers = LayerContact::kNever;
  places_.become_nowhere();
  gave_up_ = true;
  return positions;
}

// A rest with contact, begun in earnest only where a short fall has undone most of the crossings: contact in a tangle
// costs tens of times an iteration's time, and a tangle that holds is not undone by patience.
absl::StatusOr<std::vector<Vec3>> GarmentDescent::try_apart(const std::vector<Vec3>& positions, int before,
                                                            const RestGoal& goal) {
  RestGoal short_fall = after_a_fall(goal);
  short_fall.calm_steps = 0;
  ASSIGN_OR_RETURN(const std::vector<Vec3> fallen, rest_once(positions, short_fall));
  if (crossings() > std::max(before / kTrialGain, few())) return fallen;
  return rest_once(fallen, goal);
}

absl::StatusOr<std::vector<Vec3>> GarmentDescent::rest_once(const std::vector<Vec3>& positions, RestGoal goal) {
  settled_.cloth = levels_.welded(level_, positions);
  if (may_begin_) goal.places = &places_;
  ASSIGN_OR_RETURN(Prepared* const prepared, prepared_->at(level_));
  ASSIGN_OR_RETURN(settled_.cloth.mesh.positions, come_to_rest(run_, {{settled_.cloth, fabric_}}, collider_, options_,
                                                               goal, prepared, &settled_.report));
  if (places_.everywhere()) keep_apart();
  return settled_.cloth.mesh.positions;
}

}  // namespace tryon
