#include "server/store/release.h"

#include "server/base/status.h"
#include "server/store/tenant_view.h"

namespace tryon {
namespace {

constexpr int kBatch = 64;

}  // namespace

absl::Status erase_unneeded(JobStore* jobs, BlobStore* blobs, const std::string& digest) {
  ASSIGN_OR_RETURN(const bool needed, jobs->needs_blob(digest));
  if (needed) return absl::OkStatus();
  const auto bytes = blobs->read(digest, 0, 0);
  if (absl::IsNotFound(bytes.status())) return blobs->erase(digest);  // what is left of it: its key
  RETURN_IF_ERROR(bytes.status());
  RETURN_IF_ERROR(blobs->erase(digest));
  ASSIGN_OR_RETURN(const bool needed_now, jobs->needs_blob(digest));
  return needed_now ? blobs->put_named(digest, *bytes)
                    : absl::OkStatus();  // somebody came between the look and the erasing
}

absl::Status erase_spent_blobs(JobStore* jobs, BlobStore* blobs) {
  for (;;) {
    ASSIGN_OR_RETURN(const std::vector<std::string> spent, jobs->spent_blobs(kBatch));
    if (spent.empty()) return absl::OkStatus();
    for (const std::string& digest : spent) {
      RETURN_IF_ERROR(erase_unneeded(jobs, blobs, digest));
      RETURN_IF_ERROR(jobs->forget_blob(digest));
    }
  }
}

absl::Status erase_task(JobStore* jobs, BlobStore* blobs, const std::string& id) {
  RETURN_IF_ERROR(jobs->erase(id));
  return erase_spent_blobs(jobs, blobs);
}

absl::Status collect_unused(JobStore* jobs, BlobStore* blobs, int64_t before_us) {
  for (;;) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, jobs->unneeded_seals(before_us, kBatch));
    for (const std::string& name : names) {
      const bool upload = name.rfind(kUploadSeal, 0) == 0;
      RETURN_IF_ERROR(upload ? blobs->erase(name) : erase_unneeded(jobs, blobs, name));
    }
    if (static_cast<int>(names.size()) < kBatch) return absl::OkStatus();
  }
}

}  // namespace tryon
