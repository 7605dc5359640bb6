// What it is: blobs that nobody needs any more go: raw scans once their bodies are made, results of what was deleted.
// Times and units: none. How it fails: the stores' errors; what was not done yet is done by the next call.
// Thread rules: any thread and process. A task that asks for a blob in the moment it is erased gets it back, provided
// that it looks for the blob once more after it was submitted (see ServiceCore::create_body).
#pragma once

#include <string>

#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace tryon {

// Erases the blob unless a task made it, reads it still or keeps it.
absl::Status erase_unneeded(JobStore* jobs, BlobStore* blobs, const std::string& digest);
// The same for all of JobStore::spent_blobs. Cheap when there is none.
absl::Status erase_spent_blobs(JobStore* jobs, BlobStore* blobs);
// Everything of a finished task: its record, and its results and inputs that no other task needs.
absl::Status erase_task(JobStore* jobs, BlobStore* blobs, const std::string& id);

// Uploads from before that nobody used, finished or not.
absl::Status collect_unused(JobStore* jobs, BlobStore* blobs, int64_t before_us);

}  // namespace tryon
