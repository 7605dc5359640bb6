// What it is: ServerService: what this server is, allows and has done. How it fails: it does not.
// Thread rules: as handlers.h.
#pragma once

#include <grpcpp/server_builder.h>

#include <memory>

#include "server/ops/metrics.h"
#include "server/service/statistics.h"
#include "server/service/stream_slots.h"
#include "server/service/tenants.h"

namespace tryon {

std::unique_ptr<grpc::Service> make_server_handler(Tenants* tenants, const LastingCalls& lasting,
                                                   Statistics* statistics, Metrics* metrics);

}  // namespace tryon
