// What it is: batches as the API has them: made, looked at, moved, forgotten; knows no gRPC.
// Times: microseconds since the epoch. How it fails: BATCH_NOT_FOUND, BATCH_STATE, BATCH_EMPTY, BATCH_TOO_LARGE,
// MANIFEST_MALFORMED, REQUEST_ID_REUSED, QUEUE_FULL. Thread rules: all methods from any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/service/batch_plan.h"
#include "server/service/core.h"
#include "tryon/v1/batch.pb.h"

namespace tryon {

class Batches {
 public:
  explicit Batches(ServiceCore* core) : core_(core) {}

  // With validate_only a record without an id, that stands nowhere.
  absl::StatusOr<BatchRecord> create(const v1::CreateBatchRequest& request);
  absl::StatusOr<BatchRecord> get(const std::string& id);
  absl::StatusOr<std::vector<BatchRecord>> list(const std::optional<TaskCursor>& after, int limit);
  absl::StatusOr<BatchRecord> pause(const std::string& id);
  absl::StatusOr<BatchRecord> resume(const std::string& id);
  absl::StatusOr<BatchRecord> cancel(const std::string& id);
  absl::Status remove(const std::string& id);
  // As ServiceCore::watch.
  absl::Status watch(const std::string& id, const std::function<bool(const BatchRecord&)>& tell,
                     const std::function<bool()>& abandoned);
  // The table, piece by piece, until `write` returns false.
  absl::Status export_table(const std::string& id, const std::function<bool(const std::string&)>& write);

 private:
  absl::StatusOr<BatchSpec> spec_of(const v1::CreateBatchRequest& request);
  absl::Status read_selector(const v1::BatchSelector& selector, BatchSpec* spec);
  absl::StatusOr<std::vector<std::string>> names_of(const google::protobuf::RepeatedPtrField<std::string>& names,
                                                    const std::string& collection, const std::string& kind);
  absl::Status room_for_one();

  ServiceCore* const core_;
};

v1::Batch to_batch(const BatchRecord& batch, int64_t now_us);

}  // namespace tryon
