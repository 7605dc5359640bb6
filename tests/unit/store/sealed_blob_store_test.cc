// What lies on the disk says nothing, to each tenant its own, and what has lost its key is gone.
#include "server/store/sealed_blob_store.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/release.h"
#include "server/store/tenant_view.h"
#include "tests/support/memory_object_store.h"
#include "tests/unit/store/store_suite.h"

namespace tryon {
namespace {

namespace fs = std::filesystem;
using testing::reason_of;

std::string file_bytes(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::vector<fs::path> files_of(const std::string& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  return out;
}

class Sealed : public ::testing::Test {
 protected:
  std::unique_ptr<BlobStore> open(MasterKey master = {}) {
    return make_sealed_blob_store(jobs_.get(), open_directory_object_store(folder_.file("blobs")).value(),
                                  std::move(master));
  }
  bool anywhere(const std::string& canary) {
    for (const fs::path& path : files_of(folder_.path())) {
      if (file_bytes(path).find(canary) != std::string::npos) return true;
    }
    return false;
  }

  testing::Folder folder_;
  int64_t now_us_ = 1;
  const std::unique_ptr<JobStore> jobs_ = make_memory_job_store([this] { return now_us_; });
  const std::unique_ptr<BlobStore> blobs_ = open();
  TenantBlobStore shop_{blobs_.get(), "shop"}, other_{blobs_.get(), "other"}, nobody_{blobs_.get(), ""};
};

TEST_F(Sealed, NeitherABlobNorHalfAnUploadIsReadableInAnyFile) {
  const std::string canary = "canary of thirty-two bytes, or so", bytes = canary + std::string(100'000, 'x') + canary;
  const std::string digest = nobody_.put(bytes).value();
  nobody_.begin_upload("half", sha256_hex("other"), 200).value();
  nobody_.append_upload("half", 0, "7 bytes").value();
  nobody_.append_upload("half", 7, canary).value();
  EXPECT_FALSE(anywhere("canary")) << "in the clear";
  EXPECT_EQ(nobody_.read(digest, 0, 0).value(), bytes);
}

TEST_F(Sealed, AnyRangeOfAnyLengthIsRead) {
  for (const int64_t size : {0, 1, 65535, 65536, 65537, 131072, 200'001}) {
    std::string bytes(static_cast<size_t>(size), '\0');
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
    const std::string digest = nobody_.put(bytes).value();
    EXPECT_EQ(nobody_.blob_size(digest).value(), size);
    for (const int64_t offset : {int64_t{0}, size / 3, std::max<int64_t>(0, size - 1), size}) {
      for (const int64_t limit : {0, 1, 65536, 70'000}) {
        const auto wanted = bytes.substr(static_cast<size_t>(offset), limit == 0 ? std::string::npos : limit);
        EXPECT_EQ(nobody_.read(digest, offset, limit).value(), wanted) << size << " " << offset << " " << limit;
      }
    }
  }
}

// The bytes of a file that takes three pieces and a half.
std::string long_file() {
  std::string bytes(3 * 65536 + 30'000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

TEST_F(Sealed, AnUploadInPartsOfAnyLengthIsSealedAsIfItHadComeAtOnce) {
  const std::string bytes = long_file(), digest = sha256_hex(bytes);
  const auto size = static_cast<int64_t>(bytes.size());
  for (const int64_t part : {30'001ll, 65535ll, 65536ll, 65537ll, 131072ll, 200'000ll}) {
    const std::string upload = cat("by-", part);
    for (int64_t at = shop_.begin_upload(upload, digest, size).value(); at < size;) {
      at = shop_.append_upload(upload, at, bytes.substr(static_cast<size_t>(at), static_cast<size_t>(part))).value();
      EXPECT_EQ(shop_.upload_size(upload).value(), at);
    }
    ASSERT_TRUE(shop_.finish_upload(upload).ok()) << part;
    EXPECT_EQ(shop_.read(digest, 0, 0).value(), bytes) << part;
    ASSERT_TRUE(shop_.erase(digest).ok());
  }
}

// Wherever a write was cut off, in a piece or in its tag: what is whole counts, and the rest is sent again.
TEST_F(Sealed, AnUploadGoesOnInAnotherProcessAfterAWriteThatWasCutOffAnywhere) {
  const std::string bytes = long_file(), digest = sha256_hex(bytes);
  const auto size = static_cast<int64_t>(bytes.size());
  for (const int64_t cut : {0, 1, 65535, 65536, 65537, 65551, 65552, 65553, 131088 + 14, 226'640, 226'656, 226'671}) {
    shop_.begin_upload("u", digest, size).value();
    shop_.append_upload("u", 0, bytes).value();
    const fs::path file = files_of(folder_.file("blobs/uploads")).at(0);
    EXPECT_EQ(fs::file_size(file), 226'672u);
    fs::resize_file(file, static_cast<size_t>(cut));
    const auto later = open();
    TenantBlobStore shop(later.get(), "shop");
    const int64_t at = shop.begin_upload("u", digest, size).value();
    EXPECT_GE(at, cut - 4 * 16) << cut;
    EXPECT_LE(at, cut) << cut;
    shop.append_upload("u", at, bytes.substr(static_cast<size_t>(at))).value();
    ASSERT_TRUE(shop.finish_upload("u").ok()) << cut;
    EXPECT_EQ(shop.read(digest, 0, 0).value(), bytes) << cut;
    ASSERT_TRUE(shop.erase(digest).ok());
  }
}

TEST_F(Sealed, AnUploadThatTheDiskChangedIsRefusedAndGone) {
  const std::string bytes = long_file(), digest = sha256_hex(bytes);
  shop_.begin_upload("u", digest, static_cast<int64_t>(bytes.size())).value();
  shop_.append_upload("u", 0, bytes).value();
  const fs::path file = files_of(folder_.file("blobs/uploads")).at(0);
  std::string changed = file_bytes(file);
  changed[70'000] = static_cast<char>(changed[70'000] ^ 1);
  std::ofstream(file, std::ios::binary) << changed;
  const auto later = open();
  TenantBlobStore shop(later.get(), "shop");
  EXPECT_EQ(reason_of(shop.finish_upload("u")), "BLOB_DIGEST_MISMATCH");
  EXPECT_EQ(reason_of(shop.upload_size("u").status()), "UPLOAD_NOT_FOUND");
}

// Sealed it is longer than what a caller may store.
TEST_F(Sealed, TheLongestBlobIsTakenAndOneByteMoreIsRefusedBeforeItTravels) {
  const auto blobs = open();
  TenantBlobStore shop(blobs.get(), "shop");
  std::string bytes(kMaxBlobBytes, 'x');
  bytes.back() = 'y';
  const std::string digest = sha256_hex(bytes);
  EXPECT_EQ(shop.begin_upload("u", digest, kMaxBlobBytes).value(), 0);
  EXPECT_EQ(shop.append_upload("u", 0, bytes).value(), kMaxBlobBytes);
  ASSERT_TRUE(shop.finish_upload("u").ok());
  EXPECT_EQ(shop.blob_size(digest).value(), kMaxBlobBytes);
  EXPECT_EQ(shop.read(digest, kMaxBlobBytes - 2, 2).value(), "xy");
  EXPECT_EQ(reason_of(shop.begin_upload("v", digest, kMaxBlobBytes + 1).status()), "BLOB_TOO_LARGE");
}

TEST_F(Sealed, WhatOneTenantHasIsNotThereForAnother) {
  const std::string digest = shop_.put("a scan").value();
  for (TenantBlobStore* foreign : {&other_, &nobody_}) {
    EXPECT_EQ(reason_of(foreign->blob_size(digest).status()), "BLOB_NOT_FOUND");
    EXPECT_EQ(reason_of(foreign->read(digest, 0, 0).status()), "BLOB_NOT_FOUND");
    EXPECT_EQ(foreign->begin_upload("u", digest, 6).value(), 0) << "an upload that ends early would tell";
    EXPECT_TRUE(foreign->erase(digest).ok());
  }
  EXPECT_EQ(shop_.read(digest, 0, 0).value(), "a scan");
  for (const std::string& name : {cat("shop/", digest), cat("../", digest)}) {
    EXPECT_EQ(reason_of(nobody_.blob_size(name).status()), "BLOB_DIGEST_INVALID") << "an owner cannot be named";
  }
}

TEST_F(Sealed, TheSameFileOfTwoTenantsIsSealedTwiceAndErasedApart) {
  const std::string digest = shop_.put("a scan").value();
  EXPECT_EQ(other_.put("a scan").value(), digest);
  EXPECT_EQ(files_of(folder_.file("blobs")).size(), 2u);
  ASSERT_TRUE(shop_.erase(digest).ok());
  EXPECT_FALSE(shop_.blob_size(digest).ok());
  EXPECT_EQ(other_.read(digest, 0, 0).value(), "a scan");
}

TEST_F(Sealed, UploadsOfOneNameByTwoTenantsAreTwo) {
  shop_.begin_upload("u", sha256_hex("shop's"), 6).value();
  shop_.append_upload("u", 0, "shop").value();
  EXPECT_EQ(reason_of(other_.upload_size("u").status()), "UPLOAD_NOT_FOUND");
  EXPECT_EQ(other_.begin_upload("u", sha256_hex("other"), 5).value(), 0);
  EXPECT_EQ(shop_.upload_size("u").value(), 4);
}

TEST_F(Sealed, ABlobThatHasLostItsKeyIsGoneThoughItsBytesAreThere) {
  const std::string digest = shop_.put("a scan").value();
  ASSERT_TRUE(jobs_->forget_seal(owned_name("shop", digest)).ok());
  EXPECT_EQ(files_of(folder_.file("blobs")).size(), 1u);
  EXPECT_EQ(reason_of(shop_.read(digest, 0, 0).status()), "BLOB_NOT_FOUND");
}

TEST_F(Sealed, BytesThatWereChangedAreNotHandedOut) {
  const std::string digest = nobody_.put("a scan of a person").value();
  const fs::path path = files_of(folder_.file("blobs")).at(0);
  std::string bytes = file_bytes(path);
  bytes[3] = static_cast<char>(bytes[3] ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(reason_of(nobody_.read(digest, 0, 0).status()), "BLOB_CORRUPT");
}

TEST_F(Sealed, UnderAMasterKeyTheStoresKeysAloneOpenNothing) {
  const auto blobs = open(testing::master_key(folder_, 'a'));
  const std::string digest = blobs->put("a scan").value();
  EXPECT_EQ(open(testing::master_key(folder_, 'a'))->read(digest, 0, 0).value(), "a scan");
  EXPECT_EQ(reason_of(open(testing::master_key(folder_, 'b'))->read(digest, 0, 0).status()), "MASTER_KEY_WRONG");
  EXPECT_EQ(reason_of(open()->read(digest, 0, 0).status()), "MASTER_KEY_WRONG");
  std::ofstream(folder_.file("key")) << "too short";
  EXPECT_EQ(reason_of(MasterKey::load(folder_.file("key")).status()), "MASTER_KEY_INVALID");
  EXPECT_EQ(reason_of(MasterKey::load(folder_.file("absent")).status()), "MASTER_KEY_INVALID");
}

TEST_F(Sealed, WhatWasKeptBeforeIsReadByTheTenantWithoutANameAlone) {
  const std::string digest = sha256_hex("an old scan");
  ASSERT_TRUE(open_directory_object_store(folder_.file("blobs")).value()->put(digest, "an old scan").ok());
  EXPECT_EQ(nobody_.read(digest, 0, 0).value(), "an old scan");
  EXPECT_EQ(reason_of(shop_.blob_size(digest).status()), "BLOB_NOT_FOUND");
  ASSERT_TRUE(nobody_.erase(digest).ok());
  EXPECT_FALSE(anywhere("an old scan"));
}

TEST_F(Sealed, ABlobWhoseBytesNeverCameIsPutAgain) {
  const std::string digest = nobody_.put("a scan").value();
  fs::remove_all(files_of(folder_.file("blobs")).at(0));  // the power went between the key and the bytes
  EXPECT_FALSE(nobody_.blob_size(digest).ok());
  EXPECT_EQ(nobody_.put("a scan").value(), digest);
  EXPECT_EQ(nobody_.read(digest, 0, 0).value(), "a scan");
}

TEST_F(Sealed, UploadsThatNobodyUsedAreCollectedAfterTheirTimeAndOthersAreNot) {
  const std::string unused = shop_.put("unused").value(), used = shop_.put("used").value();
  shop_.begin_upload("half", sha256_hex("half"), 4).value();
  TaskRecord task = testing::body_of("body", owned_name("shop", used), true);
  ASSERT_TRUE(jobs_->submit(task).ok());
  ASSERT_TRUE(collect_unused(jobs_.get(), blobs_.get(), 1).ok());
  EXPECT_TRUE(shop_.blob_size(unused).ok()) << "it is not old yet";
  ASSERT_TRUE(collect_unused(jobs_.get(), blobs_.get(), 2).ok());
  EXPECT_FALSE(shop_.blob_size(unused).ok());
  EXPECT_TRUE(shop_.blob_size(used).ok());
  EXPECT_EQ(reason_of(shop_.upload_size("half").status()), "UPLOAD_NOT_FOUND");
  EXPECT_TRUE(files_of(folder_.file("blobs/uploads")).empty());
}

class SealStore : public testing::JobStoreTest {};

TEST_P(SealStore, TheFirstSealOfANameStaysUntilItIsForgotten) {
  const Seal first{"blob", "key", "digest", 5, 0}, second{"blob", "other", "else", 5, 0};
  EXPECT_EQ(store_->keep_seal(first)->made_us, 1000 * testing::kSecond);
  EXPECT_EQ(store_->keep_seal(second)->key, "key");
  EXPECT_EQ(store_->find_seal("blob").value()->sealed, "digest");
  EXPECT_EQ(store_->unneeded_seals(1000 * testing::kSecond, 9)->size(), 0u) << "not old enough";
  EXPECT_EQ(store_->unneeded_seals(1001 * testing::kSecond, 9).value(), std::vector<std::string>{"blob"});
  ASSERT_TRUE(store_->submit(testing::body_of("task", "blob", false)).ok());
  EXPECT_TRUE(store_->unneeded_seals(1001 * testing::kSecond, 9)->empty()) << "a task reads it";
  ASSERT_TRUE(store_->forget_seal("blob").ok());
  EXPECT_FALSE(store_->find_seal("blob").value().has_value());
  EXPECT_TRUE(store_->forget_seal("blob").ok());
}

TEST_P(SealStore, AListIsOfOneTenantAndTheOldestAreEverybodys) {
  for (const char* tenant : {"a", "b"}) {
    for (int i = 0; i < 3; ++i) {
      TaskRecord task = testing::body_of(cat(tenant, i), "scan", true, i + 1);
      task.tenant = tenant;
      ASSERT_TRUE(store_->submit(task).ok());
    }
    BatchRecord batch;
    batch.id = cat("batch of ", tenant);
    batch.tenant = tenant;
    ASSERT_TRUE(store_->submit_batch(batch).ok());
  }
  EXPECT_EQ(store_->list("b", "body", std::nullopt, 9)->size(), 3u);
  EXPECT_EQ(store_->list("b", "body", TaskCursor{3, "b2"}, 1)->at(0).id, "b1");
  EXPECT_TRUE(store_->list("", "body", std::nullopt, 9)->empty());
  EXPECT_EQ(store_->list_batches("a", std::nullopt, 9)->at(0).id, "batch of a");
  EXPECT_EQ(store_->list_batches("a", std::nullopt, 9)->size(), 1u);
  const auto old = store_->older("body", 3, 3).value();
  ASSERT_EQ(old.size(), 3u);
  EXPECT_EQ(old[0].id, "a0");
  EXPECT_EQ(old[1].id, "b0");
  EXPECT_EQ(old[2].id, "a1");
}

TEST_P(SealStore, ADrapeIsFoundByItsBodyAndByItsGarment) {
  TaskRecord drape = testing::request("drape");
  drape.subject = "body";
  drape.garment = "garment";
  ASSERT_TRUE(store_->submit(drape).ok());
  EXPECT_EQ(store_->made_from("body").value(), std::vector<std::string>{"drape"});
  EXPECT_EQ(store_->made_from("garment").value(), std::vector<std::string>{"drape"});
  EXPECT_EQ(store_->get("drape")->garment, "garment");
  EXPECT_TRUE(store_->get("drape")->inputs.empty());
}

EVERY_JOB_STORE(SealStore);

// Another comes with the same bytes in the moment between a key and what it seals.
class Interrupted : public testing::MemoryObjectStore {
 public:
  absl::Status put(const std::string& name, std::string_view bytes) override {
    interrupt();
    return MemoryObjectStore::put(name, bytes);
  }
  absl::Status place(const std::string& grown, const std::string& name) override {
    interrupt();
    return MemoryObjectStore::place(grown, name);
  }
  absl::Status erase(const std::string& name) override {
    ++erased;
    return MemoryObjectStore::erase(name);
  }
  std::function<void()> meanwhile;
  int erased = 0;

 private:
  void interrupt() {
    if (const auto now = std::exchange(meanwhile, nullptr)) now();
  }
};

class SealedTwins : public ::testing::Test {
 protected:
  void upload(const std::string& name) {
    EXPECT_TRUE(blobs_->begin_upload(name, digest_, static_cast<int64_t>(bytes_.size())).ok());
    EXPECT_TRUE(blobs_->append_upload(name, 0, bytes_).ok());
    EXPECT_TRUE(blobs_->finish_upload(name).ok());
  }

  const std::string bytes_ = std::string(100'000, 'x'), digest_ = sha256_hex(bytes_);
  const std::unique_ptr<JobStore> jobs_ = make_memory_job_store();
  Interrupted* const objects_ = new Interrupted;  // the blob store's
  const std::unique_ptr<BlobStore> blobs_ = make_sealed_blob_store(jobs_.get(), std::unique_ptr<SpoolStore>(objects_));
};

TEST_F(SealedTwins, OfTheSameBytesThatComeInOneMomentOneStaysAndItIsRead) {
  for (const bool whole : {true, false}) {
    SCOPED_TRACE(whole);
    objects_->erased = 0;
    objects_->meanwhile = [&] { upload("theirs"); };
    if (whole) {
      EXPECT_EQ(blobs_->put(bytes_).value(), digest_);
    } else {
      upload("mine");
    }
    EXPECT_EQ(objects_->erased, 1) << "the one without a key";
    EXPECT_EQ(blobs_->read(digest_, 0, 0).value(), bytes_);
    EXPECT_TRUE(blobs_->erase(digest_).ok());
    EXPECT_EQ(reason_of(blobs_->blob_size(digest_).status()), "BLOB_NOT_FOUND");
  }
}

// It was taken for given up, and the other ended in its place: what is acknowledged is there.
TEST_F(SealedTwins, AKeyThatWasTakenAwayIsKeptAgainWhereNothingElseIsThere) {
  objects_->meanwhile = [&] {
    Seal theirs = jobs_->find_seal(digest_)->value();
    EXPECT_TRUE(jobs_->forget_seal(digest_).ok());
    theirs.sealed = sha256_hex("never placed");
    EXPECT_TRUE(jobs_->keep_seal(theirs).ok());
  };
  EXPECT_EQ(blobs_->put(bytes_).value(), digest_);
  EXPECT_EQ(blobs_->read(digest_, 0, 0).value(), bytes_);
}

}  // namespace
}  // namespace tryon
