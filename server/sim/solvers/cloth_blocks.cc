#include "server/sim/solvers/cloth_blocks.h"

#include "server/base/grouped.h"
#include "server/sim/constraints/bend.h"
#include "server/sim/solvers/pattern_cache.h"

namespace tryon::sim {

namespace {
constexpr int kHingePairs = 10;  // of its four particles, each with itself and those before it
}  // namespace

int BlockPattern::find(const std::pair<int, int>& at) const {
  const auto end = row.begin() + begin[at.first + 1];
  const auto found = std::lower_bound(row.begin() + begin[at.first], end, at.second);
  return found != end && *found == at.second ? static_cast<int>(found - row.begin()) : -1;
}

local_step::BlockPlace BlockPattern::place(const std::pair<int, int>& at) const {
  const int first = begin[at.first];
  return {9 * first + 3 * (find(at) - first), 3 * (begin[at.first + 1] - first)};
}

void BlockPattern::shape(Eigen::SparseMatrix<double>* matrix) const {
  const int n = static_cast<int>(begin.size()) - 1, count = 9 * static_cast<int>(row.size());
  matrix->resize(3 * n, 3 * n);
  matrix->resizeNonZeros(count + 1);
  matrix->valuePtr()[count] = 0;
  int* outer = matrix->outerIndexPtr();
  int* inner = matrix->innerIndexPtr();
  for (int j = 0, at = 0; j < n; ++j)
    for (int c = 0; c < 3; ++c) {
      outer[3 * j + c] = at;
      for (int b = begin[j]; b < begin[j + 1]; ++b)
        for (int r = 0; r < 3; ++r) inner[at++] = 3 * row[b] + r;
    }
  outer[3 * n] = outer[0] + count;
}

ClothBlocks::ClothBlocks(const DrapeModel& model, const SolverSettings& settings, BendInMatrix bend)
    : model_(model),
      time_step_(settings.time_step),
      bend_(bend),
      like_matrix_(bend == BendInMatrix::kLikeHinges ? hinges_like_bend_matrix(model) : Hinges()),
      friction_(bend == BendInMatrix::kLikeHinges ? FrictionBlocks(model, like_matrix_) : FrictionBlocks(model)),
      fold_products_(model.folds) {
  const std::vector<int> block = find_pattern();
  auto next = block.begin();
  visit_pairs([&](int i, int j) { target_.push_back({*next++, i < j}); });
  auto like = next + kHingePairs * (model_.hinges.count() + model_.viscous.count());
  constant_.assign(pattern_.row.size(), 0.0);
  visit_constant([&](int, int, double number) { constant_[*next++] += number; });
  fold_products_.visit(model_.folds, [&](int, int, local_step::FoldProduct* product) { product->block = *next++; });
  if (friction_.on_hinges())
    friction_.sort_by_block(static_cast<int>(pattern_.row.size()), [&](int, int) { return *like++; });
}

void ClothBlocks::find_order() {
  Eigen::SparseMatrix<double> matrix;
  pattern_.shape(&matrix);
  order_ = PatternCache::of_process().pattern_of(matrix, 3);
}

std::shared_ptr<const CholeskyPattern> ClothBlocks::take_order() {
  if (order_ == nullptr) find_order();
  return std::exchange(order_, nullptr);
}

template <typename Visit>
void ClothBlocks::visit_pairs(Visit visit) const {
  const auto all = [&visit](const int* particle, int count) {
    for (int a = 0; a < count; ++a)
      for (int b = 0; b <= a; ++b) visit(particle[a], particle[b]);
  };
  if (model_.threads.count() + model_.membranes.count() > 0)
    for (const Triangle& corner : model_.triangles) all(corner.data(), 3);
  if (!model_.shear_viscosity.empty())
    for (const Triangle& corner : model_.triangles) all(corner.data(), 3);
  for (int s = 0; s < model_.springs.count(); ++s) {
    const int ends[2] = {model_.springs.a[s], model_.springs.b[s]};
    all(ends, 2);
  }
  for (const auto& p : model_.folds.particle)
    for (const auto& [a, b] : kFoldPair) visit(p[a], p[b]);
  if (!friction_.on_hinges()) friction_.visit_pairs(all);  // else those of like_matrix_
  for (int i = 0; i < model_.particle_count; ++i) visit(i, i);
}

// Hinges, elastic and viscous, and the bending matrix or what stands for it.
template <typename Visit>
void ClothBlocks::visit_constant(Visit visit) const {
  const auto hinges = [&visit](const Hinges& of, double times) {
    for (int h = 0; h < of.count(); ++h) {
      const auto k = bend::hessian(static_cast<Real>(times) * of.stiffness[h], of.weight[h]);
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b <= a; ++b) visit(of.particle[h][a], of.particle[h][b], double(k(a, b)));
    }
  };
  hinges(model_.hinges, 1.0);
  hinges(model_.viscous, 1.0 / time_step_);
  if (bend_ == BendInMatrix::kLikeHinges) return hinges(like_matrix_, 1.0);
  const BendMatrix& bend = model_.bend_matrix;
  for (int i = 0; i + 1 < static_cast<int>(bend.row_begin.size()); ++i)
    for (int k = bend.row_begin[i]; k < bend.row_begin[i + 1]; ++k) {
      visit(i, i, -double(bend.stiffness[k]));
      if (bend.column[k] < i) visit(i, bend.column[k], double(bend.stiffness[k]));
    }
}

// And the block of each addition: of pairs, then of what is constant, then of the folds' products.
std::vector<int> ClothBlocks::find_pattern() {
  std::vector<int> column, row;
  const auto note = [&](int i, int j) {
    const auto [low, high] = block_at(i, j);
    column.push_back(low), row.push_back(high);
  };
  visit_pairs(note);
  visit_constant([&](int i, int j, double) { note(i, j); });
  fold_products_.visit(model_.folds, [&](int i, int j, local_step::FoldProduct*) { note(i, j); });
  const Grouped named = grouped(model_.particle_count, column);
  std::vector<int> rows, block(row.size());
  for (int j = 0; j < model_.particle_count; ++j) {
    rows.clear();
    for (int k = named.begin[j]; k < named.begin[j + 1]; ++k) rows.push_back(row[named.member[k]]);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (int k = named.begin[j]; k < named.begin[j + 1]; ++k) {
      const auto at = std::lower_bound(rows.begin(), rows.end(), row[named.member[k]]) - rows.begin();
      block[named.member[k]] = pattern_.begin[j] + static_cast<int>(at);
    }
    pattern_.row.insert(pattern_.row.end(), rows.begin(), rows.end());
    pattern_.begin.push_back(static_cast<int>(pattern_.row.size()));
  }
  return block;
}

}  // namespace tryon::sim
