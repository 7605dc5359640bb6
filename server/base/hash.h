// What it is: SHA-256, the identity of every blob and request.
// Units: a digest is 64 lower-case hex digits. How it fails: it does not.
// Thread rules: one Sha256 object, one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace tryon {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(std::string_view bytes);
  std::string finish_hex();  // call once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view bytes);
bool is_sha256_hex(std::string_view text);
std::string random_hex(int byte_count);  // from the operating system; for ids, never for physics

}  // namespace tryon
