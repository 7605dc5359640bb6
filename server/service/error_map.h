// What it is: the one map from our statuses to gRPC's: code, message, ErrorInfo (domain "tryon.dev"), BadRequest,
// RetryInfo. How it fails: a status without a detail gets the reason of its code. Thread rules: pure functions.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace tryon {

inline constexpr char kErrorDomain[] = "tryon.dev";

google::rpc::Status to_rpc_status(const absl::Status& status);
grpc::Status to_grpc_status(const absl::Status& status);

}  // namespace tryon
