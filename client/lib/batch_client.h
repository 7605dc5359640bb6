// What it is: the typed client of batches and of the dead letters.
// How it fails: as client.h. Thread rules: one client, any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tryon/v1/batch.pb.h"
#include "tryon/v1/queue.pb.h"

namespace grpc {
class Channel;
}

namespace tryon::client {

class BatchClient {
 public:
  explicit BatchClient(std::shared_ptr<grpc::Channel> channel);
  ~BatchClient();

  absl::StatusOr<v1::Batch> create(const v1::CreateBatchRequest& request);
  absl::StatusOr<v1::Batch> get(const std::string& name);
  absl::StatusOr<std::vector<v1::Batch>> list();  // all pages, newest first
  absl::StatusOr<v1::Batch> pause(const std::string& name);
  absl::StatusOr<v1::Batch> resume(const std::string& name);
  absl::StatusOr<v1::Batch> cancel(const std::string& name);
  absl::Status remove(const std::string& name);
  // Until it has ended, or `tell` returns false; as it was last. Re-joins after a cut.
  absl::StatusOr<v1::Batch> watch(const std::string& name, const std::function<bool(const v1::Batch&)>& tell);
  // The table of results. `begin` is told that it starts (again, after a cut): what came before is void.
  absl::Status export_table(const std::string& name, const std::function<void()>& begin,
                            const std::function<void(std::string_view)>& more);

  absl::StatusOr<std::vector<v1::DeadLetter>> dead_letters();
  absl::Status requeue(const std::string& operation);

 private:
  struct Stubs;
  std::unique_ptr<Stubs> stubs_;
};

}  // namespace tryon::client
