#include "server/sim/constraints/bend_elements.h"

#include <algorithm>
#include <cmath>

#include "server/sim/constraints/edge_side.h"

namespace tryon::sim::bend_elements {

namespace {

// Where a particle of an edge's fold stands among the element's.
int place_of(const std::array<int, BendElements::kMost>& particle, int count, int wanted) {
  return static_cast<int>(std::find(particle.begin(), particle.begin() + count, wanted) - particle.begin());
}

// Adds what a fold over the edge curves the triangle: |e| theta n is the vector sum of bend.h.
void add_edge(const ClothInput& cloth, const EdgeUse& edge, int triangle, int* count,
              std::array<int, BendElements::kMost>* particle,
              std::array<std::array<double, BendElements::kMost>, 3>* weight) {
  const EdgeSide left = edge_side(cloth, edge, edge.left), right = edge_side(cloth, edge, edge.right);
  const EdgeSide& own = triangle == edge.left ? left : right;
  const FoldStencil fold = fold_stencil(edge, left, right);
  const Vec2 d = own.along().normalized();
  const double size = own.length() / (2 * own.area) / (0.5 * (left.length() + right.length()));
  const double curvature[3] = {size * d.y() * d.y(), size * d.x() * d.x(), -std::sqrt(2.0) * size * d.x() * d.y()};
  for (int j = 0; j < 4; ++j) {
    const int at = place_of(*particle, *count, fold.particle[j]);
    if (at == *count) (*particle)[(*count)++] = fold.particle[j];
    for (int k = 0; k < 3; ++k) (*weight)[k][at] += curvature[k] * fold.weight[j];
  }
}

}  // namespace

void build(const ClothInput& cloth, const std::vector<EdgeUse>& edges, DrapeModel* model) {
  std::vector<std::vector<const EdgeUse*>> beside(cloth.triangles.size());
  for (const EdgeUse& edge : edges) {
    if (edge.right < 0) continue;
    beside[edge.left].push_back(&edge);
    beside[edge.right].push_back(&edge);
  }
  BendElements& out = model->bend_elements;
  const Vec3 bend = shape_stiffness(cloth.fabric).cwiseProduct(Vec3(1, 1, 0.5));  // of sqrt(2) S_12
  for (size_t t = 0; t < beside.size(); ++t) {
    if (beside[t].empty()) continue;
    const Triangle& c = cloth.triangles[t];
    std::array<int, BendElements::kMost> particle;
    particle.fill(c[0]);
    particle[1] = c[1], particle[2] = c[2];
    std::array<std::array<double, BendElements::kMost>, 3> weight = {};
    int count = 3;
    for (const EdgeUse* edge : beside[t]) add_edge(cloth, *edge, static_cast<int>(t), &count, &particle, &weight);
    out.triangle.push_back(static_cast<int>(t));
    out.particle.push_back(particle);
    auto& kept = out.weight.emplace_back();
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < BendElements::kMost; ++j) kept[k][j] = static_cast<Real>(weight[k][j]);
    auto& stiffness = out.stiffness.emplace_back();
    for (int k = 0; k < 3; ++k) stiffness[k] = static_cast<Real>(bend[k]) * model->rest_area[t];
    out.moment.push_back(static_cast<Real>(cloth.fabric.bend_friction) * model->rest_area[t]);
  }
}

Bent bent(const BendElements& f, int i, const RVec3* x) {
  Bent out;
  double squared = static_cast<double>(kSlack) * static_cast<double>(kSlack);
  const auto& p = f.particle[i];
  for (int k = 0; k < 3; ++k) {
    out.s[k].setZero();
    for (int j = 1; j < f.particle_count(i); ++j)
      out.s[k] += static_cast<double>(f.weight[i][k][j]) * (x[p[j]] - x[p[0]]).cast<double>();
    squared += out.s[k].squaredNorm();
  }
  out.root = std::sqrt(squared);
  return out;
}

}  // namespace tryon::sim::bend_elements
