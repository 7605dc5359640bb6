#include "server/service/convert/names.h"

#include "gtest/gtest.h"
#include "server/base/hash.h"
#include "server/base/status.h"

namespace tryon {
namespace {

const std::string kId = sha256_hex("x");

TEST(Names, AWellFormedNameGivesItsId) { EXPECT_EQ(parse_name("bodies/" + kId, "bodies").value(), kId); }

TEST(Names, AnythingElseIsRefusedByForm) {
  for (const std::string& name :
       {std::string(), std::string("bodies/"), "garments/" + kId, "bodies/" + kId + "/x",
        std::string("bodies/../../etc/passwd"), "bodies/" + std::string(64, 'G'), std::string(100000, 'a')}) {
    const auto status = parse_name(name, "bodies").status();
    ASSERT_TRUE(error_detail(status).has_value()) << name.substr(0, 80);
    EXPECT_EQ(error_detail(status)->reason, "RESOURCE_NAME");
  }
}

TEST(BlobNames, UploadAndReadFormsAreKept) {
  const auto upload = parse_upload_name("uploads/a-B-9/blobs/" + kId + "/17");
  ASSERT_TRUE(upload.ok());
  EXPECT_EQ(upload->upload, "a-B-9");
  EXPECT_EQ(upload->digest, kId);
  EXPECT_EQ(upload->size, 17);
  EXPECT_EQ(parse_blob_name("blobs/" + kId + "/17")->size, 17);
}

TEST(BlobNames, HostileFormsAreRefused) {
  for (const std::string& name :
       {std::string("uploads//blobs/") + kId + "/17", "uploads/../blobs/" + kId + "/17",
        "uploads/a/blobs/" + kId + "/-1", "uploads/a/blobs/" + kId + "/1e9",
        "uploads/a/blobs/" + kId + "/99999999999999999999", "uploads/a/blobs/" + kId,
        std::string("uploads/a/blobs/xyz/1"), "uploads/" + std::string(65, 'a') + "/blobs/" + kId + "/1"}) {
    EXPECT_FALSE(parse_upload_name(name).ok()) << name;
  }
}

TEST(PageTokens, ComeBackAsTheyWereMadeAndNothingElseIsTaken) {
  const TaskCursor cursor{1'700'000'000'250'000, sha256_hex("body")};
  const std::string token = page_token(cursor);
  EXPECT_EQ(parse_page_token(token).value(), cursor);
  for (const std::string& hostile : {std::string("x"), std::string(), token + "0", token.substr(1),
                                     std::string(5000, '-'), "1-" + sha256_hex("body") + "-00000000"}) {
    EXPECT_EQ(error_detail(parse_page_token(hostile).status())->reason, "PAGE_TOKEN") << hostile.substr(0, 80);
  }
}

}  // namespace
}  // namespace tryon
