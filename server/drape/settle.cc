#include "server/drape/settle.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "server/base/text.h"
#include "server/drape/cloth_levels.h"
#include "server/drape/layer_places.h"
#include "server/drape/limb_ends.h"
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
// Metres above wrist or ankle where a tube ends that is sewn again because it closed beside hand or foot.
constexpr double kPushedUp[] = {0.03, 0.07, 0.11};

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
      : run_(run), fabric_(fabric), collider_(collider), levels_(levels), options_(options) {
    const bool able = keeps_layers_apart(options.solver);
    may_begin_ = options.layers == LayerContact::kWhereNeeded && able;
    // Laid pleats are layers from the start: without contact between them they would lie in one another.
    if (may_begin_ && garment.has_laid_pleats()) keep_apart();
    if (may_begin_ || !able) options_.layers = LayerContact::kNever;
    if (rests(options)) prepared_.emplace(run_, levels, fabric, options_);
  }

  // The coarsest level: sewn panels come to rest. What has crossed by much all the same is drawn apart with contact
  // everywhere, or else sewn again so from the first stitch; where much crosses even then (a cuff narrower than the
  // wrist that it went through) it stays so.
  absl::StatusOr<std::vector<Vec3>> rest_sewn(const std::vector<Vec3>& sewn) {
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
    ASSIGN_OR_RETURN(const std::vector<Vec3> sewn_apart, sew());
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

  // What was given up is tried again from here: on smaller triangles it may come apart.
  void hope_again() { may_begin_ = may_begin_ || gave_up_; }

  // Panels sewn on the coarsest level, and nothing more.
  absl::StatusOr<std::vector<Vec3>> sew() {
    level_ = levels_.count() - 1;
    const auto sewn = sew_panels(run_, levels_.open_panels(), fabric_, collider_, options_);
    if (!sewn.ok()) return located(sewn.status(), "sew.");
    count(sewn->report);
    take_gaps(sewn->report);
    return levels_.sewn(sewn->positions);
  }

  WeldedMesh welded(const std::vector<Vec3>& positions) const { return levels_.welded(level_, positions); }

  // On the garment's own mesh, where another one has come to on a mesh of the same vertices.
  void go_on_from(Descent&& other) {
    count(other.settled_.report);
    take_gaps(other.settled_.report);
    if (other.level_ > 0) other.places_.go_down(other.levels_, other.level_);
    places_ = std::move(other.places_);
    options_.layers = other.options_.layers;
    may_begin_ = other.may_begin_, gave_up_ = other.gave_up_;
    level_ = 0;
  }
  void count(const SettleReport& other) {
    SettleReport& report = settled_.report;
    report.sew_steps += other.sew_steps, report.drape_steps += other.drape_steps;
    report.iterations += other.iterations;
    report.collision_s += other.collision_s, report.drape_s += other.drape_s;
  }
  const SettleReport& report() const { return settled_.report; }

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

  void take_gaps(const SettleReport& other) {
    settled_.report.gap_before_weld_mm = other.gap_before_weld_mm;
    settled_.report.mean_gap_before_weld_mm = other.mean_gap_before_weld_mm;
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

// From the coarsest level's rest to that of `last`.
absl::StatusOr<std::vector<Vec3>> come_down(const SettleOptions& options, const ClothLevels& levels, int last,
                                            std::vector<Vec3> x, Descent* descent) {
  const int top = levels.count() - 1;
  for (int level = top - 1; level >= last; --level) {
    x = levels.finer(level + 1, x);
    if (!rests(options)) continue;
    auto rested = descent->rest(level, x, goal_of(level, top, options));
    if (!rested.ok()) return located(rested.status(), cat("level[", level, "]."));
    x = *std::move(rested);
  }
  return x;
}

// A limb that its tube has closed beside, and how far that is pushed up to be sewn again.
struct PushedLimb {
  LimbEnd end;
  size_t push = 0;  // of kPushedUp
};

// Those that go beside the cloth even so are pushed farther, and left as they are where that helps none.
bool push_farther(const TriangleMesh& cloth, std::vector<PushedLimb>* limbs) {
  bool any = false;
  for (PushedLimb& limb : *limbs) {
    if (beside({limb.end}, cloth).empty()) continue;
    ++limb.push;
    any = true;
  }
  std::erase_if(*limbs, [](const PushedLimb& limb) { return limb.push == std::size(kPushedUp); });
  return any;
}

// What has closed beside hands or feet is sewn again with its tubes pushed up, comes to rest so, and is to come down
// over them on the garment's own mesh, whose positions these are; none where it closes beside them even so.
absl::StatusOr<std::vector<Vec3>> put_limbs_in(const RunContext& run, const GarmentMesh& garment,
                                               std::vector<PushedLimb> limbs, const Fabric& fabric,
                                               const sim::Collider& collider, const SettleOptions& options,
                                               Descent* own) {
  while (!limbs.empty() && !run.winding_up()) {
    GarmentMesh pushed = garment;
    for (const PushedLimb& limb : limbs) push_up(limb.end, kPushedUp[limb.push], collider, &pushed);
    ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(pushed, options.coarsest));
    Descent descent(run, fabric, collider, options, pushed, levels);
    ASSIGN_OR_RETURN(std::vector<Vec3> x, descent.sew());
    bool farther = push_farther(descent.welded(x).mesh, &limbs);
    if (!farther) {
      ASSIGN_OR_RETURN(x, descent.rest_sewn(x));
      farther = push_farther(descent.welded(x).mesh, &limbs);
    }
    if (farther) {
      own->count(descent.report());
      continue;
    }
    ASSIGN_OR_RETURN(x, come_down(options, levels, 1, std::move(x), &descent));
    own->go_on_from(std::move(descent));
    return levels.count() == 1 ? x : levels.finer(1, x);
  }
  return std::vector<Vec3>();
}

std::vector<PushedLimb> limbs_beside(const GarmentMesh& garment, const TriangleMesh& cloth) {
  std::vector<PushedLimb> out;
  for (LimbEnd& end : beside(garment.limb_ends, cloth)) out.push_back({std::move(end)});
  return out;
}

// From what was sewn to where the garment's own mesh begins, or, where it is the only one, to its rest.
absl::StatusOr<std::vector<Vec3>> come_near(const SettleOptions& options, const ClothLevels& levels,
                                            const std::vector<Vec3>& sewn, Descent* descent) {
  ASSIGN_OR_RETURN(std::vector<Vec3> x, descent->rest_sewn(sewn));
  if (levels.count() == 1) return x;
  ASSIGN_OR_RETURN(x, come_down(options, levels, 1, std::move(x), descent));
  return levels.finer(1, x);
}

// From what was sewn to the rest of the garment's own mesh.
absl::StatusOr<std::vector<Vec3>> come_to_lie(const RunContext& run, const GarmentMesh& garment,
                                              const std::vector<Vec3>& sewn, const Fabric& fabric,
                                              const sim::Collider& collider, const SettleOptions& options,
                                              const ClothLevels& levels, Descent* descent) {
  std::vector<Vec3> near, put_in;
  std::vector<PushedLimb> limbs = limbs_beside(garment, descent->welded(sewn).mesh);
  const bool plain = std::any_of(limbs.begin(), limbs.end(), [&](const PushedLimb& limb) {
    return stays_beside(limb.end, descent->welded(sewn).mesh);
  });
  if (!plain) {
    ASSIGN_OR_RETURN(near, come_near(options, levels, sewn, descent));
    limbs = limbs_beside(garment, levels.welded(0, near).mesh);
  }
  ASSIGN_OR_RETURN(put_in, put_limbs_in(run, garment, std::move(limbs), fabric, collider, options, descent));
  if (put_in.empty() && plain) {
    ASSIGN_OR_RETURN(near, come_near(options, levels, sewn, descent));
  }
  if (put_in.empty() && levels.count() == 1) return near;
  auto out = descent->rest(0, put_in.empty() ? near : put_in, goal_of(0, levels.count() - 1, options));
  return out.ok() ? std::move(out) : located(out.status(), "level[0].");
}

}  // namespace

absl::StatusOr<Settled> sew_and_settle(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                       const sim::Collider& collider, const SettleOptions& options) {
  const RunContext forward = forward_only(run);
  ASSIGN_OR_RETURN(const ClothLevels levels, ClothLevels::build(garment, options.coarsest));
  Descent descent(forward, fabric, collider, options, garment, levels);
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
  Descent descent(forward_only(run), fabric, collider, options, garment, levels);
  ASSIGN_OR_RETURN(std::vector<Vec3> x, moved_coarsely(run, levels, options, positions, &descent));
  ASSIGN_OR_RETURN(x, descent.rest(0, x, carried_goal(0, options)));
  ASSIGN_OR_RETURN(Settled out, options.motion ? std::move(descent).moved(levels.welded(0, std::move(x)))
                                               : std::move(descent).result(std::move(x)));
  out.report.carried = true;
  return out;
}

}  // namespace tryon
