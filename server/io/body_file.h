// What it is: a measured person as the service keeps one (body.tryon): mesh, parts, landmarks, measurements, curves,
// where it came from, and the bounding solids of both shapes, so that nothing is read or fitted twice. Numbers come
// back to the last bit. Units and frame: metres, +Y up, facing +Z, as Body. Shapes: "TRYONBDY", version, size of the
// payload, payload, SHA-256 of all before it; little-endian; counts before arrays. How it fails: BODY_FILE_UNREADABLE
// for what is cut, altered, of another version, or not a body. Thread rules: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/body/body.h"
#include "server/body/body_from_measurements.h"

namespace tryon {

struct StoredBody {
  Body body;
  std::vector<ProxySet> proxies;                      // one a shape
  bool has_head_and_hands = false;                    // false: they were cut off before anything was stored
  std::map<std::string, MeasurementOutcome> outcome;  // of a body from a table
  const ProxySet* find(ProxyShape shape) const;       // null if it was not fitted
};

std::string write_body_file(const StoredBody& stored);
absl::StatusOr<StoredBody> read_body_file(std::string_view bytes);

}  // namespace tryon
