// What it is: one garment on its way down its levels: sewn on the coarsest, at rest on each. Contact between layers
// costs time, and most cloth never crosses: it begins where and when it first does, and what holds in a tangle is given
// up. Units: SI. Shapes: positions [vertex_count of the level]. How it fails: as sew_panels() and come_to_rest().
// Thread rules: one caller; fabric, collider, garment and levels must outlive it.
#pragma once

#include <optional>
#include <vector>

#include "server/drape/cloth_levels.h"
#include "server/drape/layer_places.h"
#include "server/drape/prepared_levels.h"
#include "server/drape/resting.h"
#include "server/drape/settle.h"

namespace tryon {

bool rests(const SettleOptions& options);

// Where panels start to be sewn.
struct SewingStart {
  double higher = 0.0;      // m than they are placed
  bool stays_near = false;  // as for sew_panels()
  bool along_arms = false;  // sleeves go the way the arms do
};

class GarmentDescent {
 public:
  GarmentDescent(const RunContext& run, const Fabric& fabric, const sim::Collider& collider,
                 const SettleOptions& options, const GarmentMesh& garment, const ClothLevels& levels);

  // Panels sewn on the coarsest level, and nothing more. Where an arm goes beside its armhole or its sleeve hangs
  // empty, the head goes beside its hood, or a wide skirt drags a bodice off the shoulders, they are sewn from
  // elsewhere than `first`, unless that is `only`.
  absl::StatusOr<std::vector<Vec3>> sew(const SewingStart& first = {}, bool only = false);
  const SewingStart& start() const { return start_; }  // that it was sewn from
  // Of what was sewn: arms outside, the head outside, and whether it was dragged down; less than one of those: sleeves
  // that hang empty.
  size_t faults() const { return faults_; }
  // The coarsest level: sewn panels come to rest. What has crossed by much all the same is drawn apart with contact
  // everywhere, or else sewn again so from the first stitch; where much crosses even then (a cuff narrower than the
  // wrist that it went through) it stays so.
  absl::StatusOr<std::vector<Vec3>> rest_sewn(const std::vector<Vec3>& sewn);
  // One level from the cloth's positions. What still crosses on the garment's own is kept apart everywhere, from the
  // beginning, and what crosses even then goes on from where it first did; what was kept apart already falls there.
  absl::StatusOr<std::vector<Vec3>> rest(int level, const std::vector<Vec3>& positions, const RestGoal& goal);
  // One level, as far as it is to come there.
  absl::StatusOr<std::vector<Vec3>> rest_on(int level, const std::vector<Vec3>& positions);
  // From the coarsest level's rest to that of `last`.
  absl::StatusOr<std::vector<Vec3>> come_down(int last, std::vector<Vec3> positions);
  // What was given up is tried again from here: on smaller triangles it may come apart.
  void hope_again() { may_begin_ = may_begin_ || gave_up_; }
  // On the garment's own mesh, where another one has come to on a mesh of the same vertices.
  void go_on_from(GarmentDescent&& other);

  WeldedMesh welded(const std::vector<Vec3>& positions) const { return levels_.welded(level_, positions); }
  const SettleReport& report() const { return settled_.report; }
  void count(const SettleReport& other);  // its steps are this one's too

  // What wind or a fall would drive through each other is kept apart, unless it is so already.
  absl::StatusOr<Settled> moved(const WeldedMesh& cloth) &&;
  absl::StatusOr<Settled> result(std::vector<Vec3> positions) &&;

 private:
  void keep_apart();
  struct Sewing {
    SewingStart start;
    std::vector<Vec3> positions;
    size_t faults = 0;
    SettleReport report;
  };
  absl::StatusOr<Sewing> sew_from(const SewingStart& start);
  size_t empty_sleeves(const std::vector<Vec3>& open) const;
  void take_gaps(const SettleReport& other);
  RestGoal goal_of(int level) const;
  RestGoal coarsest_goal() const { return rest_goal(level_, level_, options_); }
  int crossings() const;
  int few() const;
  bool can_begin() const { return may_begin_ && !run_.winding_up(); }
  const std::vector<Vec3>& give_up(const Settled& crossed, const std::vector<Vec3>& positions);
  absl::StatusOr<std::vector<Vec3>> try_apart(const std::vector<Vec3>& positions, int before, const RestGoal& goal);
  absl::StatusOr<std::vector<Vec3>> rest_once(const std::vector<Vec3>& positions, RestGoal goal);

  const RunContext run_;
  const Fabric& fabric_;
  const sim::Collider& collider_;
  const ClothLevels& levels_;
  const std::vector<UpperArm> arms_;
  const std::vector<Vec3> head_;
  SettleOptions options_;
  std::optional<PreparedLevels> prepared_;  // where anything rests
  int level_ = 0;                           // that rests
  SewingStart start_;
  size_t faults_ = 0;
  // Where it was found to cross, as long as it may_begin_; from then on options_.layers says everywhere or nowhere.
  LayerPlaces places_;
  bool may_begin_ = false, gave_up_ = false;
  Settled settled_;
};

}  // namespace tryon
