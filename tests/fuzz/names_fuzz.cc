// Names and page tokens from callers, and lines of a manifest.
#include "server/service/batch_manifest.h"
#include "server/service/convert/names.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tryon;
  if (size > 16 << 10) return 0;
  const std::string_view bytes = fuzz::text(data, size);
  for (const char* collection : {"bodies", "operations"}) {
    const auto id = parse_name(bytes, collection);
    fuzz::must_be_told(id.status());
    if (id.ok()) fuzz::must(std::string(collection) + "/" + *id == bytes, "a name has one form");
  }
  for (const auto& name : {parse_blob_name(bytes), parse_upload_name(bytes)}) {
    fuzz::must_be_told(name.status());
    if (name.ok()) fuzz::must(name->size >= 0 && name->digest.size() == 64, "a blob's name is whole");
  }
  const auto cursor = parse_page_token(bytes);
  fuzz::must_be_told(cursor.status());
  if (cursor.ok()) fuzz::must(page_token(*cursor) == bytes, "a page token has one form");
  fuzz::must_be_told(block_of_json(bytes, {}).status());
  const auto cells = csv_cells(bytes);
  fuzz::must_be_told(cells.status());
  if (cells.ok()) fuzz::must_be_told(block_of_csv(bytes, *cells, {}).status());
  fuzz::must_be_told(block_of_csv(bytes, {"body", "garment", "size", "fabric"}, {}).status());
  return 0;
}
