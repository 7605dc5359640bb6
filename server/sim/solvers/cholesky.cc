#include "server/sim/solvers/cholesky.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "server/sim/solvers/pattern_cache.h"

namespace tryon::sim {

namespace {
constexpr int64_t kWorkToShare = 500'000;  // multiplications of a front's rest from which threads share it
constexpr int kColumnsAtOnce = 32;         // a multiple of 4

void add(const panels::Lane& from, panels::Lane* to) {
  for (int k = 0; k < 4; ++k) to->at[k] += from.at[k];
}
void add(Real from, Real* to) { *to += from; }
}  // namespace

void Cholesky::analyse(const Eigen::SparseMatrix<double>& matrix, int block) {
  take(PatternCache::of_process().pattern_of(matrix, block), static_cast<int>(matrix.rows()));
}

void Cholesky::analyse_once(const Eigen::SparseMatrix<double>& matrix, int block) {
  take(std::make_shared<CholeskyPattern>(find_pattern(matrix, block)), static_cast<int>(matrix.rows()));
}

void Cholesky::Workspace::fit(const CholeskyPattern::Needs& needs, size_t panel_count) {
  const size_t m = static_cast<size_t>(needs.largest_front);
  front.resize(std::max(front.size(), m * m));
  stack.resize(std::max(stack.size(), static_cast<size_t>(needs.stack_values)));
  below.resize(std::max(below.size(), static_cast<size_t>(needs.below_values)));
  inverse.resize(panels::kWidest * panels::kWidest);
  waiting.reserve(panel_count);
}

void Cholesky::take(std::shared_ptr<const CholeskyPattern> pattern, int n) {
  n_ = n;
  pattern_ = std::move(pattern);
  value_.assign(pattern_->values * int64_t{sizeof(Real)} / 32, Aligned{});
  inverse_pivot_.assign(n_, Real(0));
  lanes_.assign(pattern_->length, panels::Lane{});
  single_.assign(pattern_->length, Real(0));
  failed_.assign(pattern_->subtree.size(), -1);
  updates_.clear();
  for (const CholeskyPattern::Subtree& t : pattern_->subtree) {
    const int r = pattern_->panel[t.end - 1].row_count();
    updates_.emplace_back(CholeskyPattern::update_values(r), 0.0);
  }
  const int front = std::max(pattern_->top_needs.largest_front, pattern_->subtree_needs.largest_front);
  work_stride_ = panels::padded(front) + panels::kRowsTogether;
  rows_.clear();
  workspaces_.clear();
  make_room(1);
  workspaces_[0].fit(pattern_->top_needs, pattern_->panel.size());
}

void Cholesky::make_room(int threads) {
  while (static_cast<int>(workspaces_.size()) < threads) {
    workspaces_.emplace_back().fit(pattern_->subtree_needs, pattern_->panel.size());
    rows_.resize(workspaces_.size() * 3 * work_stride_ * sizeof(Real) / 32, Aligned{});
  }
}

template <typename Body>
void Cholesky::each_subtree(const RunContext& run, Body body) {
  const int count = static_cast<int>(pattern_->subtree.size());
  const int threads = std::min(count, run.executor != nullptr ? run.executor->thread_count() : 1);
  make_room(threads);
  struct Share {
    Body& body;
    const int count;
    std::atomic<int> next{0};
  } share{body, count};
  run.parallel_for(threads, 1, [&share](int64_t thread, int64_t) {  // small enough not to be allocated
    for (int t = share.next++; t < share.count; t = share.next++) share.body(t, static_cast<int>(thread));
  });
}

// The matrix's own values, and what the children left: their updates are the last that wait. A panel that goes on in
// the front of the one before it finds there what that one left.
void Cholesky::assemble(int index, const double* values, double* front, Workspace* work) {
  const panels::Panel& panel = pattern_->panel[index];
  const int64_t m = panel.stride;
  if (!pattern_->goes_on(index))
    for (int64_t j = 0; j < m; ++j) std::fill(front + j * (m + 1), front + (j + 1) * m, 0.0);
  for (int64_t e = pattern_->entry_begin[index]; e < pattern_->entry_begin[index + 1]; ++e)
    front[pattern_->entry_place[e]] += values[pattern_->entry_source[e]];
  for (int c = 0; c < pattern_->child_count[index]; ++c) {
    const Update from = work->waiting.back();
    const panels::Panel& child = pattern_->panel[from.panel];
    work->waiting.pop_back();
    const int r = child.row_count();
    const int* to = pattern_->row_in_parent.data() + child.rows_begin;
    if (from.on_stack) work->stack_end -= CholeskyPattern::update_values(r);
    const double* update = from.values;
    for (int j = 0; j < r; update += r - j++) {
      double* column = front + to[j] * m;
      for (int i = j; i < r; ++i) column[to[i]] += update[i - j];
    }
  }
}

// What a panel leaves of its front is its parent's to take up.
void Cholesky::hand_up(int index, const double* front, double* update, Workspace* work) const {
  const panels::Panel& panel = pattern_->panel[index];
  const int w = panel.width, r = panel.row_count();
  const bool on_stack = update == nullptr;
  if (on_stack) {
    update = work->stack.data() + work->stack_end;
    work->waiting.push_back({index, update, true});
    work->stack_end += CholeskyPattern::update_values(r);
  }
  for (int j = 0; j < r; ++j) update = std::copy_n(front + int64_t{w + j} * (panel.stride + 1), r - j, update);
}

// The last panel in its front, with rows to leave.
bool Cholesky::leaves_front(int index) const {
  if (pattern_->panel[index].row_count() == 0) return false;
  return index + 1 == panel_count() || !pattern_->goes_on(index + 1);
}

int64_t Cholesky::work_of(int panel) const {
  const panels::Panel& p = pattern_->panel[panel];
  const int64_t m = p.width + p.row_count();
  return m * m * (p.width + 1);
}

int64_t Cholesky::total_work() const {
  int64_t sum = 0;
  for (int s = 0; s < panel_count(); ++s) sum += work_of(s);
  return sum;
}

int64_t Cholesky::longest_stretch() const {
  int64_t longest = 0, work = kWorkBetweenChecks;
  for (int s = 0; s < panel_count(); ++s) {
    if (work >= kWorkBetweenChecks) work = 0;
    work += work_of(s);
    longest = std::max(longest, work);
  }
  return longest;
}

int Cholesky::row_at(int place) const {
  return static_cast<int>(std::find(pattern_->place.begin(), pattern_->place.end(), place) - pattern_->place.begin());
}

// -1, or the column without a positive pivot.
int Cholesky::eliminate(const panels::Panel& panel, double* front, const RunContext& run, Workspace* work) {
  const panels::Kernels& kernels = panels::best_kernels();
  const int w = panel.width, r = panel.row_count(), m = w + r;
  const int failed = kernels.eliminate(front, m, w, panel.stride, work->below.data());
  if (failed >= 0) return failed;
  const auto take_off = [&](int64_t begin, int64_t end) {
    kernels.take_off(front, m, w, panel.stride, work->below.data(), static_cast<int>(begin), static_cast<int>(end));
  };
  if (int64_t{r} * r * w < kWorkToShare) {
    take_off(0, r);
  } else {
    run.parallel_for(r, kColumnsAtOnce, take_off);
  }
  for (int k = 0; k < w; ++k)
    inverse_pivot_[panel.first + k] = static_cast<Real>(1 / front[int64_t{k} * panel.stride + k]);
  kernels.pack(front, m, w, panel.stride, work->below.data(), work->inverse.data(), value_.data()->at + panel.value);
  return -1;
}

// One panel in a front that *front points to, and where the next one's is.
int Cholesky::factor_panel(int index, const double* values, const RunContext& run, Workspace* work, double** front) {
  const panels::Panel& panel = pattern_->panel[index];
  if (!pattern_->goes_on(index)) *front = work->front.data();
  assemble(index, values, *front, work);
  const int failed = eliminate(panel, *front, run, work);
  if (failed >= 0) return row_at(panel.first + failed);
  if (panel.row_count() > 0 && index + 1 < panel_count() && pattern_->goes_on(index + 1))
    *front += int64_t{panel.width} * (panel.stride + 1);
  return -1;
}

int Cholesky::factor_subtree(int index, const double* values, const RunContext& run, Workspace* work) {
  const CholeskyPattern::Subtree& t = pattern_->subtree[index];
  work->stack_end = 0;
  work->waiting.clear();
  int64_t done = kWorkBetweenChecks;
  double* front = nullptr;
  for (int s = t.begin; s < t.end; ++s) {
    if (done >= kWorkBetweenChecks) {
      if (!run.check().ok()) return kStopped;
      done = 0;
    }
    done += work_of(s);
    const int failed = factor_panel(s, values, run, work, &front);
    if (failed >= 0) return failed;
    if (leaves_front(s)) hand_up(s, front, s + 1 == t.end ? updates_[index].data() : nullptr, work);
  }
  return -1;
}

int Cholesky::factor_top(const double* values, const RunContext& run) {
  Workspace* work = &workspaces_[0];
  work->stack_end = 0;
  work->waiting.clear();
  int64_t done = kWorkBetweenChecks;
  double* front = nullptr;
  size_t next = 0;
  for (int s : pattern_->top) {
    for (; next < updates_.size() && pattern_->subtree[next].end <= s; ++next)
      work->waiting.push_back({pattern_->subtree[next].end - 1, updates_[next].data(), false});
    if (done >= kWorkBetweenChecks) {
      if (!run.check().ok()) return kStopped;
      done = 0;
    }
    done += work_of(s);
    const int failed = factor_panel(s, values, run, work, &front);
    if (failed >= 0) return failed;
    if (leaves_front(s)) hand_up(s, front, nullptr, work);
  }
  return -1;
}

int Cholesky::factor(const double* values, const RunContext& run) {
  each_subtree(run, [&](int t, int thread) { failed_[t] = factor_subtree(t, values, run, &workspaces_[thread]); });
  for (int failed : failed_)
    if (failed != -1) return failed;
  return factor_top(values, run);
}

panels::View Cholesky::view(const std::vector<int>& row, int thread) {
  Real* work = rows_.data()->at + int64_t{thread} * 3 * work_stride_;
  return {pattern_->panel.data(), value_.data()->at, row.data(), inverse_pivot_.data(), work, work_stride_};
}

template <typename X>
void Cholesky::forward_by(void (*kernel)(const panels::View&, const int*, int, X*), X* x, const RunContext& run) {
  const CholeskyPattern& p = *pattern_;
  std::fill(x + n_, x + p.length, X{});
  each_subtree(run, [&](int t, int thread) {
    panels::View part = view(p.row_in_subtree, thread);
    part.panel += p.subtree[t].begin;
    kernel(part, nullptr, p.subtree[t].end - p.subtree[t].begin, x);
  });
  for (const CholeskyPattern::Subtree& t : p.subtree) {
    const panels::Panel& root = p.panel[t.end - 1];
    for (int k = 0; k < root.row_count(); ++k) add(x[t.sums_begin + k], &x[p.row[root.rows_begin + k]]);
  }
  kernel(view(p.row, 0), p.top.data(), static_cast<int>(p.top.size()), x);
}

template <typename X>
void Cholesky::backward_by(void (*kernel)(const panels::View&, const int*, int, X*), X* x, const RunContext& run) {
  const CholeskyPattern& p = *pattern_;
  kernel(view(p.row, 0), p.top.data(), static_cast<int>(p.top.size()), x);
  each_subtree(run, [&](int t, int thread) {
    panels::View part = view(p.row, thread);
    part.panel += p.subtree[t].begin;
    kernel(part, nullptr, p.subtree[t].end - p.subtree[t].begin, x);
  });
}

void Cholesky::forward(Real* x, const RunContext& run) { forward_by(panels::best_kernels().forward_one, x, run); }
void Cholesky::backward(Real* x, const RunContext& run) { backward_by(panels::best_kernels().backward_one, x, run); }

void Cholesky::solve(const RVec3* right_side, RVec3* solution, const RunContext& run) {
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < 3; ++k) lanes_[pattern_->place[i]].at[k] = right_side[i][k];
  forward_by(panels::best_kernels().forward, lanes_.data(), run);
  backward_by(panels::best_kernels().backward, lanes_.data(), run);
  for (int i = 0; i < n_; ++i)
    for (int k = 0; k < 3; ++k) solution[i][k] = lanes_[pattern_->place[i]].at[k];
}

void Cholesky::solve(const double* right_side, double* solution, const RunContext& run) {
  for (int i = 0; i < n_; ++i) single_[pattern_->place[i]] = static_cast<Real>(right_side[i]);
  forward(single_.data(), run);
  backward(single_.data(), run);
  for (int i = 0; i < n_; ++i) solution[i] = static_cast<double>(single_[pattern_->place[i]]);
}

// Up the tree of panels: the next one holds the first row below.
std::vector<int> Cholesky::path_from(int row) const {
  std::vector<int> path;
  int at = pattern_->place[row];
  for (;;) {
    path.push_back(pattern_->panel_at(at));
    const panels::Panel& p = pattern_->panel[path.back()];
    if (p.row_count() == 0) return path;
    at = pattern_->row[p.rows_begin];
  }
}

void Cholesky::forward(const std::vector<int>& path, Real* x) {
  panels::best_kernels().forward_one(view(pattern_->row, 0), path.data(), static_cast<int>(path.size()), x);
}

}  // namespace tryon::sim
