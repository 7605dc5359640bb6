// What it is: google.bytestream.ByteStream over the blob store: resumable uploads, ranged downloads.
// Chunks: 64 KiB out, at most 1 MiB in. How it fails: see blob.proto. Thread rules: gRPC's own threads.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/ops/metrics.h"
#include "server/service/stream_slots.h"
#include "server/service/tenants.h"

namespace tryon {

std::unique_ptr<grpc::Service> make_bytestream_handler(Tenants* tenants, StreamSlots* slots, Metrics* metrics);

}  // namespace tryon
