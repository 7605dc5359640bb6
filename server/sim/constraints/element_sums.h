// What it is: a sparse matrix that is a sum over elements: numbers come in any order, and each entry is their sum in
// the order in which they came, as triplets would give it, without a list of them all. Units: the numbers'. Shapes:
// [size, size], columns compressed, rows ascending. How it fails: never; rows and columns are within size. Thread
// rules: one object, one thread.
#pragma once

#include <vector>

#include "Eigen/Sparse"

namespace tryon::sim {

class ElementSums {
 public:
  explicit ElementSums(int size) : columns_(size) {}
  void add(int row, int column, double number) {
    std::vector<Entry>& entries = columns_[column];
    for (Entry& entry : entries)
      if (entry.row == row) {
        entry.sum += number;
        return;
      }
    if (entries.empty()) entries.reserve(kUsual);
    entries.push_back({row, number});
  }
  Eigen::SparseMatrix<double> matrix() &&;

 private:
  static constexpr int kUsual = 20;  // neighbours and their neighbours across an edge
  struct Entry {
    int row;
    double sum;
  };
  std::vector<std::vector<Entry>> columns_;
};

}  // namespace tryon::sim
