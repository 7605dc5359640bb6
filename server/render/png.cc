#include <png.h>
#include <zlib.h>

#include <cmath>
#include <cstring>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/render/preview.h"

namespace tryon {
namespace {

std::string word(uint32_t value) {  // the largest byte first
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string half_word(uint32_t value) { return word(value).substr(2); }

std::string chunk(std::string_view type, std::string_view data) {
  const std::string named = cat(type, data);
  const uLong check = crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size()));
  return cat(word(static_cast<uint32_t>(data.size())), named, word(static_cast<uint32_t>(check)));
}

// The data of all chunks of a type in a sound PNG file, joined.
std::string chunk_data(const std::string& png, std::string_view type) {
  std::string out;
  for (size_t at = 8; at + 12 <= png.size();) {
    size_t length = 0;
    for (size_t k = 0; k < 4; ++k) length = length << 8 | static_cast<uint8_t>(png[at + k]);
    if (std::string_view(png).substr(at + 4, 4) == type) out += png.substr(at + 8, length);
    at += length + 12;
  }
  return out;
}

// The whole picture anew each time, shown for so long.
std::string frame_control(uint32_t sequence, const Image& image, double seconds) {
  const auto milliseconds = static_cast<uint32_t>(std::lround(1e3 * seconds));
  return cat(word(sequence), word(static_cast<uint32_t>(image.width)), word(static_cast<uint32_t>(image.height)),
             word(0), word(0), half_word(milliseconds), half_word(1000), std::string(2, '\0'));
}

}  // namespace

absl::StatusOr<std::string> encode_png(const Image& image) {
  const bool sized =
      image.width > 0 && image.height > 0 && image.rgb.size() == static_cast<size_t>(3) * image.width * image.height;
  if (!sized)
    return internal_fault(cat("picture of ", image.width, " x ", image.height, " has ", image.rgb.size(), " bytes"));
  png_image png;
  std::memset(&png, 0, sizeof(png));
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) == 0) {
    return internal_fault(cat("png: ", png.message));
  }
  bytes.resize(size);
  return bytes;
}

absl::StatusOr<std::string> encode_animated_png(const std::vector<Image>& images, double seconds_each) {
  if (images.empty()) return internal_fault("an animation without pictures");
  constexpr size_t kSignature = 8;
  std::string out, pictures;
  uint32_t sequence = 0;
  for (const Image& image : images) {
    if (image.width != images[0].width || image.height != images[0].height) {
      return internal_fault("an animation of pictures of several sizes");
    }
    ASSIGN_OR_RETURN(const std::string png, encode_png(image));
    if (out.empty()) {
      out = png.substr(0, kSignature) + chunk("IHDR", chunk_data(png, "IHDR")) +
            chunk("acTL", word(static_cast<uint32_t>(images.size())) + word(0));
    }
    pictures += chunk("fcTL", frame_control(sequence++, image, seconds_each));
    const std::string data = chunk_data(png, "IDAT");
    pictures += sequence == 1 ? chunk("IDAT", data) : chunk("fdAT", word(sequence++) + data);
  }
  return out + pictures + chunk("IEND", "");
}

}  // namespace tryon
