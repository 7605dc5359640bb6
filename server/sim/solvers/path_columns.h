// What it is: solves of a factored H = L D L^T that share one right-hand side g and differ by multiples of a few n_a,
// each on one block of rows. z_a = L^-1 n_a is kept where it is not zero: on the panels from the block's up to the root
// of the elimination tree. Then n_a^T H^-1 n_b is a product over the common end of two paths, and another sum of them
// half a solve. Units: the matrix's. Shapes: blocks of 3 rows, [n / 3] of 3. How it fails: never. Thread rules: one
// object, one calling thread, columns are shared among the context's; after a new factor clear() first. Cites: Gilbert,
// Peierls 1988 (sparse right-hand sides).
#pragma once

#include <vector>

#include "Eigen/Core"
#include "server/sim/solvers/cholesky.h"

namespace tryon::sim {

class PathColumns {
 public:
  explicit PathColumns(Cholesky* factor) : factor_(*factor) {}
  void clear() { count_ = 0; }
  struct Start {  // at rows row .. row + 2: a block of the factor's
    int row;
    RVec3 n;
  };
  void add(const RunContext& run, const std::vector<Start>& starts);
  int count() const { return count_; }
  double product(int a, int b) const;  // n_a^T H^-1 n_b
  void begin(const RunContext& run, const std::vector<RVec3>& g);
  double product(int a) const;  // n_a^T H^-1 g
  // H^-1 (g + sum of weight_a n_a over all columns).
  void combine(const RunContext& run, const Eigen::VectorXd& weight, std::vector<RVec3>* solution);

 private:
  struct Column {
    std::vector<int> path;    // panels, ascending
    std::vector<Real> value;  // on their columns, one panel after the other
  };
  template <typename Visit>
  void visit(const Column& column, Visit visit) const;  // visit(place, value)
  void solve(const Start& start, int thread, Column* column);

  Cholesky& factor_;
  std::vector<Column> column_;  // more than count_ where memory is kept
  int count_ = 0;
  std::vector<Real> right_;              // [length] in the order of elimination: L^-1 g
  std::vector<std::vector<Real>> work_;  // [threads][length]
};

}  // namespace tryon::sim
