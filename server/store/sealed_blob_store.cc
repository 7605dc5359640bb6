#include "server/store/sealed_blob_store.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/blob_rules.h"
#include "server/store/sealing.h"
#include "server/store/tenant_view.h"

namespace tryon {
namespace {

constexpr size_t kRemembered = 256;
constexpr int64_t kPiecesAtOnce = 16;  // of an upload that is read again

// What has passed through this process of an upload, so that its end need not read it again.
struct Progress {
  std::string key;
  int64_t committed = 0;
  Sha256 bytes;
  SealedSum sealed;
};

// An upload under its way's name: the tenant's and the client's together, in a form that any spool takes.
struct Way {
  std::string upload, spooled, seal;
};

Way way_of(const std::string& owned) {
  Way way{split_owned(owned).name, sha256_hex(cat("upload ", owned)), ""};
  way.seal = cat(kUploadSeal, way.spooled);
  return way;
}

absl::Status changed_on_disk() {
  return invalid_input("BLOB_DIGEST_MISMATCH", "digest", "the disk did not keep the bytes as they came",
                       "Send the file again under a new name.");
}

class SealedBlobStore : public BlobStore {
 public:
  SealedBlobStore(JobStore* jobs, std::unique_ptr<ObjectStore> objects, std::unique_ptr<SpoolStore> spool,
                  MasterKey master)
      : jobs_(jobs),
        spool_(std::move(spool)),
        elsewhere_(std::move(objects)),
        objects_(elsewhere_ ? elsewhere_.get() : spool_.get()),
        master_(std::move(master)) {}

  absl::StatusOr<int64_t> begin_upload(const std::string& upload, const std::string& owned, int64_t size) override {
    const Way way = way_of(upload);
    const std::string digest = split_owned(owned).name;
    RETURN_IF_ERROR(check_new_upload(way.upload, digest, size));
    ASSIGN_OR_RETURN(std::optional<Seal> seal, jobs_->find_seal(way.seal));
    if (!seal) {
      ASSIGN_OR_RETURN(seal, jobs_->keep_seal({way.seal, master_.wrap(random_key(), way.seal), owned, size, 0}));
    }
    RETURN_IF_ERROR(check_same_upload(seal->sealed, seal->size, owned, size));
    ASSIGN_OR_RETURN(const int64_t length, spool_->begin_growing(way.spooled));
    return is_there(owned, size) ? size : bytes_within(length, size);
  }

  absl::StatusOr<int64_t> append_upload(const std::string& upload, int64_t offset, std::string_view bytes) override {
    const Way way = way_of(upload);
    RETURN_IF_ERROR(check_upload_name(way.upload));
    ASSIGN_OR_RETURN(const Opened opened, open_upload(way));
    const auto count = static_cast<int64_t>(bytes.size());
    if (is_there(opened.seal.sealed, opened.seal.size)) {
      RETURN_IF_ERROR(check_append(opened.seal.size, opened.seal.size, offset, count));
      return opened.seal.size;
    }
    ASSIGN_OR_RETURN(const int64_t length, grown(way));
    const int64_t committed = bytes_within(length, opened.seal.size);
    RETURN_IF_ERROR(check_append(committed, opened.seal.size, offset, count));
    std::unique_ptr<Progress> progress = take_progress(way, opened, committed);
    RETURN_IF_ERROR(seal_on(way, opened, length, bytes, progress.get()));
    keep_progress(way, std::move(progress));
    return committed + count;
  }

  absl::StatusOr<int64_t> upload_size(const std::string& upload) override {
    const Way way = way_of(upload);
    RETURN_IF_ERROR(check_upload_name(way.upload));
    ASSIGN_OR_RETURN(const std::optional<Seal> seal, jobs_->find_seal(way.seal));
    if (!seal) return upload_not_found(way.upload);
    if (is_there(seal->sealed, seal->size)) return seal->size;
    ASSIGN_OR_RETURN(const int64_t length, grown(way));
    return bytes_within(length, seal->size);
  }

  absl::Status finish_upload(const std::string& upload) override {
    const Way way = way_of(upload);
    RETURN_IF_ERROR(check_upload_name(way.upload));
    ASSIGN_OR_RETURN(const Opened opened, open_upload(way));
    const absl::Status status =
        is_there(opened.seal.sealed, opened.seal.size) ? absl::OkStatus() : verify_and_place(way, opened);
    // The world's faults leave the upload for another try; the caller's end it.
    if (!status.ok() && !absl::IsInvalidArgument(status)) return status;
    RETURN_IF_ERROR(drop(way));
    return status;
  }

  absl::StatusOr<int64_t> blob_size(const std::string& owned) override {
    ASSIGN_OR_RETURN(const std::optional<Seal> seal, seal_of(owned));
    if (!seal) return objects_->size(split_owned(owned).name);
    const absl::Status found = objects_->size(seal->sealed).status();
    if (absl::IsNotFound(found)) return blob_not_found(split_owned(owned).name);
    RETURN_IF_ERROR(found);
    return seal->size;
  }

  absl::StatusOr<std::string> read(const std::string& owned, int64_t offset, int64_t limit) override {
    ASSIGN_OR_RETURN(const std::optional<Seal> seal, seal_of(owned));
    if (!seal) return objects_->read(split_owned(owned).name, offset, limit);
    RETURN_IF_ERROR(check_read(seal->size, offset, limit));
    const int64_t count = read_count(seal->size, offset, limit);
    if (count == 0) return std::string();
    ASSIGN_OR_RETURN(const std::string key, key_of(*seal));
    const int64_t first = offset / kPieceBytes, last = (offset + count - 1) / kPieceBytes;
    const int64_t sealed_count = (last - first + 1) * kSealedPieceBytes;
    auto sealed = objects_->read(seal->sealed, first * kSealedPieceBytes, sealed_count);
    if (absl::IsNotFound(sealed.status())) return blob_not_found(split_owned(owned).name);
    RETURN_IF_ERROR(sealed.status());
    ASSIGN_OR_RETURN(std::string bytes, open_from(key, first, *sealed));
    if (offset == first * kPieceBytes && static_cast<int64_t>(bytes.size()) == count) return bytes;
    return bytes.substr(static_cast<size_t>(offset - first * kPieceBytes), static_cast<size_t>(count));
  }

  absl::Status erase(const std::string& owned) override {
    if (owned.rfind(kUploadSeal, 0) == 0) {  // one that nobody finished
      RETURN_IF_ERROR(spool_->drop(owned.substr(std::string_view(kUploadSeal).size())));
      return jobs_->forget_seal(owned);
    }
    const auto seal = seal_of(owned);
    if (absl::IsNotFound(seal.status())) return absl::OkStatus();
    RETURN_IF_ERROR(seal.status());
    if (!*seal) return objects_->erase(split_owned(owned).name);
    RETURN_IF_ERROR(objects_->erase((*seal)->sealed));
    RETURN_IF_ERROR(jobs_->forget_seal(owned));
    forget_key(owned);
    return absl::OkStatus();
  }

  absl::Status put_named(const std::string& owned, std::string_view bytes) override {
    const auto size = static_cast<int64_t>(bytes.size());
    RETURN_IF_ERROR(check_digest(split_owned(owned).name));
    if (size > kMaxBlobBytes) return check_new_upload("put", split_owned(owned).name, size);
    if (is_there(owned, size)) return absl::OkStatus();
    const std::string key = random_key(), sealed = seal_from(key, 0, bytes, size);
    SealedSum sum;
    sum.add(0, sealed, size);
    const Seal seal{owned, master_.wrap(key, owned), sum.finish_hex(), size, 0};
    ASSIGN_OR_RETURN(const bool ours, claim(seal));
    if (!ours) return absl::OkStatus();
    RETURN_IF_ERROR(objects_->put(seal.sealed, sealed));
    return keep_one(seal);
  }

 private:
  struct Opened {
    Seal seal;
    std::string key;
  };

  // Nothing for what was kept before blobs were sealed.
  absl::StatusOr<std::optional<Seal>> seal_of(const std::string& owned) {
    const Owned parts = split_owned(owned);
    RETURN_IF_ERROR(check_digest(parts.name));
    ASSIGN_OR_RETURN(std::optional<Seal> seal, jobs_->find_seal(owned));
    if (!seal && !parts.tenant.empty()) return blob_not_found(parts.name);
    return seal;
  }

  bool is_there(const std::string& owned, int64_t size) {
    const auto there = blob_size(owned);
    return there.ok() && *there == size;
  }

  absl::StatusOr<std::string> key_of(const Seal& seal) {
    {
      std::lock_guard lock(mutex_);
      const auto found = keys_.find(seal.name);
      if (found != keys_.end() && found->second.first == seal.key) return found->second.second;
    }
    ASSIGN_OR_RETURN(std::string key, master_.unwrap(seal.key, seal.name));
    std::lock_guard lock(mutex_);
    if (keys_.size() >= kRemembered) keys_.clear();
    keys_[seal.name] = {seal.key, key};
    return key;
  }

  void forget_key(const std::string& name) {
    std::lock_guard lock(mutex_);
    keys_.erase(name);
  }

  void forget_progress(const Way& way) {
    std::lock_guard lock(mutex_);
    progress_.erase(way.spooled);
  }

  absl::StatusOr<Opened> open_upload(const Way& way) {
    ASSIGN_OR_RETURN(const std::optional<Seal> seal, jobs_->find_seal(way.seal));
    if (!seal) return upload_not_found(way.upload);
    ASSIGN_OR_RETURN(std::string key, key_of(*seal));
    return Opened{*seal, std::move(key)};
  }

  // Makes the key of these bytes this one; false if another's is kept and what it seals is there. A key without it is
  // that of one who has ended between the two, or who is about to place it and will claim again.
  absl::StatusOr<bool> claim(const Seal& seal) {
    ASSIGN_OR_RETURN(std::optional<Seal> kept, jobs_->find_seal(seal.name));
    for (;;) {
      if (!kept) {
        ASSIGN_OR_RETURN(kept, jobs_->keep_seal(seal));
      }
      if (kept->sealed == seal.sealed) return true;
      if (is_there(seal.name, seal.size)) return false;
      RETURN_IF_ERROR(jobs_->forget_seal(seal.name));
      forget_key(seal.name);
      kept.reset();
    }
  }

  // Two that bring the same bytes in one moment may each place theirs: one of them goes again.
  absl::Status keep_one(const Seal& placed) {
    ASSIGN_OR_RETURN(const bool ours, claim(placed));
    return ours ? absl::OkStatus() : objects_->erase(placed.sealed);
  }

  absl::StatusOr<int64_t> grown(const Way& way) {
    auto length = spool_->grown(way.spooled);
    if (absl::IsNotFound(length.status())) return upload_not_found(way.upload);
    return length;
  }

  // Seals what follows the first `length` sealed bytes. A piece that these only begin is opened and sealed anew: it
  // begins as it did, so that what is written goes on where they end.
  absl::Status seal_on(const Way& way, const Opened& opened, int64_t length, std::string_view bytes,
                       Progress* progress) {
    const int64_t size = opened.seal.size, piece = length / kSealedPieceBytes, begun = length % kSealedPieceBytes;
    if (length == sealed_size(size)) return absl::OkStatus();
    std::string joined;
    if (begun > 0) {
      const int64_t held = bytes_within(length, size) - piece * kPieceBytes;
      ASSIGN_OR_RETURN(const std::string sealed, spool_->read_grown(way.spooled, piece * kSealedPieceBytes, held));
      joined = open_without_tag(opened.key, piece, sealed);
      joined += bytes;
    }
    const std::string sealed = seal_from(opened.key, piece, begun > 0 ? joined : bytes, size);
    auto status = spool_->grow(way.spooled, length, std::string_view(sealed).substr(static_cast<size_t>(begun)));
    if (absl::IsNotFound(status)) return upload_not_found(way.upload);
    RETURN_IF_ERROR(status);
    if (progress == nullptr) return absl::OkStatus();
    progress->committed += static_cast<int64_t>(bytes.size());
    progress->bytes.update(bytes);
    progress->sealed.add(piece, sealed, size);
    return absl::OkStatus();
  }

  // What is known of the first `committed` bytes; nothing if they came through another process.
  std::unique_ptr<Progress> take_progress(const Way& way, const Opened& opened, int64_t committed) {
    std::lock_guard lock(mutex_);
    const auto found = progress_.find(way.spooled);
    if (found != progress_.end() && found->second->committed == committed && found->second->key == opened.key) {
      return std::move(progress_.extract(found).mapped());
    }
    if (committed > 0) return nullptr;
    auto progress = std::make_unique<Progress>();
    progress->key = opened.key;
    return progress;
  }

  void keep_progress(const Way& way, std::unique_ptr<Progress> progress) {
    if (!progress) return;
    std::lock_guard lock(mutex_);
    if (progress_.size() >= kRemembered) progress_.clear();
    progress_[way.spooled] = std::move(progress);
  }

  absl::StatusOr<std::unique_ptr<Progress>> read_again(const Way& way, const Opened& opened) {
    auto progress = std::make_unique<Progress>();
    const int64_t length = sealed_size(opened.seal.size);
    for (int64_t piece = 0; piece * kSealedPieceBytes < length; piece += kPiecesAtOnce) {
      ASSIGN_OR_RETURN(const std::string sealed,
                       spool_->read_grown(way.spooled, piece * kSealedPieceBytes, kPiecesAtOnce * kSealedPieceBytes));
      ASSIGN_OR_RETURN(const std::string bytes, open_from(opened.key, piece, sealed));
      progress->bytes.update(bytes);
      progress->sealed.add(piece, sealed, opened.seal.size);
    }
    return progress;
  }

  absl::Status verify_and_place(const Way& way, const Opened& opened) {
    const auto& [owned, size] = std::tie(opened.seal.sealed, opened.seal.size);
    ASSIGN_OR_RETURN(const int64_t length, grown(way));
    const int64_t committed = bytes_within(length, size);
    if (committed != size) return upload_incomplete(committed, size);
    std::unique_ptr<Progress> progress = take_progress(way, opened, committed);
    RETURN_IF_ERROR(seal_on(way, opened, length, "", progress.get()));  // the tag of nothing, or one that was cut off
    if (!progress) {
      auto again = read_again(way, opened);
      if (error_detail(again.status()).value_or(ErrorDetail{}).reason == "BLOB_CORRUPT") return changed_on_disk();
      ASSIGN_OR_RETURN(progress, std::move(again));
    }
    const std::string got = progress->bytes.finish_hex(), wanted = split_owned(owned).name;
    if (got != wanted) return digest_mismatch(wanted, got);
    const Seal seal{owned, master_.wrap(opened.key, owned), progress->sealed.finish_hex(), size, 0};
    ASSIGN_OR_RETURN(const bool ours, claim(seal));
    if (!ours) return absl::OkStatus();
    if (elsewhere_) {
      ASSIGN_OR_RETURN(const std::string sealed, spool_->read_grown(way.spooled, 0, 0));
      RETURN_IF_ERROR(elsewhere_->put(seal.sealed, sealed));
    } else {
      RETURN_IF_ERROR(spool_->place(way.spooled, seal.sealed));
    }
    return keep_one(seal);
  }

  absl::Status drop(const Way& way) {
    RETURN_IF_ERROR(spool_->drop(way.spooled));
    forget_progress(way);
    forget_key(way.seal);
    return jobs_->forget_seal(way.seal);
  }

  JobStore* const jobs_;
  const std::unique_ptr<SpoolStore> spool_;
  const std::unique_ptr<ObjectStore> elsewhere_;  // where it is not the spool itself that keeps the blobs
  ObjectStore* const objects_;
  const MasterKey master_;
  std::mutex mutex_;
  // By the seal's name: the key as it is kept, and unwrapped.
  std::map<std::string, std::pair<std::string, std::string>> keys_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<Progress>> progress_ ABSL_GUARDED_BY(mutex_);  // by the upload's way
};

}  // namespace

std::unique_ptr<BlobStore> make_sealed_blob_store(JobStore* jobs, std::unique_ptr<SpoolStore> spool, MasterKey master,
                                                  std::unique_ptr<ObjectStore> objects) {
  return std::make_unique<SealedBlobStore>(jobs, std::move(objects), std::move(spool), std::move(master));
}

}  // namespace tryon
