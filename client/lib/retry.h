// What it is: what the client repeats by itself: calls that end UNAVAILABLE, and streams that go on where they were
// cut. How it fails: with the last try's status, named. Thread rules: blocks the caller while it waits.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tryon::client {

inline constexpr int kTries = 5;
inline constexpr absl::Duration kFirstPause = absl::Milliseconds(100);

// The transport's own errors say no reason. A stopping server (or a proxy) may also drop a call as a bare CANCELLED:
// where this program did not cancel, that is a cut connection too.
absl::Status name_transport_error(const absl::Status& status);

// Runs `call` until it is anything but UNAVAILABLE, at most kTries times, each pause twice the last.
template <typename Call>
absl::Status with_retry(Call call) {
  absl::Duration pause = kFirstPause;
  for (int i = 1;; ++i) {
    const absl::Status status = name_transport_error(call());
    if (status.code() != absl::StatusCode::kUnavailable || i == kTries) return status;
    absl::SleepFor(pause);
    pause *= 2;
  }
}

// For streams that go on where they were cut: counts the tries anew whenever `progress` has moved.
template <typename Call>
absl::Status with_resume(const int64_t& progress, Call call) {
  for (int64_t before = -1;;) {
    before = progress;
    const absl::Status status = with_retry(call);
    if (status.code() != absl::StatusCode::kUnavailable || progress == before) return status;
  }
}

}  // namespace tryon::client
