// One suite for every BlobStore.
#include "server/store/blob_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/store/s3_object_store.h"
#include "server/store/sealed_blob_store.h"
#include "server/store/tenant_view.h"
#include "tests/support/memory_object_store.h"
#include "tests/unit/store/s3_server.h"

namespace tryon {
namespace {

namespace fs = std::filesystem;

constexpr char kCloth[] = "warp and weft";
const int64_t kClothSize = 13;

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / cat("tryon-test-", random_hex(8))) {}
  ~Folder() { fs::remove_all(path); }
  const fs::path path;
};

std::string reason_of(const absl::Status& status) { return error_detail(status).value_or(ErrorDetail{}).reason; }

// The object store's are one run of their own (store.s3 of ctest): its server starts once, not once a test.
std::vector<std::string> every_blob_store() {
  if (std::getenv("TRYON_TEST_S3") != nullptr) return {"S3"};
  return {"Memory", "Sealed", "SealedElsewhere"};
}

class BlobStoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "Memory") store_ = make_memory_blob_store();
    if (GetParam() == "Memory") return;
    std::unique_ptr<ObjectStore> elsewhere;
    if (GetParam() == "SealedElsewhere") elsewhere = std::make_unique<testing::MemoryObjectStore>();
    if (GetParam() == "S3") {
      const std::string& server = testing::s3_server();
      if (server.empty()) GTEST_SKIP() << "s3rver is absent: scripts/install-test-tools installs it";
      auto store = open_s3_object_store({server, "tryon", "us-east-1", "S3RVER", "S3RVER"});
      ASSERT_TRUE(store.ok()) << store.status();
      elsewhere = *std::move(store);
    }
    auto folder = open_directory_object_store(folder_.path).value();
    sealed_ = make_sealed_blob_store(jobs_.get(), std::move(folder), {}, std::move(elsewhere));
    store_ = std::make_unique<TenantBlobStore>(sealed_.get(), "shop");
  }
  Folder folder_;
  const std::unique_ptr<JobStore> jobs_ = make_memory_job_store();
  std::unique_ptr<BlobStore> sealed_, store_;
  const std::string digest_ = sha256_hex(kCloth);
};

TEST_P(BlobStoreTest, ABlobInOneStepComesBackWhole) {
  EXPECT_EQ(store_->put(kCloth).value(), digest_);
  EXPECT_EQ(store_->blob_size(digest_).value(), kClothSize);
  EXPECT_EQ(store_->read(digest_, 0, 0).value(), kCloth);
  EXPECT_EQ(store_->put(kCloth).value(), digest_);
  EXPECT_EQ(store_->read(store_->put("").value(), 0, 0).value(), "");
}

TEST_P(BlobStoreTest, BytesOfEveryValueAreKept) {
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) bytes.push_back(static_cast<char>(i * 7 + i / 256));
  EXPECT_EQ(store_->read(store_->put(bytes).value(), 0, 0).value(), bytes);
}

TEST_P(BlobStoreTest, AReadStaysWithinOffsetAndLimit) {
  store_->put(kCloth).value();
  EXPECT_EQ(store_->read(digest_, 5, 3).value(), "and");
  EXPECT_EQ(store_->read(digest_, 9, 0).value(), "weft");
  EXPECT_EQ(store_->read(digest_, 9, 100).value(), "weft");
  EXPECT_EQ(store_->read(digest_, kClothSize, 5).value(), "");
  for (const auto& [offset, limit] : {std::pair{-1, 1}, {14, 1}, {0, -1}}) {
    EXPECT_EQ(store_->read(digest_, offset, limit).status().code(), absl::StatusCode::kOutOfRange);
  }
}

TEST_P(BlobStoreTest, AnUploadResumesAtEveryByte) {
  for (int cut = 0; cut <= kClothSize; ++cut) {
    const std::string bytes = cat(kCloth, static_cast<char>('a' + cut)), id = cat("up-", cut);
    const auto size = static_cast<int64_t>(bytes.size());
    ASSERT_EQ(store_->begin_upload(id, sha256_hex(bytes), size).value(), 0);
    ASSERT_EQ(store_->append_upload(id, 0, bytes.substr(0, cut)).value(), cut);
    ASSERT_EQ(store_->begin_upload(id, sha256_hex(bytes), size).value(), cut);
    ASSERT_EQ(store_->upload_size(id).value(), cut);
    ASSERT_EQ(store_->append_upload(id, cut, bytes.substr(cut)).value(), size);
    ASSERT_TRUE(store_->finish_upload(id).ok());
    ASSERT_EQ(store_->read(sha256_hex(bytes), 0, 0).value(), bytes);
  }
}

TEST_P(BlobStoreTest, AnOffsetThatIsNotTheCommittedSizeIsOutOfRange) {
  store_->begin_upload("u", digest_, kClothSize).value();
  store_->append_upload("u", 0, "warp").value();
  for (const int64_t offset : {-1, 0, 3, 5, 100}) {
    const auto status = store_->append_upload("u", offset, "x").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(reason_of(status), "UPLOAD_OFFSET");
  }
  EXPECT_EQ(store_->upload_size("u").value(), 4);
}

TEST_P(BlobStoreTest, ABlobIsNotReadableBeforeItIsFinished) {
  store_->begin_upload("u", digest_, kClothSize).value();
  store_->append_upload("u", 0, kCloth).value();
  EXPECT_EQ(reason_of(store_->read(digest_, 0, 0).status()), "BLOB_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->blob_size(digest_).status()), "BLOB_NOT_FOUND");
  EXPECT_TRUE(store_->finish_upload("u").ok());
  EXPECT_EQ(store_->blob_size(digest_).value(), kClothSize);
}

TEST_P(BlobStoreTest, BytesThatAreNotWhatWasAnnouncedAreRefusedAndTheUploadIsGone) {
  for (const char* sent : {"warp or weft!", "warp", ""}) {
    store_->begin_upload("u", digest_, kClothSize).value();
    store_->append_upload("u", 0, sent).value();
    const absl::Status status = store_->finish_upload("u");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(reason_of(status), "BLOB_DIGEST_MISMATCH");
    EXPECT_EQ(reason_of(store_->upload_size("u").status()), "UPLOAD_NOT_FOUND");
    EXPECT_EQ(reason_of(store_->blob_size(digest_).status()), "BLOB_NOT_FOUND");
  }
}

TEST_P(BlobStoreTest, NothingLargerThanAnnouncedOrAllowedIsTaken) {
  EXPECT_EQ(reason_of(store_->begin_upload("u", digest_, kMaxBlobBytes + 1).status()), "BLOB_TOO_LARGE");
  EXPECT_EQ(reason_of(store_->begin_upload("u", digest_, -1).status()), "BLOB_SIZE_INVALID");
  store_->begin_upload("u", digest_, kClothSize).value();
  EXPECT_EQ(reason_of(store_->append_upload("u", 0, cat(kCloth, "!")).status()), "BLOB_TOO_LARGE");
  EXPECT_EQ(store_->upload_size("u").value(), 0);
}

TEST_P(BlobStoreTest, AnUploadOfABlobThatIsThereIsCompleteAtOnce) {
  store_->put(kCloth).value();
  EXPECT_EQ(store_->begin_upload("u", digest_, kClothSize).value(), kClothSize);
  EXPECT_EQ(store_->upload_size("u").value(), kClothSize);
  EXPECT_EQ(store_->append_upload("u", kClothSize, "").value(), kClothSize);
  EXPECT_EQ(reason_of(store_->append_upload("u", 0, kCloth).status()), "UPLOAD_OFFSET");
  EXPECT_TRUE(store_->finish_upload("u").ok());
  EXPECT_EQ(store_->read(digest_, 0, 0).value(), kCloth);
}

TEST_P(BlobStoreTest, TwoUploadsOfTheSameBlobBothSucceed) {
  for (const char* id : {"u1", "u2"}) {
    store_->begin_upload(id, digest_, kClothSize).value();
    store_->append_upload(id, 0, "warp").value();
  }
  store_->append_upload("u1", 4, " and weft").value();
  EXPECT_TRUE(store_->finish_upload("u1").ok());
  EXPECT_EQ(store_->upload_size("u2").value(), kClothSize) << "the other upload made it whole";
  EXPECT_TRUE(store_->finish_upload("u2").ok());
  EXPECT_EQ(store_->read(digest_, 0, 0).value(), kCloth);
}

TEST_P(BlobStoreTest, AnUploadsNameStandsForOneFile) {
  store_->begin_upload("u", digest_, kClothSize).value();
  EXPECT_EQ(reason_of(store_->begin_upload("u", digest_, kClothSize - 1).status()), "UPLOAD_NAME_REUSED");
  EXPECT_EQ(reason_of(store_->begin_upload("u", sha256_hex("x"), kClothSize).status()), "UPLOAD_NAME_REUSED");
}

TEST_P(BlobStoreTest, NoNameLeadsOutOfTheStore) {
  const std::string long_name(65, 'a');
  const std::string names[] = {
      "",         ".",      "..", "../x", "a/b", "/etc/passwd", "a.meta", "a b", "a\n", std::string("a\0b", 3),
      "\xc3\xa9", long_name};
  for (const std::string& name : names) {
    EXPECT_EQ(reason_of(store_->begin_upload(name, digest_, 1).status()), "UPLOAD_NAME_INVALID") << name;
    EXPECT_EQ(reason_of(store_->append_upload(name, 0, "x").status()), "UPLOAD_NAME_INVALID") << name;
    EXPECT_EQ(reason_of(store_->upload_size(name).status()), "UPLOAD_NAME_INVALID") << name;
    EXPECT_EQ(reason_of(store_->finish_upload(name)), "UPLOAD_NAME_INVALID") << name;
  }
  const std::string up = "../../../../../../../../../../../../../../../../../../../etc/passwd", upper(64, 'A');
  for (const std::string& digest : {std::string(), up, upper, std::string(63, 'a'), std::string(65, 'a')}) {
    EXPECT_EQ(reason_of(store_->begin_upload("u", digest, 1).status()), "BLOB_DIGEST_INVALID") << digest;
    EXPECT_EQ(reason_of(store_->blob_size(digest).status()), "BLOB_DIGEST_INVALID") << digest;
    EXPECT_EQ(reason_of(store_->read(digest, 0, 0).status()), "BLOB_DIGEST_INVALID") << digest;
  }
}

TEST_P(BlobStoreTest, OfManyWritersAtOneOffsetOneWins) {
  store_->begin_upload("u", sha256_hex("x"), 1).value();
  std::atomic<int> winners = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { winners += store_->append_upload("u", 0, "x").ok() ? 1 : 0; });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(winners, 1);
  EXPECT_TRUE(store_->finish_upload("u").ok());
}

TEST_P(BlobStoreTest, OfManyWhoFinishAnUploadOneWinsAndTheBlobIsWhole) {
  for (int round = 0; round < 10; ++round) {
    const std::string bytes = cat(kCloth, round);
    store_->begin_upload("u", sha256_hex(bytes), static_cast<int64_t>(bytes.size())).value();
    store_->append_upload("u", 0, bytes).value();
    std::atomic<int> finished = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] { finished += store_->finish_upload("u").ok() ? 1 : 0; });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_GE(finished, 1);
    EXPECT_EQ(store_->read(sha256_hex(bytes), 0, 0).value(), bytes);
    EXPECT_FALSE(store_->upload_size("u").ok());
  }
}

TEST_P(BlobStoreTest, AnErasedBlobIsGoneAndMayComeBack) {
  EXPECT_TRUE(store_->erase(digest_).ok()) << "what is not there is gone";
  store_->put(kCloth).value();
  ASSERT_TRUE(store_->erase(digest_).ok());
  EXPECT_EQ(reason_of(store_->blob_size(digest_).status()), "BLOB_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->read(digest_, 0, 0).status()), "BLOB_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->erase("../../etc/passwd")), "BLOB_DIGEST_INVALID");
  EXPECT_EQ(store_->put(kCloth).value(), digest_);
  EXPECT_EQ(store_->read(digest_, 0, 0).value(), kCloth);
}

INSTANTIATE_TEST_SUITE_P(Every, BlobStoreTest, ::testing::ValuesIn(every_blob_store()),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace tryon
