#include "server/ops/process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace tryon {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

void block_stop_signals() {
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int wait_for_stop_signal() {
  const sigset_t set = stop_signals();
  int signal_number = 0;
  while (sigwait(&set, &signal_number) != 0) {
  }
  return signal_number;
}

int wait_for_stop_signal(double seconds) {
  const sigset_t set = stop_signals();
  const auto whole = static_cast<time_t>(seconds);
  const timespec patience{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  const int signal_number = sigtimedwait(&set, nullptr, &patience);
  return signal_number > 0 ? signal_number : 0;
}

void raise_stop_signal() { kill(getpid(), SIGINT); }

void stop_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGINT);
  if (parent != 0 && getppid() != parent) raise_stop_signal();  // it died before we asked
}

}  // namespace tryon
