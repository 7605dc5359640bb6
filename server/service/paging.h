// What it is: a page of a list as the API has it: size and token in, tokens out.
// Units: none. How it fails: SETTING_OUT_OF_RANGE (page_size), PAGE_TOKEN. Thread rules: pure functions.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/convert/names.h"
#include "server/store/job_store.h"

namespace tryon {

// The records of the page that `request` asks for; sets the response's next_page_token. `list` takes the place to go on
// from and the most to return; `place` is a record's place in the list.
template <typename Request, typename Response, typename Lister, typename Place>
auto page_of(const Request& request, const Lister& list, Response* response, const Place& place)
    -> decltype(list(std::optional<TaskCursor>(), 1)) {
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
  ASSIGN_OR_RETURN(auto records, list(after, size + 1));
  if (static_cast<int>(records.size()) <= size) return records;
  records.pop_back();
  response->set_next_page_token(page_token(place(records.back())));
  return records;
}

// Of a list from the newest to the oldest.
template <typename Request, typename Response, typename Lister>
auto page_of(const Request& request, const Lister& list, Response* response) {
  return page_of(request, list, response, [](const auto& record) { return TaskCursor{record.created_us, record.id}; });
}

}  // namespace tryon
