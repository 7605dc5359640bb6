#include "server/service/security/tokens.h"

#include <gtest/gtest.h>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

std::string entry(const std::string& name, const std::string& token, const std::string& scopes) {
  return cat("{\"name\": \"", name, "\", \"sha256\": \"", sha256_hex(token), "\", \"scopes\": ", scopes, "}");
}

std::string file_of(const std::string& entries) { return "{\"tokens\": [" + entries + "]}"; }

std::string reason_of(const std::string& json) {
  const auto table = TokenTable::parse(json);
  return table.ok() ? "" : error_detail(table.status())->reason;
}

TEST(Tokens, ATokenIsFoundByItsDigestAndTheFileHoldsNoToken) {
  const std::string json = file_of(entry("shop", "s3cret", "[\"read\"]") + "," + entry("ops", "0ther", "[\"write\"]"));
  EXPECT_EQ(json.find("s3cret"), std::string::npos);
  const auto table = TokenTable::parse(json);
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_NE(table->find("s3cret"), nullptr);
  EXPECT_EQ(table->find("s3cret")->name, "shop");
  EXPECT_EQ(table->find("s3cret")->scopes, std::set<Scope>{Scope::kRead});
  EXPECT_EQ(table->find("0ther")->scopes, std::set<Scope>{Scope::kWrite});
  EXPECT_EQ(table->find("s3cre"), nullptr);
  EXPECT_EQ(table->find(""), nullptr);
  EXPECT_EQ(table->find(sha256_hex("s3cret")), nullptr) << "who has read the file cannot call";
}

TEST(Tokens, AFileThatIsNotWhatItShouldBeIsRefusedWithTheEntry) {
  const std::string good = entry("shop", "a", "[\"read\"]");
  for (const std::string& bad :
       {std::string("nonsense"), std::string("[]"), std::string("{}"), file_of(""), file_of("3"),
        file_of("{\"name\": \"x\", \"scopes\": [\"read\"]}"), file_of(entry("", "a", "[\"read\"]")),
        file_of(entry(std::string(65, 'x'), "a", "[\"read\"]")), file_of(entry("x", "a", "[]")),
        file_of(entry("x", "a", "[\"root\"]")), file_of(entry("x", "a", "\"read\"")), file_of(good + "," + good)}) {
    EXPECT_EQ(reason_of(bad), "TOKEN_FILE_INVALID") << bad;
  }
  const auto second = TokenTable::parse(file_of(good + "," + entry("x", "b", "[7]")));
  EXPECT_EQ(error_detail(second.status())->field, "tokens[1].scopes");
  EXPECT_EQ(error_detail(TokenTable::load("/nonexistent").status())->reason, "TOKEN_FILE_UNREADABLE");
}

TEST(Tokens, ATokenBelongsToTheTenantThatItNamesOrToOneOfItsOwnName) {
  const auto named = [](const std::string& more) {
    return TokenTable::parse(file_of(
        cat("{\"name\": \"shop reader\", \"sha256\": \"", sha256_hex("t"), "\", \"scopes\": [\"read\"]", more, "}")));
  };
  EXPECT_EQ(named(", \"tenant\": \"shop-1\"")->find("t")->tenant, "shop-1");
  EXPECT_EQ(named(", \"tenant\": \"\"")->find("t")->tenant, "") << "who had everything before there were tenants";
  EXPECT_EQ(TokenTable::parse(file_of(entry("shop", "t", "[\"read\"]")))->find("t")->tenant, "shop");
  for (const char* bad : {"a/b", "?", "a b", "\u00e4"}) {
    EXPECT_EQ(error_detail(named(cat(", \"tenant\": \"", bad, "\"")).status())->field, "tokens[0].tenant") << bad;
  }
  EXPECT_FALSE(named(", \"tenant\": 5").ok());
  EXPECT_FALSE(named("").ok()) << "its name is none of a tenant";
}

}  // namespace
}  // namespace tryon
