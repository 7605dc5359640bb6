// What it is: the files inside an untrusted zip, read in memory under limits: at most 256 entries, names of 255 bytes,
// 32 MiB unpacked in all, nothing that grows more than 200-fold. What the archive says of sizes is not believed: bytes
// are counted as they come. Units: bytes. How it fails: FABRIC_ZIP_UNREADABLE, FABRIC_ZIP_TOO_LARGE with the entry's
// name. Thread rules: pure function.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tryon {

inline constexpr size_t kMaxZipEntries = 256, kMaxZipBytes = 32 << 20, kMaxZipRatio = 200;

bool is_zip(std::string_view bytes);
// Those entries whose name `wanted` takes; the others are not unpacked.
absl::StatusOr<std::map<std::string, std::string>> read_zip(std::string_view bytes, std::string_view file_name,
                                                            const std::function<bool(std::string_view)>& wanted);

}  // namespace tryon
