#include "server/sim/solvers/global_step.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/sim/solvers/cholesky.h"
#include "server/sim/solvers/multigrid.h"

namespace tryon::sim {

namespace {

constexpr int kGrain = 256;

class DirectStep : public GlobalStep {
 public:
  explicit DirectStep(const Eigen::SparseMatrix<double>& matrix)
      : values_(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros()), added_(matrix.cols(), 0.0) {
    for (int j = 0; j < matrix.cols(); ++j)
      for (int p = matrix.outerIndexPtr()[j]; p < matrix.outerIndexPtr()[j + 1]; ++p)
        if (matrix.innerIndexPtr()[p] == j) {
          diagonal_place_.push_back(p);
          diagonal_.push_back(values_[p]);
        }
    cholesky_.analyse(matrix);
  }

  absl::Status set_diagonal(const RunContext& run, const std::vector<double>& added) override {
    if (factored_ && added == added_) return absl::OkStatus();
    std::copy(added.begin(), added.end(), added_.begin());
    for (size_t i = 0; i < added.size(); ++i) values_[diagonal_place_[i]] = diagonal_[i] + added[i];
    const int failed = cholesky_.factor(values_.data(), run);
    factored_ = failed == -1;
    if (failed == Cholesky::kStopped) return run.check();
    if (failed >= 0) return internal_fault(cat("phase factor: the pivot of particle ", failed, " is not positive"));
    return absl::OkStatus();
  }
  void solve(const RunContext& run, const std::vector<RVec3>& r, std::vector<RVec3>* d) override {
    cholesky_.solve(r.data(), d->data(), run);
  }

 private:
  std::vector<double> values_, diagonal_;  // with contact; the diagonal without
  std::vector<int> diagonal_place_;        // [n] in values_
  Cholesky cholesky_;
  std::vector<double> added_;
  bool factored_ = false;
};

// Vertices of a colour do not meet in A: they may move together.
std::vector<std::vector<int>> colour_rows(const Eigen::SparseMatrix<double>& matrix) {
  std::vector<int> colour(matrix.cols(), -1);
  std::vector<std::vector<int>> rows;
  std::vector<int> seen;
  for (int i = 0; i < matrix.cols(); ++i) {
    seen.assign(rows.size() + 1, 0);
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, i); it; ++it)
      if (it.value() != 0 && colour[it.row()] >= 0) seen[colour[it.row()]] = 1;
    colour[i] = static_cast<int>(std::find(seen.begin(), seen.end(), 0) - seen.begin());
    if (colour[i] == static_cast<int>(rows.size())) rows.emplace_back();
    rows[colour[i]].push_back(i);
  }
  return rows;
}

class GaussSeidelStep : public GlobalStep {
 public:
  GaussSeidelStep(const Eigen::SparseMatrix<double>& matrix, int sweeps, double relaxation)
      : matrix_(matrix), colours_(colour_rows(matrix)), sweeps_(sweeps), relaxation_(static_cast<Real>(relaxation)) {
    const Eigen::VectorXd own = matrix.diagonal();
    own_.assign(own.data(), own.data() + own.size());
    diagonal_ = own_;
  }

  absl::Status set_diagonal(const RunContext&, const std::vector<double>& added) override {
    for (size_t i = 0; i < own_.size(); ++i) diagonal_[i] = own_[i] + added[i];
    return absl::OkStatus();
  }

  void solve(const RunContext& run, const std::vector<RVec3>& r, std::vector<RVec3>* d) override {
    std::fill(d->begin(), d->end(), RVec3::Zero());
    for (int s = 0; s < sweeps_; ++s)
      for (const std::vector<int>& rows : colours_)
        run.parallel_for(static_cast<int64_t>(rows.size()), kGrain, [&](int64_t begin, int64_t end) {
          for (int64_t k = begin; k < end; ++k) relax(rows[k], r, d);
        });
  }

 private:
  void relax(int i, const std::vector<RVec3>& r, std::vector<RVec3>* d) const {
    RVec3 rest = r[i];
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix_, i); it; ++it)
      if (it.row() != i) rest -= static_cast<Real>(it.value()) * (*d)[it.row()];
    (*d)[i] += relaxation_ * (rest / static_cast<Real>(diagonal_[i]) - (*d)[i]);
  }

  Eigen::SparseMatrix<double> matrix_;  // symmetric: a column is a row
  std::vector<std::vector<int>> colours_;
  int sweeps_;
  Real relaxation_;
  std::vector<double> own_, diagonal_;
};

class MultigridStep : public GlobalStep {
 public:
  MultigridStep(const Eigen::SparseMatrix<double>& matrix, double reduction)
      : matrix_(matrix), reduction_(reduction), with_contact_(matrix), cycle_(matrix) {}

  // The cycle is rebuilt only when many rows changed: conjugate gradients forgive an old preconditioner.
  absl::Status set_diagonal(const RunContext&, const std::vector<double>& added) override {
    if (added == added_) return absl::OkStatus();
    size_t changes = added.size();
    if (added_.size() == added.size()) {
      changes = 0;
      for (size_t i = 0; i < added.size(); ++i) changes += added[i] != cycle_added_[i];
    }
    added_ = added;
    with_contact_ = matrix_;
    for (int i = 0; i < with_contact_.cols(); ++i) with_contact_.coeffRef(i, i) += added[i];
    if (changes * 100 > added.size()) {
      cycle_ = MultigridCycle(with_contact_);
      cycle_added_ = added;
    }
    return absl::OkStatus();
  }

  void solve(const RunContext& run, const std::vector<RVec3>& r, std::vector<RVec3>* d) override {
    const auto n = static_cast<Eigen::Index>(r.size());
    Columns3 right(n, 3);
    for (Eigen::Index i = 0; i < n; ++i) right.row(i) = r[i].cast<double>().transpose();
    const Columns3 answer = multigrid_solve(with_contact_, cycle_, right, reduction_, nullptr, run);
    for (Eigen::Index i = 0; i < n; ++i) (*d)[i] = answer.row(i).transpose().cast<Real>();
  }

 private:
  Eigen::SparseMatrix<double> matrix_;
  double reduction_;
  Eigen::SparseMatrix<double> with_contact_;
  MultigridCycle cycle_;
  std::vector<double> added_, cycle_added_;
};

}  // namespace

std::unique_ptr<GlobalStep> make_direct_step(const Eigen::SparseMatrix<double>& matrix) {
  return std::make_unique<DirectStep>(matrix);
}

std::unique_ptr<GlobalStep> make_gauss_seidel_step(const Eigen::SparseMatrix<double>& matrix, int sweeps,
                                                   double relaxation) {
  return std::make_unique<GaussSeidelStep>(matrix, sweeps, relaxation);
}

std::unique_ptr<GlobalStep> make_multigrid_step(const Eigen::SparseMatrix<double>& matrix, double reduction) {
  return std::make_unique<MultigridStep>(matrix, reduction);
}

}  // namespace tryon::sim
