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
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  const std::function<void(int64_t, int64_t)>* body = nullptr;
  int64_t count = 0, grain = 1;
  std::atomic<int64_t> next{0};
  // Changed under the mutex alone, so that a sleeper misses none; read without it by those who look.
  std::atomic<uint64_t> generation{0};
  std::atomic<int> busy{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> running{false};

  void drain() {
    for (;;) {
      const int64_t begin = next.fetch_add(grain);
      if (begin >= count) return;
      (*body)(begin, std::min(count, begin + grain));
    }
  }

  void wait_for_work(uint64_t seen) {
    auto called = [&] { return stop || generation != seen; };
    if (look(called)) return;
    std::unique_lock lock(mutex);
    wake.wait(lock, called);
  }

  // The next loop begins only when every thread has drained this one, so none is skipped.
  void work() {
    for (uint64_t seen = 0;; ++seen) {
      wait_for_work(seen);
      if (stop) return;
      drain();
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

Executor::Executor(int thread_count) : pool_(std::make_unique<Pool>()) {
  for (int i = 1; i < thread_count; ++i) pool_->threads.emplace_back([this] { pool_->work(); });
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
    pool_->next = 0;
    pool_->busy = static_cast<int>(pool_->threads.size());
    ++pool_->generation;
  }
  pool_->wake.notify_all();
  pool_->drain();
  pool_->wait_for_all();
  pool_->running = false;
}

}  // namespace tryon
