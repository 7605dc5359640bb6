// What it is: the server's Prometheus metrics on a port of their own: requests by method and code, durations, stages,
// drapes by outcome. No label ever holds a body, garment or tenant. Units: seconds, counts.
// How it fails: an address in use is UNAVAILABLE. Thread rules: all methods from any thread. Once scraped, destruction
// takes up to 2 s: the HTTP library wakes its idle thread no sooner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tryon {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  void count_rpc(std::string_view method, std::string_view code, double seconds);
  void count_task(std::string_view kind, std::string_view outcome, std::string_view reason, double seconds);
  void observe_stage(std::string_view stage, double seconds);
  void set_queue(int64_t queued, int64_t running);
  // Serves /metrics at "127.0.0.1:8002"; the address "127.0.0.1:0" picks a port. Returns the bound port.
  absl::StatusOr<int> serve(const std::string& address);
  std::string text() const;  // the exposition, for tests

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tryon
