// What it is: the blob store for any number of machines, on whatever speaks S3: objects `blobs/{sha256}` in one bucket.
// An upload is gathered in a folder of this machine, so it goes on only where it was begun, and is put when its digest
// was found right. Requests are signed (AWS Signature 4).
// Units: bytes. How it fails: as blob_store.h; UNAVAILABLE (BLOB_STORE_UNAVAILABLE) once four tries have failed.
// Thread rules: all methods from any thread; uploads as the directory store's.
#pragma once

#include <memory>
#include <string>

#include "server/store/blob_store.h"

namespace tryon {

struct S3Options {
  std::string endpoint;  // "https://s3.eu-central-1.amazonaws.com", "http://127.0.0.1:4568"
  std::string bucket;
  std::string region = "us-east-1";
  std::string access_key, secret_key;
  std::string spool;  // folder for uploads on their way
};
// Looks whether the bucket answers.
absl::StatusOr<std::unique_ptr<BlobStore>> open_s3_blob_store(const S3Options& options);
// "s3+https://host/bucket?region=eu-central-1", keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; INVALID_ARGUMENT
// (S3_ADDRESS) for anything else.
absl::StatusOr<S3Options> s3_options_of(const std::string& address, const std::string& spool);

}  // namespace tryon
