// What it is: while one lives, memory that this process lets go stays with it, and what it takes next lies in large
// pages: factors of many sizes come and go in a drape, and a host that hands out memory page by page takes a tenth of
// its time for that. Units: bytes. How it fails: never; where the system has no large pages they are small ones. Thread
// rules: any number at once, from any thread; with the last one what is free goes back.
#pragma once

#include <cstddef>

namespace tryon {

class KeptMemory {
 public:
  explicit KeptMemory(size_t expected);  // about how much will be needed; none of it is taken yet
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
};

}  // namespace tryon
