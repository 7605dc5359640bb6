#include "server/service/security/gate.h"

#include <array>
#include <string>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/ops/log.h"

namespace tryon {
namespace {

constexpr std::string_view kHealth = "/grpc.health.v1.Health/";
constexpr std::array<std::string_view, 2> kReadServices = {"/grpc.reflection.v1alpha.ServerReflection/",
                                                           "/grpc.reflection.v1.ServerReflection/"};
constexpr std::array<std::string_view, 3> kOurs = {"/tryon.v1.", "/google.longrunning.Operations/",
                                                   "/google.bytestream.ByteStream/"};
constexpr std::array<std::string_view, 9> kReadVerbs = {"Get",   "List", "Find",   "Watch", "Read",
                                                        "Query", "Wait", "Export", "Check"};
constexpr std::array<std::string_view, 14> kWriteVerbs = {"Create", "Run",    "Write",  "Cancel", "Delete",
                                                          "Update", "Pause",  "Resume", "Retry",  "Requeue",
                                                          "Draft",  "Advise", "Fit",    "Suggest"};

template <typename List>
bool starts_with_any(std::string_view text, const List& beginnings) {
  for (const std::string_view beginning : beginnings) {
    if (text.substr(0, beginning.size()) == beginning) return true;
  }
  return false;
}

absl::Status refuse(absl::StatusCode code, std::string_view reason, std::string_view what, std::string_view remedy) {
  return make_error(code, reason, "authorization", cat(reason, ": ", what), remedy);
}

std::string_view value_of(const grpc::AuthMetadataProcessor::InputMetadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string_view() : std::string_view(found->second.data(), found->second.size());
}

}  // namespace

MethodRule rule_of(std::string_view path) {
  MethodRule rule;
  if (path.substr(0, kHealth.size()) == kHealth) {
    rule.open = true;
    return rule;
  }
  if (starts_with_any(path, kReadServices)) {
    rule.scope = Scope::kRead;
    return rule;
  }
  if (!starts_with_any(path, kOurs)) return rule;
  const std::string_view method = path.substr(path.rfind('/') + 1);
  if (starts_with_any(method, kReadVerbs)) rule.scope = Scope::kRead;
  if (starts_with_any(method, kWriteVerbs)) rule.scope = Scope::kWrite;
  return rule;
}

absl::Status admit(const TokenTable& tokens, std::string_view path, std::string_view authorization) {
  const MethodRule rule = rule_of(path);
  if (rule.open) return absl::OkStatus();
  if (authorization.substr(0, 7) != "Bearer ") {
    return refuse(absl::StatusCode::kUnauthenticated, "TOKEN_MISSING", "this server wants a token",
                  "Send the metadata authorization: Bearer TOKEN.");
  }
  const Caller* caller = tokens.find(token_of(authorization));
  if (caller == nullptr) {
    return refuse(absl::StatusCode::kUnauthenticated, "TOKEN_UNKNOWN", "nobody has this token",
                  "Ask the operator of the server for a token.");
  }
  if (!rule.scope) {
    return refuse(absl::StatusCode::kPermissionDenied, "METHOD_NOT_OPEN", "this method is not open to anybody",
                  "Call a method of tryon.v1.");
  }
  if (caller->scopes.count(*rule.scope) == 0) {
    return refuse(absl::StatusCode::kPermissionDenied, "SCOPE_MISSING",
                  cat("the token has no scope to ", *rule.scope == Scope::kRead ? "read" : "write"),
                  "Ask the operator of the server for a token with that scope.");
  }
  return absl::OkStatus();
}

grpc::Status Gate::Process(const InputMetadata& metadata, grpc::AuthContext*, OutputMetadata*, OutputMetadata*) {
  const std::string_view path = value_of(metadata, ":path");
  const std::string_view authorization = value_of(metadata, "authorization");
  // The token stays with the call: Tenants looks again whose it is. One connection may carry several.
  const absl::Status admitted = admit(*tokens_, path, authorization);
  if (admitted.ok()) return grpc::Status::OK;
  log_info("call_refused", {{"reason", error_detail(admitted)->reason}});
  return {static_cast<grpc::StatusCode>(admitted.code()), std::string(admitted.message())};
}

}  // namespace tryon
