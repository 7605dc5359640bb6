// What it is: what a batch was asked to be, and its items one after the other without ever holding all of them: a
// selector's combinations, then those of each manifest line. Items of one garment and size follow each other, body by
// body, fabric by fabric, so that a worker finds what it has parsed.
// Units: as CreateDrapeRequest. How it fails: MANIFEST_MALFORMED, RESOURCE_NAME and the settings' own errors, each with
// "manifest 0 line 17" in the field. Thread rules: a reader is one thread's; the rest are plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/drape/request.h"
#include "server/store/blob_store.h"
#include "tryon/v1/batch.pb.h"

namespace tryon {

inline constexpr int64_t kMaxBatchItems = 1'000'000;

struct BatchSpec {
  std::vector<std::string> bodies, garments, sizes, fabrics;  // of the selector; ids
  std::vector<std::string> manifests;                         // digests
  bool csv = false;
  v1::CreateDrapeRequest settings;
};
std::string to_json(const BatchSpec& spec);
absl::StatusOr<BatchSpec> batch_spec_from_json(std::string_view json);

struct PlannedDrape {
  int64_t index = 0;
  std::string label, body, garment, size, over, starts_from;  // all but label and size: ids
  DrapeSettings settings;
};

// A combination of everything in its lists; an empty size or fabric stands for the default.
struct BatchBlock {
  std::string label, place;
  std::vector<std::string> bodies, garments, sizes, fabrics;
  v1::CreateDrapeRequest settings;
  int64_t size() const;
};

// Reads a blob line by line.
class BlobLines {
 public:
  BlobLines(BlobStore* blobs, std::string digest, int64_t offset)
      : blobs_(blobs), digest_(std::move(digest)), offset_(offset), fetched_(offset) {}
  absl::StatusOr<std::optional<std::string>> next();  // without its end; nothing at the end
  int64_t offset() const { return offset_; }          // where the next line begins

 private:
  BlobStore* blobs_;
  std::string digest_, buffer_;
  int64_t offset_, fetched_;
  bool ended_ = false;
};

class BatchPlan {
 public:
  BatchPlan(BatchSpec spec, BlobStore* blobs) : spec_(std::move(spec)), blobs_(blobs) {}
  const BatchSpec& spec() const { return spec_; }

  absl::StatusOr<std::optional<PlannedDrape>> next();  // nothing at the end
  absl::Status skip_to(int64_t index);                 // forwards by whole blocks; backwards begins anew
  // Where next() would go on; seek() of it brings a new reader there.
  std::string cursor() const;
  absl::Status seek(const std::string& cursor);
  // Reads and checks all of it; how many items there are. BATCH_EMPTY, BATCH_TOO_LARGE.
  absl::StatusOr<int64_t> count();

 private:
  void rewind();
  absl::StatusOr<bool> next_block();  // false at the end
  absl::StatusOr<bool> next_line();
  absl::Status open_part();
  absl::Status check_block();
  absl::StatusOr<DrapeSettings> settings_of(const std::string& fabric);
  absl::StatusOr<std::string> drape_named(const std::string& name, const char* field);  // of the block; empty: none

  BatchSpec spec_;
  BlobStore* blobs_;
  int part_ = -1;             // -1: the selector
  int64_t line_ = 0;          // of the part, from 1
  int64_t block_offset_ = 0;  // where the current block's line begins
  int64_t index_ = 0;         // of the next item
  int64_t within_ = 0;        // in the current block
  std::optional<BatchBlock> block_;
  std::optional<BlobLines> lines_;
  std::vector<std::string> columns_;  // of a CSV manifest
  std::map<std::string, DrapeSettings> known_settings_;
};

}  // namespace tryon
