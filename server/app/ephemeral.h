// What it is: the mode that writes nothing to a disk: the data folder must lie in memory (tmpfs), is emptied before and
// after, and neither core dumps nor the database's temporary files go elsewhere.
// How it fails: EPHEMERAL_NOT_IN_MEMORY. Thread rules: before any thread or worker is started, and after all have
// ended.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace tryon {

// What this makes so is so for the workers that are started after it, too.
absl::Status begin_ephemeral(const std::string& data);
void end_ephemeral(const std::string& data);

}  // namespace tryon
