#include "server/sim/constraints/hinges.h"

#include "server/sim/constraints/edge_side.h"

namespace tryon::sim {

namespace {

void add_hinge(const ClothInput& cloth, const SpringFabric& fabric, const EdgeUse& edge, double times, Hinges* out) {
  const EdgeSide left = edge_side(cloth, edge, edge.left), right = edge_side(cloth, edge, edge.right);
  const FoldStencil fold = fold_stencil(edge, left, right);
  const double stiffness = 0.5 * (bend_across(fabric, left) + bend_across(fabric, right));
  out->particle.push_back(fold.particle);
  auto& weight = out->weight.emplace_back();
  for (int k = 0; k < 4; ++k) weight[k] = static_cast<Real>(fold.weight[k]);
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
