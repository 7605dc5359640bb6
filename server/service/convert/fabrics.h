// What it is: fabrics for the API: tasks of the queue, and the library's files in the same dress, so that one list
// holds both. Units: as the field names say. How it fails: a stored summary that cannot be read leaves its fields
// unset. Thread rules: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/jobs/task.h"
#include "server/store/job_store.h"
#include "tryon/v1/fabric.pb.h"

namespace tryon {

v1::Fabric to_fabric(const TaskRecord& task);
v1::Fabric to_listed_fabric(const TaskRecord& task);  // without notes, document and files

// The library as finished tasks, older than any other, in the order of their names: id is the name.
TaskRecord library_fabric(size_t index);
std::optional<size_t> library_index(std::string_view name);
size_t library_size();
TaskCursor place_of_fabric(const TaskRecord& task);            // in the list of one's own fabrics and the library's
size_t library_after(const std::optional<TaskCursor>& after);  // the first of the library behind that place
bool is_in_library(const TaskCursor& place);

}  // namespace tryon
