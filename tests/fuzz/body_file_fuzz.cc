// The stored body, and the answers of the parser child: both are read as hostile.
#include "server/io/body_file.h"
#include "server/io/cloud_wire.h"
#include "server/io/mesh_wire.h"
#include "tests/fuzz/framed.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tryon;
  if (size > 256 << 10) return 0;
  const std::string_view bytes = fuzz::text(data, size);
  const ParseLimits limits;
  (void)read_body_file(bytes);
  (void)read_body_file(fuzz::framed("TRYONBDY", bytes));
  (void)decode_mesh(bytes, limits);
  (void)decode_reconstruction(bytes, limits);
  (void)decode_cloud_request(bytes, limits);
  return 0;
}
