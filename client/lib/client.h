// What it is: the typed client: upload if missing, create, watch with re-join after a cut, fetch with digest check.
// Units and frame: as the proto files say. How it fails: absl::Status with the server's reason, field and remedy
// (error_detail); UNAVAILABLE is retried with back-off before it is returned. Thread rules: one client, any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/longrunning/operations.pb.h"
#include "server/base/run_context.h"
#include "tryon/v1/body.pb.h"
#include "tryon/v1/drape.pb.h"
#include "tryon/v1/fabric.pb.h"
#include "tryon/v1/garment.pb.h"
#include "tryon/v1/server.pb.h"

namespace grpc {
class Channel;
}

namespace tryon::client {

// Told of every change: the operation's name and where it stands.
using OnProgress = std::function<void(const std::string& operation, const v1::OperationMetadata&)>;

class Client {
 public:
  explicit Client(const std::string& address);  // "127.0.0.1:8001", without TLS
  explicit Client(std::shared_ptr<grpc::Channel> channel);
  ~Client();

  std::shared_ptr<grpc::Channel> channel() const;  // for what has a client of its own (batch_client.h)

  // OK as soon as the server answers; UNAVAILABLE after `patience`.
  absl::Status reach(absl::Duration patience);

  // Uploads unless the server has it; goes on where a cut upload stopped. Returns the SHA-256.
  absl::StatusOr<std::string> upload(std::string_view bytes);
  absl::StatusOr<std::string> fetch(const v1::Artifact& artifact);

  // With the bytes of a scan the request names them itself, and they travel only if the server still needs them.
  absl::StatusOr<v1::Body> create_body(const v1::CreateBodyRequest& request, const OnProgress& progress,
                                       std::string_view scan = {});
  absl::StatusOr<v1::Garment> create_garment(const v1::CreateGarmentRequest& request, const OnProgress& progress);
  // RunDrape: when `cancel` is set or this process ends, the drape is cancelled.
  absl::StatusOr<v1::Drape> run_drape(const v1::CreateDrapeRequest& request, const OnProgress& progress,
                                      const CancelFlag& cancel = {});
  // All sizes of the garment on the body; waits for the ranking.
  absl::StatusOr<v1::SizeAdvice> advise_size(const v1::AdviseSizeRequest& request, const OnProgress& progress);

  // Registers without waiting for the work.
  absl::StatusOr<std::string> begin_body(const v1::CreateBodyRequest& request,
                                         std::string_view scan = {});                  // bodies/{id}
  absl::StatusOr<std::string> begin_garment(const v1::CreateGarmentRequest& request);  // garments/{id}
  absl::StatusOr<std::string> begin_drape(const v1::CreateDrapeRequest& request);      // operations/{id}

  // `name` is an operation, a drape, a body or a garment; ends when the work does. Re-joins after a cut.
  absl::Status watch(const std::string& name, const OnProgress& progress);
  absl::Status cancel(const std::string& name);
  absl::StatusOr<v1::Drape> get_drape(const std::string& name);
  // Each frame of its motion once, in order, as they are made; ends when the drape does. Goes on after a cut.
  absl::Status watch_frames(const std::string& name, const std::function<void(const v1::Frame&)>& take);

  absl::StatusOr<v1::Body> get_body(const std::string& name);
  absl::StatusOr<std::vector<v1::Body>> bodies();  // all pages, newest first
  // Asks again while work on it is being cancelled.
  absl::Status delete_body(const std::string& name);
  absl::StatusOr<std::vector<v1::MeasurementItem>> measurement_items();

  absl::StatusOr<v1::Garment> get_garment(const std::string& name);
  absl::StatusOr<std::vector<v1::Garment>> garments();  // all pages, newest first
  absl::Status delete_garment(const std::string& name);
  absl::StatusOr<std::vector<v1::GarmentTemplate>> templates();

  absl::StatusOr<v1::Fabric> create_fabric(const v1::CreateFabricRequest& request, const OnProgress& progress);
  absl::StatusOr<v1::Fabric> get_fabric(const std::string& name);
  absl::StatusOr<std::vector<v1::Fabric>> fabrics();  // all pages: one's own, newest first, then the library's
  absl::Status delete_fabric(const std::string& name);

  absl::StatusOr<v1::GetServerInfoResponse> server_info();
  absl::StatusOr<v1::GetStatisticsResponse> statistics();
  absl::StatusOr<std::vector<v1::FabricInfo>> library_fabrics();
  absl::StatusOr<std::vector<v1::SolverInfo>> solvers();

 private:
  struct Stubs;
  absl::StatusOr<google::longrunning::Operation> submit_body(v1::CreateBodyRequest request, std::string_view scan);
  std::unique_ptr<Stubs> stubs_;
};

}  // namespace tryon::client
