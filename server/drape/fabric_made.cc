#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/fabric_request.h"
#include "server/io/fabric_import.h"

namespace tryon {

absl::StatusOr<PipelineResult> run_fabric(const FabricRequest& request, std::string_view file_bytes) {
  using Json = nlohmann::json;
  const std::string name = request.file_name.empty() ? "the fabric" : request.file_name;
  ASSIGN_OR_RETURN(ImportedFabric made,
                   import_fabric(request.blob.empty() ? std::string_view(request.document) : file_bytes, name));
  if (made.json.size() > kMaxFabricDocument) {
    return invalid_input("FABRIC_FILE_TOO_LARGE", name,
                         cat("the fabric's own numbers and words take ", made.json.size() >> 10, " KiB, more than 64"),
                         "Leave out of the document what is not in tryon.fabric.v1.");
  }
  PipelineResult result;
  const Json summary = {{"format", made.format}, {"notes", made.notes}, {"document", Json::parse(made.json)}};
  result.summary_json = summary.dump(-1, ' ', false, Json::error_handler_t::replace);
  result.artifacts["fabric.json"] = {std::move(made.json), "application/json"};
  return result;
}

}  // namespace tryon
