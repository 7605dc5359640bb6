// What it is: a fixed pool of threads with two operations: parallel_for over an index range, and work aside, which a
// thread that waits for nothing else begins before somebody wants it.
// The range is cut into chunks whose bounds depend only on (count, grain), never on the number of threads, so
// a body that writes only its own indices, or one partial sum per chunk, gives the same bytes for any thread count.
// How it fails: a body or a task must not throw. Thread rules: one parallel_for at a time per executor; nested calls
// run inline. A task aside must not use the executor; its Aside may outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace tryon {

// A task that is done once, by whoever comes first. Nothing of it runs any more once this is gone: one that has begun
// is waited for, one that has not is never done.
class Aside {
 public:
  class Task;
  explicit Aside(std::function<void()> task);
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  void finish();  // returns when the task is done; does it here where nobody has begun

 private:
  friend class Executor;
  std::shared_ptr<Task> task_;
};

class Executor {
 public:
  explicit Executor(int thread_count = 1);  // 1 = the caller's thread alone
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int thread_count() const;
  // Calls body(begin, end) for consecutive chunks of at most `grain` indices.
  void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);
  // Threads of the pool take such tasks in their order, between loops; without threads only finish() does one.
  std::unique_ptr<Aside> aside(std::function<void()> task);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace tryon
