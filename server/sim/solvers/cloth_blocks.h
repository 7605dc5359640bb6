// What it is: the blocks of 3 x 3 that the cloth alone gives a Hessian, whatever layers touch: which there are, where
// in them each element adds, what is the same at all positions, and the order of elimination. It follows from the model
// and the settings, so that it can be made while the cloth still falls. Units: N/m. Shapes: in the margin; elements in
// assembly order (hessian.h). How it fails: never. Thread rules: made by one thread, then its Hessian's.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "Eigen/Sparse"
#include "server/sim/constraints/hinges.h"
#include "server/sim/constraints/local_step.h"
#include "server/sim/model.h"
#include "server/sim/solvers/cholesky_pattern.h"
#include "server/sim/solvers/fold_products.h"
#include "server/sim/solvers/friction_blocks.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim {

struct BlockPattern {                                                 // of the lower triangle, by columns
  std::vector<int> begin = {0};                                       // [particle_count + 1]
  std::vector<int> row;                                               // ascending, the diagonal first
  int find(const std::pair<int, int>& at) const;                      // at: column and row; -1 where there is none
  local_step::BlockPlace place(const std::pair<int, int>& at) const;  // in the values of what shape() shapes
  // To 3n x 3n, with a zero behind the last value: local_step's fold_products() takes one with it.
  void shape(Eigen::SparseMatrix<double>* matrix) const;
};

// The pairs of a fold's particles that its angle's own Hessian adds to.
constexpr int kFoldPair[local_step::kFoldPairs][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1},
                                                      {2, 2}, {3, 0}, {3, 1}, {3, 3}};

class ClothBlocks {
 public:
  // The model must outlive this.
  ClothBlocks(const DrapeModel& model, const SolverSettings& settings, BendInMatrix bend);
  ClothBlocks(const ClothBlocks&) = delete;
  ClothBlocks& operator=(const ClothBlocks&) = delete;

  // Column and row. What a pinned particle shares with another goes to its own block, which is cleared in the end.
  std::pair<int, int> block_at(int i, int j) const {
    if (pinned(i)) return {i, i};
    if (pinned(j)) return {j, j};
    return std::minmax(i, j);
  }
  // The process's for this structure: asked for ahead, and given away.
  void find_order();
  std::shared_ptr<const CholeskyPattern> take_order();

  struct Target {  // of one addition
    int block;     // of pattern()
    bool turned;   // the element names row and column the other way round
  };
  const BlockPattern& pattern() const { return pattern_; }
  const std::vector<Target>& target() const { return target_; }      // [pair_count]
  const std::vector<double>& constant() const { return constant_; }  // [blocks] times the identity
  FrictionBlocks& friction() { return friction_; }  // in the bending matrix's blocks, or those of what stands for it
  const FoldProducts& fold_products() const { return fold_products_; }

 private:
  template <typename Visit>
  void visit_pairs(Visit visit) const;  // visit(i, j): every block that an element adds to, in assembly order
  template <typename Visit>
  void visit_constant(Visit visit) const;  // visit(i, j, number): of what is the same everywhere, times the identity
  std::vector<int> find_pattern();
  bool pinned(int i) const { return model_.inverse_mass[i] == 0; }

  const DrapeModel& model_;
  const double time_step_;
  const BendInMatrix bend_;
  const Hinges like_matrix_;  // in the bending matrix's place
  FrictionBlocks friction_;
  FoldProducts fold_products_;
  BlockPattern pattern_;
  std::vector<Target> target_;
  std::vector<double> constant_;
  std::shared_ptr<const CholeskyPattern> order_;
};

}  // namespace tryon::sim
