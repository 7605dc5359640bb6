// What it is: the system calls by which stores reach the disk, one of which fails on demand: linked into a test program
// they stand before libc's, for SQLite's library too. How it fails: as asked, once. Thread rules: arm while nothing
// else runs.
#pragma once

namespace tryon::testing {

// The `nth` call from now on (1: the next) that writes, syncs, renames, opens for writing, cuts or links fails with
// `error`, and writes half of its bytes before if it was to write. 0: none.
void fail_call(int nth, int error);
// How many such calls there were since; whether the one that was to fail came.
int calls_seen();
bool call_failed();

}  // namespace tryon::testing
