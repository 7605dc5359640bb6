// Hostile files through the whole stack: each gets a clear error that names the file and what to do, exit code 3, and
// leaves the server serving.
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "server/store/job_store.h"
#include "tests/integration/support/live_server.h"
#include "tests/support/http_get.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

struct BadFile {
  const char* name;
  const char* file_name;
  std::string bytes;
  const char* says;  // part of the answer
};

std::string cube_obj() {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += "v " + std::to_string(i & 1) + " " + std::to_string((i >> 1) & 1) + " " + std::to_string(i >> 2) + "\n";
  }
  return text +
         "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";
}

std::string square_pattern(const std::string& edges, const std::string& stitches) {
  return R"({"pattern": {"panels": {"front": {"vertices": [[0,0],[40,0],[40,60],[0,60]], "edges": [)" + edges +
         R"(], "translation": [0,60,30], "rotation": [0,0,0]}}, "stitches": [)" + stitches +
         R"(]}, "parameters": {}, "parameter_order": [], "properties": {"units_in_meter": 100,
          "curvature_coords": "relative", "normalize_panel_translation": false}})";
}
const char kSquareEdges[] = R"({"endpoints":[0,1]},{"endpoints":[1,2]},{"endpoints":[2,3]},{"endpoints":[3,0]})";

std::vector<BadFile> bad_bodies() {
  return {
      {"ZeroBytes", "anna.obj", "", "anna.obj"},
      {"NotAMesh", "anna.obj", "hello, this is a letter\n", "anna.obj"},
      {"OutOfRangeIndex", "anna.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "line 4"},
      {"NotANumber", "anna.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "line 2"},
      {"TruncatedPly", "anna.ply", "ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\n", "anna.ply"},
      {"ContradictoryStl", "anna.stl", std::string(80, ' ') + std::string("\xff\xff\x00\x00", 4) + "short", "anna.stl"},
      {"WrongTypeGlb", "anna.glb", "\x89PNG\r\n\x1a\n not a glb", "anna.glb"},
      {"ACubeIsNoBody", "cube.obj", cube_obj(), "cube.obj"},
  };
}

std::vector<BadFile> bad_garments() {
  return {
      {"ZeroBytes", "dress.json", "", "dress.json"},
      {"NotJson", "dress.json", "{\"pattern\": ", "dress.json"},
      {"WrongType", "dress.json", "\x89PNG\r\n\x1a\n", "dress.json"},
      {"SeamNamesAMissingEdge", "dress.json",
       square_pattern(kSquareEdges, R"([{"panel":"front","edge":1},{"panel":"front","edge":7}])"), "7"},
      {"SeamNamesAMissingPanel", "dress.json",
       square_pattern(kSquareEdges, R"([{"panel":"front","edge":1},{"panel":"back","edge":1}])"), "back"},
      {"PanelCrossesItself", "dress.json",
       square_pattern(R"({"endpoints":[0,2]},{"endpoints":[2,1]},{"endpoints":[1,3]},{"endpoints":[3,0]})", ""),
       "front"},
      {"OpenLoop", "dress.json", square_pattern(R"({"endpoints":[0,1]},{"endpoints":[1,2]})", ""), "front"},
  };
}

class OneServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new testing::LiveServer(2); }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  // The answer names the file and the place, the exit code says "the input is bad", and the server still serves.
  static void expect_refused(const BadFile& bad, const std::string& option) {
    const std::string dir = testing::make_temp_dir(), path = dir + "/" + bad.file_name;
    testing::write_file(path, bad.bytes);
    const auto result = server_->tryon({"drape", option, path, "--out", dir + "/out"});
    EXPECT_EQ(result.exit_code, 3) << bad.name << ":\n" << result.output;
    EXPECT_NE(result.output.find(bad.says), std::string::npos) << bad.name << ":\n" << result.output;
    EXPECT_TRUE(server_->alive());
    EXPECT_EQ(server_->tryon({"fabrics"}).exit_code, 0);
  }
  static testing::LiveServer* server_;
};
testing::LiveServer* OneServer::server_ = nullptr;

using BadInput = OneServer;

TEST_F(BadInput, EveryBrokenBodyIsRefusedByNameAndTheServerGoesOn) {
  for (const BadFile& bad : bad_bodies()) expect_refused(bad, "--body");
}

TEST_F(BadInput, EveryBrokenPatternIsRefusedByNameAndTheServerGoesOn) {
  for (const BadFile& bad : bad_garments()) expect_refused(bad, "--garment");
}

TEST_F(BadInput, AnUnknownFabricIsAnsweredWithTheNearest) {
  const auto result = server_->tryon({"drape", "--fabric", "denim_12oz", "--out", testing::make_temp_dir()});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_NE(result.output.find("denim_11oz"), std::string::npos) << result.output;
}

TEST_F(BadInput, ASettingOutsideItsRangeIsNamedWithTheRange) {
  const auto result = server_->tryon({"drape", "--resolution", "0.5", "--out", testing::make_temp_dir()});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_NE(result.output.find("resolution_mm"), std::string::npos) << result.output;
}

TEST(Operations, AServerThatIsNotThereIsExitCodeFive) {
  const auto result = testing::run_command({testing::bin_dir() + "/tryon", "--server", "127.0.0.1:1", "fabrics"});
  EXPECT_EQ(result.exit_code, 5) << result.output;
}

TEST(Operations, SigtermStopsTheServerCleanly) {
  testing::LiveServer server;
  EXPECT_EQ(server.tryon({"fabrics"}).exit_code, 0);
  EXPECT_EQ(server.terminate(), 0) << server.log();
}

// A caller goes away with the server; what was accepted does not: the running drape ends, and nothing is begun anew.
TEST(Operations, SigtermLetsARunningDrapeEnd) {
  testing::LiveServer server(1, {"--drain-timeout", "300"});  // however busy the machine
  std::thread caller([&] {
    server.tryon({"drape", "--garment", "template:t_shirt", "--size", "M", "--resolution", "30", "--out",
                  testing::make_temp_dir()});
  });
  const auto jobs = *open_sqlite_job_store(server.data() + "/store/tasks.sqlite");
  const auto drapes = [&] { return *jobs->list("", "drape", std::nullopt, 10); };
  while (drapes().empty() || drapes().front().state == TaskState::kQueued)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(server.terminate(), 0) << server.log();
  caller.join();
  ASSERT_EQ(drapes().size(), 1u);
  EXPECT_EQ(drapes().front().state, TaskState::kSucceeded);
  EXPECT_EQ(drapes().front().attempt, 1);
}

TEST(Operations, PrometheusSeesRequestsByMethodAndCodeAndDrapesByOutcome) {
  testing::LiveServer server;
  const std::string dir = testing::make_temp_dir(), path = dir + "/cube.obj";
  testing::write_file(path, cube_obj());
  EXPECT_EQ(server.tryon({"drape", "--body", path, "--out", dir + "/out"}).exit_code, 3);
  std::string text;
  for (int i = 0; i < 50 && text.find("tryon_drapes_total{") == std::string::npos; ++i) {
    text = testing::http_get(server.metrics_port(), "/metrics");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_NE(text.find("tryon_rpc_requests_total{code=\"OK\",method=\"BlobService.FindMissingBlobs\"}"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("tryon_drapes_total{outcome=\"failed\""), std::string::npos) << text;
  EXPECT_EQ(text.find("cube"), std::string::npos) << "no label may hold a file name";
}

TEST(Operations, LogsHoldNoFileNames) {
  testing::LiveServer server;
  const std::string dir = testing::make_temp_dir(), path = dir + "/anna_very_private.obj";
  testing::write_file(path, cube_obj());
  EXPECT_EQ(server.tryon({"drape", "--body", path, "--out", dir + "/out"}).exit_code, 3);
  EXPECT_EQ(server.log().find("anna_very_private"), std::string::npos);
}

}  // namespace
}  // namespace tryon
