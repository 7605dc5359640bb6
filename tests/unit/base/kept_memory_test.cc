#include "server/base/kept_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <optional>

#include "gtest/gtest.h"
#include "server/base/sanitized.h"

namespace tryon {
namespace {

constexpr size_t kBlock = size_t{64} << 20, kPage = 4096;

long pages_faulted() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

size_t resident_bytes() {
  size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

void take_and_let_go() {
  const auto block = std::make_unique_for_overwrite<char[]>(kBlock);
  for (size_t at = 0; at < kBlock; at += kPage) static_cast<volatile char*>(block.get())[at] = 1;
}

long faults_of_taking() {
  const long before = pages_faulted();
  take_and_let_go();
  return pages_faulted() - before;
}

class KeptMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "a sanitizer's allocator";
  }
};

TEST_F(KeptMemoryTest, WhatWasTakenOnceIsNotAskedForAgain) {
  const KeptMemory kept(kBlock);
  take_and_let_go();
  EXPECT_LT(faults_of_taking(), static_cast<long>(kBlock / kPage / 100));
}

TEST_F(KeptMemoryTest, GoesBackWithTheLastOne) {
  const size_t before = resident_bytes();
  std::optional<KeptMemory> first(kBlock), second(kBlock);
  take_and_let_go();
  first.reset();
  EXPECT_LT(faults_of_taking(), static_cast<long>(kBlock / kPage / 100));
  second.reset();
  EXPECT_LT(resident_bytes(), before + kBlock / 4);
}

TEST_F(KeptMemoryTest, ThatIsExpectedIsNotTaken) {
  const size_t before = resident_bytes();
  const KeptMemory kept(size_t{1} << 40);
  EXPECT_LT(resident_bytes(), before + kBlock / 4);
}

}  // namespace
}  // namespace tryon
