#include "server/sim/solvers/pattern_cache.h"

#include <algorithm>
#include <utility>

namespace tryon::sim {
namespace {

constexpr int64_t kBytesOfProcess = 48 << 20;  // a garment of 5,000 vertices with its coarser levels takes about 6 MB

using Matrix = Eigen::SparseMatrix<double>;

template <typename T>
int64_t bytes_of(const std::vector<T>& list) {
  return static_cast<int64_t>(list.size() * sizeof(T));
}

}  // namespace

PatternCache& PatternCache::of_process() {
  static PatternCache one(kBytesOfProcess);
  return one;
}

PatternCache::Kept::Kept(const Matrix& matrix, int asked_block) : block(asked_block) {
  outer.assign(matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.outerSize() + 1);
  inner.assign(matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros());
  auto made = std::make_shared<CholeskyPattern>(find_pattern(matrix, block));
  bytes = bytes_of(outer) + bytes_of(inner) + bytes_of(made->place) + bytes_of(made->panel) + bytes_of(made->row) +
          bytes_of(made->row_in_parent) + bytes_of(made->child_count) + bytes_of(made->entry_begin) +
          bytes_of(made->entry_source) + bytes_of(made->entry_place) + bytes_of(made->row_in_part) +
          bytes_of(made->order);
  pattern = std::move(made);
}

bool PatternCache::Kept::is_of(const Matrix& matrix, int asked_block) const {
  return block == asked_block && static_cast<int64_t>(outer.size()) == matrix.outerSize() + 1 &&
         static_cast<int64_t>(inner.size()) == matrix.nonZeros() &&
         std::equal(outer.begin(), outer.end(), matrix.outerIndexPtr()) &&
         std::equal(inner.begin(), inner.end(), matrix.innerIndexPtr());
}

std::shared_ptr<const CholeskyPattern> PatternCache::find(const Matrix& matrix, int block) {
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& k) { return k.is_of(matrix, block); });
  if (at == kept_.end()) return nullptr;
  ++use_.found;
  kept_.splice(kept_.begin(), kept_, at);
  return kept_.front().pattern;
}

std::shared_ptr<const CholeskyPattern> PatternCache::pattern_of(const Matrix& matrix, int block) {
  if (auto found = find(matrix, block)) return found;
  Kept made(matrix, block);  // others are not kept waiting meanwhile
  auto pattern = made.pattern;
  const std::lock_guard lock(mutex_);
  ++use_.made;
  use_.bytes += made.bytes;
  kept_.push_front(std::move(made));
  while (use_.bytes > most_bytes_) {
    use_.bytes -= kept_.back().bytes;
    kept_.pop_back();
  }
  return pattern;
}

PatternCache::Use PatternCache::use() const {
  const std::lock_guard lock(mutex_);
  return use_;
}

}  // namespace tryon::sim
