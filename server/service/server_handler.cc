#include "server/service/server_handler.h"

#include <string>

#include "server/base/version.h"
#include "server/drape/fabric_request.h"
#include "server/drape/pipeline.h"
#include "server/drape/request.h"
#include "server/fabric/fabric.h"
#include "server/garment/pattern.h"
#include "server/service/batch_plan.h"
#include "server/service/call_scope.h"
#include "server/service/limits.h"
#include "server/sim/solvers/solver.h"
#include "tryon/v1/server.grpc.pb.h"

namespace tryon {
namespace {

using grpc::ServerContext;

constexpr MeshFormat kMeshFormats[] = {MeshFormat::kObj, MeshFormat::kPly, MeshFormat::kStl, MeshFormat::kGlb,
                                       MeshFormat::kPcd};

class ServerHandler final : public v1::ServerService::Service {
 public:
  ServerHandler(Tenants* tenants, const LastingCalls& lasting, Statistics* statistics, Metrics* metrics)
      : tenants_(tenants), lasting_(lasting), statistics_(statistics), metrics_(metrics) {}

  grpc::Status GetServerInfo(ServerContext*, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse* response) override {
    CallScope call(metrics_, "ServerService.GetServerInfo");
    response->set_version(kEngineVersion);
    response->set_max_blob_bytes(kMaxBlobBytes);
    const ParseLimits scan;
    response->set_max_scan_vertex_count(scan.max_vertices);
    response->set_max_scan_triangle_count(scan.max_triangles);
    response->set_max_pattern_panel_count(kMaxPanels);
    response->set_min_resolution_mm(kFinestMm);
    response->set_max_resolution_mm(kCoarsestMm);
    response->set_max_wind_mps(kMostWindMps);
    for (const MeshFormat format : kMeshFormats) response->add_scan_formats(std::string(mesh_format_name(format)));
    *response->mutable_limits() = limits();
    return call.finish(absl::OkStatus());
  }

  grpc::Status ListFabrics(ServerContext*, const v1::ListFabricsRequest*, v1::ListFabricsResponse* response) override {
    CallScope call(metrics_, "ServerService.ListFabrics");
    for (const std::string& name : fabric_names()) {
      const auto fabric = fabric_by_name(name);
      if (!fabric.ok()) return call.finish(fabric.status());
      v1::FabricInfo* info = response->add_fabrics();
      info->set_name(name);
      info->set_title(fabric->title);
      info->set_source(fabric->source);
      info->set_areal_density_kg_m2(fabric->areal_density);
    }
    return call.finish(absl::OkStatus());
  }

  grpc::Status ListSolvers(ServerContext*, const v1::ListSolversRequest*, v1::ListSolversResponse* response) override {
    CallScope call(metrics_, "ServerService.ListSolvers");
    for (const sim::SolverInfo& solver : sim::solver_list()) {
      v1::SolverInfo* info = response->add_solvers();
      info->set_name(solver.name);
      info->set_description(solver.description);
    }
    return call.finish(absl::OkStatus());
  }

  grpc::Status GetStatistics(ServerContext* context, const v1::GetStatisticsRequest*,
                             v1::GetStatisticsResponse* response) override {
    CallScope call(metrics_, "ServerService.GetStatistics");
    *response = statistics_->of(tenants_->caller(context).tenant);
    return call.finish(absl::OkStatus());
  }

 private:
  v1::ServiceLimits limits() const {
    v1::ServiceLimits out;
    out.set_max_message_bytes(kMaxMessageBytes);
    out.set_max_chunk_bytes(kMaxChunkBytes);
    out.set_max_digest_count(kMaxDigests);
    out.set_max_size_count(kMaxSizes);
    out.set_max_watch_count(lasting_.watches->limits().streams);
    out.set_max_transfer_count(lasting_.transfers->limits().streams);
    out.set_max_batch_item_count(kMaxBatchItems);
    out.set_max_live_batch_count(kMaxLiveBatches);
    out.set_max_fabric_document_bytes(kMaxFabricDocument);
    out.set_max_frame_count(kMostFrames);
    return out;
  }

  Tenants* const tenants_;
  const LastingCalls lasting_;
  Statistics* const statistics_;
  Metrics* const metrics_;
};

}  // namespace

std::unique_ptr<grpc::Service> make_server_handler(Tenants* tenants, const LastingCalls& lasting,
                                                   Statistics* statistics, Metrics* metrics) {
  return std::make_unique<ServerHandler>(tenants, lasting, statistics, metrics);
}

}  // namespace tryon
