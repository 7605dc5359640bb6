#include "server/base/hash.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

#include "absl/strings/escaping.h"

namespace tryon {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) { EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr); }
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) { EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()); }

std::string Sha256::finish_hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(state_->context, out.data(), &size);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(out.data()), size));
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish_hex();
}

bool is_sha256_hex(std::string_view text) {
  if (text.size() != 64) return false;
  for (char c : text) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

std::string random_hex(int byte_count) {
  std::string bytes(static_cast<size_t>(byte_count), '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), byte_count) != 1) {
    throw std::runtime_error("the operating system gave no random bytes");
  }
  return absl::BytesToHexString(bytes);
}

}  // namespace tryon
