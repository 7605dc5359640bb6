#include "server/base/executor.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tryon {

struct Executor::Pool {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  const std::function<void(int64_t, int64_t)>* body = nullptr;
  int64_t count = 0, grain = 1;
  std::atomic<int64_t> next{0};
  uint64_t generation = 0;
  int busy = 0;
  bool stop = false;
  std::atomic<bool> running{false};

  void drain() {
    for (;;) {
      const int64_t begin = next.fetch_add(grain);
      if (begin >= count) return;
      (*body)(begin, std::min(count, begin + grain));
    }
  }

  void work() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stop || generation != seen; });
      if (stop) return;
      seen = generation;
      lock.unlock();
      drain();
      lock.lock();
      if (--busy == 0) done.notify_one();
    }
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
  std::unique_lock lock(pool_->mutex);
  pool_->done.wait(lock, [&] { return pool_->busy == 0; });
  pool_->running = false;
}

}  // namespace tryon
