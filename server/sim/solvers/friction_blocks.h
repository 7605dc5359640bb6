// What it is: what friction in bending (constraints/bend_elements.h) adds to a Hessian: exactly, in the blocks of an
// element's particles, or, where hinges stand for the bending matrix, as hinges about as stiff, which lose what the
// friction no longer resists where a fold goes on as it is bent. Both are positive semidefinite. Units: N/m. Shapes:
// one 3 x 3 block for every pair that visit_pairs() names, in that order; or, of hinges, what each block of a matrix
// gets, which is the same bytes. How it fails: never. Thread rules: one object, one calling thread; hinges and blocks
// run on the context's executor. Cites: as the constraint.
#pragma once

#include <array>
#include <vector>

#include "server/base/grouped.h"
#include "server/base/run_context.h"
#include "server/sim/constraints/bend_elements.h"
#include "server/sim/constraints/hinges.h"
#include "server/sim/model.h"

namespace tryon::sim {

class FrictionBlocks {
 public:
  // Exact, or on the hinges that stand for the bending matrix; the model and they must outlive this.
  explicit FrictionBlocks(const DrapeModel& model);
  FrictionBlocks(const DrapeModel& model, const Hinges& like);

  template <typename Visit>
  void visit_pairs(Visit visit) const {  // visit(particles, count): all pairs (a, b), b <= a
    if (rubbing_.empty()) return;
    if (like_ == nullptr) {
      for (const int i : rubbing_)
        visit(model_.bend_elements.particle[i].data(), model_.bend_elements.particle_count(i));
    } else {
      for (const auto& p : like_->particle) visit(p.data(), 4);
    }
  }

  // add(block) for each of those pairs, as long as go_on(element).
  template <typename GoOn, typename Add>
  void each_block(const std::vector<RVec3>& x, GoOn go_on, Add add) {
    if (rubbing_.empty()) return;
    like_ == nullptr ? each_exact(x, go_on, add) : each_like(x, go_on, add);
  }

  // Hinges' blocks block by block of a matrix, for which each_block() is the judge: where block_of(i, j) is what its
  // pairs add to, first sort_by_block(), then at every x find_blocks(), which says whether there is time to go on, and
  // for each block of the matrix add_to().
  bool on_hinges() const { return like_ != nullptr && !rubbing_.empty(); }
  template <typename BlockOf>
  void sort_by_block(int block_count, BlockOf block_of) {
    std::vector<int> block;
    for (const auto& p : like_->particle)
      for (const auto& [a, b] : kPair) block.push_back(block_of(p[a], p[b]));
    shares_ = grouped(block_count, block);
  }
  bool find_blocks(const RunContext& run, const std::vector<RVec3>& x);
  void add_to(int block, double* corner, int height) const;  // columns are `height` apart

 private:
  static constexpr int kPairs = 10;
  static constexpr int kPair[kPairs][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1},
                                           {2, 2}, {3, 0}, {3, 1}, {3, 2}, {3, 3}};

  template <typename GoOn, typename Add>
  void each_exact(const std::vector<RVec3>& x, GoOn go_on, Add add) const {
    const BendElements& f = model_.bend_elements;
    for (const int i : rubbing_) {
      if (!go_on(i)) return;
      const bend_elements::Bent bent = bend_elements::bent(f, i, x.data());
      const double pull = static_cast<double>(f.moment[i]) / bent.root;
      std::array<Vec3, BendElements::kMost> slope;
      for (int a = 0; a < f.particle_count(i); ++a) {
        slope[a] = bent.slope(f, i, a) / bent.root;
        for (int b = 0; b <= a; ++b) {
          double both = 0;
          for (int k = 0; k < 3; ++k) both += static_cast<double>(f.weight[i][k][a] * f.weight[i][k][b]);
          add(Eigen::Matrix3d(pull * (both * Eigen::Matrix3d::Identity() - slope[a] * slope[b].transpose())));
        }
      }
    }
  }

  template <typename GoOn, typename Add>
  void each_like(const std::vector<RVec3>& x, GoOn go_on, Add add) {
    find_pulls({}, x);
    for (int h = 0; h < like_->count() && go_on(h); ++h) {
      const Eigen::Matrix3d block = like_block(h, x);
      const auto& w = like_->weight[h];
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b <= a; ++b) add(Eigen::Matrix3d(static_cast<double>(w[a] * w[b]) * block));
    }
  }

  void find_pulls(const RunContext& run, const std::vector<RVec3>& x);
  Eigen::Matrix3d like_block(int hinge, const std::vector<RVec3>& x) const;

  const DrapeModel& model_;
  const Hinges* like_ = nullptr;
  std::vector<int> rubbing_;                // elements with friction
  std::vector<std::array<int, 2>> beside_;  // [hinge_count] its triangles
  std::vector<double> pull_;                // [triangle_count] moment a width over curvature, at x
  Grouped shares_;                          // of each block of the matrix: kPairs times hinge plus pair
  std::vector<Eigen::Matrix3d> block_;      // [hinge_count] at x
};

}  // namespace tryon::sim
