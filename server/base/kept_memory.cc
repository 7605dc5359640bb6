#include "server/base/kept_memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "server/base/sanitized.h"

namespace tryon {

#if defined(__GLIBC__)

namespace {

// What glibc comes to by itself where large blocks come and go, once its thresholds may no longer move.
constexpr int kOwnMapping = 32 << 20, kOwnTrim = 2 * kOwnMapping, kMostMappings = 65536;
constexpr size_t kMostExpected = size_t{1} << 30;
constexpr uintptr_t kPage = 4096;

std::mutex mutex;
int alive = 0;

// Blocks of any size come from the heap, which does not shrink.
void keep() {
  mallopt(M_MMAP_THRESHOLD, kOwnMapping);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void let_go() {
  mallopt(M_MMAP_MAX, kMostMappings);
  mallopt(M_TRIM_THRESHOLD, kOwnTrim);
  malloc_trim(0);
}

// The heap's untouched end, where it has grown to hold so much, is to be of large pages.
void ask_for_large_pages(size_t expected) {
  void* const block = std::malloc(expected);
  if (block == nullptr) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(block) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(block) + expected) / kPage * kPage;
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  std::free(block);
}

}  // namespace

KeptMemory::KeptMemory(size_t expected) {
  if (kSanitized) return;
  const std::lock_guard lock(mutex);
  if (alive++ == 0) keep();
  ask_for_large_pages(std::min(expected, kMostExpected));
}

KeptMemory::~KeptMemory() {
  if (kSanitized) return;
  const std::lock_guard lock(mutex);
  if (--alive == 0) let_go();
}

#else

KeptMemory::KeptMemory(size_t) {}
KeptMemory::~KeptMemory() = default;

#endif

}  // namespace tryon
