// What it is: the blobs of many tenants over a store that knows none: each blob is sealed with a key of its own, piece
// by piece as it comes (sealing.h), and the key stands in the JobStore, if asked for under a master key. So what one
// tenant has says nothing to another, and forgetting a key destroys the blob on every disk, bucket and backup. Names
// are owned_name(tenant, digest) and owned_name(tenant, upload); the tenant "" also reads what was kept before blobs
// were sealed. How it fails: as blob_store.h; BLOB_CORRUPT, MASTER_KEY_WRONG. Thread rules: all methods from any
// thread.
#pragma once

#include <memory>

#include "server/store/blob_store.h"
#include "server/store/crypto.h"
#include "server/store/job_store.h"
#include "server/store/object_store.h"

namespace tryon {

// Uploads grow in `spool`, which also keeps the blobs unless `objects` does. `jobs` outlives the store.
std::unique_ptr<BlobStore> make_sealed_blob_store(JobStore* jobs, std::unique_ptr<SpoolStore> spool,
                                                  MasterKey master = {},
                                                  std::unique_ptr<ObjectStore> objects = nullptr);

}  // namespace tryon
