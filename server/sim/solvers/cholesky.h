// What it is: sparse L D L^T of a symmetric positive definite n x n matrix, solved for three right-hand sides at once
// (the global step: the same scalar factor serves x, y and z). Multifrontal: panel after panel, each in a dense front
// that takes up its children's updates. Factorised in double and kept in Real, or in float and kept short.
// Units: the matrix's. Shapes: values as in the matrix given to analyse(); vectors [n] of 3. No allocation after the
// first factor, the first in double and the first solve. How it fails: factor() returns the first row whose pivot is
// not positive, kStopped where the context says so (asked every kWorkBetweenChecks multiplications), -1 when all is
// well. Thread rules: one object, one thread. Cites: Duff, Reid 1983 (multifrontal); Davis 2006 (elimination tree).
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "Eigen/Sparse"
#include "server/base/run_context.h"
#include "server/sim/real.h"
#include "server/sim/solvers/cholesky_pattern.h"
#include "server/sim/solvers/panels.h"

namespace tryon::sim {

class Cholesky {
 public:
  // The factor's numbers as Real, or made in float and kept in a quarter of the room (panels::Short): then it is the
  // factor of a matrix that is as near as the rounding, symmetric and positive definite too, and solves with sums in
  // float.
  enum class Kept { kWhole, kShort };
  explicit Cholesky(Kept kept = Kept::kWhole) : kept_(kept) {}
  static constexpr int kStopped = -2;
  static constexpr int64_t kWorkBetweenChecks = 5'000'000;  // about 2 ms

  // Symmetric, compressed, whole or the lower triangle; rows in blocks that are ordered as one.
  void analyse(const Eigen::SparseMatrix<double>& matrix, int block = 1);  // by a pattern kept for its structure
  void analyse(std::shared_ptr<const CholeskyPattern> pattern);            // found for it before
  // Of a structure that will not come again, near to one whose order is known.
  void analyse_once(const Eigen::SparseMatrix<double>& matrix, int block, const KnownOrder& known);
  void forget();  // as if nothing had been analysed: its room is given back
  // Values in the order of the analysed matrix's valuePtr().
  int factor(const double* values, const RunContext& run = {});
  // Made in double whatever is kept: for what is so near to indefinite that float's rounding makes it so.
  int factor_in_double(const double* values, const RunContext& run = {});
  void solve(const RVec3* right_side, RVec3* solution, const RunContext& run = {});    // may be the same array
  void solve(const double* right_side, double* solution, const RunContext& run = {});  // one right-hand side
  // The halves of the last: x = L^-1 x and x = L^-T D^-1 x, on vectors [length()] in the order of elimination, place()
  // of each row. What follows the rows is room to work in.
  void forward(Real* x, const RunContext& run = {});
  void backward(Real* x, const RunContext& run = {});
  // The first where x is zero but for one row, and is not read but on the panels that L^-1 of it reaches.
  std::vector<int> path_from(int row) const;                            // these, ascending
  void forward(const std::vector<int>& path, Real* x, int thread = 0);  // which thread's of each_shared()
  // body(k, thread's number) for each k < count, once, on as many threads of the context as there are.
  static int threads_of(const RunContext& run, int count);
  template <typename Body>
  void each_shared(const RunContext& run, int count, Body body) {
    const int threads = threads_of(run, count);
    make_rows(threads);
    struct Share {
      Body& body;
      const int count;
      std::atomic<int> next{0};
    } share{body, count};
    run.parallel_for(threads, 1, [&share](int64_t thread, int64_t) {  // small enough not to be allocated
      for (int k = share.next++; k < share.count; k = share.next++) share.body(k, static_cast<int>(thread));
    });
  }
  int length() const { return pattern_->length; }
  int place(int row) const { return pattern_->place[row]; }
  const panels::Panel& panel(int index) const { return pattern_->panel[index]; }
  Real inverse_pivot(int place) const { return inverse_pivot_[place]; }
  KnownOrder order() const { return pattern_->known(); }
  int64_t factor_nonzeros() const { return pattern_->nonzeros; }
  int64_t panel_values() const { return pattern_->values; }  // with the padding
  // Multiplications (about) of a factorisation, and the most of them between two questions to the context.
  int64_t total_work() const;
  int64_t longest_stretch() const;
  int panel_count() const { return static_cast<int>(pattern_->panel.size()); }

 private:
  template <typename Number>
  struct Update {  // what a panel's elimination leaves to its parent: a lower triangle by columns, packed
    int panel;
    const Number* values;
    bool on_stack;
  };
  struct alignas(64) Line {
    std::byte at[64];
  };
  template <typename Number>
  struct Workspace {  // of one thread
    std::vector<Number> front, stack, below, inverse;
    std::vector<int> run_end;
    int64_t stack_end = 0;
    std::vector<Update<Number>> waiting;  // for the parents to come
    void fit(const CholeskyPattern::Needs& needs, size_t panel_count);
  };
  template <typename Number>
  struct Room {                                // of factors made of such numbers
    std::vector<Workspace<Number>> workspace;  // [threads]
    std::vector<std::vector<Number>> update;   // [parts] of the roots
    void fit(const CholeskyPattern& pattern, int threads);
  };
  void take(std::shared_ptr<const CholeskyPattern> pattern, int n);
  int part_count() const { return static_cast<int>(pattern_->part.size()); }
  // As each_shared(), of the parts begin .. end.
  template <typename Body>
  void each_part(const RunContext& run, int begin, int end, Body body) {
    each_shared(run, end - begin, [&](int t, int thread) { body(begin + t, thread); });
  }
  template <typename Body>
  void each_part_upwards(const RunContext& run, Body body) {
    each_part(run, 0, pattern_->subtree_count, body);
    each_part(run, pattern_->subtree_count, part_count(), body);
  }
  template <typename Body>
  void each_part_downwards(const RunContext& run, Body body) {
    each_part(run, pattern_->subtree_count, part_count(), body);
    each_part(run, 0, pattern_->subtree_count, body);
  }
  void make_rows(int threads);
  template <typename Number>
  int factor_in(Room<Number>* room, const double* values, const RunContext& run);
  template <typename Number>
  int factor_part(const CholeskyPattern::Part& part, const double* values, const RunContext& run, Number* update,
                  const Room<Number>& room, Workspace<Number>* work);
  template <typename Number>
  int factor_panel(int index, const double* values, const RunContext& run, Workspace<Number>* work, Number** front);
  template <typename Number>
  void assemble(int index, const double* values, Number* front, Workspace<Number>* work);
  template <typename Number>
  int eliminate(const panels::Panel& panel, Number* front, const RunContext& run, Workspace<Number>* work);
  template <typename Number>
  void hand_up(int index, const Number* front, Number* update, Workspace<Number>* work) const;
  template <typename Value>
  Value* values() {
    return reinterpret_cast<Value*>(value_.data());
  }
  template <typename Value>
  panels::View<Value> view(const std::vector<int>& row, int thread);
  template <typename Value, typename X>
  using Half = void (*)(const panels::View<Value>&, const int*, int, X*);  // of a solve (panels.h)
  template <typename Value, typename X>
  void forward_by(Half<Value, X> kernel, X* x, const RunContext& run);
  template <typename Value, typename X>
  void backward_by(Half<Value, X> kernel, X* x, const RunContext& run);
  template <typename Value, typename Lane>
  void solve_by(const panels::SolvesForThree<Value, Lane>& kernels, std::vector<Lane>* lanes, const RVec3* right_side,
                RVec3* solution, const RunContext& run);
  int row_at(int place) const;

  Kept kept_;
  int n_ = 0;
  std::shared_ptr<const CholeskyPattern> pattern_ = std::make_shared<CholeskyPattern>();
  std::vector<Line> value_, rows_;
  int work_stride_ = 0;  // a third of a thread's share of rows_
  std::vector<Real> inverse_pivot_;
  std::vector<float> scale_;  // of the columns kept short
  Room<double> in_double_;
  Room<float> in_float_;
  std::vector<int> failed_;                     // [parts] as factor() says
  std::vector<panels::Lane> lanes_;             // [length] in the order of elimination
  std::vector<panels::ShortLane> short_lanes_;  // the same where numbers are kept short
  std::vector<Real> single_;                    // the same for one right-hand side
};

}  // namespace tryon::sim
