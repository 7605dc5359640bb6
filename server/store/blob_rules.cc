#include "server/store/blob_rules.h"

#include <algorithm>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/blob_store.h"

namespace tryon {

absl::Status check_upload_name(const std::string& upload) {
  const bool plain = std::all_of(upload.begin(), upload.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (plain && !upload.empty() && upload.size() <= 64) return absl::OkStatus();
  return invalid_input("UPLOAD_NAME_INVALID", "upload", "the upload's name is not 1 to 64 letters, digits and hyphens",
                       "Use a random UUID.");
}

absl::Status check_digest(const std::string& digest) {
  if (is_sha256_hex(digest)) return absl::OkStatus();
  return invalid_input("BLOB_DIGEST_INVALID", "digest", "the digest is not a SHA-256 in 64 lower-case hex digits",
                       "Name a blob by the SHA-256 of its bytes.");
}

absl::Status check_new_upload(const std::string& upload, const std::string& digest, int64_t size) {
  RETURN_IF_ERROR(check_upload_name(upload));
  RETURN_IF_ERROR(check_digest(digest));
  if (size < 0) {
    return invalid_input("BLOB_SIZE_INVALID", "size", cat("a size of ", size, " bytes"), "Say how many bytes follow.");
  }
  if (size > kMaxBlobBytes) {
    return invalid_input("BLOB_TOO_LARGE", "size",
                         cat("the file has ", size, " bytes; at most ", kMaxBlobBytes, " are accepted"),
                         "Reduce the mesh, or leave out textures.");
  }
  return absl::OkStatus();
}

absl::Status check_offset(int64_t committed, int64_t offset) {
  if (offset == committed) return absl::OkStatus();
  return make_error(absl::StatusCode::kOutOfRange, "UPLOAD_OFFSET", "offset",
                    cat("the upload has ", committed, " bytes so far; these start at ", offset),
                    "Ask for the committed size and go on from there.");
}

absl::Status check_append(int64_t committed, int64_t size, int64_t offset, int64_t count) {
  RETURN_IF_ERROR(check_offset(committed, offset));
  if (count > size - committed) {
    return invalid_input("BLOB_TOO_LARGE", "bytes",
                         cat("the upload was announced with ", size, " bytes; these would make it ", committed + count),
                         "Begin again under another name with the true size.");
  }
  return absl::OkStatus();
}

absl::Status check_same_upload(const std::string& was_digest, int64_t was_size, const std::string& digest,
                               int64_t size) {
  if (was_digest == digest && was_size == size) return absl::OkStatus();
  return invalid_input("UPLOAD_NAME_REUSED", "upload", "this upload was begun with another digest or size",
                       "Use a new random name for every file.");
}

absl::Status check_read(int64_t size, int64_t offset, int64_t limit) {
  if (offset >= 0 && offset <= size && limit >= 0) return absl::OkStatus();
  return make_error(absl::StatusCode::kOutOfRange, "READ_OFFSET", offset >= 0 && offset <= size ? "limit" : "offset",
                    cat("a read of ", limit, " bytes from ", offset, "; the blob has ", size),
                    "Read from 0 to the blob's size; a limit of 0 means the rest.");
}

int64_t read_count(int64_t size, int64_t offset, int64_t limit) {
  return limit == 0 ? size - offset : std::min(limit, size - offset);
}

absl::Status blob_not_found(const std::string& digest) {
  return make_error(absl::StatusCode::kNotFound, "BLOB_NOT_FOUND", "digest", cat("there is no blob ", digest),
                    "Upload it first.");
}

absl::Status upload_not_found(const std::string& upload) {
  return make_error(absl::StatusCode::kNotFound, "UPLOAD_NOT_FOUND", "upload", cat("there is no upload ", upload),
                    "Begin it; if it was finished, its blob can be read.");
}

absl::Status upload_incomplete(int64_t committed, int64_t size) {
  return invalid_input("BLOB_DIGEST_MISMATCH", "size",
                       cat("the upload ended after ", committed, " of ", size, " announced bytes"),
                       "Send the whole file again under a new name.");
}

absl::Status digest_mismatch(const std::string& expected, const std::string& got) {
  return invalid_input("BLOB_DIGEST_MISMATCH", "digest",
                       cat("the bytes have the SHA-256 ", got, ", announced was ", expected),
                       "Send the file again under a new name; it changed on the way or was named wrongly.");
}

}  // namespace tryon
