// What it is: the Hessian of the incremental potential as a sparse 3n x 3n matrix and its direct factor. The pattern
// changes only with the layers that touch. Elements are "springs" e = sum c_j x_j with a 3 x 3 Hessian K, or triangles
// with two such vectors and a 6 x 6 one; each adds c_i c_j K to the block of particles i, j. Units: N/m. Shapes: blocks
// of 3 x 3, lower triangle. How it fails: factor() as Cholesky's. Thread rules: one object, one thread, whose context's
// executor takes part; fixed order. Cites: Baraff and Witkin 1998; Choi and Ko 2002 (clamping).
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "Eigen/Sparse"
#include "server/sim/solvers/cholesky.h"
#include "server/sim/solvers/cloth_blocks.h"
#include "server/sim/solvers/incremental_potential.h"

namespace tryon::sim {

class PotentialHessian {
 public:
  // `known`: an order of elimination for a structure that will not come again; else the process's cache is asked.
  PotentialHessian(const IncrementalPotential& potential, const SolverSettings& settings,
                   BendInMatrix bend = BendInMatrix::kWhole, Cholesky::Kept kept = Cholesky::Kept::kWhole,
                   const KnownOrder& known = {});
  // The same with what was made ahead, from the potential's model and its settings.
  PotentialHessian(const IncrementalPotential& potential, const SolverSettings& settings, Cholesky::Kept kept,
                   const KnownOrder& known, std::unique_ptr<ClothBlocks> blocks);
  // At x. `kept` is the share that is kept of what makes an element indefinite: kTrueHessian, kConvexHessian (then no
  // element is), or between them, where the whole is seldom indefinite and far nearer to the true one. False where the
  // context says stop (asked every kElementsBetweenChecks elements); then the matrix is of no use.
  static constexpr int kElementsBetweenChecks = 512;
  static constexpr double kTrueHessian = 1, kConvexHessian = 0;
  bool assemble(const std::vector<RVec3>& x, double kept, const RunContext& run = {});
  int factor(const RunContext& run = {});  // -1, Cholesky::kStopped, or the first row without a positive pivot
  int factor_in_double(const RunContext& run = {});  // likewise, as Cholesky's
  // Solves H d = r; r is zero at pinned particles.
  void solve(const std::vector<RVec3>& r, std::vector<RVec3>* d, const RunContext& run = {});
  Cholesky& cholesky() { return factor_; }                               // rows 3 i .. 3 i + 2 are particle i's block
  const Eigen::SparseMatrix<double>& matrix() const { return matrix_; }  // assembled: lower triangle, whole blocks
  // y = H x, for judging (uses the assembled values).
  void multiply(const std::vector<RVec3>& x, std::vector<RVec3>* y) const;

 private:
  using Matrix3 = Eigen::Matrix3d;
  void build_pattern();
  void analyse();
  // To the next block in assembly order: any one, a symmetric one.
  void add(const Matrix3& k);
  void add_symmetric(const double* number, int apart);  // xx, yy, zz, xy, xz, yz
  void add_whole(const double* number, int apart);      // nine, column by column
  void add_all(const std::vector<RVec3>& x, double kept);
  void begin_with_constant();
  void add_threads(const std::vector<RVec3>& x, double kept);
  void add_membranes(const std::vector<RVec3>& x, double kept);
  void add_shear_damping(const std::vector<RVec3>& x);
  void add_folds(const std::vector<RVec3>& x, double kept);
  void add_fold_products(int begin, int end);
  void add_fold_angles(const std::vector<RVec3>& x, int begin, int end, double kept);
  void add_springs(const std::vector<RVec3>& x, double kept);
  void add_friction(const std::vector<RVec3>& x);
  void add_particles(const std::vector<RVec3>& x);
  void look_at_layers(const std::vector<RVec3>& x);
  void add_layers();
  bool holds(const std::array<int, 4>& v) const;
  using BlockPlace = local_step::BlockPlace;
  void add_at(const BlockPlace& place, bool turned, const Matrix3& k);
  void clear_pinned();

  const IncrementalPotential& potential_;
  const DrapeModel& model_;
  const SolverSettings settings_;
  std::unique_ptr<ClothBlocks> cloth_;   // what is there without layers
  BlockPattern all_;                     // with those that touched at the last pattern
  std::vector<BlockPlace> cloth_place_;  // [blocks of cloth_] of the last pattern
  bool go_on(int element);               // false once the context said stop
  const RunContext* run_ = nullptr;      // while assembling
  bool stopped_ = false, analysed_ = false;
  size_t next_ = 0;                     // addition, while assembling
  Eigen::SparseMatrix<double> matrix_;  // [3n, 3n], lower triangle with whole diagonal blocks
  Cholesky factor_;
  const bool passing_;                             // its structure will not come again
  KnownOrder order_;                               // where there are layers, or it passes: of the last pattern
  std::vector<SelfContact::Curvature> layers_;     // at the last assembly
  std::vector<std::array<int, 4>> layer_pattern_;  // pairs of layers that have blocks of their own
  std::vector<Matrix3> own_;                       // [particle_count] while assembling
  std::vector<RVec3> fold_gradient_;               // [4 fold_count + 1] while assembling
  std::vector<Real> fold_angle_;                   // [fold_count] the same
  std::vector<double> fold_sum_;                   // of one row of B
  Eigen::VectorXd right_;
};

}  // namespace tryon::sim
