#include "client/lib/rpc_error.h"

#include <string>

#include "google/rpc/error_details.pb.h"
#include "server/base/status.h"

namespace tryon::client {

absl::Status from_rpc_status(const google::rpc::Status& status) {
  const auto code = static_cast<absl::StatusCode>(status.code());
  google::rpc::ErrorInfo info;
  for (const auto& detail : status.details()) {
    if (!detail.UnpackTo(&info)) continue;
    const auto& metadata = info.metadata();
    auto word = [&](const char* key) { return metadata.count(key) ? metadata.at(key) : std::string(); };
    return make_error(code, info.reason(), word("field"), status.message(), word("remedy"));
  }
  return absl::Status(code, status.message());
}

absl::Status from_grpc_status(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  google::rpc::Status rpc;
  if (!status.error_details().empty() && rpc.ParseFromString(status.error_details())) return from_rpc_status(rpc);
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace tryon::client
