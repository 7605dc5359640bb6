// Fabrics: our JSON, U3M and its zip, KES-F and FAST sheets.
#include "server/fabric/fabric.h"
#include "server/io/fabric_import.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tryon;
  if (size > 64 << 10) return 0;
  const std::string_view bytes = fuzz::text(data, size);
  for (const char* name : {"fabric.json", "fabric.u3m", "fabric.u3ma", "fabric.csv"}) {
    fuzz::must_be_told(import_fabric(bytes, name).status());
  }
  fuzz::must_be_told(fabric_from_json(bytes, "fabric.json").status());
  return 0;
}
