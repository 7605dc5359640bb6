// What scripts rely on: the command's exit codes and its machine output, with the service inside the process.
#include <algorithm>
#include <filesystem>
#include <set>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/integration/support/hosted_service.h"
#include "tests/integration/support/live_server.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

testing::CommandResult tryon(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), testing::bin_dir() + "/tryon");
  return testing::run_command(arguments);
}

std::set<std::string> sockets() {
  std::set<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
    std::error_code ignored;
    const bool ours = entry.path().filename().string().rfind("tryon-", 0) == 0;
    if (ours && std::filesystem::exists(entry.path() / "socket", ignored)) out.insert(entry.path());
  }
  return out;
}

TEST(Command, WrongUsageIsExitCodeTwo) {
  const std::string out = testing::make_temp_dir();
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"dress"},
      {"drape"},
      {"drape", "--out", out, "--contact", "wool"},
      {"drape", "--out", out, "--wind", "1,2"},
      {"drape", "--out", out, "--resolution", "fine"},
      {"garment", "check"},
      {"watch"},
      {"perf", "--rate", "0"},
      {"perf", "--rate", "1", "--concurrency", "2"},
  };
  for (const auto& arguments : wrong) {
    const auto result = tryon(arguments);
    EXPECT_EQ(result.exit_code, 2) << ::testing::PrintToString(arguments) << "\n" << result.output;
  }
}

TEST(Command, PerfTellsHowLongCallsTookAndWhatOfItWasTheServers) {
  testing::LiveServer server;
  const auto drapes = server.tryon({"--json", "perf", "--garment", "template:t_shirt", "--size", "M", "--resolution",
                                    "50", "--window-calls", "1", "--most-windows", "2", "--agree", "0"});
  ASSERT_EQ(drapes.exit_code, 0) << drapes.output;
  const Json load = Json::parse(drapes.output);
  EXPECT_EQ(load["windows"].size(), 2u);
  EXPECT_EQ(load["all"]["call_count"], 2);
  EXPECT_GE(load["server"]["drape_count"], 2) << "each call was another drape";
  const double run_ms = load["server"]["run_ms"];
  double stages_ms = 0.0;
  for (const auto& [stage, ms] : load["server"]["stage_ms"].items()) stages_ms += ms.get<double>();
  EXPECT_GT(stages_ms, 0.9 * run_ms);
  EXPECT_LT(stages_ms, 1.01 * run_ms);
  const auto cached =
      server.tryon({"--json", "perf", "--call", "cached", "--garment", "template:t_shirt", "--size", "M",
                    "--resolution", "50", "--rate", "100", "--window-calls", "20", "--most-windows", "2"});
  ASSERT_EQ(cached.exit_code, 0) << cached.output;
  EXPECT_GE(Json::parse(cached.output)["all"]["call_count"], 40);
  const std::string gaps = testing::make_temp_dir() + "/gaps";
  testing::write_file(gaps, "0.01\nsoon\n");
  const auto wrong = server.tryon({"perf", "--call", "info", "--intervals", gaps});
  EXPECT_EQ(wrong.exit_code, 2) << wrong.output;
  EXPECT_NE(wrong.output.find("line 2"), std::string::npos) << wrong.output;
}

TEST(Command, AFileThatIsNotThereIsBadInputAndNamed) {
  const auto result = tryon({"garment", "check", "/nowhere/dress.json"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  EXPECT_NE(result.output.find("/nowhere/dress.json"), std::string::npos) << result.output;
}

TEST(Command, JsonOfAnErrorHasReasonFieldAndRemedy) {
  const auto result = tryon({"--json", "get", "drapes/xyz"});
  EXPECT_EQ(result.exit_code, 3) << result.output;
  const Json error = Json::parse(result.output)["error"];
  EXPECT_EQ(error["reason"], "RESOURCE_NAME");
  EXPECT_EQ(error["field"], "name");
  EXPECT_FALSE(error["remedy"].get<std::string>().empty());
}

TEST(Command, WithNothingStartedItServesItselfAndLeavesNothingBehind) {
  const std::set<std::string> before = sockets();
  const auto result = tryon({"--json", "fabrics"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json fabrics = Json::parse(result.output);
  ASSERT_FALSE(fabrics.empty());
  EXPECT_TRUE(std::any_of(fabrics.begin(), fabrics.end(), [](const Json& f) { return f["name"] == "cotton_jersey"; }));
  EXPECT_TRUE(testing::eventually([&] {  // another test's own may come and go meanwhile
    const std::set<std::string> now = sockets();
    return std::includes(before.begin(), before.end(), now.begin(), now.end());
  }));
}

TEST(Command, AGarmentIsMadeWithItsGradingAndARulesFileThatIsNotThereIsBadInput) {
  const auto made = tryon({"--json", "garment", "create", "template:a_line_skirt", "--size", "L"});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  EXPECT_EQ(Json::parse(made.output)["name"].get<std::string>().rfind("garments/", 0), 0u);
  EXPECT_EQ(Json::parse(made.output)["size"], "L");
  const std::string skirt = testing::source_dir() + "/tests/fixtures/patterns/keiko_skirt.seams.json";
  EXPECT_EQ(tryon({"garment", "check", skirt, "--rul", "/nowhere/grades.rul"}).exit_code, 3);
}

TEST(Command, GarmentsAreWornOverEachOtherEachOfItsOwnFabric) {
  const std::string out = testing::make_temp_dir();
  const auto result = tryon({"--json", "drape", "--under", "template:straight_skirt@denim_11oz", "--garment",
                             "template:tank_top", "--resolution", "30", "--wind", "0,0,-2", "--out", out});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json metrics = Json::parse(testing::read_file(out + "/metrics.json"));
  ASSERT_EQ(metrics["beneath"].size(), 1u);
  EXPECT_EQ(metrics["beneath"][0]["fabric"], "denim_11oz");
  EXPECT_EQ(metrics["fabric"], "cotton_jersey");
  EXPECT_EQ(metrics["self_intersections"], 0);
  const std::string scene = testing::read_file(out + "/scene.glb");
  for (const char* node : {"beneath 1 ", "garment"}) EXPECT_NE(scene.find(node), std::string::npos) << node;
}

TEST(Command, ASampleGarmentIsCheckedInProcess) {
  const auto result = tryon({"--json", "garment", "check", "sample:tshirt"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_GT(Json::parse(result.output)["panel_count"].get<int>(), 0);
}

}  // namespace
}  // namespace tryon
