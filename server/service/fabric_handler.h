// What it is: FabricService over ServiceCore. How it fails: every error goes through error_map.
// Thread rules: gRPC's own threads.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "server/ops/metrics.h"
#include "server/service/tenants.h"

namespace tryon {

std::unique_ptr<grpc::Service> make_fabric_handler(Tenants* tenants, Metrics* metrics);

}  // namespace tryon
