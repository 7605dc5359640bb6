// What it is: the garment as coarser and coarser cloth: panels are sewn on the coarsest mesh, where every iteration
// costs little and reaches far, and the drape is carried down level by level to the garment's own.
// Units: SI. Shapes: level 0 is the garment itself, welded; positions [vertex_count of the level].
// How it fails: as build_hierarchy(); cloth too small to coarsen has one level. Thread rules: const after build().
// Cites: Ma 2023 (quadric half-edge collapse in the flat domain, barycentric prolongation).
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/garment.h"
#include "server/mesh/hierarchy.h"

namespace tryon {

class ClothLevels {
 public:
  // Coarser until a level would have fewer vertices than `coarsest`, at most `most` levels.
  static absl::StatusOr<ClothLevels> build(const GarmentMesh& garment, int coarsest, int most = 6);

  int count() const { return 1 + static_cast<int>(hierarchy_.coarser.size()); }
  // The coarsest level before it is sewn, its seams paired; placed as the garment is.
  const GarmentMesh& open_panels() const { return count() > 1 ? panels_ : *garment_; }
  // The level's welded cloth with those positions; `source` is empty but on level 0.
  WeldedMesh welded(int level, std::vector<Vec3> positions) const;
  WeldedMesh placed(int level) const { return welded(level, at(level, finest_.mesh.positions)); }  // as the garment
  // Partners brought together: from open_panels() to the coarsest level.
  std::vector<Vec3> sewn(const std::vector<Vec3>& open) const;
  // What the finest level's values are at the vertices of `level`.
  std::vector<Vec3> at(int level, const std::vector<Vec3>& finest) const;
  // From `level` to the one below it.
  std::vector<Vec3> finer(int level, const std::vector<Vec3>& values) const;

 private:
  void open();

  const GarmentMesh* garment_ = nullptr;
  WeldedMesh finest_;
  Hierarchy hierarchy_;
  GarmentMesh panels_;
  std::vector<int> panel_vertex_;  // [open_panels() vertex_count] -> vertex of the coarsest level
};

}  // namespace tryon
