// The stored body, and the answers of the parser child: both are read as hostile.
#include <cstring>
#include <string>

#include "server/base/hash.h"
#include "server/io/body_file.h"
#include "server/io/cloud_wire.h"
#include "server/io/mesh_wire.h"
#include "tests/fuzz/fuzz.h"

namespace {

// The bytes as what a right header and a right checksum vouch for.
std::string as_body_file(std::string_view payload) {
  const uint32_t version = 1;
  const uint64_t size = payload.size();
  std::string out = "TRYONBDY";
  out.append(reinterpret_cast<const char*>(&version), sizeof(version));
  out.append(reinterpret_cast<const char*>(&size), sizeof(size));
  out.append(payload);
  return out + tryon::sha256_hex(out);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tryon;
  if (size > 256 << 10) return 0;
  const std::string_view bytes = fuzz::text(data, size);
  const ParseLimits limits;
  (void)read_body_file(bytes);
  (void)read_body_file(as_body_file(bytes));
  (void)decode_mesh(bytes, limits);
  (void)decode_reconstruction(bytes, limits);
  (void)decode_cloud_request(bytes, limits);
  return 0;
}
