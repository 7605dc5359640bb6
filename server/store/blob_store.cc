#include "server/store/blob_store.h"

#include "server/base/hash.h"
#include "server/base/status.h"

namespace tryon {

absl::StatusOr<std::string> BlobStore::put(std::string_view bytes) {
  const std::string digest = sha256_hex(bytes);
  RETURN_IF_ERROR(put_named(digest, bytes));
  return digest;
}

}  // namespace tryon
