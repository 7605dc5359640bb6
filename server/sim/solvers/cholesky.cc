#include "server/sim/solvers/cholesky.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "server/sim/solvers/pattern_cache.h"

namespace tryon::sim {

namespace {
constexpr int64_t kWorkToShare = 500'000;  // multiplications of a front's rest from which threads share it
constexpr int kColumnsAtOnce = 32;         // a multiple of 4
constexpr int kRowsAtOnce = 2048;          // of a vector

template <typename Lane>
void add(const Lane& from, Lane* to) {
  for (int k = 0; k < 4; ++k) to->at[k] += from.at[k];
}
void add(Real from, Real* to) { *to += from; }

template <typename T>
void give_back(std::vector<T>* v) {
  std::vector<T>().swap(*v);
}
}  // namespace

// What belongs to the pattern before goes first: both at once were the peak of a drape.
void Cholesky::forget() {
  give_back(&value_), give_back(&rows_), give_back(&lanes_), give_back(&short_lanes_), give_back(&single_);
  in_double_ = {}, in_float_ = {};
  pattern_ = std::make_shared<CholeskyPattern>();
}

void Cholesky::analyse(const Eigen::SparseMatrix<double>& matrix, int block) {
  forget();
  take(PatternCache::of_process().pattern_of(matrix, block), static_cast<int>(matrix.rows()));
}

void Cholesky::analyse(std::shared_ptr<const CholeskyPattern> pattern) {
  forget();
  const int n = static_cast<int>(pattern->place.size());
  take(std::move(pattern), n);
}

void Cholesky::analyse_once(const Eigen::SparseMatrix<double>& matrix, int block, const KnownOrder& known) {
  forget();
  take(std::make_shared<CholeskyPattern>(find_pattern(matrix, block, known)), static_cast<int>(matrix.rows()));
}

template <typename Number>
void Cholesky::Workspace<Number>::fit(const CholeskyPattern::Needs& needs, size_t panel_count) {
  const size_t m = static_cast<size_t>(needs.largest_front);
  front.resize(std::max(front.size(), m * m));
  stack.resize(std::max(stack.size(), static_cast<size_t>(needs.stack_values)));
  below.resize(std::max(below.size(), static_cast<size_t>(needs.below_values)));
  inverse.resize(panels::kWidest * panels::kWidest);
  run_end.resize(std::max(run_end.size(), m));
  waiting.reserve(panel_count);
}

void Cholesky::take(std::shared_ptr<const CholeskyPattern> pattern, int n) {
  n_ = n;
  pattern_ = std::move(pattern);
  const int64_t size = kept_ == Kept::kWhole ? sizeof(Real) : sizeof(panels::Short);
  value_.assign((pattern_->values * size + sizeof(Line) - 1) / sizeof(Line), Line{});
  inverse_pivot_.assign(n_, Real(0));
  if (kept_ == Kept::kShort) scale_.assign(n_, 0.0f);
  single_.assign(pattern_->length, Real(0));
  failed_.assign(pattern_->part.size(), -1);
  const int front = std::max(pattern_->top_needs.largest_front, pattern_->part_needs.largest_front);
  work_stride_ = (front + panels::kGroup - 1) / panels::kGroup * panels::kGroup;
  rows_.clear();
  make_rows(1);
}

void Cholesky::make_rows(int threads) {
  const size_t size = threads * 3 * work_stride_ * sizeof(Real) / sizeof(Line);
  if (rows_.size() < size) rows_.resize(size, Line{});
}

// The first thread's has room for the top as well.
template <typename Number>
void Cholesky::Room<Number>::fit(const CholeskyPattern& pattern, int threads) {
  if (workspace.empty()) {
    workspace.emplace_back().fit(pattern.top_needs, pattern.panel.size());
    workspace[0].fit(pattern.part_needs, pattern.panel.size());
    for (const CholeskyPattern::Part& t : pattern.part)
      update.emplace_back(CholeskyPattern::update_values(pattern.panel[pattern.root(t)].row_count()), Number(0));
  }
  while (static_cast<int>(workspace.size()) < threads)
    workspace.emplace_back().fit(pattern.part_needs, pattern.panel.size());
}

int Cholesky::threads_of(const RunContext& run, int count) {
  return std::min(count, run.executor != nullptr ? run.executor->thread_count() : 1);
}

// The matrix's own values, and what the children left: their updates are the last that wait. A panel that goes on in
// the front of the one before it finds there what that one left.
template <typename Number>
void Cholesky::assemble(int index, const double* values, Number* front, Workspace<Number>* work) {
  const panels::Elimination<Number>& kernels = panels::best_kernels().elimination<Number>();
  const panels::Panel& panel = pattern_->panel[index];
  const int64_t m = panel.stride;
  if (!pattern_->goes_on(index))
    for (int64_t j = 0; j < m; ++j) std::fill(front + j * (m + 1), front + (j + 1) * m, Number(0));
  for (int64_t e = pattern_->entry_begin[index]; e < pattern_->entry_begin[index + 1]; ++e)
    front[pattern_->entry_place[e]] += static_cast<Number>(values[pattern_->entry_source[e]]);
  for (int c = 0; c < pattern_->child_count[index]; ++c) {
    const Update<Number> from = work->waiting.back();
    const panels::Panel& child = pattern_->panel[from.panel];
    work->waiting.pop_back();
    const int r = child.row_count();
    if (from.on_stack) work->stack_end -= CholeskyPattern::update_values(r);
    kernels.take_up(from.values, pattern_->row_in_parent.data() + child.rows_begin, r, work->run_end.data(), front,
                    panel.stride);
  }
}

// What a panel leaves of its front is its parent's to take up.
template <typename Number>
void Cholesky::hand_up(int index, const Number* front, Number* update, Workspace<Number>* work) const {
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

int64_t Cholesky::total_work() const {
  int64_t sum = 0;
  for (int s = 0; s < panel_count(); ++s) sum += pattern_->work(s);
  return sum;
}

int64_t Cholesky::longest_stretch() const {
  int64_t longest = 0;
  const auto look_at = [&](const CholeskyPattern::Part& part) {
    int64_t work = kWorkBetweenChecks;
    for (int at = part.begin; at < part.end; ++at) {
      if (work >= kWorkBetweenChecks) work = 0;
      work += pattern_->work(pattern_->order[at]);
      longest = std::max(longest, work);
    }
  };
  for (const CholeskyPattern::Part& t : pattern_->part) look_at(t);
  look_at(pattern_->top);
  return longest;
}

int Cholesky::row_at(int place) const {
  return static_cast<int>(std::find(pattern_->place.begin(), pattern_->place.end(), place) - pattern_->place.begin());
}

// -1, or the column without a positive pivot.
template <typename Number>
int Cholesky::eliminate(const panels::Panel& panel, Number* front, const RunContext& run, Workspace<Number>* work) {
  const panels::Elimination<Number>& kernels = panels::best_kernels().elimination<Number>();
  const int w = panel.width, r = panel.row_count(), m = w + r, stride = panel.stride;
  const int failed = kernels.eliminate(front, m, w, stride, work->below.data());
  if (failed >= 0) return failed;
  const auto take_off = [&](int64_t begin, int64_t end) {
    kernels.take_off(front, m, w, stride, work->below.data(), static_cast<int>(begin), static_cast<int>(end));
  };
  if (int64_t{r} * r * w < kWorkToShare) {
    take_off(0, r);
  } else {
    run.parallel_for(r, kColumnsAtOnce, take_off);
  }
  for (int k = 0; k < w; ++k)
    inverse_pivot_[panel.first + k] = static_cast<Real>(1 / double{front[int64_t{k} * stride + k]});
  const Number* below = work->below.data();
  Number* inverse = work->inverse.data();
  if (kept_ == Kept::kShort) {
    kernels.pack_short(front, m, w, stride, below, inverse, values<panels::Short>() + panel.value,
                       scale_.data() + panel.first);
  } else if constexpr (std::is_same_v<Number, double>) {
    panels::best_kernels().pack(front, m, w, stride, below, inverse, values<Real>() + panel.value);
  }
  return -1;
}

// One panel in a front that *front points to, and where the next one's is.
template <typename Number>
int Cholesky::factor_panel(int index, const double* values, const RunContext& run, Workspace<Number>* work,
                           Number** front) {
  const panels::Panel& panel = pattern_->panel[index];
  if (!pattern_->goes_on(index)) *front = work->front.data();
  assemble(index, values, *front, work);
  const int failed = eliminate(panel, *front, run, work);
  if (failed >= 0) return row_at(panel.first + failed);
  if (panel.row_count() > 0 && !pattern_->leaves_front(index)) *front += int64_t{panel.width} * (panel.stride + 1);
  return -1;
}

// The panels of a part one after the other, which take up what the parts beneath left. What its root leaves goes to
// `update`; the top has no such place.
template <typename Number>
int Cholesky::factor_part(const CholeskyPattern::Part& part, const double* values, const RunContext& run,
                          Number* update, const Room<Number>& room, Workspace<Number>* work) {
  work->stack_end = 0;
  work->waiting.clear();
  int64_t done = kWorkBetweenChecks;
  Number* front = nullptr;
  auto beneath = part.beneath.begin();
  for (int at = part.begin; at < part.end; ++at) {
    const int s = pattern_->order[at];
    for (; beneath != part.beneath.end() && pattern_->root(pattern_->part[*beneath]) < s; ++beneath)
      work->waiting.push_back({pattern_->root(pattern_->part[*beneath]), room.update[*beneath].data(), false});
    if (done >= kWorkBetweenChecks) {
      if (!run.check().ok()) return kStopped;
      done = 0;
    }
    done += pattern_->work(s);
    const int failed = factor_panel(s, values, run, work, &front);
    if (failed >= 0) return failed;
    if (pattern_->leaves_front(s)) hand_up(s, front, at + 1 == part.end ? update : nullptr, work);
  }
  return -1;
}

template <typename Number>
int Cholesky::factor_in(Room<Number>* room, const double* values, const RunContext& run) {
  room->fit(*pattern_, threads_of(run, part_count()));
  std::fill(failed_.begin(), failed_.end(), -1);
  each_part_upwards(run, [&](int t, int thread) {
    for (const int below : pattern_->part[t].beneath)
      if (failed_[below] != -1) return;
    failed_[t] = factor_part(pattern_->part[t], values, run, room->update[t].data(), *room, &room->workspace[thread]);
  });
  for (int failed : failed_)
    if (failed != -1) return failed;
  return factor_part<Number>(pattern_->top, values, run, nullptr, *room, &room->workspace[0]);
}

int Cholesky::factor(const double* values, const RunContext& run) {
  if (kept_ == Kept::kWhole) return factor_in_double(values, run);
  return factor_in(&in_float_, values, run);
}

int Cholesky::factor_in_double(const double* values, const RunContext& run) {
  return factor_in(&in_double_, values, run);
}

template <typename Value>
panels::View<Value> Cholesky::view(const std::vector<int>& row, int thread) {
  Real* work = reinterpret_cast<Real*>(rows_.data()) + int64_t{thread} * 3 * work_stride_;
  return {
      pattern_->panel.data(), values<Value>(), row.data(), inverse_pivot_.data(), scale_.data(), work, work_stride_};
}

template <typename Value, typename X>
void Cholesky::forward_by(Half<Value, X> kernel, X* x, const RunContext& run) {
  const CholeskyPattern& p = *pattern_;
  std::fill(x + n_, x + p.length, X{});
  const auto solve_part = [&](const CholeskyPattern::Part& part, const std::vector<int>& row, int thread) {
    for (const int t : part.beneath)
      for (int k = p.part[t].sums_begin, end = k + p.panel[p.root(p.part[t])].row_count(); k < end; ++k)
        add(x[k], &x[p.sum_goes_to[k - n_]]);
    kernel(view<Value>(row, thread), &p.order[part.begin], part.end - part.begin, x);
  };
  each_part_upwards(run, [&](int t, int thread) { solve_part(p.part[t], p.row_in_part, thread); });
  solve_part(p.top, p.row, 0);
}

template <typename Value, typename X>
void Cholesky::backward_by(Half<Value, X> kernel, X* x, const RunContext& run) {
  const CholeskyPattern& p = *pattern_;
  kernel(view<Value>(p.row, 0), p.order.data() + p.top.begin, p.top.end - p.top.begin, x);
  each_part_downwards(run, [&](int t, int thread) {
    kernel(view<Value>(p.row, thread), &p.order[p.part[t].begin], p.part[t].end - p.part[t].begin, x);
  });
}

void Cholesky::forward(Real* x, const RunContext& run) {
  const panels::Kernels& kernels = panels::best_kernels();
  kept_ == Kept::kWhole ? forward_by(kernels.forward_one, x, run) : forward_by(kernels.forward_short_one, x, run);
}

void Cholesky::backward(Real* x, const RunContext& run) {
  const panels::Kernels& kernels = panels::best_kernels();
  kept_ == Kept::kWhole ? backward_by(kernels.backward_one, x, run) : backward_by(kernels.backward_short_one, x, run);
}

template <typename Value, typename Lane>
void Cholesky::solve_by(const panels::SolvesForThree<Value, Lane>& kernels, std::vector<Lane>* lanes,
                        const RVec3* right_side, RVec3* solution, const RunContext& run) {
  lanes->resize(pattern_->length);
  const auto each = [&](const auto& body) {
    run.parallel_for(n_, kRowsAtOnce, [&body, place = pattern_->place.data()](int64_t begin, int64_t end) {
      body(place + begin, static_cast<int>(end - begin), begin);
    });
  };
  Lane* const x = lanes->data();
  each([&](const int* place, int count, int64_t begin) { kernels.bring(place, count, right_side + begin, x); });
  forward_by(kernels.forward, x, run);
  backward_by(kernels.backward, x, run);
  each([&](const int* place, int count, int64_t begin) { kernels.bring_back(place, count, x, solution + begin); });
}

void Cholesky::solve(const RVec3* right_side, RVec3* solution, const RunContext& run) {
  const panels::Kernels& kernels = panels::best_kernels();
  kept_ == Kept::kWhole ? solve_by(kernels.whole, &lanes_, right_side, solution, run)
                        : solve_by(kernels.kept_short, &short_lanes_, right_side, solution, run);
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

void Cholesky::forward(const std::vector<int>& path, Real* x, int thread) {
  const panels::Kernels& kernels = panels::best_kernels();
  const int count = static_cast<int>(path.size());
  if (kept_ == Kept::kWhole) return kernels.forward_one(view<Real>(pattern_->row, thread), path.data(), count, x);
  kernels.forward_short_one(view<panels::Short>(pattern_->row, thread), path.data(), count, x);
}

}  // namespace tryon::sim
