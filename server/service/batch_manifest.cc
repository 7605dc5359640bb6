#include "server/service/batch_manifest.h"

#include <google/protobuf/util/json_util.h>

#include <utility>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/convert/names.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr char kRemedy[] =
    "Write body, garment, size, fabric, label and fields of CreateDrapeRequest; see batch.proto.";

absl::Status malformed(std::string_view field, std::string_view what) {
  return invalid_input("MANIFEST_MALFORMED", field, what, kRemedy);
}

// A name or a list of names under `one` or `many`, taken out of the line.
absl::Status take_words(Json* line, const char* one, const char* many, std::vector<std::string>* out) {
  for (const char* key : {one, many}) {
    const auto found = line->find(key);
    if (found == line->end()) continue;
    if (!out->empty()) return malformed(key, cat("a line has either ", one, " or ", many));
    const Json words = found->is_array() ? *found : Json::array({*found});
    for (const Json& word : words) {
      if (!word.is_string()) return malformed(key, cat(key, " is not text"));
      out->push_back(word.get<std::string>());
    }
    line->erase(found);
  }
  return absl::OkStatus();
}

absl::Status take_names(Json* line, const char* one, const char* many, std::vector<std::string>* out) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(take_words(line, one, many, &names));
  if (names.empty()) return malformed(one, cat("the line names no ", one));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(std::string id, parse_name(name, many, one));
    out->push_back(std::move(id));
  }
  return absl::OkStatus();
}

absl::Status read_settings(const Json& rest, v1::CreateDrapeRequest* settings) {
  if (rest.empty()) return absl::OkStatus();
  v1::CreateDrapeRequest more;
  const auto read =
      google::protobuf::util::JsonStringToMessage(rest.dump(-1, ' ', false, Json::error_handler_t::replace), &more);
  if (!read.ok()) return malformed(rest.begin().key(), std::string(read.message()));
  settings->MergeFrom(more);
  return absl::OkStatus();
}

absl::StatusOr<BatchBlock> block_of(Json line, const v1::CreateDrapeRequest& defaults) {
  BatchBlock block;
  std::vector<std::string> label;
  RETURN_IF_ERROR(take_words(&line, "label", "labels", &label));
  if (label.size() > 1) return malformed("label", "a line has one label");
  if (!label.empty()) block.label = label[0];
  RETURN_IF_ERROR(take_names(&line, "body", "bodies", &block.bodies));
  RETURN_IF_ERROR(take_names(&line, "garment", "garments", &block.garments));
  RETURN_IF_ERROR(take_words(&line, "size", "sizes", &block.sizes));
  RETURN_IF_ERROR(take_words(&line, "fabric", "fabrics", &block.fabrics));
  block.settings = defaults;
  RETURN_IF_ERROR(read_settings(line, &block.settings));
  return block;
}

}  // namespace

absl::StatusOr<BatchBlock> block_of_json(std::string_view line, const v1::CreateDrapeRequest& defaults) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return malformed("", "the line is not a JSON object");
  return block_of(std::move(json), defaults);
}

absl::StatusOr<BatchBlock> block_of_csv(std::string_view line, const std::vector<std::string>& columns,
                                        const v1::CreateDrapeRequest& defaults) {
  ASSIGN_OR_RETURN(const std::vector<std::string> cells, csv_cells(line));
  if (cells.size() != columns.size()) {
    return malformed("", cat("the line has ", cells.size(), " cells, the first line has ", columns.size()));
  }
  Json json = Json::object();
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].empty()) continue;
    const bool truth = cells[i] == "true" || cells[i] == "false";
    json[columns[i]] = truth ? Json(cells[i] == "true") : Json(cells[i]);
  }
  return block_of(std::move(json), defaults);
}

absl::StatusOr<std::vector<std::string>> csv_cells(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false, was_quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      out.back() += line[++i];
    } else if (quoted && c == '"') {
      quoted = false;
    } else if (quoted) {
      out.back() += c;
    } else if (c == ',') {
      out.emplace_back();
      was_quoted = false;
    } else if (c == '"' && out.back().empty() && !was_quoted) {
      quoted = was_quoted = true;
    } else if (was_quoted || c == '"') {
      return malformed("", "a quoted cell goes on after its end");
    } else {
      out.back() += c;
    }
  }
  if (quoted) return malformed("", "a quoted cell has no end on its line");
  return out;
}

}  // namespace tryon
