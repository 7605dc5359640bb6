// What it is: the gate before every handler: who calls is looked up, what is called needs a scope, all else is refused.
// How it fails: TOKEN_MISSING and TOKEN_UNKNOWN are UNAUTHENTICATED, SCOPE_MISSING and METHOD_NOT_OPEN are
// PERMISSION_DENIED; the reason begins the message, for gRPC carries no details of a call that was never read.
// Thread rules: any thread.
#pragma once

#include <grpcpp/security/auth_metadata_processor.h>

#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "server/service/security/tokens.h"

namespace tryon {

// What "/package.Service/Method" needs. Methods whose verb is not known need more than anybody has.
struct MethodRule {
  bool open = false;           // to all who reach the port: the health service, for probes
  std::optional<Scope> scope;  // else this one; none: nobody may
};
MethodRule rule_of(std::string_view path);

// Whether a caller with `authorization` ("Bearer ...", or empty) may call `path`.
absl::Status admit(const TokenTable& tokens, std::string_view path, std::string_view authorization);

class Gate final : public grpc::AuthMetadataProcessor {
 public:
  explicit Gate(std::shared_ptr<const TokenTable> tokens) : tokens_(std::move(tokens)) {}
  bool IsBlocking() const override { return false; }
  grpc::Status Process(const InputMetadata& metadata, grpc::AuthContext* context, OutputMetadata* consumed,
                       OutputMetadata* response) override;

 private:
  const std::shared_ptr<const TokenTable> tokens_;
};

}  // namespace tryon
