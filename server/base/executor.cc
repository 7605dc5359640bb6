#include "server/base/executor.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tryon {

namespace {

// Loops of a solver follow each other within microseconds, and to sleep and be woken costs tens of them: whoever
// waits looks for a while first. Now and then it gives way, for the one it waits for may need its core.
constexpr int kLooks = 2048, kLooksAtOnce = 64;
constexpr size_t kCacheLine = 64;

template <class Ready>
bool look(Ready ready) {
  for (int i = 1; i <= kLooks; ++i) {
    if (ready()) return true;
    if (i % kLooksAtOnce == 0) {
      std::this_thread::yield();
    } else {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }
  return false;
}

}  // namespace

struct Executor::Pool {
  // The chunks that a thread takes first: its share of them, the same from loop to loop, so that what it wrote in one
  // is still in its cache in the next. Who has done his own helps the others.
  struct alignas(kCacheLine) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };

  explicit Pool(int thread_count) : shares(static_cast<size_t>(thread_count)) {}

  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  std::vector<Share> shares;
  const std::function<void(int64_t, int64_t)>* body = nullptr;
  int64_t count = 0, grain = 1;
  // Changed under the mutex alone, so that a sleeper misses none; read without it by those who look.
  std::atomic<uint64_t> generation{0};
  std::atomic<int> busy{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> running{false};

  void deal() {
    const int64_t chunks = (count + grain - 1) / grain, n = static_cast<int64_t>(shares.size());
    for (int64_t k = 0; k < n; ++k) {
      shares[static_cast<size_t>(k)].next = k * chunks / n;
      shares[static_cast<size_t>(k)].end = (k + 1) * chunks / n;
    }
  }

  void drain(size_t own) {
    for (size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(own + k) % shares.size()];
      for (;;) {
        const int64_t chunk = share.next.fetch_add(1);
        if (chunk >= share.end) break;
        (*body)(chunk * grain, std::min(count, (chunk + 1) * grain));
      }
    }
  }

  void wait_for_work(uint64_t seen) {
    auto called = [&] { return stop || generation != seen; };
    if (look(called)) return;
    std::unique_lock lock(mutex);
    wake.wait(lock, called);
  }

  // The next loop begins only when every thread has drained this one, so none is skipped.
  void work(size_t own) {
    for (uint64_t seen = 0;; ++seen) {
      wait_for_work(seen);
      if (stop) return;
      drain(own);
      std::lock_guard lock(mutex);
      if (--busy == 0) done.notify_one();
    }
  }

  void wait_for_all() {
    auto drained = [&] { return busy == 0; };
    if (look(drained)) return;
    std::unique_lock lock(mutex);
    done.wait(lock, drained);
  }
};

Executor::Executor(int thread_count) : pool_(std::make_unique<Pool>(std::max(1, thread_count))) {
  for (size_t own = 1; own < pool_->shares.size(); ++own)
    pool_->threads.emplace_back([this, own] { pool_->work(own); });
}

Executor::~Executor() {
  {
    std::lock_guard lock(pool_->mutex);
    pool_->stop = true;
  }
  pool_->wake.notify_all();
  for (auto& thread : pool_->threads) thread.join();
}

int Executor::thread_count() const { return static_cast<int>(pool_->threads.size()) + 1; }

void Executor::parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  grain = std::max<int64_t>(1, grain);
  // `running` is set last: only a call that will use the pool may claim it.
  const bool inline_run = pool_->threads.empty() || count <= grain || pool_->running.exchange(true);
  if (inline_run) {
    for (int64_t begin = 0; begin < count; begin += grain) body(begin, std::min(count, begin + grain));
    return;
  }
  {
    std::lock_guard lock(pool_->mutex);
    pool_->body = &body;
    pool_->count = count;
    pool_->grain = grain;
    pool_->deal();
    pool_->busy = static_cast<int>(pool_->threads.size());
    ++pool_->generation;
  }
  pool_->wake.notify_all();
  pool_->drain(0);
  pool_->wait_for_all();
  pool_->running = false;
}

}  // namespace tryon
