// What it is: the way back from gRPC errors to statuses with reason, field and remedy.
// How it fails: an error without ErrorInfo keeps its code and message. Thread rules: pure functions.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace tryon::client {

absl::Status from_rpc_status(const google::rpc::Status& status);
absl::Status from_grpc_status(const grpc::Status& status);

}  // namespace tryon::client
