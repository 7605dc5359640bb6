// What it is: the way to a server: plain, over TLS, with a certificate of one's own, with a token.
// How it fails: CERTIFICATE_UNREADABLE, TOKENS_NEED_TLS. Thread rules: a channel is shared by all threads.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace grpc {
class Channel;
}

namespace tryon::client {

struct ChannelOptions {
  std::string address;                     // "127.0.0.1:8001"
  std::string ca_file;                     // PEM; then over TLS to a server whose certificate it signed
  std::string certificate_file, key_file;  // PEM; for a server that wants one
  std::string token;                       // for a server that wants one; sent over TLS only
};

absl::StatusOr<std::shared_ptr<grpc::Channel>> open_channel(const ChannelOptions& options);

}  // namespace tryon::client
