#include "server/service/error_map.h"

#include <string>

#include "google/rpc/error_details.pb.h"
#include "server/base/status.h"

namespace tryon {
namespace {

std::string default_reason(absl::StatusCode code) { return std::string(absl::StatusCodeToString(code)); }

}  // namespace

google::rpc::Status to_rpc_status(const absl::Status& status) {
  google::rpc::Status out;
  out.set_code(static_cast<int>(status.code()));
  if (status.ok()) return out;
  out.set_message(std::string(status.message()));
  const ErrorDetail detail = error_detail(status).value_or(ErrorDetail{default_reason(status.code()), "", ""});
  google::rpc::ErrorInfo info;
  info.set_reason(detail.reason);
  info.set_domain(kErrorDomain);
  if (!detail.field.empty()) (*info.mutable_metadata())["field"] = detail.field;
  if (!detail.remedy.empty()) (*info.mutable_metadata())["remedy"] = detail.remedy;
  out.add_details()->PackFrom(info);
  if (status.code() == absl::StatusCode::kInvalidArgument && !detail.field.empty()) {
    google::rpc::BadRequest bad;
    auto* violation = bad.add_field_violations();
    violation->set_field(detail.field);
    violation->set_description(out.message() + (detail.remedy.empty() ? "" : ". " + detail.remedy));
    out.add_details()->PackFrom(bad);
  }
  if (status.code() == absl::StatusCode::kUnavailable) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(1);
    out.add_details()->PackFrom(retry);
  }
  return out;
}

grpc::Status to_grpc_status(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const google::rpc::Status rpc = to_rpc_status(status);
  return {static_cast<grpc::StatusCode>(rpc.code()), rpc.message(), rpc.SerializeAsString()};
}

}  // namespace tryon
