// What it is: a fixed pool of threads with one operation, parallel_for over an index range.
// The range is cut into chunks whose bounds depend only on (count, grain), never on the number of threads, so
// a body that writes only its own indices, or one partial sum per chunk, gives the same bytes for any thread count.
// How it fails: a body must not throw. Thread rules: one parallel_for at a time per executor; nested calls run inline.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace tryon {

class Executor {
 public:
  explicit Executor(int thread_count = 1);  // 1 = the caller's thread alone
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int thread_count() const;
  // Calls body(begin, end) for consecutive chunks of at most `grain` indices.
  void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace tryon
