// Garments as they lie on a body. What is read is written and read again the same.
#include "server/io/worn_file.h"
#include "tests/fuzz/framed.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tryon;
  if (size > 256 << 10) return 0;
  const std::string_view bytes = fuzz::text(data, size);
  fuzz::must_be_told(read_worn_file(bytes).status());
  const auto outfit = read_worn_file(fuzz::framed("TRYONWRN", bytes));
  fuzz::must_be_told(outfit.status());
  if (!outfit.ok()) return 0;
  const std::string written = write_worn_file(*outfit);
  const auto again = read_worn_file(written);
  fuzz::must(again.ok() && write_worn_file(*again) == written, "what was read is written and read again the same");
  return 0;
}
