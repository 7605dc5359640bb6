// What it is: what one call may hold and a caller have open, where no module below says so. GetServerInfo lists all of
// them. How it fails: plain numbers. Thread rules: constants.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace tryon {

inline constexpr int kMaxMessageBytes = 4 << 20;
inline constexpr size_t kMaxChunkBytes = 1 << 20;  // of an upload
inline constexpr int kMaxDigests = 1000;           // of one FindMissingBlobs
inline constexpr size_t kMaxSizes = 64;            // to choose from
inline constexpr size_t kMaxLiveBatches = 1000;    // of a tenant
// How soon a call that lasts notices that its other end is gone where that cancels work, or that a batch has news.
inline constexpr absl::Duration kLookSoon = absl::Milliseconds(100);

}  // namespace tryon
