// What it is: what a fuzzer of one parser is: LLVMFuzzerTestOneInput of libFuzzer, which any bytes may reach. In the
// test build the same function is given every file of its corpus (replay_main.cc). How it fails: must() ends the
// process: a finding. Thread rules: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "absl/status/status.h"
#include "server/base/status.h"

namespace tryon::fuzz {

inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "a rule is broken: %s\n", what);
  std::abort();
}

// A refusal has a reason and never the server's own fault for one.
inline void must_be_told(const absl::Status& status) {
  if (status.ok()) return;
  const auto detail = error_detail(status);
  must(detail.has_value() && !detail->reason.empty(), "an error without a reason");
  must(status.code() != absl::StatusCode::kInternal, "bytes from outside are no internal fault");
}

inline std::string_view text(const uint8_t* data, size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace tryon::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
