#include "client/lib/channel.h"

#include <grpcpp/grpcpp.h>

#include <fstream>
#include <sstream>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::client {
namespace {

absl::StatusOr<std::string> content_of(const std::string& path, std::string_view field) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  if (file && out << file.rdbuf()) return out.str();
  return invalid_input("CERTIFICATE_UNREADABLE", field, cat(path, " cannot be read"), "Name a PEM file.");
}

// Puts the token into every call's metadata; gRPC sends it over TLS only.
class TokenPlugin final : public grpc::MetadataCredentialsPlugin {
 public:
  explicit TokenPlugin(std::string token) : value_("Bearer " + std::move(token)) {}
  bool IsBlocking() const override { return false; }
  grpc::Status GetMetadata(grpc::string_ref, grpc::string_ref, const grpc::AuthContext&,
                           std::multimap<grpc::string, grpc::string>* metadata) override {
    metadata->insert({"authorization", value_});
    return grpc::Status::OK;
  }

 private:
  const std::string value_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::Channel>> open_channel(const ChannelOptions& options) {
  if (options.ca_file.empty()) {
    if (options.token.empty() && options.certificate_file.empty()) {
      return grpc::CreateChannel(options.address, grpc::InsecureChannelCredentials());
    }
    return invalid_input("TOKENS_NEED_TLS", "--ca", "a token or a certificate of one's own goes over TLS only",
                         "Give --ca, the PEM file of the authority that signed the server's certificate.");
  }
  grpc::SslCredentialsOptions tls;
  ASSIGN_OR_RETURN(tls.pem_root_certs, content_of(options.ca_file, "--ca"));
  if (!options.certificate_file.empty()) {
    ASSIGN_OR_RETURN(tls.pem_cert_chain, content_of(options.certificate_file, "--certificate"));
    ASSIGN_OR_RETURN(tls.pem_private_key, content_of(options.key_file, "--key"));
  }
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::SslCredentials(tls);
  if (!options.token.empty()) {
    credentials = grpc::CompositeChannelCredentials(
        credentials, grpc::MetadataCredentialsFromPlugin(std::make_unique<TokenPlugin>(options.token)));
  }
  return grpc::CreateChannel(options.address, credentials);
}

}  // namespace tryon::client
