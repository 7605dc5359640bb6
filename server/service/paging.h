// What it is: a page of a list as the API has it: size and token in, tokens out.
// Units: none. How it fails: SETTING_OUT_OF_RANGE (page_size), PAGE_TOKEN. Thread rules: pure functions.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/convert/names.h"
#include "server/store/job_store.h"

namespace tryon {

using TaskLister =
    std::function<absl::StatusOr<std::vector<TaskRecord>>(const std::optional<TaskCursor>& after, int limit)>;

// The tasks of the page that `request` asks for; sets the response's next_page_token.
template <typename Request, typename Response>
absl::StatusOr<std::vector<TaskRecord>> page_of(const Request& request, const TaskLister& list, Response* response) {
  constexpr int kPage = 50, kMaxPage = 1000;
  if (request.page_size() < 0) {
    return invalid_input("SETTING_OUT_OF_RANGE", "page_size", cat("page_size is ", request.page_size()),
                         "Give a size of 1 .. 1000, or 0.");
  }
  std::optional<TaskCursor> after;
  if (!request.page_token().empty()) {
    ASSIGN_OR_RETURN(after, parse_page_token(request.page_token()));
  }
  const int size = request.page_size() == 0 ? kPage : std::min(request.page_size(), kMaxPage);
  ASSIGN_OR_RETURN(std::vector<TaskRecord> tasks, list(after, size + 1));
  if (static_cast<int>(tasks.size()) <= size) return tasks;
  tasks.pop_back();
  response->set_next_page_token(page_token({tasks.back().created_us, tasks.back().id}));
  return tasks;
}

}  // namespace tryon
