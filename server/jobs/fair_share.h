// What it is: which tenant's task is leased next: start-time fair queueing (Goyal, Vin, Cheng 1996) with every task of
// equal weight. Each tenant has a tag, the virtual time at which its last task ends; a lease goes to the tenant that
// could start earliest, and the clock moves to that start. So two tenants alternate however much either asks for, and
// one that was away comes back with no credit and no debt.
// Units: virtual time counts leases. How it fails: it does not. Thread rules: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tryon {

// A tenant that has a task waiting.
struct TenantQueue {
  std::string tenant;
  int64_t tag = 0;     // 0: never served
  int64_t due_us = 0;  // of its oldest task
};

struct FairTurn {
  size_t index = 0;   // into the tenants
  int64_t tag = 0;    // the chosen tenant's new tag
  int64_t clock = 0;  // the new clock
};
// `waiting` is not empty. Among equals the oldest task goes first, then the tenant's name.
FairTurn next_turn(const std::vector<TenantQueue>& waiting, int64_t clock);

}  // namespace tryon
