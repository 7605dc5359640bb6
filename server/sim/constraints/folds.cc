#include "server/sim/constraints/folds.h"

#include <cmath>
#include <map>

#include "server/sim/constraints/edge_side.h"

namespace tryon::sim::fold {

namespace {

bool has_area(const Corners& x) {
  const RVec3 e = x[1] - x[0];
  const Real least = Real(local_step::kNoFoldArea);
  return e.cross(x[2] - x[0]).squaredNorm() > least && e.cross(x[3] - x[0]).squaredNorm() > least;
}

using Rows = std::vector<std::map<int, double>>;

void add_hinge_rows(const ClothInput& cloth, const std::vector<EdgeUse>& edges, Rows* rows) {
  for (const EdgeUse& edge : edges) {
    const EdgeSide left = edge_side(cloth, edge, edge.left), right = edge_side(cloth, edge, edge.right);
    const double stiffness = 0.5 * (bend_across(cloth.fabric, left) + bend_across(cloth.fabric, right));
    const double length = 0.5 * (left.length() + right.length());
    const int row = static_cast<int>(rows->size());
    rows->push_back({{row, stiffness * length * length / (left.area + right.area)}});
  }
}

// +1 where the fold's angle is positive towards the triangle's own normal.
double sign_in(const Triangle& t, const EdgeUse& edge, bool left) {
  for (int k = 0; k < 3; ++k)
    if (t[k] == edge.a && t[(k + 1) % 3] == edge.b) return left ? 1 : -1;
  return left ? -1 : 1;
}

void add_shape_rows(const ClothInput& cloth, const std::vector<EdgeUse>& edges, Rows* rows) {
  struct Part {
    int fold;
    Eigen::Vector3d curvature;  // S_11, S_22, S_12 of one radian
  };
  std::vector<std::vector<Part>> parts(cloth.triangles.size());
  for (size_t f = 0; f < edges.size(); ++f)
    for (const bool left : {true, false}) {
      const int t = left ? edges[f].left : edges[f].right;
      const EdgeSide side = edge_side(cloth, edges[f], t);
      const Vec2 d = side.along().normalized();
      const double size = sign_in(cloth.triangles[t], edges[f], left) * side.length() / (2 * side.area);
      parts[t].push_back({static_cast<int>(f), size * Eigen::Vector3d(d.y() * d.y(), d.x() * d.x(), -d.x() * d.y())});
    }
  const Vec3 stiffness = shape_stiffness(cloth.fabric);
  rows->resize(edges.size());
  for (size_t t = 0; t < parts.size(); ++t)
    for (const Part& i : parts[t])
      for (const Part& j : parts[t])
        (*rows)[i.fold][j.fold] +=
            std::abs(signed_rest_area(cloth.corner_flat[t])) * i.curvature.dot(stiffness.cwiseProduct(j.curvature));
}

void add_fold(const ClothInput& cloth, const EdgeUse& edge, Folds* folds) {
  const EdgeSide left = edge_side(cloth, edge, edge.left), right = edge_side(cloth, edge, edge.right);
  const FoldStencil fold = fold_stencil(edge, left, right);
  folds->particle.push_back(fold.particle);
  auto& weight = folds->weight.emplace_back();
  for (int k = 0; k < 4; ++k) weight[k] = static_cast<Real>(fold.weight[k]);
  folds->edge_length.push_back(static_cast<Real>(0.5 * (left.length() + right.length())));
  Corners x;
  for (int k = 0; k < 4; ++k) x[k] = cloth.positions[folds->particle.back()[k]].cast<Real>();
  folds->rest_angle.push_back(cloth.rest_angles ? angle(x) : Real(0));
}

}  // namespace

Real angle(const Corners& x) {
  const RVec3 e = x[1] - x[0], n1 = e.cross(x[2] - x[0]), n2 = (x[3] - x[0]).cross(e);
  const Real length = e.norm();
  if (!has_area(x)) return 0;
  return std::atan2(n2.cross(n1).dot(e) / length, n1.dot(n2));
}

// At the opposite vertices it is normal over height; the edge's ends take it by where the height's foot lies.
Corners angle_gradient(const Corners& x) {
  if (!has_area(x)) return {RVec3::Zero(), RVec3::Zero(), RVec3::Zero(), RVec3::Zero()};
  const RVec3 e = x[1] - x[0], a = x[2] - x[0], b = x[3] - x[0];
  const RVec3 n1 = e.cross(a), n2 = b.cross(e);
  const Real edge2 = e.squaredNorm(), edge = std::sqrt(edge2);
  const Real foot1 = e.dot(a) / edge2, foot2 = e.dot(b) / edge2;
  const RVec3 g2 = edge / n1.squaredNorm() * n1, g3 = edge / n2.squaredNorm() * n2;
  const RVec3 g1 = -(foot1 * g2 + foot2 * g3);
  return {RVec3(-(g1 + g2 + g3)), g1, g2, g3};
}

local_step::FoldView view(const DrapeModel& model) {
  const Folds& f = model.folds;
  return {f.particle.data(), f.rest_angle.data(), f.row_begin.data(),
          f.column.data(),   f.stiffness.data(),  model.particle_count - 1};
}

void build(const ClothInput& cloth, DrapeModel* model) {
  std::vector<EdgeUse> edges;
  for (const EdgeUse& edge : mesh_edges(TriangleMesh{cloth.positions, cloth.triangles}))
    if (edge.right >= 0) edges.push_back(edge);
  Rows rows;
  cloth.bend == BendLaw::kHinge ? add_hinge_rows(cloth, edges, &rows) : add_shape_rows(cloth, edges, &rows);
  Folds& folds = model->folds;
  folds.row_begin.push_back(0);
  for (size_t f = 0; f < edges.size(); ++f) {
    add_fold(cloth, edges[f], &folds);
    for (const auto& [column, stiffness] : rows[f]) {
      folds.column.push_back(column);
      folds.stiffness.push_back(static_cast<Real>(stiffness));
    }
    folds.row_begin.push_back(static_cast<int>(folds.column.size()));
  }
}

}  // namespace tryon::sim::fold
