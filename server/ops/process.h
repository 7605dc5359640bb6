// What it is: the few words a program exchanges with the system that runs it: stop signals, and not outliving a parent.
// How it fails: it does not. Thread rules: block_stop_signals() before the first thread starts; one waiting thread.
#pragma once

#include <sys/types.h>

namespace tryon {

// SIGTERM and SIGINT wait for wait_for_stop_signal() from here on, in this thread and those it starts; SIGPIPE is
// ignored.
void block_stop_signals();
int wait_for_stop_signal();                // the signal's number
int wait_for_stop_signal(double seconds);  // 0 if none came in that time
void raise_stop_signal();                  // from within: wait_for_stop_signal() returns
// SIGINT once the parent is gone; at once if it is not `parent` any more (0: whoever it is now).
void stop_with_parent(pid_t parent);

}  // namespace tryon
