#include "server/service/batch_plan.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "nlohmann/json.hpp"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/service/batch_manifest.h"
#include "server/service/convert/names.h"
#include "server/service/convert/requests.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr int64_t kFetch = 256 << 10;
constexpr size_t kLongestLine = 64 << 10;
constexpr size_t kSettingsKept = 256;

int64_t at_least_one(const std::vector<std::string>& list) {
  return std::max<int64_t>(1, static_cast<int64_t>(list.size()));
}

std::string entry(const std::vector<std::string>& list, int64_t i) {
  return list.empty() ? std::string() : list[static_cast<size_t>(i)];
}

// A product that stops growing beyond what a batch may have.
int64_t times(int64_t a, int64_t b) { return std::min(a * std::min(b, kMaxBatchItems + 1), kMaxBatchItems + 1); }

}  // namespace

std::string to_json(const BatchSpec& spec) {
  std::string settings;
  (void)google::protobuf::util::MessageToJsonString(spec.settings, &settings);
  return Json({{"bodies", spec.bodies},
               {"garments", spec.garments},
               {"sizes", spec.sizes},
               {"fabrics", spec.fabrics},
               {"manifests", spec.manifests},
               {"csv", spec.csv},
               {"settings", settings}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<BatchSpec> batch_spec_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  BatchSpec spec;
  try {
    for (const auto& [key, list] : {std::pair{"bodies", &spec.bodies},
                                    {"garments", &spec.garments},
                                    {"sizes", &spec.sizes},
                                    {"fabrics", &spec.fabrics},
                                    {"manifests", &spec.manifests}}) {
      *list = json.at(key).get<std::vector<std::string>>();
    }
    spec.csv = json.at("csv").get<bool>();
    const auto read =
        google::protobuf::util::JsonStringToMessage(json.at("settings").get<std::string>(), &spec.settings);
    if (!read.ok()) return internal_fault("the stored batch has settings that cannot be read");
  } catch (const Json::exception& fault) {
    return internal_fault(cat("the stored batch cannot be read: ", fault.what()));
  }
  return spec;
}

int64_t BatchBlock::size() const {
  if (bodies.empty() || garments.empty()) return 0;
  return times(times(at_least_one(bodies), at_least_one(garments)), times(at_least_one(sizes), at_least_one(fabrics)));
}

absl::StatusOr<std::optional<std::string>> BlobLines::next() {
  for (;;) {
    // What was taken from the buffer stays in it until more is fetched.
    const size_t begin = buffer_.size() - static_cast<size_t>(fetched_ - offset_), rest = buffer_.size() - begin;
    const size_t end = buffer_.find('\n', begin);
    const size_t length = end == std::string::npos ? rest : end - begin;
    if (length > kLongestLine) {
      return invalid_input("MANIFEST_MALFORMED", "", "the line has more than 64 KiB",
                           "Write shorter lists, in more lines.");
    }
    if (end != std::string::npos || (ended_ && rest > 0)) {
      std::string line = buffer_.substr(begin, length);
      offset_ += static_cast<int64_t>(end == std::string::npos ? length : length + 1);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return std::optional<std::string>(std::move(line));
    }
    if (ended_) return std::nullopt;
    buffer_.erase(0, begin);
    ASSIGN_OR_RETURN(const std::string more, blobs_->read(digest_, fetched_, kFetch));
    fetched_ += static_cast<int64_t>(more.size());
    ended_ = more.empty();
    buffer_ += more;
  }
}

void BatchPlan::rewind() {
  part_ = -1;
  line_ = block_offset_ = index_ = within_ = 0;
  block_.reset();
  lines_.reset();
}

absl::Status BatchPlan::open_part() {
  const std::string& digest = spec_.manifests[static_cast<size_t>(part_)];
  lines_.emplace(blobs_, digest, 0);
  line_ = 0;
  if (!spec_.csv) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<std::string> head, lines_->next());
  ++line_;
  const std::string text = head.value_or("");
  ASSIGN_OR_RETURN(columns_, csv_cells(text.rfind("\xef\xbb\xbf", 0) == 0 ? text.substr(3) : text));
  return absl::OkStatus();
}

absl::StatusOr<bool> BatchPlan::next_line() {
  for (;;) {
    if (!lines_) {
      if (++part_ >= static_cast<int>(spec_.manifests.size())) {
        part_ = static_cast<int>(spec_.manifests.size());
        return false;
      }
      RETURN_IF_ERROR(open_part());
    }
    block_offset_ = lines_->offset();
    ++line_;
    ASSIGN_OR_RETURN(std::optional<std::string> line, lines_->next());
    if (!line) {
      lines_.reset();
      continue;
    }
    if (!spec_.csv && line_ == 1 && line->rfind("\xef\xbb\xbf", 0) == 0) line->erase(0, 3);
    if (line->find_first_not_of(" \t") == std::string::npos) continue;
    ASSIGN_OR_RETURN(block_,
                     spec_.csv ? block_of_csv(*line, columns_, spec_.settings) : block_of_json(*line, spec_.settings));
    return true;
  }
}

absl::StatusOr<bool> BatchPlan::next_block() {
  within_ = 0;
  const bool first = !block_ && part_ < 0 && index_ == 0;
  block_.reset();
  if (first && !spec_.bodies.empty()) {
    block_ = BatchBlock{"", "selector", spec_.bodies, spec_.garments, spec_.sizes, spec_.fabrics, spec_.settings};
    return true;
  }
  auto found = next_line();
  const std::string place = cat("manifest ", part_, " line ", line_);
  if (!found.ok()) return prefix_field(found.status(), cat(place, ": "));
  if (*found) block_->place = place;
  return found;
}

absl::StatusOr<DrapeSettings> BatchPlan::settings_of(const std::string& fabric) {
  v1::CreateDrapeRequest request = block_->settings;
  if (!fabric.empty()) request.set_fabric(fabric);
  const std::string key = request.SerializeAsString();
  const auto known = known_settings_.find(key);
  if (known != known_settings_.end()) return known->second;
  auto settings = to_domain(request);
  if (!settings.ok()) return prefix_field(settings.status(), cat(block_->place, ": "));
  if (known_settings_.size() >= kSettingsKept) known_settings_.clear();
  known_settings_.emplace(key, *settings);
  return settings;
}

absl::StatusOr<std::string> BatchPlan::drape_named(const std::string& name, const char* field) {
  auto id = parse_name_or_none(name, "drapes", field);
  if (!id.ok()) return prefix_field(id.status(), cat(block_->place, ": "));
  return id;
}

absl::StatusOr<std::optional<PlannedDrape>> BatchPlan::next() {
  while (!block_ || within_ >= block_->size()) {
    ASSIGN_OR_RETURN(const bool more, next_block());
    if (!more) return std::nullopt;
  }
  const int64_t fabrics = at_least_one(block_->fabrics), bodies = at_least_one(block_->bodies);
  const int64_t sizes = at_least_one(block_->sizes);
  PlannedDrape out;
  out.index = index_;
  out.label = block_->label;
  out.body = entry(block_->bodies, within_ / fabrics % bodies);
  out.size = entry(block_->sizes, within_ / (fabrics * bodies) % sizes);
  out.garment = entry(block_->garments, within_ / (fabrics * bodies * sizes));
  ASSIGN_OR_RETURN(out.over, drape_named(block_->settings.over(), "over"));
  ASSIGN_OR_RETURN(out.starts_from, drape_named(block_->settings.starts_from(), "starts_from"));
  ASSIGN_OR_RETURN(out.settings, settings_of(entry(block_->fabrics, within_ % fabrics)));
  ++within_;
  ++index_;
  return std::optional<PlannedDrape>(std::move(out));
}

absl::Status BatchPlan::skip_to(int64_t index) {
  if (index < index_) rewind();
  while (index_ < index) {
    const int64_t rest = block_ ? block_->size() - within_ : 0;
    if (rest == 0) {
      ASSIGN_OR_RETURN(const bool more, next_block());
      if (!more) return internal_fault(cat("the batch has no item ", index));
      continue;
    }
    const int64_t step = std::min(rest, index - index_);
    within_ += step;
    index_ += step;
  }
  return absl::OkStatus();
}

std::string BatchPlan::cursor() const {
  return cat(index_, " ", part_, " ", line_, " ", block_offset_, " ", block_ ? within_ : -1);
}

absl::Status BatchPlan::seek(const std::string& cursor) {
  rewind();
  if (cursor.empty()) return absl::OkStatus();
  const std::vector<std::string> words = split(cursor, ' ');
  int64_t numbers[5] = {};
  for (size_t i = 0; i < 5; ++i) {
    if (words.size() != 5) return internal_fault("the stored cursor of a batch cannot be read");
    const char* end = words[i].data() + words[i].size();
    if (std::from_chars(words[i].data(), end, numbers[i]).ptr != end) {
      return internal_fault("the stored cursor of a batch cannot be read");
    }
  }
  const auto [index, part, line, offset, within] = std::to_array(numbers);
  if (part < 0) return skip_to(index);
  if (part >= static_cast<int64_t>(spec_.manifests.size())) {
    part_ = static_cast<int>(spec_.manifests.size());
    index_ = index;
    return absl::OkStatus();
  }
  part_ = static_cast<int>(part);
  RETURN_IF_ERROR(open_part());
  lines_.emplace(blobs_, spec_.manifests[static_cast<size_t>(part)], offset);
  line_ = within >= 0 ? line - 1 : line;
  index_ = index;
  if (within < 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const bool found, next_block());
  if (!found) return internal_fault("the stored cursor of a batch points behind its manifest");
  within_ = within;
  return absl::OkStatus();
}

absl::Status BatchPlan::check_block() {
  RETURN_IF_ERROR(drape_named(block_->settings.over(), "over").status());
  RETURN_IF_ERROR(drape_named(block_->settings.starts_from(), "starts_from").status());
  if (block_->fabrics.empty()) return settings_of("").status();
  for (const std::string& fabric : block_->fabrics) RETURN_IF_ERROR(settings_of(fabric).status());
  return absl::OkStatus();
}

absl::StatusOr<int64_t> BatchPlan::count() {
  rewind();
  for (;;) {
    ASSIGN_OR_RETURN(const bool more, next_block());
    if (!more) break;
    RETURN_IF_ERROR(check_block());
    index_ += block_->size();
    if (index_ > kMaxBatchItems) {
      return invalid_input("BATCH_TOO_LARGE", block_->place, cat("the batch has more than ", kMaxBatchItems, " items"),
                           "Make several batches of it.");
    }
  }
  const int64_t total = index_;
  rewind();
  if (total > 0) return total;
  return invalid_input("BATCH_EMPTY", "selector", "the batch has no item",
                       "Name bodies and garments in the selector, or a manifest with at least one line.");
}

}  // namespace tryon
