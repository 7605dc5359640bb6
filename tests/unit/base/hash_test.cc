#include "server/base/hash.h"

#include "gtest/gtest.h"

namespace tryon {
namespace {

TEST(Sha256, MatchesThePublishedVectors) {  // FIPS 180-4 examples
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesGiveTheSameDigestAsTheWhole) {
  Sha256 hash;
  hash.update("a");
  hash.update("");
  hash.update("bc");
  EXPECT_EQ(hash.finish_hex(), sha256_hex("abc"));
}

TEST(Sha256, KnowsADigestWhenItSeesOne) {
  EXPECT_TRUE(is_sha256_hex(sha256_hex("x")));
  EXPECT_FALSE(is_sha256_hex("../../etc/passwd"));
  EXPECT_FALSE(is_sha256_hex(std::string(64, 'G')));
}

TEST(RandomHex, TwoAreDifferent) { EXPECT_NE(random_hex(16), random_hex(16)); }

}  // namespace
}  // namespace tryon
