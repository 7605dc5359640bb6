// What it is: the queue and the blobs that the options of a program name: of one machine, or of many.
// How it fails: as the store says (STORE_*, BLOB_STORE_*, S3_ADDRESS). Thread rules: free functions.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/store/blob_store.h"
#include "server/store/job_store.h"

namespace tryon {

struct Stores {
  std::unique_ptr<JobStore> jobs;
  std::unique_ptr<BlobStore> blobs;  // its keys are in `jobs`
};

// In `data`, but for a queue in PostgreSQL and blobs in a bucket where these are named. A master key file, if named,
// seals the blobs' keys, and what the queue tells of bodies.
struct StorePlaces {
  std::string data, postgres, bucket, master_key_file;
};
absl::StatusOr<Stores> open_stores(const StorePlaces& places);

}  // namespace tryon
