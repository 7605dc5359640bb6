// What it is: patterns of factors kept from one solver to the next in this process: a garment's matrices have the same
// structure in every size that shares its mesh, on every body and of every fabric, so their order of elimination is
// found once. A pattern depends on the structure alone, so what is kept never changes a result.
// Units: none. Shapes: as find_pattern(). How it fails: never; what is too large to keep is found anew each time.
// Thread rules: any thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "Eigen/Sparse"
#include "server/sim/solvers/cholesky_pattern.h"

namespace tryon::sim {

class PatternCache {
 public:
  explicit PatternCache(int64_t most_bytes) : most_bytes_(most_bytes) {}
  static PatternCache& of_process();

  // find_pattern(), or the pattern of an earlier matrix with the same rows in the same columns.
  std::shared_ptr<const CholeskyPattern> pattern_of(const Eigen::SparseMatrix<double>& matrix, int block = 1);

  struct Use {
    int64_t found = 0, made = 0, bytes = 0;  // answers from it, patterns made for it, bytes that it holds
  };
  Use use() const;

 private:
  struct Kept {
    std::vector<int> outer, inner;
    int block = 1;
    std::shared_ptr<const CholeskyPattern> pattern;
    int64_t bytes = 0;
    Kept(const Eigen::SparseMatrix<double>& matrix, int block);
    bool is_of(const Eigen::SparseMatrix<double>& matrix, int asked_block) const;
  };
  std::shared_ptr<const CholeskyPattern> find(const Eigen::SparseMatrix<double>& matrix, int block);

  const int64_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // the last asked for first
  Use use_;
};

}  // namespace tryon::sim
