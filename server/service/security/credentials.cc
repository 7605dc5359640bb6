#include "server/service/security/credentials.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <fstream>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/security/gate.h"

namespace tryon {
namespace {

constexpr unsigned kRenewalCheckSeconds = 10;

absl::Status readable(const std::string& path, std::string_view field, std::string_view what) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("-----BEGIN ", 0) == 0 && line.find(what) != std::string::npos) return absl::OkStatus();
  }
  return invalid_input("CERTIFICATE_UNREADABLE", field, cat(path, " is not a PEM file with a ", what),
                       "Name a PEM file that the server may read.");
}

absl::Status check(const SecurityOptions& options) {
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return invalid_input("CERTIFICATE_UNREADABLE", "--tls-key", "a certificate and its key belong together",
                         "Give --tls-certificate and --tls-key.");
  }
  if (!options.has_tls()) {
    if (!options.knows_callers()) return absl::OkStatus();
    return invalid_input("TOKENS_NEED_TLS", "--tls-certificate", "tokens and client certificates need TLS",
                         "Give --tls-certificate and --tls-key.");
  }
  RETURN_IF_ERROR(readable(options.certificate_file, "--tls-certificate", "CERTIFICATE"));
  RETURN_IF_ERROR(readable(options.key_file, "--tls-key", "PRIVATE KEY"));
  if (options.client_ca_file.empty()) return absl::OkStatus();
  return readable(options.client_ca_file, "--tls-client-ca", "CERTIFICATE");
}

// The files are looked at again now and then, so that a renewed certificate needs no restart.
std::shared_ptr<grpc::ServerCredentials> tls(const SecurityOptions& options) {
  namespace exp = grpc::experimental;
  const auto provider = std::make_shared<exp::FileWatcherCertificateProvider>(
      options.key_file, options.certificate_file, options.client_ca_file, kRenewalCheckSeconds);
  exp::TlsServerCredentialsOptions tls(provider);
  tls.watch_identity_key_cert_pairs();
  if (options.client_ca_file.empty()) {
    tls.set_cert_request_type(GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
  } else {
    tls.watch_root_certs();
    tls.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return exp::TlsServerCredentials(tls);
}

}  // namespace

absl::StatusOr<Guards> open_guards(const SecurityOptions& options) {
  RETURN_IF_ERROR(check(options));
  if (!options.has_tls()) return Guards{grpc::InsecureServerCredentials(), nullptr};
  Guards guards{tls(options), nullptr};
  if (options.token_file.empty()) return guards;
  ASSIGN_OR_RETURN(TokenTable tokens, TokenTable::load(options.token_file));
  guards.tokens = std::make_shared<const TokenTable>(std::move(tokens));
  guards.credentials->SetAuthMetadataProcessor(std::make_shared<Gate>(guards.tokens));
  return guards;
}

}  // namespace tryon
