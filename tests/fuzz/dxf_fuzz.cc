// The entities of a DXF file.
#include "server/io/dxf.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 64 << 10) return 0;
  tryon::fuzz::must_be_told(tryon::read_dxf(tryon::fuzz::text(data, size)).status());
  return 0;
}
