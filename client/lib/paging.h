// What it is: whole lists of the API's paged list calls. Units: none. Shapes: all items of all pages, in the server's
// order. How it fails: as the call. Thread rules: as the call.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/repeated_field.h"
#include "server/base/status.h"

namespace tryon::client {

// call(request, &response) asks for one page; `items` is the response's repeated field.
template <typename Item, typename Request, typename Response, typename Call>
absl::StatusOr<std::vector<Item>> all_pages(const Call& call,
                                            const google::protobuf::RepeatedPtrField<Item>& (Response::*items)()
                                                const) {
  constexpr int kPage = 200;
  std::vector<Item> out;
  Request request;
  request.set_page_size(kPage);
  do {
    Response page;
    RETURN_IF_ERROR(call(request, &page));
    out.insert(out.end(), (page.*items)().begin(), (page.*items)().end());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return out;
}

}  // namespace tryon::client
