// What it is: what tryon-meshparse does to itself before it looks at a file: no new privileges, no descriptors but
// 0, 1 and 2, resource limits, and a system call filter that leaves it only memory, reading, writing and exiting.
// Units: bytes, seconds of CPU. How it fails: UNAVAILABLE (MESH_SANDBOX_UNAVAILABLE): then no file may be read.
// Thread rules: once, from main, before any other thread is started.
#pragma once

#include "absl/status/status.h"
#include "server/io/mesh_file.h"

namespace tryon {
absl::Status lock_down_process(const ParseLimits& limits);
}  // namespace tryon
