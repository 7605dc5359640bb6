// What it is: the gRPC services BatchService and QueueService: decode, validate, call, encode.
// How it fails: every error goes through error_map. Thread rules: as handlers.h.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/ops/metrics.h"
#include "server/service/stream_slots.h"
#include "server/service/tenants.h"

namespace tryon {

std::unique_ptr<grpc::Service> make_batch_handler(Tenants* tenants, const LastingCalls& lasting, Metrics* metrics);
std::unique_ptr<grpc::Service> make_queue_handler(Tenants* tenants, Metrics* metrics);

}  // namespace tryon
