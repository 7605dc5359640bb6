// One suite for every ObjectStore, one for those in which objects grow, and what only a folder can do.
#include "server/store/object_store.h"

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
#include "tests/support/memory_object_store.h"
#include "tests/unit/store/s3_server.h"
#include "tests/unit/store/store_suite.h"

namespace tryon {
namespace {

namespace fs = std::filesystem;
using testing::reason_of;

constexpr char kCloth[] = "warp and weft";
const std::string kName = sha256_hex("a name"), kOther = sha256_hex("another");

std::unique_ptr<SpoolStore> memory() { return std::make_unique<testing::MemoryObjectStore>(); }

class ObjectStoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "Memory") store_ = memory();
    if (GetParam() == "Directory") store_ = open_directory_object_store(folder_.path()).value();
    if (GetParam() != "S3") return;
    const std::string& server = testing::s3_server();
    if (server.empty()) GTEST_SKIP() << "s3rver is absent: scripts/install-test-tools installs it";
    auto store = open_s3_object_store({server, "tryon", "us-east-1", "S3RVER", "S3RVER"});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    for (const std::string& name : {kName, kOther}) ASSERT_TRUE(store_->erase(name).ok());
  }

  testing::Folder folder_;
  std::unique_ptr<ObjectStore> store_;
};

TEST_P(ObjectStoreTest, WhatWasPutIsReadInAnyRangeUnderItsNameAlone) {
  ASSERT_TRUE(store_->put(kName, kCloth).ok());
  EXPECT_EQ(store_->size(kName).value(), 13);
  EXPECT_EQ(store_->read(kName, 0, 0).value(), kCloth);
  EXPECT_EQ(store_->read(kName, 5, 3).value(), "and");
  EXPECT_EQ(store_->read(kName, 9, 100).value(), "weft");
  EXPECT_EQ(store_->read(kName, 13, 5).value(), "");
  for (const auto& [offset, limit] : {std::pair{-1, 1}, {14, 1}, {0, -1}}) {
    EXPECT_EQ(reason_of(store_->read(kName, offset, limit).status()), "READ_OFFSET");
  }
  EXPECT_EQ(reason_of(store_->size(kOther).status()), "BLOB_NOT_FOUND");
  EXPECT_EQ(reason_of(store_->read(kOther, 0, 0).status()), "BLOB_NOT_FOUND");
}

TEST_P(ObjectStoreTest, PuttingReplacesAndErasingRemoves) {
  ASSERT_TRUE(store_->put(kName, "cut short").ok());
  ASSERT_TRUE(store_->put(kName, kCloth).ok());
  EXPECT_EQ(store_->read(kName, 0, 0).value(), kCloth);
  ASSERT_TRUE(store_->erase(kName).ok());
  EXPECT_EQ(reason_of(store_->size(kName).status()), "BLOB_NOT_FOUND");
  EXPECT_TRUE(store_->erase(kName).ok()) << "what is not there is gone";
}

TEST_P(ObjectStoreTest, BytesOfEveryValueAreKept) {
  std::string bytes;
  for (int i = 0; i < 3'000'000; ++i) bytes.push_back(static_cast<char>(i * 7 + i / 256));
  ASSERT_TRUE(store_->put(kName, bytes).ok());
  EXPECT_EQ(store_->read(kName, 0, 0).value(), bytes);
}

TEST_P(ObjectStoreTest, NoNameLeadsOutOfTheStore) {
  const std::string up = "../../../../../../../../../../../../../../../../../../../etc/passwd";
  for (const std::string& name :
       {std::string(), up, std::string(64, 'A'), std::string(63, 'a'), std::string(65, 'a')}) {
    EXPECT_EQ(reason_of(store_->put(name, "x")), "BLOB_DIGEST_INVALID") << name;
    EXPECT_EQ(reason_of(store_->size(name).status()), "BLOB_DIGEST_INVALID") << name;
    EXPECT_EQ(reason_of(store_->read(name, 0, 0).status()), "BLOB_DIGEST_INVALID") << name;
    EXPECT_EQ(reason_of(store_->erase(name)), "BLOB_DIGEST_INVALID") << name;
  }
}

// The object store's are one run of their own (store.s3 of ctest): its server starts once, not once a test.
std::vector<std::string> every_object_store() {
  if (std::getenv("TRYON_TEST_S3") != nullptr) return {"S3"};
  return {"Memory", "Directory"};
}
INSTANTIATE_TEST_SUITE_P(Every, ObjectStoreTest, ::testing::ValuesIn(every_object_store()),
                         [](const auto& which) { return which.param; });

TEST(S3ObjectStore, ItsAddressIsReadAndAnythingElseRefused) {
  const S3Options options = s3_options_of("s3+https://s3.example.com:9000/shop?region=eu-central-1").value();
  EXPECT_EQ(options.endpoint, "https://s3.example.com:9000");
  EXPECT_EQ(options.bucket, "shop");
  EXPECT_EQ(options.region, "eu-central-1");
  EXPECT_EQ(s3_options_of("s3+http://127.0.0.1:4568/tryon")->region, "us-east-1");
  for (const char* bad : {"", "/folder", "s3://bucket", "s3+https://host", "s3+https://host/", "s3+ftp://h/b"}) {
    EXPECT_EQ(reason_of(s3_options_of(bad).status()), "S3_ADDRESS") << bad;
  }
}

TEST(S3ObjectStore, AStoreThatIsNotThereIsUnavailable) {
  const auto store = open_s3_object_store({"http://127.0.0.1:1", "tryon", "us-east-1", "a", "b"});
  EXPECT_EQ(reason_of(store.status()), "BLOB_STORE_UNAVAILABLE");
}

class SpoolStoreTest : public ::testing::TestWithParam<bool> {
 protected:
  testing::Folder folder_;
  const std::unique_ptr<SpoolStore> store_ =
      GetParam() ? open_directory_object_store(folder_.path()).value() : memory();
};

TEST_P(SpoolStoreTest, WhatGrowsIsReadMeanwhileAndBecomesAnObject) {
  EXPECT_EQ(store_->begin_growing(kName).value(), 0);
  ASSERT_TRUE(store_->grow(kName, 0, "warp").ok());
  EXPECT_EQ(store_->begin_growing(kName).value(), 4) << "beginning again continues";
  ASSERT_TRUE(store_->grow(kName, 4, " and weft").ok());
  EXPECT_EQ(store_->grown(kName).value(), 13);
  EXPECT_EQ(store_->read_grown(kName, 5, 3).value(), "and");
  EXPECT_FALSE(store_->size(kName).ok()) << "it is no object yet";
  ASSERT_TRUE(store_->place(kName, kOther).ok());
  EXPECT_EQ(store_->read(kOther, 0, 0).value(), kCloth);
  EXPECT_EQ(reason_of(store_->grown(kName).status()), "BLOB_NOT_FOUND");
}

TEST_P(SpoolStoreTest, OnlyAtItsEndAnythingGrows) {
  ASSERT_TRUE(store_->begin_growing(kName).ok());
  ASSERT_TRUE(store_->grow(kName, 0, "warp").ok());
  for (const int64_t offset : {-1, 0, 3, 5}) EXPECT_EQ(reason_of(store_->grow(kName, offset, "x")), "UPLOAD_OFFSET");
  EXPECT_EQ(store_->read_grown(kName, 0, 0).value(), "warp");
}

TEST_P(SpoolStoreTest, WhatWasDroppedOrNeverBegunIsNotThere) {
  ASSERT_TRUE(store_->begin_growing(kName).ok());
  ASSERT_TRUE(store_->drop(kName).ok());
  for (const std::string& name : {kName, kOther}) {
    EXPECT_EQ(reason_of(store_->grow(name, 0, "x")), "BLOB_NOT_FOUND");
    EXPECT_EQ(reason_of(store_->read_grown(name, 0, 0).status()), "BLOB_NOT_FOUND");
    EXPECT_EQ(reason_of(store_->place(name, kOther)), "BLOB_NOT_FOUND");
    EXPECT_TRUE(store_->drop(name).ok());
  }
}

TEST_P(SpoolStoreTest, OfManyWhoGrowAndPlaceOneWins) {
  ASSERT_TRUE(store_->begin_growing(kName).ok());
  std::atomic<int> grew = 0, placed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { grew += store_->grow(kName, 0, "x").ok() ? 1 : 0; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(grew, 1);
  threads.clear();
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { placed += store_->place(kName, kOther).ok() ? 1 : 0; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(placed, 1);
  EXPECT_EQ(store_->read(kOther, 0, 0).value(), "x");
}

INSTANTIATE_TEST_SUITE_P(Every, SpoolStoreTest, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "Directory" : "Memory"; });

class DirectoryObjectStore : public ::testing::Test {
 protected:
  std::unique_ptr<SpoolStore> open() { return open_directory_object_store(folder_.path()).value(); }
  std::vector<fs::path> files() {
    std::vector<fs::path> out;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) out.push_back(entry.path());
    }
    return out;
  }
  testing::Folder folder_;
};

TEST_F(DirectoryObjectStore, ObjectsAndWhatGrowsOutliveTheProcess) {
  {
    auto store = open();
    ASSERT_TRUE(store->put(kOther, "other").ok());
    ASSERT_TRUE(store->begin_growing(kName).ok());
    ASSERT_TRUE(store->grow(kName, 0, "warp and").ok());
  }
  auto store = open();
  EXPECT_EQ(store->read(kOther, 0, 0).value(), "other");
  EXPECT_EQ(store->begin_growing(kName).value(), 8);
  ASSERT_TRUE(store->grow(kName, 8, " weft").ok());
  ASSERT_TRUE(store->place(kName, kName).ok());
  EXPECT_EQ(store->read(kName, 0, 0).value(), kCloth);
}

TEST_F(DirectoryObjectStore, NothingIsLeftButTheObjectInItsPlace) {
  auto store = open();
  ASSERT_TRUE(store->put(kName, kCloth).ok());
  ASSERT_TRUE(store->begin_growing(kOther).ok());
  ASSERT_TRUE(store->drop(kOther).ok());
  EXPECT_FALSE(store->grow(kOther, 0, "x").ok());
  EXPECT_EQ(files(), std::vector<fs::path>{fs::path(folder_.path()) / kName.substr(0, 2) / kName.substr(2, 2) / kName});
}

TEST_F(DirectoryObjectStore, WhatNobodyTouchedForADayIsRemovedOnOpeningAndWhatIsFreshIsNot) {
  auto store = open();
  const std::string draft = "put.0123456789abcdef";
  for (const std::string& name : {kName, kOther}) {
    ASSERT_TRUE(store->begin_growing(name).ok());
    ASSERT_TRUE(store->grow(name, 0, "warp").ok());
  }
  const fs::path uploads = fs::path(folder_.path()) / "uploads";
  fs::copy_file(uploads / kName, uploads / draft);
  for (const std::string& name : {kName, draft}) {
    fs::last_write_time(uploads / name, fs::file_time_type::clock::now() - std::chrono::hours(25));
  }
  store = open();
  EXPECT_FALSE(store->grown(kName).ok());
  EXPECT_EQ(files(), std::vector<fs::path>{uploads / kOther});
}

TEST_F(DirectoryObjectStore, AFolderThatCannotBeMadeIsUnavailable) {
  EXPECT_EQ(open_directory_object_store("/proc/nowhere/blobs").status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tryon
