#include "server/ops/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tryon {
namespace {

// Runs `body` in a child and returns its exit code; signals blocked there do not touch the tests.
template <typename Body>
int exit_code_of_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Process, AStopSignalWaitsUntilItIsAskedFor) {
  for (const int signal_number : {SIGTERM, SIGINT}) {
    EXPECT_EQ(exit_code_of_child([=] {
                block_stop_signals();
                kill(getpid(), signal_number);
                return wait_for_stop_signal();
              }),
              signal_number);
  }
}

TEST(Process, ABrokenPipeDoesNotEndTheProgram) {
  EXPECT_EQ(exit_code_of_child([] {
              block_stop_signals();
              kill(getpid(), SIGPIPE);
              return 3;
            }),
            3);
}

TEST(Process, AParentThatIsGoneAlreadyStopsTheChildAtOnce) {
  EXPECT_EQ(exit_code_of_child([] {
              block_stop_signals();
              stop_with_parent(getpid());  // surely not our parent
              return wait_for_stop_signal();
            }),
            SIGINT);
}

// The child lives until its parent's death reaches it; a pipe that it holds open tells when it ended.
TEST(Process, AChildDoesNotOutliveItsParent) {
  int alive[2], ready[2];
  ASSERT_EQ(pipe(alive), 0);
  ASSERT_EQ(pipe(ready), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    if (fork() == 0) {
      block_stop_signals();
      stop_with_parent(0);
      if (write(ready[1], "x", 1) != 1) _exit(1);
      wait_for_stop_signal();
      _exit(0);
    }
    char byte;
    _exit(read(ready[0], &byte, 1) == 1 ? 0 : 1);  // dies only once the child is prepared
  }
  close(alive[1]);
  int status = 0;
  ASSERT_EQ(waitpid(parent, &status, 0), parent);
  ASSERT_EQ(status, 0);
  char byte;
  EXPECT_EQ(read(alive[0], &byte, 1), 0) << "the pipe closes when the last holder, the child, has ended";
  close(alive[0]);
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace tryon
