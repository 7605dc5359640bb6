#include "server/service/error_map.h"

#include "google/rpc/error_details.pb.h"
#include "gtest/gtest.h"
#include "server/base/status.h"

namespace tryon {
namespace {

google::rpc::ErrorInfo info_of(const google::rpc::Status& status) {
  google::rpc::ErrorInfo info;
  for (const auto& detail : status.details()) {
    if (detail.UnpackTo(&info)) return info;
  }
  ADD_FAILURE() << "no ErrorInfo";
  return info;
}

TEST(ErrorMap, ReasonFieldAndRemedyReachTheClient) {
  const auto status = to_rpc_status(
      invalid_input("SEAM_EDGE_MISSING", "stitches[3]", "stitch 3 names edge 9", "Name an edge from 0 to 3."));
  EXPECT_EQ(status.code(), 3);
  EXPECT_EQ(status.message(), "stitch 3 names edge 9");
  const auto info = info_of(status);
  EXPECT_EQ(info.reason(), "SEAM_EDGE_MISSING");
  EXPECT_EQ(info.domain(), kErrorDomain);
  EXPECT_EQ(info.metadata().at("field"), "stitches[3]");
  EXPECT_EQ(info.metadata().at("remedy"), "Name an edge from 0 to 3.");
  google::rpc::BadRequest bad;
  ASSERT_TRUE(status.details(1).UnpackTo(&bad));
  EXPECT_EQ(bad.field_violations(0).field(), "stitches[3]");
}

TEST(ErrorMap, EveryErrorCarriesAReasonEvenABareOne) {
  for (int code = 1; code <= 16; ++code) {
    const auto info = info_of(to_rpc_status(absl::Status(static_cast<absl::StatusCode>(code), "x")));
    EXPECT_FALSE(info.reason().empty()) << code;
    EXPECT_LE(info.reason().size(), 63u);
  }
}

TEST(ErrorMap, UnavailableSaysWhenToComeBack) {
  google::rpc::RetryInfo retry;
  const auto status = to_rpc_status(make_error(absl::StatusCode::kUnavailable, "X", "", "m", "r"));
  bool found = false;
  for (const auto& detail : status.details()) found = found || detail.UnpackTo(&retry);
  EXPECT_TRUE(found);
}

TEST(ErrorMap, OkIsOk) { EXPECT_TRUE(to_grpc_status(absl::OkStatus()).ok()); }

}  // namespace
}  // namespace tryon
