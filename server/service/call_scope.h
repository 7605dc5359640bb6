// What it is: one RPC's accounting: counts it by method and code, times it, logs failures without anything personal.
// Thread rules: one object, one call.
#pragma once

#include <grpcpp/server_context.h>

#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/ops/metrics.h"

namespace tryon {

class CallScope {
 public:
  CallScope(Metrics* metrics, std::string_view method);
  grpc::Status finish(const absl::Status& status);  // call once, with what the handler came to

 private:
  Metrics* const metrics_;
  const std::string_view method_;
  const absl::Time begun_;
};

}  // namespace tryon
