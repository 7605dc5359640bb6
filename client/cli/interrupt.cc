#include "client/cli/interrupt.h"

#include <signal.h>

namespace tryon::cli {
namespace {

CancelFlag interrupted;

}  // namespace

CancelFlag cancelled_by_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted.cancel(); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  return interrupted;
}

}  // namespace tryon::cli
