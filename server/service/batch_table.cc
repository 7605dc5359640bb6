#include "server/service/batch_table.h"

#include <algorithm>
#include <vector>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/convert/resources.h"

namespace tryon {
namespace {

constexpr size_t kPiece = 200 << 10;
constexpr int kPage = 500;
constexpr const char* kFiles[] = {"garment.glb",       "garment.obj",      "scene.glb",
                                  "preview_front.png", "preview_back.png", "preview_left.png",
                                  "preview_right.png", "metrics.json",     "report.html"};
constexpr char kHead[] =
    "index,label,body,garment,size,fabric,state,drape,settled,termination,grade,residual_max_ratio,seam_max_gap_mm,"
    "penetration_max_depth_mm,self_intersections,strain_warp_p95_ratio,strain_weft_p95_ratio,vertices,triangles,"
    "run_seconds,attempts,reason,message";
constexpr const char* kOutcomes[] = {"ACTIVE", "PENDING", "SUCCEEDED", "UNSETTLED", "FAILED", "CANCELLED"};

void add(std::string* row, const std::string& cell) { *row += cat(",", cell); }

// From `settled` to `attempts`.
void add_numbers(const std::optional<TaskRecord>& task, std::string* row) {
  const bool done = task && task->state == TaskState::kSucceeded;
  if (!done) return add(row, std::string(12, ','));
  const v1::DrapeMetrics m = to_drape(*task).metrics();
  *row += cat(",", task->settled, ",", csv_text(m.termination()), ",", csv_text(m.grade()), ",", m.residual_max_ratio(),
              ",", m.seam_max_gap_mm(), ",", m.penetration_max_depth_mm(), ",", m.self_intersection_count(), ",",
              m.strain_warp_p95_ratio(), ",", m.strain_weft_p95_ratio(), ",", m.vertex_count(), ",", m.triangle_count(),
              ",", static_cast<double>(task->finished_us - task->started_us) * 1e-6, ",", task->attempt);
}

void add_failure(const BatchItem& item, const std::optional<TaskRecord>& task, std::string* row) {
  const bool failed = task && task->state == TaskState::kFailed;
  const std::string& text = failed ? task->status : item.status;
  const absl::Status status = text.empty() ? absl::OkStatus() : decode_status(text);
  add(row, csv_text(error_detail(status).value_or(ErrorDetail{}).reason));
  add(row, csv_text(std::string(status.message())));
}

void add_links(const std::optional<TaskRecord>& task, std::string* row) {
  for (const char* file : kFiles) {
    const auto found = task ? task->outputs.find(file) : std::map<std::string, BlobRef>::const_iterator();
    const bool there = task && found != task->outputs.end();
    add(row, there ? cat("blobs/", found->second.digest, "/", found->second.size) : std::string());
  }
}

absl::StatusOr<std::string> row_of(JobStore* jobs, const PlannedDrape& planned, const BatchItem& item) {
  std::optional<TaskRecord> task;
  if (!item.task.empty()) {
    auto found = jobs->get(item.task);
    if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
    if (found.ok()) task = *std::move(found);
  }
  std::string row = cat(planned.index, ",", csv_text(planned.label), ",bodies/", planned.body, ",garments/",
                        planned.garment, ",", csv_text(planned.size), ",", csv_text(planned.settings.fabric), ",",
                        kOutcomes[static_cast<size_t>(item.outcome)], ",",
                        item.task.empty() ? std::string() : cat("drapes/", item.task));
  add_numbers(task, &row);
  add_failure(item, task, &row);
  add_links(task, &row);
  return row + "\n";
}

std::string head() {
  std::string out = kHead;
  for (const char* file : kFiles) add(&out, file);
  return out + "\n";
}

}  // namespace

std::string csv_text(const std::string& text) {
  if (text.empty()) return text;
  std::string out;
  if (std::string_view("=+-@\t").find(text[0]) != std::string_view::npos) out += '\'';
  for (char c : text) {
    if (c == '\r' || c == '\n') c = ' ';  // a row is a line
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  const bool plain = out == text && text.find_first_of(",\"\r\n ") == std::string::npos;
  return plain ? text : cat("\"", out, "\"");
}

absl::Status write_batch_table(JobStore* jobs, const BatchRecord& batch, BatchPlan* plan,
                               const std::function<bool(const std::string&)>& write) {
  std::string piece = head();
  std::vector<BatchItem> items;
  for (int64_t index = 0; index < batch.total; ++index) {
    if (index % kPage == 0) {
      ASSIGN_OR_RETURN(items, jobs->batch_items(batch.id, index, kPage, std::nullopt));
    }
    ASSIGN_OR_RETURN(const std::optional<PlannedDrape> planned, plan->next());
    if (!planned) return internal_fault("the batch has fewer items than it had");
    const auto at = static_cast<size_t>(index % kPage);
    const BatchItem item = at < items.size() ? items[at] : BatchItem{index, "", ItemOutcome::kHeld, ""};
    ASSIGN_OR_RETURN(const std::string row, row_of(jobs, *planned, item));
    piece += row;
    if (piece.size() < kPiece) continue;
    if (!write(piece)) return absl::CancelledError("the reader left");
    piece.clear();
  }
  return piece.empty() || write(piece) ? absl::OkStatus() : absl::CancelledError("the reader left");
}

}  // namespace tryon
