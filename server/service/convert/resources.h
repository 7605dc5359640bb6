// What it is: tasks of the queue to the resources of the API: Operation, Body, Garment, Drape.
// Units: as the field names say. How it fails: a stored summary that cannot be read leaves its fields unset.
// Thread rules: pure functions.
#pragma once

#include "google/longrunning/operations.pb.h"
#include "server/jobs/task.h"
#include "tryon/v1/body.pb.h"
#include "tryon/v1/drape.pb.h"

namespace tryon {

absl::Status failure_of(const TaskRecord& task);  // why a task that ended did not succeed
google::longrunning::Operation to_operation(const TaskRecord& task, int64_t now_us);
v1::Body to_body(const TaskRecord& task);
v1::Body to_listed_body(const TaskRecord& task);  // without measurements, landmarks and files
v1::ListMeasurementItemsResponse listed_measurement_items();
v1::Drape to_drape(const TaskRecord& task);

}  // namespace tryon
