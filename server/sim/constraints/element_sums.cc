#include "server/sim/constraints/element_sums.h"

#include <algorithm>

namespace tryon::sim {

Eigen::SparseMatrix<double> ElementSums::matrix() && {
  const int size = static_cast<int>(columns_.size());
  Eigen::SparseMatrix<double> out(size, size);
  int count = 0;
  for (int j = 0; j < size; ++j) {
    out.outerIndexPtr()[j] = count;
    count += static_cast<int>(columns_[j].size());
  }
  out.outerIndexPtr()[size] = count;
  out.resizeNonZeros(count);
  int* row = out.innerIndexPtr();
  double* value = out.valuePtr();
  for (std::vector<Entry>& entries : columns_) {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
    for (const Entry& entry : entries) *row++ = entry.row, *value++ = entry.sum;
  }
  return out;
}

}  // namespace tryon::sim
