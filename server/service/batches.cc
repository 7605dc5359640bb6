#include "server/service/batches.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/batch_table.h"
#include "server/service/convert/names.h"
#include "server/service/limits.h"

namespace tryon {
namespace {

constexpr int kMaxManifests = 64, kMaxWords = 1000;
constexpr size_t kMaxRequestId = 64;

absl::StatusOr<std::vector<std::string>> words_of(const google::protobuf::RepeatedPtrField<std::string>& words,
                                                  std::string_view field) {
  if (words.size() <= kMaxWords) return std::vector<std::string>(words.begin(), words.end());
  return invalid_input("SETTING_OUT_OF_RANGE", field, cat(words.size(), " are more than ", kMaxWords),
                       "Make several batches of them.");
}

std::string identity(const std::string& tenant, const v1::CreateBatchRequest& request, const std::string& spec) {
  return owned_id(tenant, request.request_id().empty() ? sha256_hex(cat("batch ", spec))
                                                       : sha256_hex(cat("batch request ", request.request_id())));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> Batches::names_of(const google::protobuf::RepeatedPtrField<std::string>& names,
                                                           const std::string& collection, const std::string& kind) {
  std::vector<std::string> out;
  const std::string field = cat("selector.", collection);
  if (names.size() == 1 && names[0] == cat(collection, "/-")) {
    constexpr int kPage = 500;
    std::optional<TaskCursor> after;
    for (bool more = true; more;) {
      ASSIGN_OR_RETURN(const std::vector<TaskRecord> page, core_->jobs().list(core_->tenant(), kind, after, kPage));
      for (const TaskRecord& task : page) {
        if (!is_final(task.state) || task.state == TaskState::kSucceeded) out.push_back(task.id);
      }
      more = static_cast<int>(page.size()) == kPage;
      if (more) after = TaskCursor{page.back().created_us, page.back().id};
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(std::string id, parse_name(name, collection, field));
    RETURN_IF_ERROR(core_->find(id, kind, kind == "body" ? "BODY_NOT_FOUND" : "GARMENT_NOT_FOUND").status());
    out.push_back(std::move(id));
  }
  return out;
}

absl::Status Batches::read_selector(const v1::BatchSelector& selector, BatchSpec* spec) {
  ASSIGN_OR_RETURN(spec->bodies, names_of(selector.bodies(), "bodies", "body"));
  ASSIGN_OR_RETURN(spec->garments, names_of(selector.garments(), "garments", "garment"));
  ASSIGN_OR_RETURN(spec->sizes, words_of(selector.sizes(), "selector.sizes"));
  ASSIGN_OR_RETURN(spec->fabrics, words_of(selector.fabrics(), "selector.fabrics"));
  if (spec->bodies.empty() == spec->garments.empty()) return absl::OkStatus();
  return invalid_input("BATCH_EMPTY", spec->bodies.empty() ? "selector.bodies" : "selector.garments",
                       "the selector has bodies or garments, but not both", "Name at least one of each.");
}

absl::StatusOr<BatchSpec> Batches::spec_of(const v1::CreateBatchRequest& request) {
  BatchSpec spec;
  RETURN_IF_ERROR(read_selector(request.selector(), &spec));
  if (request.manifest_sha256_size() > kMaxManifests) {
    return invalid_input("SETTING_OUT_OF_RANGE", "manifest_sha256",
                         cat(request.manifest_sha256_size(), " manifests are more than ", kMaxManifests),
                         "Join them, up to 64 MiB each.");
  }
  for (const std::string& digest : request.manifest_sha256()) {
    RETURN_IF_ERROR(core_->need_blob(digest, "manifest_sha256"));
    spec.manifests.push_back(digest);
  }
  if (!v1::ManifestFormat_IsValid(request.manifest_format())) {
    return invalid_input("ENUM_UNKNOWN", "manifest_format", "this is no value of the enum",
                         "Use a value of the proto.");
  }
  spec.csv = request.manifest_format() == v1::MANIFEST_FORMAT_CSV;
  spec.settings = request.settings();
  spec.settings.clear_body();
  spec.settings.clear_garment();
  spec.settings.clear_time_limit();
  return spec;
}

absl::Status Batches::room_for_one() {
  ASSIGN_OR_RETURN(const std::vector<std::string> live, core_->jobs().live_batches());
  if (live.size() < kMaxLiveBatches) return absl::OkStatus();
  return make_error(absl::StatusCode::kUnavailable, "QUEUE_FULL", "", cat(live.size(), " batches are not done yet"),
                    "Send the request again once some have ended.");
}

absl::StatusOr<BatchRecord> Batches::create(const v1::CreateBatchRequest& request) {
  if (request.request_id().size() > kMaxRequestId) {
    return invalid_input("SETTING_OUT_OF_RANGE", "request_id", "a request_id has at most 64 bytes", "Use a UUID.");
  }
  ASSIGN_OR_RETURN(BatchSpec spec, spec_of(request));
  BatchRecord batch;
  batch.spec = to_json(spec);
  const std::string id = identity(core_->tenant(), request, batch.spec);
  const auto there = core_->jobs().get_batch(id);
  if (there.ok() && !request.validate_only()) {
    if (there->spec == batch.spec) return there;
    return make_error(absl::StatusCode::kAlreadyExists, "REQUEST_ID_REUSED", "request_id",
                      "another batch was created under this request_id", "Take a new UUID for every batch.");
  }
  batch.blobs = spec.manifests;
  ASSIGN_OR_RETURN(batch.total, BatchPlan(std::move(spec), &core_->blobs()).count());
  if (request.validate_only()) return batch;
  RETURN_IF_ERROR(room_for_one());
  batch.id = id;
  return core_->jobs().submit_batch(batch);
}

absl::StatusOr<BatchRecord> Batches::get(const std::string& id) { return core_->jobs().settle_batch(id); }

absl::StatusOr<std::vector<BatchRecord>> Batches::list(const std::optional<TaskCursor>& after, int limit) {
  return core_->jobs().list_batches(core_->tenant(), after, limit);
}

absl::StatusOr<BatchRecord> Batches::pause(const std::string& id) {
  return core_->jobs().move_batch(id, BatchEvent::kPause);
}

absl::StatusOr<BatchRecord> Batches::resume(const std::string& id) {
  ASSIGN_OR_RETURN(const BatchRecord batch, core_->jobs().get_batch(id));
  return core_->jobs().move_batch(id, is_final(batch.state) ? BatchEvent::kRetry : BatchEvent::kResume);
}

absl::StatusOr<BatchRecord> Batches::cancel(const std::string& id) {
  return core_->jobs().move_batch(id, BatchEvent::kCancel);
}

absl::Status Batches::remove(const std::string& id) {
  RETURN_IF_ERROR(core_->jobs().erase_batch(id));
  return core_->erase_spent();
}

absl::Status Batches::watch(const std::string& id, const std::function<bool(const BatchRecord&)>& tell,
                            const std::function<bool()>& abandoned) {
  for (int64_t told = -1;;) {
    ASSIGN_OR_RETURN(const BatchRecord batch, core_->jobs().get_batch(id));
    if (batch.version != told && !tell(batch)) return absl::CancelledError("the watcher left");
    told = batch.version;
    if (is_final(batch.state)) return absl::OkStatus();
    if (abandoned()) return absl::CancelledError("the watcher left");
    if (core_->stopping()) {
      return make_error(absl::StatusCode::kUnavailable, "SERVER_STOPPING", "", "the server is stopping",
                        "Watch the same batch again in a moment: the work goes on.");
    }
    absl::SleepFor(kLookSoon);
  }
}

absl::Status Batches::export_table(const std::string& id, const std::function<bool(const std::string&)>& write) {
  ASSIGN_OR_RETURN(const BatchRecord batch, core_->jobs().get_batch(id));
  ASSIGN_OR_RETURN(BatchSpec spec, batch_spec_from_json(batch.spec));
  BatchPlan plan(std::move(spec), &core_->blobs());
  return write_batch_table(&core_->jobs(), batch, &plan, write);
}

v1::Batch to_batch(const BatchRecord& batch, int64_t now_us) {
  v1::Batch out;
  if (!batch.id.empty()) out.set_name(cat("batches/", batch.id));
  if (!batch.id.empty()) out.set_state(static_cast<v1::BatchState>(static_cast<int>(batch.state) + 1));
  out.set_item_count(batch.total);
  out.set_pending_count(batch.total - batch.counts.done() - batch.counts.open);
  out.set_active_count(batch.counts.open);
  out.set_succeeded_count(batch.counts.succeeded);
  out.set_unsettled_count(batch.counts.unsettled);
  out.set_failed_count(batch.counts.failed);
  out.set_cancelled_count(batch.counts.cancelled);
  const BatchPace pace = pace_of(batch, now_us);
  out.set_items_per_second(pace.items_per_second);
  out.set_remaining_seconds(pace.eta_seconds);
  for (const auto& [us, time] :
       {std::pair{batch.created_us, out.mutable_create_time()}, {batch.finished_us, out.mutable_end_time()}}) {
    time->set_seconds(us / 1'000'000);
    time->set_nanos(static_cast<int>(us % 1'000'000 * 1000));
  }
  if (batch.created_us == 0) out.clear_create_time();
  if (batch.finished_us == 0) out.clear_end_time();
  return out;
}

}  // namespace tryon
