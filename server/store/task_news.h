// What it is: who waits for news of which task, and the waking of those alone: a thousand waiters cost nothing while
// others' tasks move. A subclass hears of commits (SQLite is asked, PostgreSQL tells) and says so by heard().
// How it fails: not at all; what a subclass cannot know counts as news, and whoever waited finds the fault in the
// store. Thread rules: the public functions from any thread; a subclass ends its own threads before it is gone.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "server/store/job_store.h"

namespace tryon {

class TaskNews {
 public:
  TaskNews() = default;
  TaskNews(const TaskNews&) = delete;
  TaskNews& operator=(const TaskNews&) = delete;
  virtual ~TaskNews() = default;

  // A mark of now. What is read after it was taken misses no news: wait() returns at once if there was any since.
  int64_t mark();
  // Waits until there is news of the task (or, "", of work) since the mark, at most until `end` or until nobody wants
  // it any more; false without news.
  virtual bool wait(const std::string& id, int64_t mark, absl::Time end, const Patience& patience);

 protected:
  static constexpr size_t kRemembered = 10'000;  // tasks
  void heard(const std::string& id);
  void heard_of_all();
  // The tasks that are waited for: all of them, or only those that nobody has looked at since the waiting began.
  std::vector<std::string> waited_for(bool all);

 private:
  struct Waiter {
    std::condition_variable wake;
    bool looked_at = false;
  };

  int64_t last_of(const std::string& id) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void forget() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::mutex mutex_;
  std::multimap<std::string, Waiter*> waiters_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> last_ ABSL_GUARDED_BY(mutex_);  // the count at the last news of a task
  int64_t count_ ABSL_GUARDED_BY(mutex_) = 0, forgotten_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tryon
