#include "server/body/mannequin_fair.h"

#include "Eigen/SparseCholesky"
#include "Eigen/SparseCore"
#include "server/base/status.h"

namespace tryon {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Entries = std::vector<Eigen::Triplet<double>>;

// The normal equations of a figure's free vertices, factorised. They hang on net and pulls alone, which are the same
// for every table, so the factors serve all figures of a process.
class FairingSystem {
 public:
  explicit FairingSystem(const Figure& figure) : pull_(figure.pull), neighbours_(figure.neighbours) {
    number_unknowns();
    const Sparse bend = umbrellas();
    const Sparse known = bend * known_columns(), free = bend * free_columns();
    const Sparse across = free.transpose();
    Sparse normal = across * free;
    given_ = -Sparse(across * known);
    for (size_t v = 0; v < unknown_.size(); ++v) {
      if (unknown_[v] < 0 || pull_[v] <= 0.0) continue;
      const int i = unknown_[v];
      normal.coeffRef(i, i) += pull_[v] * pull_[v];
      given_.coeffRef(i, static_cast<int>(v)) += pull_[v] * pull_[v];
    }
    given_.makeCompressed();
    solver_.compute(normal);
  }

  bool ok() const { return solver_.info() == Eigen::Success; }
  bool fits(const Figure& figure) const { return figure.pull == pull_ && figure.neighbours == neighbours_; }

  void solve(std::vector<Vec3>* positions) const {
    Eigen::MatrixXd placed(static_cast<int>(positions->size()), 3);
    for (size_t v = 0; v < positions->size(); ++v) placed.row(static_cast<int>(v)) = (*positions)[v].transpose();
    const Eigen::MatrixXd right = given_ * placed;
    const Eigen::MatrixXd x = solver_.solve(right);
    for (size_t v = 0; v < unknown_.size(); ++v) {
      if (unknown_[v] >= 0) (*positions)[v] = x.row(unknown_[v]).transpose();
    }
  }

 private:
  void number_unknowns() {
    unknown_.assign(pull_.size(), -1);
    count_ = 0;
    for (size_t v = 0; v < unknown_.size(); ++v) {
      if (pull_[v] != Figure::kPinned) unknown_[v] = count_++;
    }
  }

  // A row for every vertex that a free one can bend: itself minus the mean of its neighbours.
  Sparse umbrellas() const {
    Entries entries;
    int row = 0;
    for (size_t v = 0; v < neighbours_.size(); ++v) {
      bool bends = unknown_[v] >= 0;
      for (int n : neighbours_[v]) bends = bends || unknown_[n] >= 0;
      if (!bends) continue;
      entries.emplace_back(row, static_cast<int>(v), 1.0);
      const double share = -1.0 / static_cast<double>(neighbours_[v].size());
      for (int n : neighbours_[v]) entries.emplace_back(row, n, share);
      ++row;
    }
    Sparse out(row, static_cast<int>(neighbours_.size()));
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }

  Sparse known_columns() const {
    Entries entries;
    const int n = static_cast<int>(unknown_.size());
    for (int v = 0; v < n; ++v) {
      if (unknown_[v] < 0) entries.emplace_back(v, v, 1.0);
    }
    Sparse out(n, n);
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }

  Sparse free_columns() const {
    Entries entries;
    const int n = static_cast<int>(unknown_.size());
    for (int v = 0; v < n; ++v) {
      if (unknown_[v] >= 0) entries.emplace_back(v, unknown_[v], 1.0);
    }
    Sparse out(n, count_);
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }

  std::vector<double> pull_;
  std::vector<std::vector<int>> neighbours_;
  std::vector<int> unknown_;  // [vertex_count] column, or -1 where pinned
  int count_ = 0;
  Sparse given_;  // [count_][vertex_count]: what the placed vertices say of the free ones
  Eigen::SimplicialLDLT<Sparse> solver_;
};

}  // namespace

absl::Status fair_figure(Figure* figure) {
  static const FairingSystem shared(*figure);
  if (shared.fits(*figure) && shared.ok()) {
    shared.solve(&figure->mesh.positions);
    return absl::OkStatus();
  }
  const FairingSystem own(*figure);
  if (!own.ok()) return internal_fault("the mannequin's fairing system is singular");
  own.solve(&figure->mesh.positions);
  return absl::OkStatus();
}

}  // namespace tryon
