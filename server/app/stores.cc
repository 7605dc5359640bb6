#include "server/app/stores.h"

#include "server/base/status.h"
#include "server/store/postgres_job_store.h"
#include "server/store/s3_blob_store.h"
#include "server/store/sealed_blob_store.h"

namespace tryon {

absl::StatusOr<std::unique_ptr<JobStore>> open_jobs(const std::string& data, const std::string& postgres) {
  return postgres.empty() ? open_sqlite_job_store(data + "/tasks.sqlite") : open_postgres_job_store(postgres);
}

namespace {

absl::StatusOr<std::unique_ptr<BlobStore>> open_inner(const std::string& data, const std::string& address) {
  if (address.empty()) return open_directory_blob_store(data + "/blobs");
  ASSIGN_OR_RETURN(const S3Options options, s3_options_of(address, data + "/spool"));
  return open_s3_blob_store(options);
}

}  // namespace

absl::StatusOr<std::unique_ptr<BlobStore>> open_blobs(JobStore* jobs, const std::string& data,
                                                      const std::string& address, const std::string& master_key_file) {
  MasterKey master;
  if (!master_key_file.empty()) {
    ASSIGN_OR_RETURN(master, MasterKey::load(master_key_file));
  }
  ASSIGN_OR_RETURN(auto inner, open_inner(data, address));
  ASSIGN_OR_RETURN(auto spool, open_directory_blob_store(data + "/uploads"));
  return make_sealed_blob_store(jobs, std::move(inner), std::move(spool), std::move(master));
}

}  // namespace tryon
