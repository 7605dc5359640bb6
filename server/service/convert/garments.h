// What it is: tasks of the queue to the garments of the API, and the list of templates.
// Units: as the field names say. How it fails: a stored summary that cannot be read leaves its fields unset.
// Thread rules: pure functions.
#pragma once

#include "server/jobs/task.h"
#include "tryon/v1/garment.pb.h"

namespace tryon {

v1::Garment to_garment(const TaskRecord& task);
v1::Garment to_listed_garment(const TaskRecord& task);  // without panels, findings and files
v1::ListTemplatesResponse listed_templates();

}  // namespace tryon
