// What it is: the whole service inside this process on memory stores, for the command without --server.
// How it fails: start() says why. Thread rules: start and the destructor from one thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace tryon::cli {

class LocalService {
 public:
  LocalService();
  ~LocalService();
  absl::StatusOr<std::string> start();  // the address to connect to

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tryon::cli
