// What a server keeps and tells of a person: a canary in the scan's name, its bytes and its shape is looked for in the
// log, the metrics, and every file of the data folder.
#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/base/text.h"
#include "tests/integration/support/hosted_service.h"
#include "tests/integration/support/live_server.h"
#include "tests/support/http_get.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr char kScan[] = "bodies/smpl/f_smpl_average_A40.obj";
const std::string kName = "canary_anna_b7f3.obj", kVertex = "0.734210987654321";

std::vector<std::string> files_with(const std::string& folder, const std::string& canary) {
  std::vector<std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    if (testing::read_file(path).find(canary) != std::string::npos) out.push_back(path);
  }
  return out;
}

class BodyPrivacy : public ::testing::Test {
 protected:
  // A real scan under a name, and with a vertex, that are found again wherever they are written.
  std::string canary_scan() {
    const std::string path = dir_ + "/" + kName;
    testing::write_file(path, cat("# ", kVertex, " far outside\n", testing::read_file(testing::shared_data_path(kScan)),
                                  "\nv ", kVertex, " 0.8 0.9\n"));
    return path;
  }
  Json fit(const testing::LiveServer& server, std::vector<std::string> more, const std::string& out) {
    std::vector<std::string> arguments = {"--json", "fit", "--body", canary_scan(), "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = server.tryon(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.output;
    return Json::parse(result.output, nullptr, false);
  }
  const std::string dir_ = testing::make_temp_dir();
};

TEST_F(BodyPrivacy, NothingOfAScanIsInLogsMetricsOrTheBlobsAndADeletedBodyIsInNoFile) {
  TRYON_NEEDS_SHARED_DATA(kScan);
  testing::LiveServer server;
  const std::string out = dir_ + "/out";
  const Json body = fit(server, {}, out);
  ASSERT_TRUE(body.is_object());
  const std::string store = server.data() + "/store";
  EXPECT_TRUE(testing::eventually([&] { return files_with(store + "/blobs", kVertex).empty(); }))
      << "the raw scan is still there";
  std::vector<std::string> canaries = {kName, kVertex, "canary_anna"};
  for (const auto& [name, mm] : body["measurements_mm"].items()) {
    const std::string text = cat(mm.get<double>());
    if (text.size() >= 5) canaries.push_back(text);  // "702.5": nothing else looks like it by chance
  }
  ASSERT_GT(canaries.size(), 8u);
  const std::string metrics = testing::http_get(server.metrics_port(), "/metrics");
  for (const std::string& canary : canaries) {
    EXPECT_EQ(server.log().find(canary), std::string::npos) << canary << " in the log";
    EXPECT_EQ(metrics.find(canary), std::string::npos) << canary << " in the metrics";
  }
  EXPECT_FALSE(files_with(store, kName).empty()) << "the test looks where the server writes";
  EXPECT_EQ(server.tryon({"bodies", "delete", body["name"]}).exit_code, 0);
  EXPECT_TRUE(testing::eventually([&] { return files_with(store, kName).empty(); })) << "the name survived";
  EXPECT_TRUE(files_with(store, "tryon.body.v1").empty()) << "a body.json survived";
  EXPECT_TRUE(files_with(store, "TRYONBDY").empty()) << "a stored body survived";
}

TEST_F(BodyPrivacy, ARefusedScanLeavesNoBytesAndItsStoredErrorTellsNoVertex) {
  testing::LiveServer server;
  const std::string path = dir_ + "/" + kName;
  testing::write_file(path, cat("v 0 0 0\nv 1 0 0\nv 0 ", kVertex, " 0\nf 1 2 3\n"));
  EXPECT_EQ(server.tryon({"fit", "--body", path, "--out", dir_ + "/out"}).exit_code, 3);
  EXPECT_TRUE(testing::eventually([&] { return files_with(server.data() + "/store", kVertex).empty(); }));
  EXPECT_EQ(server.log().find("canary_anna"), std::string::npos);
}

TEST_F(BodyPrivacy, HeadAndHandsAreInNoFileUnlessTheCallerKeepsThem) {
  TRYON_NEEDS_SHARED_DATA(kScan);
  testing::LiveServer server;
  const Json cut = fit(server, {}, dir_ + "/cut"), whole = fit(server, {"--keep-head-and-hands"}, dir_ + "/whole");
  EXPECT_FALSE(cut["has_head_and_hands"].get<bool>());
  EXPECT_TRUE(whole["has_head_and_hands"].get<bool>());
  EXPECT_NE(cut["name"], whole["name"]);
  EXPECT_EQ(cut["measurements_mm"], whole["measurements_mm"]) << "numbers are taken before the cut";
  const Json segments = Json::parse(testing::read_file(dir_ + "/cut/body.json"))["segments"];
  for (const char* gone : {"head", "left_hand", "right_hand"}) EXPECT_FALSE(segments.contains(gone)) << gone;
  for (const Json& proxy : Json::parse(testing::read_file(dir_ + "/cut/body.json"))["proxies"]) {
    EXPECT_NE(proxy["part"], "head");
  }
  EXPECT_TRUE(Json::parse(testing::read_file(dir_ + "/whole/body.json"))["segments"].contains("head"));
}

TEST_F(BodyPrivacy, ADrapeWorksWhenTheScanIsGoneAndIsTheSameEveryTime) {
  TRYON_NEEDS_SHARED_DATA(kScan);
  std::string digests[2];
  for (std::string& digest : digests) {
    testing::LiveServer server;
    fit(server, {}, dir_ + "/out");
    EXPECT_TRUE(testing::eventually([&] { return files_with(server.data() + "/store/blobs", kVertex).empty(); }));
    const auto drape = server.tryon({"drape", "--body", canary_scan(), "--garment", "sample:skirt", "--resolution",
                                     "30", "--out", dir_ + "/drape"});
    ASSERT_TRUE(drape.exit_code == 0 || drape.exit_code == 4) << drape.output;
    digest = Json::parse(testing::read_file(dir_ + "/drape/metrics.json"))["engine"]["result_digest"];
    EXPECT_TRUE(files_with(server.data() + "/store/blobs", kVertex).empty()) << "the drape sent the scan again";
  }
  EXPECT_EQ(digests[0], digests[1]);
}

TEST_F(BodyPrivacy, ACloudOfPointsAndATableOfMeasurementsBecomeBodiesToo) {
  const std::string cloud = "bodies/scans/scan_f_8cam_mm_zup.ply";
  TRYON_NEEDS_SHARED_DATA(cloud);
  testing::LiveServer server;
  const auto scanned =
      server.tryon({"--json", "fit", "--body", testing::shared_data_path(cloud), "--out", dir_ + "/cloud"});
  ASSERT_EQ(scanned.exit_code, 0) << scanned.output;
  const Json body = Json::parse(scanned.output);
  EXPECT_GT(std::stoll(body["source"]["point_count"].get<std::string>()), 100'000);
  EXPECT_NEAR(body["height_m"].get<double>(), 1.605, 0.03);
  const auto made = server.tryon({"--json", "fit", "--height", "1680", "--measure", "waist_girth=720", "--figure",
                                  "female", "--out", dir_ + "/table"});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  EXPECT_NEAR(Json::parse(made.output)["measurements_mm"]["waist_girth"].get<double>(), 720.0, 3.6);
  EXPECT_FALSE(Json::parse(made.output)["outcome"]["waist_girth"]["predicted"].get<bool>());
  const auto absurd = server.tryon({"--json", "fit", "--height", "4000", "--out", dir_ + "/none"});
  EXPECT_EQ(absurd.exit_code, 3) << absurd.output;
}

}  // namespace
}  // namespace tryon
