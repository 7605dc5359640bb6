// What it is: the object store for any number of machines, on whatever speaks S3: objects `blobs/{name}` in one bucket.
// Requests are signed (AWS Signature 4).
// Units: bytes. How it fails: as object_store.h; UNAVAILABLE (BLOB_STORE_UNAVAILABLE) once four tries have failed.
// Thread rules: all methods from any thread.
#pragma once

#include <memory>
#include <string>

#include "server/store/object_store.h"

namespace tryon {

struct S3Options {
  std::string endpoint;  // "https://s3.eu-central-1.amazonaws.com", "http://127.0.0.1:4568"
  std::string bucket;
  std::string region = "us-east-1";
  std::string access_key, secret_key;
};
// Looks whether the bucket answers.
absl::StatusOr<std::unique_ptr<ObjectStore>> open_s3_object_store(const S3Options& options);
// "s3+https://host/bucket?region=eu-central-1", keys from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; INVALID_ARGUMENT
// (S3_ADDRESS) for anything else.
absl::StatusOr<S3Options> s3_options_of(const std::string& address);

}  // namespace tryon
