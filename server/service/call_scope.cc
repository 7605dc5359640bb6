#include "server/service/call_scope.h"

#include <string>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/ops/log.h"
#include "server/service/error_map.h"

namespace tryon {

CallScope::CallScope(Metrics* metrics, std::string_view method)
    : metrics_(metrics), method_(method), begun_(absl::Now()) {}

void CallScope::reads(const Caller& caller, const std::string& resource) {
  reader_ = caller;
  resource_ = resource.substr(0, 256);
}

grpc::Status CallScope::finish(const absl::Status& status) {
  const std::string code(status.ok() ? "OK" : absl::StatusCodeToString(status.code()));
  if (metrics_ != nullptr) metrics_->count_rpc(method_, code, absl::ToDoubleSeconds(absl::Now() - begun_));
  if (!resource_.empty()) {
    log_info("read", {{"caller", reader_.name},
                      {"tenant", reader_.tenant},
                      {"method", std::string(method_)},
                      {"resource", resource_},
                      {"code", code}});
  }
  if (!status.ok()) {
    const auto detail = error_detail(status);
    log_info("rpc_refused",
             {{"method", std::string(method_)}, {"code", code}, {"reason", detail ? detail->reason : std::string()}});
  }
  return to_grpc_status(status);
}

}  // namespace tryon
