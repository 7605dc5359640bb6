#include "server/drape/frames_file.h"

#include <array>
#include <cstring>
#include <iomanip>
#include <sstream>

#include "server/base/status.h"

namespace tryon {
namespace {

constexpr size_t kHeader = 2 * sizeof(uint32_t), kPlace = 3 * sizeof(float);

template <typename T>
void append_bytes(const T& value, std::string* out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out->append(bytes, sizeof bytes);
}

}  // namespace

std::string frames_file_name(int number) {
  std::ostringstream out;
  out << "frames_" << std::setw(3) << std::setfill('0') << number << ".bin";
  return out.str();
}

void FramesFile::add(const std::vector<Vec3>& frame) {
  ++frames_;
  vertices_ = static_cast<uint32_t>(frame.size());
  for (const Vec3& p : frame) {
    for (int k = 0; k < 3; ++k) append_bytes(static_cast<float>(p[k]), &places_);
  }
}

std::string FramesFile::take() {
  std::string out;
  append_bytes(frames_, &out);
  append_bytes(vertices_, &out);
  out += places_;
  *this = {};
  return out;
}

absl::StatusOr<std::vector<std::string_view>> frames_in(std::string_view file) {
  std::array<uint32_t, 2> count = {};
  if (file.size() >= kHeader) std::memcpy(count.data(), file.data(), kHeader);
  const size_t frame = count[1] * kPlace;
  if (file.size() < kHeader || count[0] > kFramesAFile || file.size() != kHeader + count[0] * frame) {
    return internal_fault("a file of frames is not as long as it says");
  }
  std::vector<std::string_view> out;
  for (uint32_t k = 0; k < count[0]; ++k) out.push_back(file.substr(kHeader + k * frame, frame));
  return out;
}

}  // namespace tryon
