// Patterns of every kind: our JSON, GarmentCode, FreeSewing, DXF, OBJ. What is read and valid is written and read again
// the same.
#include "server/io/pattern_import.h"
#include "server/io/pattern_json.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tryon;
  if (size > 64 << 10) return 0;
  const std::string_view bytes = fuzz::text(data, size);
  const auto imported = import_pattern(bytes, "pattern");
  fuzz::must_be_told(imported.status());
  const auto read = read_pattern(bytes, "pattern.json");
  fuzz::must_be_told(read.status());
  if (!read.ok() || !validate(*read).ok()) return 0;
  const std::string written = write_pattern(*read);
  const auto again = read_pattern(written, "again.json");
  fuzz::must(again.ok(), "what we wrote we can read");
  fuzz::must(write_pattern(*again) == written, "writing is canonical");
  return 0;
}
