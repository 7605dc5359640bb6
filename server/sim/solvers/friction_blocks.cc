#include "server/sim/solvers/friction_blocks.h"

#include "server/sim/constraints/bend.h"

namespace tryon::sim {

FrictionBlocks::FrictionBlocks(const DrapeModel& model) : model_(model) {
  for (int i = 0; i < model.bend_elements.count(); ++i)
    if (model.bend_elements.moment[i] > 0) rubbing_.push_back(i);
}

FrictionBlocks::FrictionBlocks(const DrapeModel& model, const Hinges& like) : FrictionBlocks(model) {
  like_ = &like;
  if (rubbing_.empty()) return;
  for (const EdgeUse& edge : mesh_edges(TriangleMesh{std::vector<Vec3>(model.particle_count), model.triangles}))
    if (edge.right >= 0) beside_.push_back({edge.left, edge.right});
  pull_.assign(model.triangles.size(), 0.0);
}

void FrictionBlocks::find_pulls(const RunContext& run, const std::vector<RVec3>& x) {
  const BendElements& f = model_.bend_elements;
  for_each(run, rubbing_.size(), [&](size_t k) {
    const int i = rubbing_[k];
    const auto area = static_cast<double>(model_.rest_area[f.triangle[i]]);
    const double root = bend_elements::bent(f, i, x.data()).root;
    pull_[f.triangle[i]] = static_cast<double>(f.moment[i]) / area / root;
  });
}

bool FrictionBlocks::find_blocks(const RunContext& run, const std::vector<RVec3>& x) {
  find_pulls(run, x);
  if (!run.check().ok()) return false;
  block_.resize(like_->particle.size());
  for_each(run, block_.size(), [&](size_t h) { block_[h] = like_block(static_cast<int>(h), x); });
  return run.check().ok();
}

void FrictionBlocks::add_to(int block, double* corner, int height) const {
  Eigen::Map<Eigen::Matrix3d, Eigen::Unaligned, Eigen::OuterStride<>> at(corner, Eigen::OuterStride<>(height));
  Eigen::Matrix3d sum = at;
  for (int k = shares_.begin[block]; k < shares_.begin[block + 1]; ++k) {
    const auto [a, b] = kPair[shares_.member[k] % kPairs];
    const int hinge = shares_.member[k] / kPairs;
    const auto& w = like_->weight[hinge];
    sum += static_cast<double>(w[a] * w[b]) * block_[hinge];
  }
  at = sum;
}

Eigen::Matrix3d FrictionBlocks::like_block(int hinge, const std::vector<RVec3>& x) const {
  const auto [left, right] = beside_[hinge];
  const auto area = static_cast<double>(model_.rest_area[left] + model_.rest_area[right]);
  const auto& p = like_->particle[hinge];
  const Vec3 fold = bend::vector(like_->weight[hinge], x[p[0]], x[p[1]], x[p[2]], x[p[3]]).cast<double>();
  const double slack = static_cast<double>(bend_elements::kSlack) * area;
  const Eigen::Matrix3d resisted =
      Eigen::Matrix3d::Identity() - fold * fold.transpose() / (fold.squaredNorm() + slack * slack);
  return 0.5 * (pull_[left] + pull_[right]) / area * resisted;
}

}  // namespace tryon::sim
