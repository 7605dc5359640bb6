#include "server/service/convert/names.h"

#include <charconv>
#include <vector>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr std::string_view kReadForm = "blobs/{sha256}/{size_bytes}";
constexpr std::string_view kWriteForm = "uploads/{uuid}/blobs/{sha256}/{size_bytes}";

absl::Status bad_blob_name(std::string_view form) {
  return invalid_input("BLOB_NAME", "resource_name", cat("the resource name is not of the form ", form),
                       "Name the blob by its SHA-256 in lower-case hex and its size in bytes.");
}

bool parse_tail(const std::vector<std::string>& parts, size_t first, BlobName* out) {
  if (parts.size() != first + 3 || parts[first] != "blobs" || !is_sha256_hex(parts[first + 1])) return false;
  const std::string& size = parts[first + 2];
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), out->size);
  out->digest = parts[first + 1];
  return error == std::errc() && end == size.data() + size.size() && out->size >= 0;
}

// Short, so that a token that was cut or typed is noticed; it guards nothing.
std::string check_digits(std::string_view text) { return sha256_hex(text).substr(0, 8); }

bool is_upload_id(std::string_view id) {
  if (id.empty() || id.size() > 64) return false;
  for (char c : id) {
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    if (!good) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::string> parse_name(std::string_view name, std::string_view collection, std::string_view field) {
  const auto parts = split(name.substr(0, 256), '/');
  if (parts.size() == 2 && parts[0] == collection && is_sha256_hex(parts[1])) return parts[1];
  return invalid_input("RESOURCE_NAME", field, cat("this is not a name of the form ", collection, "/{id}"),
                       "Use the name as the service returned it.");
}

absl::StatusOr<std::string> parse_name_or_none(std::string_view name, std::string_view collection,
                                               std::string_view field) {
  if (name.empty()) return std::string();
  return parse_name(name, collection, field);
}

std::string_view fabric_word(std::string_view name) {
  constexpr std::string_view kCollection = "fabrics/";
  return name.substr(0, kCollection.size()) == kCollection ? name.substr(kCollection.size()) : std::string_view();
}

std::string own_fabric_id(std::string_view fabric) {
  const std::string id(fabric_word(fabric).substr(0, 65));
  return is_sha256_hex(id) ? id : std::string();
}

absl::StatusOr<BlobName> parse_blob_name(std::string_view name) {
  BlobName out;
  if (parse_tail(split(name.substr(0, 256), '/'), 0, &out)) return out;
  return bad_blob_name(kReadForm);
}

absl::StatusOr<BlobName> parse_upload_name(std::string_view name) {
  const auto parts = split(name.substr(0, 256), '/');
  BlobName out;
  if (parts.size() == 5 && parts[0] == "uploads" && is_upload_id(parts[1]) && parse_tail(parts, 2, &out)) {
    out.upload = parts[1];
    return out;
  }
  return bad_blob_name(kWriteForm);
}

std::string page_token(const TaskCursor& cursor) {
  const std::string text = cat(cursor.created_us, "-", cursor.id);
  return cat(text, "-", check_digits(text));
}

absl::StatusOr<TaskCursor> parse_page_token(std::string_view token) {
  const auto parts = split(token.substr(0, 256), '-');
  TaskCursor out;
  if (parts.size() == 3 && is_sha256_hex(parts[1]) && parts[2] == check_digits(cat(parts[0], "-", parts[1]))) {
    const auto [end, error] = std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), out.created_us);
    out.id = parts[1];
    if (error == std::errc() && end == parts[0].data() + parts[0].size()) return out;
  }
  return invalid_input("PAGE_TOKEN", "page_token", "this is not a page token of this service",
                       "Use next_page_token as it came, or begin again without one.");
}

}  // namespace tryon
