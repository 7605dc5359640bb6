// Grade rules of a DXF pattern.
#include "server/io/rul.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 64 << 10) return 0;
  tryon::fuzz::must_be_told(tryon::read_rul(tryon::fuzz::text(data, size)).status());
  return 0;
}
