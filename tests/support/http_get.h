// What it is: one HTTP request to a loopback port, for tests of the metrics: what came back, or "" if nobody listens.
#pragma once

#include <string>

namespace tryon::testing {

std::string http_get(int port, const std::string& path);

}  // namespace tryon::testing
