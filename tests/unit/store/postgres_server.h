// What it is: Debian's PostgreSQL for the tests: a cluster in a temporary folder, on a socket and loopback, gone with
// the process. Its data is synced as in production (fsync on). How it fails: empty where the programs are absent.
// Thread rules: one test at a time.
#pragma once

#include <string>

namespace tryon::testing {

// Starts it at the first call; how libpq finds it.
const std::string& postgres_server();
// The same with a schema of its own, empty.
std::string fresh_schema(const std::string& server);

}  // namespace tryon::testing
