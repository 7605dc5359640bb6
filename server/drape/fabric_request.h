// What it is: a caller's own fabric: the request (an uploaded file or a document), its identity, and what a worker
// makes of it: fabric.json (tryon.fabric.v1) and a summary {format, notes, document}. Units: SI per unit width, as
// fabric.h. How it fails: as import_fabric(), and FABRIC_FILE_TOO_LARGE for a document that no drape would take. Thread
// rules: plain values, pure functions.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/drape/pipeline.h"

namespace tryon {

inline constexpr size_t kMaxFabricDocument = 64 << 10;  // bytes

struct FabricRequest {
  std::string blob;       // SHA-256 of the file; empty with a document
  std::string file_name;  // for errors
  std::string document;   // tryon.fabric.v1
  bool check_only = false;
};
std::string to_json(const FabricRequest& request);
absl::StatusOr<FabricRequest> fabric_request_from_json(std::string_view json);
std::string digest(const FabricRequest& request);

// The document in the summary of a fabric that was made; empty where there is none.
std::string fabric_document(std::string_view summary);

absl::StatusOr<PipelineResult> run_fabric(const FabricRequest& request, std::string_view file_bytes);

}  // namespace tryon
