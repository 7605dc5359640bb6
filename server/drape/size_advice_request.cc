// The request's own words and name, apart from what does the work: the server knows requests, not physics.
#include <utility>

#include "nlohmann/json.hpp"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/size_advice.h"

namespace tryon {

using Json = nlohmann::json;

std::string to_json(const AdviceRequest& request) {
  return Json{{"drape", Json::parse(to_json(request.drape))}, {"sizes", request.sizes}}.dump();
}

absl::StatusOr<AdviceRequest> advice_request_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  AdviceRequest out;
  if (!json.is_object() || !json.contains("drape") || !json.contains("sizes"))
    return internal_fault("a stored advice request is unreadable");
  ASSIGN_OR_RETURN(out.drape, drape_request_from_json(json["drape"].dump()));
  for (const Json& size : json["sizes"]) {
    if (size.is_string()) out.sizes.push_back(size.get<std::string>());
  }
  return out;
}

std::string digest(const AdviceRequest& request) {
  std::string text = cat("advice ", digest(request.drape));
  for (const std::string& size : request.sizes) text = cat(text, " ", size.size(), " ", size);
  return sha256_hex(text);
}

}  // namespace tryon
