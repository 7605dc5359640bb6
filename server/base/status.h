// What it is: the one error vocabulary below the service: absl::Status plus {reason, field, remedy}.
// Three kinds: the caller's (invalid_input), the world's (unavailable), ours (internal_fault).
// Reasons are stable UPPER_SNAKE names that programs may branch on; messages are for people and may change.
// How it fails: it does not. Thread rules: values, free to share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tryon {

struct ErrorDetail {
  std::string reason;  // stable name, e.g. "SEAM_EDGE_MISSING"
  std::string field;   // file, element or request field that offends, e.g. "pattern.stitches[3]"
  std::string remedy;  // what the caller can do
};

// The caller's fault: code INVALID_ARGUMENT. `message` says what is wrong, in a tailor's words.
absl::Status invalid_input(std::string_view reason, std::string_view field, std::string_view message,
                           std::string_view remedy);
// Any other code with the same detail.
absl::Status make_error(absl::StatusCode code, std::string_view reason, std::string_view field,
                        std::string_view message, std::string_view remedy);
// Our own fault (a broken invariant): code INTERNAL.
absl::Status internal_fault(std::string_view message);

// The detail attached by the makers above; nullopt for a bare status.
std::optional<ErrorDetail> error_detail(const absl::Status& status);
// The same status with `prefix` before its field ("body.obj: " + "line 7").
absl::Status prefix_field(const absl::Status& status, std::string_view prefix);

// One line for logs, stores and pipes; decode(encode(s)) == s for every status made here.
std::string encode_status(const absl::Status& status);
absl::Status decode_status(std::string_view text);

}  // namespace tryon

#define TRYON_CONCAT_INNER(a, b) a##b
#define TRYON_CONCAT(a, b) TRYON_CONCAT_INNER(a, b)
// RETURN_IF_ERROR(expr): leaves the function with the status if it is not OK.
#define RETURN_IF_ERROR(expr)                                         \
  do {                                                                \
    if (absl::Status status_ = (expr); !status_.ok()) return status_; \
  } while (false)
// ASSIGN_OR_RETURN(auto x, expr): x = value, or leaves the function with the status.
#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_IMPL(TRYON_CONCAT(status_or_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                          \
  if (!tmp.ok()) return tmp.status();         \
  lhs = std::move(tmp).value()
