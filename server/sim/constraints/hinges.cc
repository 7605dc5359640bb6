#include "server/sim/constraints/hinges.h"

#include "server/sim/constraints/bend.h"
#include "server/sim/constraints/edge_side.h"

namespace tryon::sim {

namespace {

void add_hinge(const ClothInput& cloth, const SpringFabric& fabric, const EdgeUse& edge, double times, Hinges* out) {
  const EdgeSide left = edge_side(cloth, edge, edge.left), right = edge_side(cloth, edge, edge.right);
  const auto l = bend::side_weights(left.end0, left.end1, left.opposite);
  const auto r = bend::side_weights(right.end0, right.end1, right.opposite);
  const double stiffness = 0.5 * (bend_across(fabric, left) + bend_across(fabric, right));
  out->particle.push_back({edge.a, edge.b, left.opposite_particle, right.opposite_particle});
  out->weight.push_back({static_cast<Real>(l[0] + r[0]), static_cast<Real>(l[1] + r[1]), static_cast<Real>(l[2]),
                         static_cast<Real>(r[2])});
  out->stiffness.push_back(static_cast<Real>(times * stiffness / (left.area + right.area)));
}

}  // namespace

Hinges hinges_of(const ClothInput& cloth, const std::vector<EdgeUse>& edges, double times) {
  Hinges out;
  for (const EdgeUse& edge : edges)
    if (edge.right >= 0) add_hinge(cloth, cloth.fabric, edge, times, &out);
  return out;
}

Hinges hinges_like_bend_matrix(const DrapeModel& model) {
  Hinges out;
  if (model.bend_matrix.count() == 0) return out;
  ClothInput cloth;
  cloth.triangles = model.triangles;
  cloth.corner_flat = model.corner_flat;
  for (const EdgeUse& edge : mesh_edges(TriangleMesh{std::vector<Vec3>(model.particle_count), model.triangles}))
    if (edge.right >= 0) add_hinge(cloth, model.fabric_of(edge.a), edge, 1.0, &out);
  return out;
}

}  // namespace tryon::sim
