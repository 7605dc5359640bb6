// The workers here are shell scripts.
#include "server/service/tasks/supervisor.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "absl/time/clock.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

class SupervisorTest : public testing::Test {
 protected:
  SupervisorTest() { std::filesystem::create_directories(folder_); }
  ~SupervisorTest() override { std::filesystem::remove_all(folder_); }

  // $1 is the worker's name, $3 its parent, $F a file to write to: "--name NAME --parent PID" follow the script.
  SupervisorOptions shell(const std::string& script, int count = 1) {
    SupervisorOptions options;
    options.program = "/bin/sh";
    options.arguments = {"-c", cat("F=", folder_.string(), "/$1; ", script)};
    options.count = count;
    options.restart_delay = options.restart_delay_max = absl::Milliseconds(1);
    return options;
  }

  std::string text_of(const std::string& name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Waits for something that must come; the test's own time limit is the only clock.
  template <typename Condition>
  static void await(const Condition& condition) {
    while (!condition()) absl::SleepFor(absl::Milliseconds(5));
  }

  const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / cat("tryon-test-", random_hex(8));
};

constexpr char kWaitForSignal[] =
    "trap 'echo int >> $F; exit 0' INT; trap 'echo term >> $F; exit 3' TERM; echo up >> $F; while :; do sleep 0.01; "
    "done";

TEST_F(SupervisorTest, EveryWorkerIsStartedWithItsNameAndParentAndEndedBySigint) {
  WorkerSupervisor supervisor(nullptr, shell(cat("echo $3 >> $F; ", kWaitForSignal), 2));
  ASSERT_TRUE(supervisor.start().ok());
  await([&] { return text_of("local-0").ends_with("up\n") && text_of("local-1").ends_with("up\n"); });
  EXPECT_EQ(supervisor.alive(), 2);
  supervisor.stop();
  EXPECT_EQ(supervisor.alive(), 0);
  EXPECT_EQ(supervisor.restarts(), 0);
  for (const char* name : {"local-0", "local-1"}) EXPECT_EQ(text_of(name), cat(getpid(), "\nup\nint\n"));
}

TEST_F(SupervisorTest, AWorkerThatDiesIsStartedAgain) {
  std::mutex mutex;
  std::vector<WorkerExit> exits;
  WorkerSupervisor supervisor(nullptr, shell("echo x >> $F; exit 7"), [&](const WorkerExit& exit) {
    std::lock_guard lock(mutex);
    exits.push_back(exit);
  });
  ASSERT_TRUE(supervisor.start().ok());
  await([&] { return supervisor.restarts() >= 2; });
  supervisor.stop();
  ASSERT_GE(exits.size(), 2u);
  EXPECT_EQ(exits[0].worker, "local-0");
  EXPECT_EQ(exits[0].exit_code, 7);
}

TEST_F(SupervisorTest, AKilledWorkersTaskGoesBackToTheQueueAtOnce) {
  const auto jobs = make_memory_job_store();
  std::atomic<int> ended = -1;
  WorkerSupervisor supervisor(jobs.get(), shell("echo $$ > $F; exec sleep 1000"), [&](const WorkerExit& exit) {
    if (exit.exit_code == 128 + SIGKILL) ended = exit.leases_ended;
  });
  ASSERT_TRUE(supervisor.start().ok());
  await([&] { return text_of("local-0").ends_with("\n"); });
  TaskRecord task;
  task.id = "t";
  jobs->submit(task).value();
  jobs->lease("local-0", absl::Hours(1)).value();
  kill(std::stoi(text_of("local-0")), SIGKILL);
  await([&] { return ended >= 0; });
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(jobs->get("t")->state, TaskState::kQueued);
  supervisor.stop();
}

TEST_F(SupervisorTest, LeasesOfAFormerLifeEndWhenAWorkerIsStarted) {
  const auto jobs = make_memory_job_store();
  TaskRecord task;
  task.id = "t";
  jobs->submit(task).value();
  jobs->lease("local-0", absl::Hours(1)).value();
  WorkerSupervisor supervisor(jobs.get(), shell(kWaitForSignal));
  ASSERT_TRUE(supervisor.start().ok());
  EXPECT_EQ(jobs->get("t")->state, TaskState::kQueued);
}

TEST_F(SupervisorTest, DrainedWorkersEndInTheirOwnTimeAndAreNotStartedAgain) {
  std::atomic<int> told = 0;
  WorkerSupervisor supervisor(nullptr, shell(kWaitForSignal, 2), [&](const WorkerExit&) { ++told; });
  ASSERT_TRUE(supervisor.start().ok());
  await([&] { return text_of("local-0").ends_with("up\n") && text_of("local-1").ends_with("up\n"); });
  supervisor.drain();
  await([&] { return supervisor.alive() == 0; });
  absl::SleepFor(absl::Milliseconds(120));  // several rounds of the supervisor, each of which could start one
  EXPECT_EQ(supervisor.alive(), 0);
  EXPECT_EQ(supervisor.restarts(), 0);
  EXPECT_EQ(told, 0) << "an end that was asked for is no news";
  supervisor.stop();
  for (const char* name : {"local-0", "local-1"}) EXPECT_EQ(text_of(name), "up\nterm\n");
}

TEST_F(SupervisorTest, AWorkerThatGoesOnWhileDrainedIsStopped) {
  WorkerSupervisor supervisor(
      nullptr, shell("trap 'echo int >> $F; exit 0' INT; trap 'echo term >> $F' TERM; echo up >> $F; while :; do sleep "
                     "0.01; done"));
  ASSERT_TRUE(supervisor.start().ok());
  await([&] { return text_of("local-0") == "up\n"; });
  supervisor.drain();
  await([&] { return text_of("local-0") == "up\nterm\n"; });
  EXPECT_EQ(supervisor.alive(), 1);
  supervisor.stop();
  EXPECT_EQ(text_of("local-0"), "up\nterm\nint\n");
}

TEST_F(SupervisorTest, AWorkerThatIgnoresSigintIsKilled) {
  SupervisorOptions options = shell("trap '' INT; echo up > $F; while :; do sleep 0.01; done");
  options.grace = absl::Milliseconds(50);
  WorkerSupervisor supervisor(nullptr, options);
  ASSERT_TRUE(supervisor.start().ok());
  await([&] { return text_of("local-0") == "up\n"; });
  supervisor.stop();
  EXPECT_EQ(supervisor.alive(), 0);
}

TEST_F(SupervisorTest, AProgramThatIsNotThereIsSaidAtTheStart) {
  SupervisorOptions options = shell("");
  options.program = "/nowhere/tryon-worker";
  WorkerSupervisor supervisor(nullptr, options);
  const absl::Status status = supervisor.start();
  EXPECT_EQ(error_detail(status).value_or(ErrorDetail{}).reason, "WORKER_NOT_STARTED");
  supervisor.stop();
}

// A shell would clear its own signal mask; awk shows the one that it was given.
TEST_F(SupervisorTest, WorkersDoNotInheritBlockedSignals) {
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, &before);
  SupervisorOptions options;
  options.program = "/usr/bin/awk";
  options.arguments = {
      cat("BEGIN { while ((getline line < \"/proc/self/status\") > 0) if (line ~ /SigBlk/) print line > \"",
          folder_.string(), "/mask\" }")};
  options.restart_delay = options.restart_delay_max = absl::Hours(1);
  WorkerSupervisor supervisor(nullptr, options);
  ASSERT_TRUE(supervisor.start().ok());
  await([&] { return text_of("mask").ends_with("\n"); });
  supervisor.stop();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(text_of("mask"), "SigBlk:\t0000000000000000\n");
}

}  // namespace
}  // namespace tryon
