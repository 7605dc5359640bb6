// What it is: what the levels of a garment need before they come to rest (models, solvers, order of elimination), made
// on another thread while coarser ones do, coarsest first. Units: SI. Shapes: a level as in ClothLevels. How it fails:
// at() as prepare_rest(). Thread rules: one caller; levels, fabric and options' sinks must outlive it. With one thread
// a level is made when it is asked for: the same bytes.
#pragma once

#include <memory>
#include <vector>

#include "server/drape/cloth_levels.h"
#include "server/drape/resting.h"

namespace tryon {

class PreparedLevels {
 public:
  PreparedLevels(const RunContext& run, const ClothLevels& levels, const Fabric& fabric, SettleOptions options);
  // What was made for coarser levels goes: they are not asked for again.
  absl::StatusOr<Prepared*> at(int level);

 private:
  absl::StatusOr<std::unique_ptr<Prepared>> prepare(int level) const;

  const RunContext run_;  // asked whether there is time; tells nobody anything
  const ClothLevels& levels_;
  const Fabric& fabric_;
  const SettleOptions options_;
  std::vector<absl::StatusOr<std::unique_ptr<Prepared>>> made_;  // [level]
  std::vector<std::unique_ptr<Aside>> making_;                   // [level]; they go before what they write into
};

}  // namespace tryon
