#include "server/store/sealing.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/store/crypto.h"

namespace tryon {
namespace {

static_assert(kSealedPieceBytes == kPieceBytes + kTagBytes);

int64_t piece_size(int64_t piece, int64_t size) { return std::min(kPieceBytes, size - piece * kPieceBytes); }

}  // namespace

int64_t sealed_size(int64_t size) {
  return size + kTagBytes * std::max<int64_t>(1, (size + kPieceBytes - 1) / kPieceBytes);
}

int64_t bytes_within(int64_t length, int64_t size) {
  const int64_t whole = length / kSealedPieceBytes, begun = length % kSealedPieceBytes;
  return std::min(size, whole * kPieceBytes + std::min(begun, kPieceBytes));
}

std::string seal_from(std::string_view key, int64_t piece, std::string_view bytes, int64_t size) {
  std::string out;
  out.reserve(static_cast<size_t>(sealed_size(static_cast<int64_t>(bytes.size()))));
  do {
    const auto wanted = static_cast<size_t>(piece_size(piece, size));
    const std::string_view one = bytes.substr(0, wanted);
    gcm_seal_onto(key, static_cast<uint64_t>(piece++), one, one.size() == wanted, &out);
    bytes.remove_prefix(one.size());
  } while (!bytes.empty());
  return out;
}

absl::StatusOr<std::string> open_from(std::string_view key, int64_t piece, std::string_view sealed) {
  std::string out;
  out.reserve(sealed.size());
  for (; !sealed.empty(); ++piece) {
    const std::string_view one = sealed.substr(0, static_cast<size_t>(kSealedPieceBytes));
    ASSIGN_OR_RETURN(const std::string open, gcm_open(key, static_cast<uint64_t>(piece), "", one));
    out += open;
    sealed.remove_prefix(one.size());
  }
  return out;
}

std::string open_without_tag(std::string_view key, int64_t piece, std::string_view sealed) {
  return gcm_open_unverified(key, static_cast<uint64_t>(piece), sealed);
}

void SealedSum::add(int64_t piece, std::string_view sealed, int64_t size) {
  for (; !sealed.empty(); ++piece) {
    const auto whole = static_cast<size_t>(piece_size(piece, size) + kTagBytes);
    if (sealed.size() < whole) return;
    tags_.update(sealed.substr(whole - static_cast<size_t>(kTagBytes), static_cast<size_t>(kTagBytes)));
    sealed.remove_prefix(whole);
  }
}

}  // namespace tryon
