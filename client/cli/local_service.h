// What it is: the whole service inside this process, for the command without --server: on memory stores, or on those of
// a folder, so that the next run goes on. How it fails: start() says why. Thread rules: start and the destructor from
// one thread.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace tryon::cli {

class LocalService {
 public:
  LocalService();
  ~LocalService();
  // The address to connect to. `data`: the folder of the stores, made if need be; empty: memory. `workers`: drapes at a
  // time; 0: one per core.
  absl::StatusOr<std::string> start(const std::string& data, int workers);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tryon::cli
