#include "server/drape/settle.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "server/base/text.h"
#include "server/drape/cloth_levels.h"
#include "server/drape/layer_places.h"
#include "server/drape/motion.h"
#include "server/drape/prepared_levels.h"
#include "server/drape/resting.h"
#include "server/drape/stage.h"
#include "server/metrics/metrics.h"

namespace tryon {
namespace {

// Steps after which at most a third of the crossings may be left, or one for so many vertices.
constexpr int kTrialSteps = 12, kTrialGain = 3, kFewShare = 15;
// Vertices of the level on which a carried drape begins, at the least: iterations on a small garment reach far enough.
constexpr int kCarriedCoarsest = 1200;

// What is tried again is the same stage to whoever watches: progress never goes back.
RunContext forward_only(const RunContext& run) {
  if (!run.on_progress) return run;
  RunContext out = run;
  out.on_progress = [told = run.on_progress, last = Progress{}](const Progress& now) mutable {
    const bool back =
        now.stage == last.stage ? now.fraction < last.fraction : now.stage == "sew" && !last.stage.empty();
    if (back) return;
    last = now;
    told(now);
  };
  return out;
}

// As far as a level that another one follows.
RestGoal to_be_continued(RestGoal goal, const SettleOptions& options) {
  const RestGoal coarse = rest_goal(1, 2, options);
  goal.calm_steps = coarse.calm_steps, goal.rms = coarse.rms, goal.max = coarse.max;
  return goal;
}

// What has caught on itself comes another way so.
RestGoal after_a_fall(RestGoal goal) {
  goal.fall_steps = kTrialSteps;
  return goal;
}

bool rests(const SettleOptions& options) { return !options.motion || !options.motion->from_sewn; }

// One garment on its way down the levels. Contact between layers costs time, and most cloth never crosses: it begins
// where and when it first does.
class Descent {
 public:
  Descent(const RunContext& run, const Fabric& fabric, const sim::Collider& collider, const SettleOptions& options,
          const GarmentMesh& garment, const ClothLevels& levels)
      : run_(forward_only(run)), fabric_(fabric), collider_(collider), levels_(levels), options_(options) {
    const bool able = keeps_layers_apart(options.solver);
    may_begin_ = options.layers == LayerContact::kWhereNeeded && able;
    // Laid pleats are layers from the start: without contact between them they would lie in one another.
    if (may_begin_ && garment.has_laid_pleats()) keep_apart();
    if (may_begin_ || !able) options_.layers = LayerContact::kNever;
    if (rests(options)) prepared_.emplace(run_, levels, fabric, options_);
  }

  // The coarsest level: panels sewn and at rest. What has crossed by much all the same is drawn apart with contact
  // everywhere, or else sewn again so from the first stitch; where much crosses even then (a cuff narrower than the
  // wrist that it went through) it stays so.
  absl::StatusOr<std::vector<Vec3>> sew() {
    level_ = levels_.count() - 1;
    ASSIGN_OR_RETURN(const std::vector<Vec3> sewn, only_sew());
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
    ASSIGN_OR_RETURN(const std::vector<Vec3> sewn_apart, only_sew());
    ASSIGN_OR_RETURN(const std::vector<Vec3> again, try_apart(sewn_apart, before, goal));
    const int still = crossings();
    if (still == 0 || still <= std::min(left, few())) return again;
    if (left > few()) return give_up(crossed, first);
    settled_ = drawn;
    return drawn_apart;
  }

  // One level from the cloth's positions. What still crosses on the garment's own is kept apart everywhere, from the
  // beginning, and what crosses even then goes on from where it first did; what was kept apart already falls there.
  absl::StatusOr<std::vector<Vec3>> rest(int level, const std::vector<Vec3>& positions, const RestGoal& goal) {
    places_.go_down(levels_, level + 1);
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

  // What was given up is tried again from here: on smaller triangles it may come apart.
  void hope_again() { may_begin_ = may_begin_ || gave_up_; }

  // Panels sewn on the coarsest level, and nothing more.
  absl::StatusOr<std::vector<Vec3>> only_sew() {
    const auto sewn = sew_panels(run_, levels_.open_panels(), fabric_, collider_, options_);
    if (!sewn.ok()) return located(sewn.status(), "sew.");
    settled_.report.sew_steps += sewn->report.sew_steps;
    settled_.report.iterations += sewn->report.iterations;
    settled_.report.collision_s += sewn->report.collision_s;
    settled_.report.drape_s += sewn->report.drape_s;
    settled_.report.gap_before_weld_mm = sewn->report.gap_before_weld_mm;
    settled_.report.mean_gap_before_weld_mm = sewn->report.mean_gap_before_weld_mm;
    return levels_.sewn(sewn->positions);
  }

  // What wind or a fall would drive through each other is kept apart, unless it is so already.
  absl::StatusOr<Settled> moved(const WeldedMesh& cloth) && {
    settled_.cloth = cloth;
    if (!places_.nowhere() || (may_begin_ && crossings() == 0)) keep_apart();
    ASSIGN_OR_RETURN(std::vector<Vec3> x,
                     move_in_air(run_, {{settled_.cloth, fabric_}}, collider_, options_, &settled_.report));
    return std::move(*this).result(std::move(x));
  }

  absl::StatusOr<Settled> result(std::vector<Vec3> positions) && {
    settled_.cloth.mesh.positions = std::move(positions);
    settled_.report.layers_kept_apart = options_.layers == LayerContact::kAlways || !places_.nowhere();
    return std::move(settled_);
  }

 private:
  void keep_apart() {
    options_.layers = LayerContact::kAlways;
    places_.become_everywhere();
    may_begin_ = false;
  }

  RestGoal coarsest_goal() const { return rest_goal(level_, level_, options_); }
  int crossings() const { return count_self_intersections(settled_.cloth.mesh, run_); }
  // As many are drawn apart on the way down, where triangles are small enough to slip past each other.
  int few() const { return settled_.cloth.mesh.vertex_count() / kFewShare; }
  bool can_begin() const { return may_begin_ && !run_.winding_up(); }

  const std::vector<Vec3>& give_up(const Settled& crossed, const std::vector<Vec3>& positions) {
    settled_ = crossed;
    options_.layers = LayerContact::kNever;
    places_.become_nowhere();
    gave_up_ = true;
    return positions;
  }

  // A rest with contact, begun in earnest only where a short fall has undone most of the crossings: contact in a tangle
  // costs tens of times an iteration's time, and a tangle that holds is not undone by patience.
  absl::StatusOr<std::vector<Vec3>> try_apart(const std::vector<Vec3>& positions, int before, const RestGoal& goal) {
    RestGoal short_fall = after_a_fall(goal);
    short_fall.calm_steps = 0;
    ASSIGN_OR_RETURN(const std::vector<Vec3> fallen, rest_once(positions, short_fall));
    if (crossings() > std::max(before / kTrialGain, few())) return fallen;
    return rest_once(fallen, goal);
  }

  absl::StatusOr<std::vector<Vec3>> rest_once(const std::vector<Vec3>& positions, RestGoal goal) {
    settled_.cloth = levels_.welded(level_, positions);
    if (may_begin_) goal.places = &places_;
    ASSIGN_OR_RETURN(Prepared* const prepared, prepared_->at(level_));
    ASSIGN_OR_RETURN(settled_.cloth.mesh.positions, come_to_rest(run_, {{settled_.cloth, fabric_}}, collider_, options_,
                                                                 goal, prepared, &settled_.report));
    if (places_.everywhere()) keep_apart();
    return settled_.cloth.mesh.positions;
  }

  const RunContext run_;
  const Fabric& fabric_;
  const sim::Collider& collider_;
  const ClothLevels& levels_;
  SettleOptions options_;
  std::optional<PreparedLevels> prepared_;  // where anything rests
  int level_ = 0;                           // that rests
  // Where it was found to cross, as long as it may_begin_; from then on options_.layers says everywhere or nowhere.
  LayerPlaces places_;
  bool may_begin_ = false, gave_up_ = false;
  Settled settled_;
};

}  // namespace

absl::StatusOr<Settled> sew_and_settle(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                       const sim::Collider& collider, const SettleOptions& options) {
  ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(garment, options.coarsest));
  Descent descent(run, fabric, collider, options, garment, levels);
  ASSIGN_OR_RETURN(std::vector<Vec3> x, rests(options) ? descent.sew() : descent.only_sew());
  const int top = levels.count() - 1;
  for (int level = top - 1; level >= 0; --level) {
    x = levels.finer(level + 1, x);
    if (!rests(options)) continue;
    RestGoal goal = rest_goal(level, top, options);
    if (options.to_be_continued) goal = to_be_continued(goal, options);
    auto rested = descent.rest(level, x, goal);
    if (!rested.ok()) return located(rested.status(), cat("level[", level, "]."));
    x = *std::move(rested);
  }
  if (options.motion) return std::move(descent).moved(levels.welded(0, std::move(x)));
  return std::move(descent).result(std::move(x));
}

namespace {

// Another size lies far off in the large, where iterations on the garment's own mesh reach slowly: the coarser level
// goes there first, and its own takes over by how much that moved, so that its folds stay. Not where layers lie so
// close that the coarser level cannot tell them apart, nor by a way that would drive them through each other.
absl::StatusOr<std::vector<Vec3>> moved_coarsely(const RunContext& run, const ClothLevels& levels,
                                                 const SettleOptions& options, const std::vector<Vec3>& positions,
                                                 Descent* descent) {
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
  Descent descent(run, fabric, collider, options, garment, levels);
  ASSIGN_OR_RETURN(std::vector<Vec3> x, moved_coarsely(run, levels, options, positions, &descent));
  ASSIGN_OR_RETURN(x, descent.rest(0, x, carried_goal(0, options)));
  ASSIGN_OR_RETURN(Settled out, options.motion ? std::move(descent).moved(levels.welded(0, std::move(x)))
                                               : std::move(descent).result(std::move(x)));
  out.report.carried = true;
  return out;
}

}  // namespace tryon
