// What it is: the queue and the blobs that the options of a program name: of one machine, or of many.
// How it fails: as the store says (STORE_*, BLOB_STORE_*, S3_ADDRESS). Thread rules: free functions.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace tryon {

// `postgres` empty: DATA/tasks.sqlite.
absl::StatusOr<std::unique_ptr<JobStore>> open_jobs(const std::string& data, const std::string& postgres);
// `address` empty: DATA/blobs; else a bucket, with DATA/spool for what is on its way. Sealed, with the keys in `jobs`,
// under the master key of a file if one is named; uploads on their way are in DATA/uploads.
absl::StatusOr<std::unique_ptr<BlobStore>> open_blobs(JobStore* jobs, const std::string& data,
                                                      const std::string& address, const std::string& master_key_file);

}  // namespace tryon
