#include "client/cli/manifest.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "client/cli/body_commands.h"
#include "client/cli/garment_commands.h"
#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/batch_manifest.h"

namespace tryon::cli {
namespace {

using Json = nlohmann::json;

constexpr size_t kPart = 32 << 20;
constexpr int64_t kTellEvery = 1000;

bool starts_with(const std::string& text, std::string_view prefix) { return text.rfind(prefix, 0) == 0; }

// A cell as a JSON value: an empty one says nothing.
Json object_of(const std::vector<std::string>& columns, const std::vector<std::string>& cells) {
  Json out = Json::object();
  for (size_t i = 0; i < cells.size() && i < columns.size(); ++i) {
    if (cells[i].empty()) continue;
    const bool truth = cells[i] == "true" || cells[i] == "false";
    out[columns[i]] = truth ? Json(cells[i] == "true") : Json(cells[i]);
  }
  return out;
}

absl::Status malformed(std::string_view what) {
  return invalid_input("MANIFEST_MALFORMED", "", what,
                       "Write one JSON object a line with body and garment, or CSV with those columns.");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ManifestReader::upload(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return invalid_input("FILE_UNREADABLE", path, "the manifest cannot be read", "Check the path and its permissions.");
  }
  folder_ = std::filesystem::path(path).parent_path();
  const bool csv = std::filesystem::path(path).extension() == ".csv";
  int64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1 && starts_with(line, "\xef\xbb\xbf")) line.erase(0, 3);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    if (csv && columns_.empty()) {
      ASSIGN_OR_RETURN(columns_, csv_cells(line));
      continue;
    }
    auto out = resolved(line);
    if (!out.ok()) return prefix_field(out.status(), cat(path, ":line ", number, " "));
    buffer_ += *out + "\n";
    RETURN_IF_ERROR(flush(kPart));
    if (number % kTellEvery == 0) told_(number);
  }
  RETURN_IF_ERROR(flush(1));
  return parts_;
}

absl::Status ManifestReader::flush(size_t at_least) {
  if (buffer_.size() < at_least) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::string digest, client_->upload(buffer_));
  parts_.push_back(std::move(digest));
  buffer_.clear();
  return absl::OkStatus();
}

absl::StatusOr<std::string> ManifestReader::resolved(const std::string& line) {
  Json json;
  if (columns_.empty()) {
    json = Json::parse(line, nullptr, false);
  } else {
    ASSIGN_OR_RETURN(const std::vector<std::string> cells, csv_cells(line));
    if (cells.size() != columns_.size()) {
      return malformed(cat("the line has ", cells.size(), " cells, the first line has ", columns_.size()));
    }
    json = object_of(columns_, cells);
  }
  if (!json.is_object()) return malformed("the line is not a JSON object");
  for (const char* key : {"body", "bodies", "garment", "garments"}) {
    if (!json.contains(key)) continue;
    const bool is_body = key[0] == 'b';
    Json words = json[key].is_array() ? json[key] : Json::array({json[key]});
    for (Json& word : words) {
      if (!word.is_string()) return malformed(cat(key, " is not text"));
      ASSIGN_OR_RETURN(word, name_of(word.get<std::string>(), is_body));
    }
    json[key] = json[key].is_array() ? words : words[0];
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<std::string> ManifestReader::name_of(const std::string& text, bool is_body) {
  if (starts_with(text, is_body ? "bodies/" : "garments/") && text.size() > 64) return text;
  const std::string key = cat(is_body ? "b " : "g ", text);
  const auto known = names_.find(key);
  if (known != names_.end()) return known->second;
  ASSIGN_OR_RETURN(std::string name, is_body ? body_name(text) : garment_name(text));
  names_[key] = name;
  return name;
}

absl::StatusOr<std::string> ManifestReader::body_name(const std::string& text) {
  Options options = options_;
  const bool path = text != "sample" && !std::filesystem::path(text).is_absolute();
  options.body = path ? (std::filesystem::path(folder_) / text).string() : text;
  ASSIGN_OR_RETURN(const BodyOrder order, body_order(options));
  return client_->begin_body(order.request, order.scan);
}

absl::StatusOr<std::string> ManifestReader::garment_name(const std::string& text) {
  const bool named = starts_with(text, "template:") || starts_with(text, "sample:");
  const bool path = !named && !std::filesystem::path(text).is_absolute();
  const std::string garment = path ? (std::filesystem::path(folder_) / text).string() : text;
  Options options = options_;
  ASSIGN_OR_RETURN(const v1::CreateGarmentRequest request, garment_order(options, garment, client_));
  return client_->begin_garment(request);
}

}  // namespace tryon::cli
