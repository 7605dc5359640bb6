// What it is: the gRPC services of tryon.v1 over ServiceCore: decode, validate, call, encode.
// How it fails: every error goes through error_map. Thread rules: gRPC's own threads; a call that lasts holds one and a
// slot (stream_slots.h) while it runs.
#pragma once

#include <grpcpp/server_builder.h>

#include <memory>
#include <vector>

#include "server/ops/metrics.h"
#include "server/service/statistics.h"
#include "server/service/stream_slots.h"
#include "server/service/tenants.h"

namespace tryon {

// All services, to be registered with a ServerBuilder; they live as long as the returned values.
std::vector<std::unique_ptr<grpc::Service>> make_services(Tenants* tenants, const LastingCalls& lasting,
                                                          Metrics* metrics, Statistics* statistics);

}  // namespace tryon
