// The request's own words and name, apart from what reads files: the server knows requests, not formats.
#include "server/drape/fabric_request.h"

#include "nlohmann/json.hpp"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/version.h"

namespace tryon {

using Json = nlohmann::json;

std::string to_json(const FabricRequest& r) {
  const Json out = {
      {"blob", r.blob}, {"file_name", r.file_name}, {"document", r.document}, {"check_only", r.check_only}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<FabricRequest> fabric_request_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return internal_fault("a stored fabric request is unreadable");
  FabricRequest out;
  out.blob = json.value("blob", "");
  out.file_name = json.value("file_name", "");
  out.document = json.value("document", "");
  out.check_only = json.value("check_only", false);
  return out;
}

std::string digest(const FabricRequest& request) {
  return sha256_hex(cat(kEngineVersion, "\nfabric ", to_json(request)));
}

std::string fabric_document(std::string_view summary) {
  const Json json = Json::parse(summary, nullptr, false);
  return json.is_object() && json.contains("document") ? json["document"].dump() : std::string();
}

}  // namespace tryon
