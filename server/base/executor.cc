#include "server/base/executor.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
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

// What one thread of a pool makes another lets go. In an arena of its own it would lie idle from then on: at the peak
// of a drape 19 kB a vertex instead of 14.
void keep_to_one_arena() {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
#endif
}

// The chunks of a loop that are a thread's own, ascending; who has done all of its own takes others' last ones. So a
// thread finds in its cache what it wrote there in the loop before.
class alignas(64) Share {
 public:
  static constexpr int64_t kMostChunks = int64_t{1} << 31;
  void fill(uint32_t begin, uint32_t end) { ends_ = uint64_t{begin} << 32 | end; }
  bool take_first(int64_t* chunk) {
    return take(chunk, uint64_t{1} << 32, [](uint64_t ends) { return ends >> 32; });
  }
  bool take_last(int64_t* chunk) {
    return take(chunk, ~uint64_t{0}, [](uint64_t ends) { return (ends & 0xffffffff) - 1; });
  }

 private:
  template <class Which>
  bool take(int64_t* chunk, uint64_t change, Which which) {
    uint64_t ends = ends_;
    while ((ends >> 32) < (ends & 0xffffffff)) {
      if (!ends_.compare_exchange_weak(ends, ends + change)) continue;
      *chunk = static_cast<int64_t>(which(ends));
      return true;
    }
    return false;
  }

  std::atomic<uint64_t> ends_{0};  // first, end
};

}  // namespace

class Aside::Task {
 public:
  explicit Task(std::function<void()> body) : body_(std::move(body)) {}
  void begin() {
    if (!claim()) return;
    body_();
    state_ = kDone;
    state_.notify_all();
  }
  bool claim() {
    int waiting = kWaiting;
    return state_.compare_exchange_strong(waiting, kBegun);
  }
  void wait() const { state_.wait(kBegun); }

 private:
  enum State : int { kWaiting, kBegun, kDone };
  const std::function<void()> body_;
  std::atomic<int> state_{kWaiting};
};

Aside::Aside(std::function<void()> task) : task_(std::make_shared<Task>(std::move(task))) {}

Aside::~Aside() {
  if (!task_->claim()) task_->wait();
}

void Aside::finish() {
  task_->begin();
  task_->wait();
}

struct Executor::Pool {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> threads;
  const std::function<void(int64_t, int64_t)>* body = nullptr;
  int64_t count = 0, grain = 1;
  std::vector<Share> shares;  // the caller's, then each thread's
  std::deque<std::shared_ptr<Aside::Task>> asides;
  // Changed under the mutex alone, so that a sleeper misses none; read without it by those who look.
  std::atomic<uint64_t> generation{0};
  std::atomic<int> waiting_asides{0};
  std::atomic<bool> stop{false};
  // A loop is open from its call until its caller finds no chunk left. Who wants to help enters first and looks
  // then; the caller closes first and waits then for those who are in: so a thread that sleeps, or does something
  // aside, is not waited for.
  std::atomic<bool> open{false};
  std::atomic<int> inside{0};
  std::atomic<bool> running{false};

  void share_out() {
    const int64_t chunks = (count + grain - 1) / grain, n = static_cast<int64_t>(shares.size());
    for (int64_t k = 0; k < n; ++k)
      shares[k].fill(static_cast<uint32_t>(chunks * k / n), static_cast<uint32_t>(chunks * (k + 1) / n));
  }

  void drain(size_t own) {
    const auto run = [this](int64_t chunk) { (*body)(chunk * grain, std::min(count, (chunk + 1) * grain)); };
    int64_t chunk = 0;
    while (shares[own].take_first(&chunk)) run(chunk);
    for (size_t k = 1; k < shares.size(); ++k)
      while (shares[(own + k) % shares.size()].take_last(&chunk)) run(chunk);
  }

  void wait_for_work(uint64_t seen) {
    auto called = [&] { return stop || generation != seen || waiting_asides > 0; };
    if (look(called)) return;
    std::unique_lock lock(mutex);
    wake.wait(lock, called);
  }

  void work(size_t own) {
    for (uint64_t seen = 0;;) {
      wait_for_work(seen);
      if (stop) return;
      if (generation == seen) {
        do_aside();
      } else {
        seen = generation;
        help(own);
      }
    }
  }

  void help(size_t own) {
    ++inside;
    if (open) drain(own);
    std::lock_guard lock(mutex);
    if (--inside == 0) done.notify_one();
  }

  void do_aside() {
    std::shared_ptr<Aside::Task> task;
    {
      std::lock_guard lock(mutex);
      if (asides.empty()) return;
      task = std::move(asides.front());
      asides.pop_front();
      --waiting_asides;
    }
    task->begin();
  }

  void wait_for_all() {
    auto drained = [&] { return inside == 0; };
    if (look(drained)) return;
    std::unique_lock lock(mutex);
    done.wait(lock, drained);
  }
};

Executor::Executor(int thread_count) : pool_(std::make_unique<Pool>()) {
  if (thread_count > 1) keep_to_one_arena();
  pool_->shares = std::vector<Share>(static_cast<size_t>(std::max(1, thread_count)));
  for (int i = 1; i < thread_count; ++i)
    pool_->threads.emplace_back([this, i] { pool_->work(static_cast<size_t>(i)); });
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
  const bool inline_run = pool_->threads.empty() || count <= grain || (count - 1) / grain >= Share::kMostChunks ||
                          pool_->running.exchange(true);
  if (inline_run) {
    for (int64_t begin = 0; begin < count; begin += grain) body(begin, std::min(count, begin + grain));
    return;
  }
  {
    std::lock_guard lock(pool_->mutex);
    pool_->body = &body;
    pool_->count = count;
    pool_->grain = grain;
    pool_->share_out();
    pool_->open = true;
    ++pool_->generation;
  }
  pool_->wake.notify_all();
  pool_->drain(0);
  pool_->open = false;
  pool_->wait_for_all();
  pool_->running = false;
}

std::unique_ptr<Aside> Executor::aside(std::function<void()> task) {
  auto out = std::make_unique<Aside>(std::move(task));
  if (pool_->threads.empty()) return out;
  {
    std::lock_guard lock(pool_->mutex);
    pool_->asides.push_back(out->task_);
    ++pool_->waiting_asides;
  }
  pool_->wake.notify_one();
  return out;
}

}  // namespace tryon
