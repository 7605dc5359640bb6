// What it is: LZF, the compression inside PCD files: literal runs and references back into what was written already.
// Units: bytes. How it fails: names the byte of the input at which a run ends early, a reference points before the
// beginning, or the output would not be exactly as long as declared. Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tryon {

// No input of n bytes can become longer than this: three bytes give at most 264.
constexpr uint64_t lzf_longest_output(uint64_t compressed) { return compressed * 88; }

// The error's message is a clause ("a reference at byte 7 points before the beginning"); it has no reason of its own.
absl::StatusOr<std::string> lzf_decompress(std::string_view compressed, size_t output_size);

}  // namespace tryon
