// A sealed blob: pieces of 64 KiB, each followed by its tag; the last one may be shorter, and is there even of an empty
// blob. Piece n is message n under the blob's key. The key is new for each sealing: nothing is sealed twice under one.
#include "server/store/sealed_blob_store.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/blob_rules.h"
#include "server/store/tenant_view.h"

namespace tryon {
namespace {

constexpr int64_t kPiece = 64 << 10;
constexpr size_t kKeysRemembered = 256;

std::string sealed_bytes(std::string_view key, std::string_view bytes) {
  std::string out;
  uint64_t number = 0;
  do {
    const std::string_view piece = bytes.substr(0, kPiece);
    out += gcm_seal(key, number++, "", piece);
    bytes.remove_prefix(piece.size());
  } while (!bytes.empty());
  return out;
}

// An upload under its way's name: the tenant's and the client's together, in a form that any spool takes.
struct Way {
  std::string upload, spooled, seal;
};

Way way_of(const std::string& owned) {
  Way way{split_owned(owned).name, sha256_hex(owned), ""};
  way.seal = cat(kUploadSeal, way.spooled);
  return way;
}

class SealedBlobStore : public BlobStore {
 public:
  SealedBlobStore(JobStore* jobs, std::unique_ptr<BlobStore> inner, std::unique_ptr<SpoolStore> spool, MasterKey master)
      : jobs_(jobs), inner_(std::move(inner)), spool_(std::move(spool)), master_(std::move(master)) {}

  absl::StatusOr<int64_t> begin_upload(const std::string& upload, const std::string& owned, int64_t size) override {
    const Way way = way_of(upload);
    const std::string digest = split_owned(owned).name;
    RETURN_IF_ERROR(check_new_upload(way.upload, digest, size));
    ASSIGN_OR_RETURN(std::optional<Seal> seal, jobs_->find_seal(way.seal));
    if (!seal) {
      ASSIGN_OR_RETURN(seal, jobs_->keep_seal({way.seal, master_.wrap(random_key(), way.seal), owned, size, 0}));
    }
    RETURN_IF_ERROR(check_same_upload(seal->sealed, seal->size, owned, size));
    ASSIGN_OR_RETURN(const int64_t committed, spool_->begin_upload(way.spooled, digest, size));
    return is_there(owned, size) ? size : committed;
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
    if (offset < 0) return spool_->append_upload(way.spooled, offset, "");  // says where to go on
    return spool_->append_upload(way.spooled, offset, ctr_crypt(opened.key, offset, bytes));
  }

  absl::StatusOr<int64_t> upload_size(const std::string& upload) override {
    const Way way = way_of(upload);
    RETURN_IF_ERROR(check_upload_name(way.upload));
    ASSIGN_OR_RETURN(const std::optional<Seal> seal, jobs_->find_seal(way.seal));
    if (!seal) return upload_not_found(way.upload);
    if (is_there(seal->sealed, seal->size)) return seal->size;
    return spool_->upload_size(way.spooled);
  }

  absl::Status finish_upload(const std::string& upload) override {
    const Way way = way_of(upload);
    RETURN_IF_ERROR(check_upload_name(way.upload));
    ASSIGN_OR_RETURN(const Opened opened, open_upload(way));
    const absl::Status status =
        is_there(opened.seal.sealed, opened.seal.size) ? absl::OkStatus() : verify_and_seal(way, opened);
    // The world's faults leave the upload for another try; the caller's end it.
    if (!status.ok() && !absl::IsInvalidArgument(status)) return status;
    RETURN_IF_ERROR(drop(way));
    return status;
  }

  absl::StatusOr<int64_t> blob_size(const std::string& owned) override {
    ASSIGN_OR_RETURN(const std::optional<Seal> seal, seal_of(owned));
    if (!seal) return inner_->blob_size(split_owned(owned).name);
    const absl::Status found = inner_->blob_size(seal->sealed).status();
    if (absl::IsNotFound(found)) return blob_not_found(split_owned(owned).name);
    RETURN_IF_ERROR(found);
    return seal->size;
  }

  absl::StatusOr<std::string> read(const std::string& owned, int64_t offset, int64_t limit) override {
    ASSIGN_OR_RETURN(const std::optional<Seal> seal, seal_of(owned));
    if (!seal) return inner_->read(split_owned(owned).name, offset, limit);
    RETURN_IF_ERROR(check_read(seal->size, offset, limit));
    const int64_t count = read_count(seal->size, offset, limit);
    if (count == 0) return std::string();
    ASSIGN_OR_RETURN(const std::string key, key_of(*seal));
    const int64_t first = offset / kPiece, last = (offset + count - 1) / kPiece;
    constexpr int64_t kSealedPiece = kPiece + kTagBytes;
    auto bytes = inner_->read(seal->sealed, first * kSealedPiece, (last - first + 1) * kSealedPiece);
    if (absl::IsNotFound(bytes.status())) return blob_not_found(split_owned(owned).name);
    RETURN_IF_ERROR(bytes.status());
    std::string out;
    out.reserve(static_cast<size_t>((last - first + 1) * kPiece));
    std::string_view rest = *bytes;
    for (int64_t piece = first; piece <= last; ++piece) {
      const std::string_view one = rest.substr(0, static_cast<size_t>(kSealedPiece));
      ASSIGN_OR_RETURN(const std::string open, gcm_open(key, static_cast<uint64_t>(piece), "", one));
      out += open;
      rest.remove_prefix(one.size());
    }
    if (offset == first * kPiece && static_cast<int64_t>(out.size()) == count) return out;
    return out.substr(static_cast<size_t>(offset - first * kPiece), static_cast<size_t>(count));
  }

  absl::Status erase(const std::string& owned) override {
    if (owned.rfind(kUploadSeal, 0) == 0) {  // one that nobody finished
      RETURN_IF_ERROR(spool_->drop_upload(owned.substr(std::string_view(kUploadSeal).size())));
      return jobs_->forget_seal(owned);
    }
    const auto seal = seal_of(owned);
    if (absl::IsNotFound(seal.status())) return absl::OkStatus();
    RETURN_IF_ERROR(seal.status());
    if (!*seal) return inner_->erase(split_owned(owned).name);
    RETURN_IF_ERROR(inner_->erase((*seal)->sealed));
    RETURN_IF_ERROR(jobs_->forget_seal(owned));
    forget_key(owned);
    return absl::OkStatus();
  }

  absl::Status put_named(const std::string& owned, std::string_view bytes) override {
    const auto size = static_cast<int64_t>(bytes.size());
    RETURN_IF_ERROR(check_digest(split_owned(owned).name));
    if (size > kMaxBlobBytes) return check_new_upload("put", split_owned(owned).name, size);
    if (is_there(owned, size)) return absl::OkStatus();
    const std::string key = random_key();
    const std::string sealed = sealed_bytes(key, bytes);
    const Seal seal{owned, master_.wrap(key, owned), sha256_hex(sealed), size, 0};
    ASSIGN_OR_RETURN(const Seal kept, jobs_->keep_seal(seal));
    if (kept.sealed != seal.sealed) {
      if (is_there(owned, size)) return absl::OkStatus();  // another was first
      RETURN_IF_ERROR(jobs_->forget_seal(owned));          // of one that ended between the key and the bytes
      forget_key(owned);
      RETURN_IF_ERROR(jobs_->keep_seal(seal).status());
    }
    return inner_->put_named(seal.sealed, sealed);
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
    if (keys_.size() >= kKeysRemembered) keys_.clear();
    keys_[seal.name] = {seal.key, key};
    return key;
  }

  void forget_key(const std::string& name) {
    std::lock_guard lock(mutex_);
    keys_.erase(name);
  }

  absl::StatusOr<Opened> open_upload(const Way& way) {
    ASSIGN_OR_RETURN(const std::optional<Seal> seal, jobs_->find_seal(way.seal));
    if (!seal) return upload_not_found(way.upload);
    ASSIGN_OR_RETURN(std::string key, key_of(*seal));
    return Opened{*seal, std::move(key)};
  }

  absl::Status verify_and_seal(const Way& way, const Opened& opened) {
    ASSIGN_OR_RETURN(const std::string spooled, spool_->read_upload(way.spooled));
    const auto size = static_cast<int64_t>(spooled.size());
    if (size != opened.seal.size) return upload_incomplete(size, opened.seal.size);
    const std::string bytes = ctr_crypt(opened.key, 0, spooled);
    const std::string got = sha256_hex(bytes), wanted = split_owned(opened.seal.sealed).name;
    if (got != wanted) return digest_mismatch(wanted, got);
    return put_named(opened.seal.sealed, bytes);
  }

  absl::Status drop(const Way& way) {
    RETURN_IF_ERROR(spool_->drop_upload(way.spooled));
    forget_key(way.seal);
    return jobs_->forget_seal(way.seal);
  }

  JobStore* const jobs_;
  const std::unique_ptr<BlobStore> inner_;
  const std::unique_ptr<SpoolStore> spool_;
  const MasterKey master_;
  std::mutex mutex_;
  // By the seal's name: the key as it is kept, and unwrapped.
  std::map<std::string, std::pair<std::string, std::string>> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<BlobStore> make_sealed_blob_store(JobStore* jobs, std::unique_ptr<BlobStore> inner,
                                                  std::unique_ptr<SpoolStore> spool, MasterKey master) {
  return std::make_unique<SealedBlobStore>(jobs, std::move(inner), std::move(spool), std::move(master));
}

}  // namespace tryon
