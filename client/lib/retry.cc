#include "client/lib/retry.h"

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::client {

absl::Status name_transport_error(const absl::Status& status) {
  if (error_detail(status)) return status;
  if (status.code() == absl::StatusCode::kCancelled) {
    return make_error(absl::StatusCode::kUnavailable, "CONNECTION_CUT", "", "the connection to the server was cut",
                      "Try again: equal requests do the work once.");
  }
  if (status.code() != absl::StatusCode::kUnavailable) return status;
  return make_error(absl::StatusCode::kUnavailable, "SERVER_UNREACHABLE", "--server",
                    cat("the server does not answer: ", status.message()),
                    "Check the address, and that tryon-server runs.");
}

}  // namespace tryon::client
