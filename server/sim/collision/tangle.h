// What it is: cloth that crosses itself over a few triangles and does not come free: which vertices, and that patch of
// cloth made smooth, so that contact finds sides again. Units: m. Shapes: x [particle_count]; vertices rising. How it
// fails: never; where nothing crosses nothing changes. Thread rules: one object, one thread, whose context's executor
// takes part; a fixed order.
// Cites: Moeller and Trumbore 1997 (a segment and a triangle); Taubin 1995 (why the mean of the neighbours is smooth).
#pragma once

#include <optional>
#include <vector>

#include "server/sim/collision/cloth_elements.h"
#include "server/sim/model.h"

namespace tryon::sim {

// Where on a-b, 0 .. 1, it goes through the triangle p, q, r.
std::optional<Real> crossing_of(const RVec3& a, const RVec3& b, const RVec3& p, const RVec3& q, const RVec3& r);

// visit(edge, triangle, where on the edge) for those that cross without a corner in common, of pairs that were found.
template <typename Visit>
void each_crossing(const ClothElements& elements, const std::vector<RVec3>& x, const Visit& visit) {
  for (const auto& pair : elements.edge_triangles()) {
    if (pair.triangle < 0) continue;
    const auto& e = elements.edges()[pair.edge];
    const Triangle& t = elements.triangles()[pair.triangle];
    if ((t.array() == e.a).any() || (t.array() == e.b).any()) continue;
    const std::optional<Real> where = crossing_of(x[e.a], x[e.b], x[t[0]], x[t[1]], x[t[2]]);
    if (where) visit(pair.edge, pair.triangle, *where);
  }
}

class TangledCloth {
 public:
  // The model must outlive this.
  explicit TangledCloth(const DrapeModel& model);
  // Of edges and triangles that cross.
  std::vector<int> vertices(const std::vector<RVec3>& x, const RunContext& run = {});
  // These vertices and `rings` of neighbours become a soap film between what is round them, over the scene's collider;
  // hems stay hems.
  void smooth(const Scene& scene, const std::vector<int>& vertices, int rings, std::vector<RVec3>* x) const;

 private:
  const DrapeModel& model_;
  ClothElements elements_;
  std::vector<std::vector<int>> beside_;  // [particle_count] neighbours by the mesh's edges; on a hem those along it
};

}  // namespace tryon::sim
