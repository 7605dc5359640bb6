// What it is: one RPC's accounting: counts it by method and code, times it, logs failures without anything personal,
// and who read what of people. Thread rules: one object, one call.
#pragma once

#include <grpcpp/server_context.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/ops/metrics.h"
#include "server/service/security/tokens.h"

namespace tryon {

class CallScope {
 public:
  CallScope(Metrics* metrics, std::string_view method);
  // It shows what may be of a person: finish() writes who saw what to the log (event "read"), never what it shows.
  void reads(const Caller& caller, const std::string& resource);
  grpc::Status finish(const absl::Status& status);  // call once, with what the handler came to

 private:
  Metrics* const metrics_;
  const std::string_view method_;
  const absl::Time begun_;
  Caller reader_;
  std::string resource_;  // empty: nothing to write
};

}  // namespace tryon
