// What it is: bytes as the payload of a file of ours (server/io/fields.h), with a right header and a right checksum, so
// that a fuzzer reaches what lies behind them. How it fails: never. Thread rules: a pure function.
#pragma once

#include <string>
#include <string_view>

#include "server/base/hash.h"

namespace tryon::fuzz {

inline std::string framed(std::string_view magic, std::string_view payload) {
  const uint32_t version = 1;
  const uint64_t size = payload.size();
  std::string out(magic);
  out.append(reinterpret_cast<const char*>(&version), sizeof(version));
  out.append(reinterpret_cast<const char*>(&size), sizeof(size));
  out.append(payload);
  return out + sha256_hex(out);
}

}  // namespace tryon::fuzz
