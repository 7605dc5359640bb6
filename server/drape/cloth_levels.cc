#include "server/drape/cloth_levels.h"

#include <algorithm>
#include <utility>

#include "server/base/status.h"
#include "server/garment/hierarchy.h"

namespace tryon {
namespace {

constexpr double kKeep = 0.4;

}  // namespace

absl::StatusOr<ClothLevels> ClothLevels::build(const GarmentMesh& garment, int coarsest, int most) {
  ClothLevels out;
  out.garment_ = &garment;
  out.finest_ = weld(garment, garment.placed);
  HierarchySettings settings;
  settings.keep = kKeep;
  settings.levels = 1;
  for (double n = kKeep * out.finest_.mesh.vertex_count(); n >= coarsest && settings.levels < most; n *= kKeep)
    ++settings.levels;
  if (settings.levels > 1) {
    ASSIGN_OR_RETURN(out.hierarchy_, build_hierarchy(garment, out.finest_, {}, settings));
    out.open();
  }
  return out;
}

// The corners that the coarsest level's triangles use, in the garment's order, and the pairs of seams between them.
void ClothLevels::open() {
  const CoarseLevel& level = hierarchy_.coarser.back();
  std::vector<int> index(garment_->vertex_count(), -1), level_vertex(finest_.mesh.vertex_count(), -1);
  for (int v = 0; v < level.vertex_count(); ++v) level_vertex[level.finest[v]] = v;
  for (const Triangle& t : level.corners)
    for (int corner : t) index[corner] = 0;
  for (int v = 0; v < garment_->vertex_count(); ++v) {
    if (index[v] < 0) continue;
    index[v] = panels_.vertex_count();
    panels_.flat.push_back(garment_->flat[v]);
    panels_.placed.push_back(garment_->placed[v]);
    panels_.panel.push_back(garment_->panel[v]);
    panel_vertex_.push_back(level_vertex[finest_.source[v]]);
  }
  for (const Triangle& t : level.corners) {
    panels_.triangles.emplace_back(index[t[0]], index[t[1]], index[t[2]]);
    panels_.triangle_panel.push_back(garment_->panel[t[0]]);
  }
  for (const Seam& seam : garment_->seams) {
    Seam coarse = seam;
    coarse.left.clear();
    coarse.right.clear();
    for (size_t k = 0; k < seam.left.size(); ++k) {
      if (index[seam.left[k]] < 0 || index[seam.right[k]] < 0) continue;
      coarse.left.push_back(index[seam.left[k]]);
      coarse.right.push_back(index[seam.right[k]]);
    }
    panels_.seams.push_back(std::move(coarse));
  }
  panels_.panel_names = garment_->panel_names;
  panels_.grain = garment_->grain;
}

WeldedMesh ClothLevels::welded(int level, std::vector<Vec3> positions) const {
  WeldedMesh out;
  if (level == 0) {
    out = finest_;
  } else {
    const CoarseLevel& coarse = hierarchy_.coarser[level - 1];
    out.mesh.triangles = coarse.triangles;
    out.corner_flat = coarse.corner_flat;
    std::vector<int> level_vertex(finest_.mesh.positions.size(), -1), vertex;
    for (int v = 0; v < coarse.vertex_count(); ++v) level_vertex[coarse.finest[v]] = v;
    for (const int v : finest_.source) vertex.push_back(level_vertex[v]);
    out.elastics = elastic_spans(*garment_, vertex);
  }
  out.mesh.positions = std::move(positions);
  return out;
}

std::vector<Vec3> ClothLevels::sewn(const std::vector<Vec3>& open) const {
  if (count() == 1) return weld(*garment_, open).mesh.positions;
  std::vector<Vec3> sum(hierarchy_.coarser.back().vertex_count(), Vec3::Zero());
  std::vector<int> members(sum.size(), 0);
  for (size_t v = 0; v < open.size(); ++v) {
    sum[panel_vertex_[v]] += open[v];
    ++members[panel_vertex_[v]];
  }
  for (size_t v = 0; v < sum.size(); ++v) sum[v] /= std::max(members[v], 1);
  return sum;
}

std::vector<Vec3> ClothLevels::at(int level, const std::vector<Vec3>& finest) const {
  if (level == 0) return finest;
  std::vector<Vec3> out;
  for (const int v : hierarchy_.coarser[level - 1].finest) out.push_back(finest[v]);
  return out;
}

std::vector<Vec3> ClothLevels::finer(int level, const std::vector<Vec3>& values) const {
  const SparseRows& rows = hierarchy_.coarser[level - 1].barycentric;
  std::vector<Vec3> out(rows.first.size() - 1, Vec3::Zero());
  for (size_t r = 0; r < out.size(); ++r)
    for (int k = rows.first[r]; k < rows.first[r + 1]; ++k) out[r] += rows.weight[k] * values[rows.column[k]];
  return out;
}

}  // namespace tryon
