#include "server/io/mesh_lockdown.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <vector>

#include "gtest/gtest.h"
#include "server/base/sanitized.h"

namespace tryon {
namespace {

// Runs `attempt` in a locked-down child; its exit code: 0 = the attempt was stopped, 1 = it went through.
int exit_code_when_locked(const std::function<bool()>& attempt) {
  const pid_t child = fork();
  if (child == 0) {
    if (!lock_down_process(ParseLimits()).ok()) _exit(7);
    _exit(attempt() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

#define SKIP_WITH_SANITIZER() \
  if (kSanitized) GTEST_SKIP() << "SKIPPED LOUDLY: the system call filter is off in sanitizer builds"

TEST(MeshLockdown, LetsTheProcessComputeAndAllocate) {
  EXPECT_EQ(exit_code_when_locked([] {
              std::vector<double> numbers(1 << 20, 1.0);
              return numbers.back() != 1.0;
            }),
            0);
}

TEST(MeshLockdown, LeavesNoFileNoSocketNoProcessAndNoNewCode) {
  SKIP_WITH_SANITIZER();
  EXPECT_EQ(exit_code_when_locked([] { return open("/etc/passwd", O_RDONLY) >= 0; }), 0);
  EXPECT_EQ(exit_code_when_locked([] { return open("/tmp/tryon_lockdown", O_CREAT | O_WRONLY, 0600) >= 0; }), 0);
  EXPECT_EQ(exit_code_when_locked([] { return unlink("/tmp/tryon_lockdown_absent") == 0 || errno != EPERM; }), 0);
  EXPECT_EQ(exit_code_when_locked([] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }), 0);
  EXPECT_EQ(exit_code_when_locked([] { return syscall(SYS_fork) >= 0; }), 0);
  EXPECT_EQ(exit_code_when_locked([] { return kill(getppid(), 0) == 0; }), 0);
  EXPECT_EQ(
      exit_code_when_locked([] { return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0 || errno != EPERM; }),
      0);
  EXPECT_EQ(exit_code_when_locked([] { return prctl(PR_SET_DUMPABLE, 1) == 0; }), 0);
  EXPECT_EQ(exit_code_when_locked([] {
              execl("/bin/true", "true", nullptr);
              return errno != EPERM;
            }),
            0);
  EXPECT_EQ(exit_code_when_locked([] {
              return mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
            }),
            0);
}

TEST(MeshLockdown, ClosesEveryDescriptorAboveTheThree) {
  const int held = open("/dev/null", O_WRONLY);
  EXPECT_EQ(exit_code_when_locked([held] { return write(held, "x", 1) == 1; }), 0);
  close(held);
}

TEST(MeshLockdown, HoldsTheMemoryLimit) {
  SKIP_WITH_SANITIZER();
  EXPECT_EQ(exit_code_when_locked([] {
              return mmap(nullptr, size_t{8} << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
                     MAP_FAILED;
            }),
            0);
}

TEST(MeshLockdown, EndsAnEndlessLoopByItsCpuLimit) {
  const pid_t child = fork();
  if (child == 0) {
    ParseLimits limits;
    limits.cpu_seconds = 1;
    if (!lock_down_process(limits).ok()) _exit(7);
    volatile unsigned count = 0;
    while (count + 1 > 0) {
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) << status;
}

}  // namespace
}  // namespace tryon
