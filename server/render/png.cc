#include <png.h>

#include <cstring>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/render/preview.h"

namespace tryon {

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

}  // namespace tryon
