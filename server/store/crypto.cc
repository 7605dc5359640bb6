#include "server/store/crypto.h"

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "absl/strings/escaping.h"
#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr char kUnderMaster = 'w';  // before what a master key sealed; no hex digit, and no JSON begins so

using Iv = std::array<unsigned char, 12>;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* in(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
unsigned char* out(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

// OpenSSL fails here only without memory or with a wrong call: neither is the caller's to handle.
void need(int done) {
  if (done != 1) throw std::runtime_error("the cipher failed");
}

Context begin(const EVP_CIPHER* cipher, std::string_view key, const Iv& iv, bool sealing) {
  if (static_cast<int64_t>(key.size()) != kKeyBytes) throw std::runtime_error("a key of another length");
  Context context(EVP_CIPHER_CTX_new());
  need(EVP_CipherInit_ex(context.get(), cipher, nullptr, in(key), iv.data(), sealing ? 1 : 0));
  return context;
}

// The number's bytes, most significant first, behind four others.
Iv iv_of(uint64_t number) {
  Iv iv{};
  for (size_t i = 0; i < 8; ++i) iv[4 + i] = static_cast<unsigned char>(number >> (56 - 8 * i));
  return iv;
}

void add_about(EVP_CIPHER_CTX* context, std::string_view about) {
  int count = 0;
  need(EVP_CipherUpdate(context, nullptr, &count, in(about), static_cast<int>(about.size())));
}

std::string crypt(EVP_CIPHER_CTX* context, std::string_view bytes) {
  std::string text(bytes.size(), '\0');
  int count = 0;
  if (!bytes.empty()) need(EVP_CipherUpdate(context, out(text), &count, in(bytes), static_cast<int>(bytes.size())));
  return text;
}

void seal_onto(std::string_view key, uint64_t number, std::string_view about, std::string_view bytes, bool with_tag,
               std::string* sealed) {
  const Context context = begin(EVP_aes_256_gcm(), key, iv_of(number), true);
  if (!about.empty()) add_about(context.get(), about);
  const size_t at = sealed->size();
  sealed->resize(at + bytes.size() + (with_tag ? kTagBytes : 0));
  unsigned char* const to = out(*sealed) + at;
  int count = 0;
  if (!bytes.empty()) need(EVP_CipherUpdate(context.get(), to, &count, in(bytes), static_cast<int>(bytes.size())));
  if (!with_tag) return;
  unsigned char* const tag = to + bytes.size();
  need(EVP_CipherFinal_ex(context.get(), tag, &count));
  need(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagBytes), tag));
}

absl::Status corrupt() {
  return make_error(absl::StatusCode::kUnavailable, "BLOB_CORRUPT", "blob", "the stored bytes are not what was stored",
                    "Check the server's disk, then upload the file again.");
}

absl::Status wrong_master() {
  return make_error(absl::StatusCode::kFailedPrecondition, "MASTER_KEY_WRONG", "--master-key-file",
                    "what is kept here was sealed under another master key",
                    "Give the server and its workers the key file that it was kept with.");
}

}  // namespace

std::string random_key() { return absl::HexStringToBytes(random_hex(kKeyBytes)); }

std::string gcm_seal(std::string_view key, uint64_t number, std::string_view about, std::string_view bytes) {
  std::string sealed;
  seal_onto(key, number, about, bytes, true, &sealed);
  return sealed;
}

void gcm_seal_onto(std::string_view key, uint64_t number, std::string_view bytes, bool with_tag, std::string* sealed) {
  seal_onto(key, number, "", bytes, with_tag, sealed);
}

absl::StatusOr<std::string> gcm_open(std::string_view key, uint64_t number, std::string_view about,
                                     std::string_view sealed) {
  if (sealed.size() < kTagBytes) return corrupt();
  const Context context = begin(EVP_aes_256_gcm(), key, iv_of(number), false);
  add_about(context.get(), about);
  std::string bytes = crypt(context.get(), sealed.substr(0, sealed.size() - kTagBytes));
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  need(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(kTagBytes), tag.data()));
  int count = 0;
  unsigned char rest[16];
  if (EVP_CipherFinal_ex(context.get(), rest, &count) != 1) return corrupt();
  return bytes;
}

std::string gcm_open_unverified(std::string_view key, uint64_t number, std::string_view sealed) {
  return crypt(begin(EVP_aes_256_gcm(), key, iv_of(number), false).get(), sealed);
}

absl::StatusOr<MasterKey> MasterKey::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  std::string text = bytes.str();
  if (text.size() == 65 && text.back() == '\n') text.pop_back();
  MasterKey master;
  master.key_ = is_sha256_hex(text) ? absl::HexStringToBytes(text) : text;
  if (static_cast<int64_t>(master.key_.size()) == kKeyBytes) return master;
  return invalid_input("MASTER_KEY_INVALID", "--master-key-file", cat(path, " holds no key"),
                       "Write 64 lower-case hex digits to it: openssl rand -hex 32.");
}

// A key of its own for each sealing, so that no number is used twice under one.
std::string MasterKey::sealed(std::string_view bytes, std::string_view name) const {
  const std::string salt = random_key();
  const std::string own = absl::HexStringToBytes(sha256_hex(key_ + salt));
  return salt + gcm_seal(own, 0, name, bytes);
}

absl::StatusOr<std::string> MasterKey::opened(std::string_view sealed, std::string_view name) const {
  if (key_.empty() || sealed.size() < static_cast<size_t>(kKeyBytes)) return wrong_master();
  const std::string own = absl::HexStringToBytes(sha256_hex(cat(key_, sealed.substr(0, kKeyBytes))));
  auto bytes = gcm_open(own, 0, name, sealed.substr(kKeyBytes));
  if (!bytes.ok()) return wrong_master();
  return bytes;
}

std::string MasterKey::wrap(std::string_view key, std::string_view name) const {
  if (key_.empty()) return absl::BytesToHexString(absl::string_view(key.data(), key.size()));
  return cat(kUnderMaster, absl::BytesToHexString(sealed(key, name)));
}

absl::StatusOr<std::string> MasterKey::unwrap(std::string_view wrapped, std::string_view name) const {
  if (is_sha256_hex(wrapped)) return absl::HexStringToBytes(std::string(wrapped));
  if (wrapped.empty()) return wrong_master();
  return opened(absl::HexStringToBytes(std::string(wrapped.substr(1))), name);
}

std::string MasterKey::seal_text(std::string_view text, std::string_view name) const {
  if (key_.empty() || text.empty()) return std::string(text);
  return cat(kUnderMaster, absl::Base64Escape(sealed(text, name)));
}

absl::StatusOr<std::string> MasterKey::open_text(std::string text, std::string_view name) const {
  if (text.empty() || text.front() != kUnderMaster) return text;
  std::string bytes;
  if (!absl::Base64Unescape(text.substr(1), &bytes)) return wrong_master();
  return opened(bytes, name);
}

}  // namespace tryon
