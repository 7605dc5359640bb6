// What it is: the results of a batch as one CSV table (the columns: batch.proto, ExportBatch), a page of items at a
// time. Units: as the columns' names say. How it fails: the stores' errors. Thread rules: one call, one thread.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "server/jobs/batch.h"
#include "server/service/batch_plan.h"
#include "server/store/job_store.h"

namespace tryon {

// `write` gets pieces of at most 256 KiB (a longer row alone), and returns false to end it.
absl::Status write_batch_table(JobStore* jobs, const BatchRecord& batch, BatchPlan* plan,
                               const std::function<bool(const std::string&)>& write);

// A text cell: quoted where needed, and never read as a formula by a spreadsheet.
std::string csv_text(const std::string& text);

}  // namespace tryon
