#include "server/base/status.h"

#include <charconv>
#include <vector>

#include "absl/strings/cord.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr char kDetailUrl[] = "tryon/error-detail";
constexpr char kSeparator = '\x1f';  // never part of a message: see clean()

// Control characters would break the one-line form and have no place in a message.
std::string clean(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return out;
}

std::string encode_detail(const ErrorDetail& d) {
  return cat(clean(d.reason), kSeparator, clean(d.field), kSeparator, clean(d.remedy));
}

}  // namespace

absl::Status make_error(absl::StatusCode code, std::string_view reason, std::string_view field,
                        std::string_view message, std::string_view remedy) {
  absl::Status status(code, clean(message));
  if (!status.ok()) {
    status.SetPayload(kDetailUrl,
                      absl::Cord(encode_detail({std::string(reason), std::string(field), std::string(remedy)})));
  }
  return status;
}

absl::Status invalid_input(std::string_view reason, std::string_view field, std::string_view message,
                           std::string_view remedy) {
  return make_error(absl::StatusCode::kInvalidArgument, reason, field, message, remedy);
}

absl::Status internal_fault(std::string_view message) {
  return make_error(absl::StatusCode::kInternal, "INTERNAL", "", message, "Report this with the request's digest.");
}

std::optional<ErrorDetail> error_detail(const absl::Status& status) {
  auto payload = status.GetPayload(kDetailUrl);
  if (!payload) return std::nullopt;
  std::vector<std::string> parts = split(std::string(*payload), kSeparator);
  parts.resize(3);
  return ErrorDetail{parts[0], parts[1], parts[2]};
}

absl::Status prefix_field(const absl::Status& status, std::string_view prefix) {
  auto detail = error_detail(status);
  if (!detail) return status;
  return make_error(status.code(), detail->reason, cat(prefix, detail->field), std::string(status.message()),
                    detail->remedy);
}

std::string encode_status(const absl::Status& status) {
  const ErrorDetail detail = error_detail(status).value_or(ErrorDetail{});
  return cat(static_cast<int>(status.code()), kSeparator, encode_detail(detail), kSeparator,
             clean(std::string(status.message())));
}

absl::Status decode_status(std::string_view text) {
  std::vector<std::string> parts = split(text, kSeparator);
  int code = 0;
  if (parts.size() != 5 ||
      std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), code).ec != std::errc() || code < 0 ||
      code > 16) {
    return internal_fault("unreadable status text");
  }
  if (code == 0) return absl::OkStatus();
  if (parts[1].empty()) return absl::Status(static_cast<absl::StatusCode>(code), parts[4]);
  return make_error(static_cast<absl::StatusCode>(code), parts[1], parts[2], parts[4], parts[3]);
}

}  // namespace tryon
