// How the server is configured: file, environment, flags; what it says of a wrong one; how it leaves.
#include <gtest/gtest.h>

#include "server/base/text.h"
#include "tests/integration/support/live_server.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using testing::CommandResult;
using testing::run_command;

CommandResult server(std::vector<std::string> variables, std::vector<std::string> flags) {
  std::vector<std::string> command = {"/usr/bin/env"};
  command.insert(command.end(), variables.begin(), variables.end());
  command.push_back(testing::bin_dir() + "/tryon-server");
  command.insert(command.end(), flags.begin(), flags.end());
  return run_command(command);
}

std::string file_with(const std::string& text) {
  const std::string path = testing::make_temp_dir() + "/tryon.toml";
  testing::write_file(path, text);
  return path;
}

bool says(const CommandResult& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

TEST(Settings, FlagsAreStrongerThanTheEnvironmentAndThatThanTheFile) {
  const std::string plain = file_with("data = \"/tmp\"\nworkers = 3\ndrain-timeout = 7\n");
  EXPECT_TRUE(says(server({}, {"--config", plain, "--print-config"}), "workers=3"));
  EXPECT_TRUE(says(server({"TRYON_WORKERS=5"}, {"--config", plain, "--print-config"}), "workers=5"));
  const CommandResult all =
      server({"TRYON_WORKERS=5", cat("TRYON_CONFIG=", plain)}, {"--workers", "6", "--print-config"});
  EXPECT_TRUE(says(all, "workers=6")) << all.output;
  EXPECT_TRUE(says(all, "drain-timeout=7")) << all.output;
}

TEST(Settings, WhatIsPrintedIsAFileThatGivesTheSame) {
  const CommandResult printed = server({}, {"--data", "/tmp", "--workers", "4", "--print-config"});
  ASSERT_EQ(printed.exit_code, 0) << printed.output;
  const CommandResult again = server({}, {"--config", file_with(printed.output), "--print-config"});
  EXPECT_EQ(again.output, printed.output);
}

TEST(Settings, AKeyThatNobodyKnowsOrAValueOutOfRangeEndsTheServerWithItsName) {
  const CommandResult unknown = server({}, {"--config", file_with("data = \"/tmp\"\nwrokers = 3\n"), "--check-config"});
  EXPECT_NE(unknown.exit_code, 0);
  EXPECT_TRUE(says(unknown, "wrokers")) << unknown.output;
  const CommandResult range = server({"TRYON_WORKERS=-1"}, {"--data", "/tmp", "--check-config"});
  EXPECT_NE(range.exit_code, 0);
  EXPECT_TRUE(says(range, "workers")) << range.output;
}

TEST(Settings, CheckingSaysWhetherTheConfigurationWouldDoAndStartsNothing) {
  const std::string data = testing::make_temp_dir();
  const CommandResult good = server({}, {"--data", data, "--check-config"});
  EXPECT_EQ(good.exit_code, 0) << good.output;
  const CommandResult bad = server({}, {"--data", data, "--tls-certificate", "/nonexistent", "--check-config"});
  EXPECT_NE(bad.exit_code, 0);
  EXPECT_TRUE(says(bad, "a certificate and its key")) << bad.output;
}

}  // namespace
}  // namespace tryon
