#include "server/base/status.h"

#include "gtest/gtest.h"

namespace tryon {
namespace {

TEST(Status, DetailSurvivesTheRoundTripThroughOneLine) {
  const absl::Status status = invalid_input("SEAM_EDGE_MISSING", "pattern.stitches[3]", "stitch 3 names edge 9 of 4",
                                            "Name an edge from 0 to 3.");
  const absl::Status back = decode_status(encode_status(status));
  EXPECT_EQ(back.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(back.message(), status.message());
  const auto detail = error_detail(back);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->reason, "SEAM_EDGE_MISSING");
  EXPECT_EQ(detail->field, "pattern.stitches[3]");
  EXPECT_EQ(detail->remedy, "Name an edge from 0 to 3.");
}

TEST(Status, ControlCharactersOfAnAttackerCannotForgeFields) {
  const absl::Status status = invalid_input("BAD",
                                            "a\x1f"
                                            "b",
                                            "m\x1fn\n", "r");
  const absl::Status back = decode_status(encode_status(status));
  EXPECT_EQ(error_detail(back)->field, "a b");
  EXPECT_EQ(back.message(), "m n ");
}

TEST(Status, GarbageDecodesToAnInternalFaultNeverToOk) {
  for (const char* text : {"", "0", "99\x1f\x1f\x1f\x1f", "x\x1f\x1f\x1f\x1f"}) {
    EXPECT_EQ(decode_status(text).code(), absl::StatusCode::kInternal) << text;
  }
}

TEST(Status, PrefixNamesTheFile) {
  const auto status = prefix_field(invalid_input("R", "line 7", "m", "r"), "body.obj: ");
  EXPECT_EQ(error_detail(status)->field, "body.obj: line 7");
}

}  // namespace
}  // namespace tryon
