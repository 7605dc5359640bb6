// What it is: an authority and a key and certificate that it signed, for localhost, made by openssl's program.
// How it fails: it throws. Thread rules: values.
#pragma once

#include <string>

namespace tryon::testing {

struct Papers {
  std::string ca, certificate, key;  // paths
};
Papers make_papers(const std::string& days = "2");

}  // namespace tryon::testing
