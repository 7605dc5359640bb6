#include "server/app/stores.h"

#include <filesystem>

#include "server/base/status.h"
#include "server/store/postgres_job_store.h"
#include "server/store/s3_object_store.h"
#include "server/store/sealed_blob_store.h"

namespace tryon {

namespace {

absl::StatusOr<std::unique_ptr<JobStore>> open_jobs(const StorePlaces& places, const MasterKey& master) {
  if (!places.postgres.empty()) return open_postgres_job_store(places.postgres, {}, master);
  return open_sqlite_job_store(places.data + "/tasks.sqlite", {}, master);
}

absl::StatusOr<std::unique_ptr<BlobStore>> open_blobs(const StorePlaces& places, JobStore* jobs,
                                                      const MasterKey& master) {
  if (places.bucket.empty()) {
    std::error_code ignored;  // where uploads waited until 0.10.0; whoever sent one begins anew
    std::filesystem::remove_all(places.data + "/uploads", ignored);
    ASSIGN_OR_RETURN(auto folder, open_directory_object_store(places.data + "/blobs"));
    return make_sealed_blob_store(jobs, std::move(folder), master);
  }
  ASSIGN_OR_RETURN(const S3Options options, s3_options_of(places.bucket));
  ASSIGN_OR_RETURN(auto objects, open_s3_object_store(options));
  ASSIGN_OR_RETURN(auto spool, open_directory_object_store(places.data + "/uploads"));
  return make_sealed_blob_store(jobs, std::move(spool), master, std::move(objects));
}

}  // namespace

absl::StatusOr<Stores> open_stores(const StorePlaces& places) {
  MasterKey master;
  if (!places.master_key_file.empty()) {
    ASSIGN_OR_RETURN(master, MasterKey::load(places.master_key_file));
  }
  Stores stores;
  ASSIGN_OR_RETURN(stores.jobs, open_jobs(places, master));
  ASSIGN_OR_RETURN(stores.blobs, open_blobs(places, stores.jobs.get(), master));
  return stores;
}

}  // namespace tryon
