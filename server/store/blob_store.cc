#include "server/store/blob_store.h"

#include "server/base/hash.h"
#include "server/base/status.h"

namespace tryon {

absl::StatusOr<std::string> BlobStore::put(std::string_view bytes) {
  const std::string digest = sha256_hex(bytes);
  RETURN_IF_ERROR(put_named(digest, bytes));
  return digest;
}

absl::Status BlobStore::put_named(const std::string& digest, std::string_view bytes) {
  const auto there = blob_size(digest);
  if (there.ok() && *there == static_cast<int64_t>(bytes.size())) return absl::OkStatus();
  const std::string upload = random_hex(16);
  ASSIGN_OR_RETURN(const int64_t committed, begin_upload(upload, digest, static_cast<int64_t>(bytes.size())));
  RETURN_IF_ERROR(append_upload(upload, committed, bytes.substr(static_cast<size_t>(committed))).status());
  return finish_upload(upload);
}

}  // namespace tryon
