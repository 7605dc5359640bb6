#include "server/store/sqlite_db.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

class SqliteDbTest : public testing::Test {
 protected:
  SqliteDbTest() { std::filesystem::create_directories(folder_); }
  ~SqliteDbTest() override { std::filesystem::remove_all(folder_); }
  std::unique_ptr<SqliteDb> open(SqliteSync sync = SqliteSync::kFull) {
    return SqliteDb::open(folder_ / "db", sync).value();
  }
  static std::string ask(SqliteDb* db, const char* sql) {
    auto query = db->prepare(sql).value();
    EXPECT_TRUE(query.step().value());
    return query.text(0);
  }
  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / cat("tryon-test-", random_hex(8));
};

TEST_F(SqliteDbTest, CommitsWaitForTheDiskWhereAsked) {
  EXPECT_EQ(ask(open(SqliteSync::kFull).get(), "PRAGMA synchronous"), "2");
  EXPECT_EQ(ask(open(SqliteSync::kNormal).get(), "PRAGMA synchronous"), "1");
  EXPECT_EQ(ask(open().get(), "PRAGMA journal_mode"), "wal");
}

TEST_F(SqliteDbTest, ATransactionThatIsNotCommittedLeavesNothing) {
  const auto db = open();
  ASSERT_TRUE(db->run("CREATE TABLE t (x)").ok());
  {
    auto transaction = SqlTransaction::begin(db.get()).value();
    ASSERT_TRUE(db->run("INSERT INTO t VALUES (1)").ok());
  }
  EXPECT_EQ(ask(db.get(), "SELECT count(*) FROM t"), "0");
  auto transaction = SqlTransaction::begin(db.get()).value();
  ASSERT_TRUE(db->run("INSERT INTO t VALUES (1)").ok());
  ASSERT_TRUE(transaction.commit().ok());
  EXPECT_EQ(ask(db.get(), "SELECT count(*) FROM t"), "1");
}

TEST_F(SqliteDbTest, TextKeepsEveryByteAndAStatementServesAgain) {
  const auto db = open();
  for (const std::string& text :
       {std::string("a'b;--"), std::string(), std::string("x\0y", 3), std::string("\xc3\xa9")}) {
    auto query = db->prepare("SELECT ?").value();
    ASSERT_TRUE(query.bind(text).step().value());
    EXPECT_EQ(query.text(0), text);
  }
}

TEST_F(SqliteDbTest, AnothersCommitChangesTheDataVersion) {
  const auto watcher = open(), writer = open();
  const int64_t before = watcher->data_version().value();
  EXPECT_EQ(watcher->data_version().value(), before);
  ASSERT_TRUE(writer->run("CREATE TABLE t (x)").ok());
  EXPECT_NE(watcher->data_version().value(), before);
}

TEST_F(SqliteDbTest, AWrongStatementIsAnErrorAndNotAnEnd) {
  EXPECT_EQ(error_detail(open()->run("SELECT nonsense")).value_or(ErrorDetail{}).reason, "STORE_UNAVAILABLE");
  EXPECT_FALSE(open()->prepare("SELECT nonsense").ok());
}

}  // namespace
}  // namespace tryon
