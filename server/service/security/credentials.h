// What it is: how the server proves who it is and whom it lets in: TLS 1.2 or later with certificates that may be
// renewed while it runs, the clients' certificates if asked for, tokens before every handler.
// How it fails: CERTIFICATE_UNREADABLE, TOKENS_NEED_TLS, the token file's own. Thread rules: values.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/service/security/tokens.h"

namespace tryon {

struct SecurityOptions {
  std::string certificate_file, key_file;  // PEM; both or none
  std::string client_ca_file;              // PEM; then every client shows a certificate signed by it
  std::string token_file;                  // tokens.h; then every call but health needs one

  bool has_tls() const { return !certificate_file.empty(); }
  bool knows_callers() const { return !client_ca_file.empty() || !token_file.empty(); }
};

struct Guards {
  std::shared_ptr<grpc::ServerCredentials> credentials;
  std::shared_ptr<const TokenTable> tokens;  // null without a token file
};
absl::StatusOr<Guards> open_guards(const SecurityOptions& options);

}  // namespace tryon
