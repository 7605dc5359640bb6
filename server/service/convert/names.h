// What it is: resource names: bodies/{id}, garments/{id}, fabrics/{id}, drapes/{id}, operations/{id},
// blobs/{sha256}/{size} and uploads/{uuid}/blobs/{sha256}/{size}. An id is the request's SHA-256; nothing of a name
// ever becomes a path. How it fails: INVALID_ARGUMENT RESOURCE_NAME or BLOB_NAME with the expected form. Thread rules:
// pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/store/job_store.h"

namespace tryon {

// The id of "<collection>/{id}", read from the request's `field`.
absl::StatusOr<std::string> parse_name(std::string_view name, std::string_view collection,
                                       std::string_view field = "name");

// The same of a field that may be empty: then so is the id.
absl::StatusOr<std::string> parse_name_or_none(std::string_view name, std::string_view collection,
                                               std::string_view field);

// "denim_11oz" of "fabrics/denim_11oz"; empty for other texts.
std::string_view fabric_word(std::string_view name);
// The id of a caller's own fabric; empty for names of the library and for documents.
std::string own_fabric_id(std::string_view fabric);

struct BlobName {
  std::string upload;  // empty for a read
  std::string digest;
  int64_t size = 0;
};
absl::StatusOr<BlobName> parse_blob_name(std::string_view name);
absl::StatusOr<BlobName> parse_upload_name(std::string_view name);

// Opaque to clients: where a list goes on. PAGE_TOKEN for what page_token never made.
std::string page_token(const TaskCursor& cursor);
absl::StatusOr<TaskCursor> parse_page_token(std::string_view token);

}  // namespace tryon
