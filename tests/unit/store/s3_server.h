// What it is: an object store for the tests: s3rver of npm on loopback, with the bucket "tryon", gone with the process.
// How it fails: empty where node or the package is absent. Thread rules: one test at a time.
#pragma once

#include <string>

namespace tryon::testing {

// Starts it at the first call; "http://127.0.0.1:PORT".
const std::string& s3_server();

}  // namespace tryon::testing
