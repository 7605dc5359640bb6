#include "server/render/typeface.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "stb/stb_truetype.h"
#pragma GCC diagnostic pop

extern "C" const unsigned char tryon_typeface[];  // typeface_data.cc, made from the font file at build time

namespace tryon {
namespace {

constexpr float kPixels = 18.0F;  // from the tallest to the lowest letter, which need not meet whole pixels

struct Face {
  stbtt_fontinfo info{};
  float scale = 0.0F;
  int ascent = 0;  // pixels

  Face() {
    stbtt_InitFont(&info, tryon_typeface, 0);
    scale = stbtt_ScaleForPixelHeight(&info, kPixels);
    int up = 0, down = 0, gap = 0;
    stbtt_GetFontVMetrics(&info, &up, &down, &gap);
    ascent = static_cast<int>(std::ceil(scale * static_cast<float>(up)));
  }
};

const Face& face() {
  static const Face the_face;
  return the_face;
}

// The next character of UTF-8; what is none counts as one byte's box.
int next_character(std::string_view text, size_t* at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0}; };
  const uint8_t first = byte(*at);
  const int more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : -1;
  int out = more == 0 ? first : more < 0 ? 0xFFFD : first & (0x3F >> more);
  for (int k = 1; k <= more; ++k) {
    if (byte(*at + static_cast<size_t>(k)) >> 6 != 2) {
      ++*at;
      return 0xFFFD;
    }
    out = out << 6 | (byte(*at + static_cast<size_t>(k)) & 0x3F);
  }
  *at += static_cast<size_t>(1 + std::max(0, more));
  return out;
}

// Calls visit(character, x) with the pen's place in pixels; gives its last one.
template <typename Visit>
double walk(std::string_view text, const Visit& visit) {
  const Face& f = face();
  double x = 0.0;
  int last = 0;
  for (size_t at = 0; at < text.size();) {
    const int c = next_character(text, &at);
    if (last != 0) x += f.scale * static_cast<float>(stbtt_GetCodepointKernAdvance(&f.info, last, c));
    visit(c, x);
    int advance = 0, bearing = 0;
    stbtt_GetCodepointHMetrics(&f.info, c, &advance, &bearing);
    x += f.scale * static_cast<float>(advance);
    last = c;
  }
  return x;
}

}  // namespace

int text_width(std::string_view text) {
  return static_cast<int>(std::ceil(walk(text, [](int, double) {})));
}

void ink_text(std::string_view text, const std::function<void(int, int, double)>& put) {
  const Face& f = face();
  walk(text, [&](int c, double x) {
    const auto whole = static_cast<int>(std::floor(x));
    const auto part = static_cast<float>(x - whole);
    int left = 0, top = 0, right = 0, bottom = 0;
    stbtt_GetCodepointBitmapBoxSubpixel(&f.info, c, f.scale, f.scale, part, 0.0F, &left, &top, &right, &bottom);
    const int width = right - left, height = bottom - top;
    if (width <= 0 || height <= 0) return;
    std::vector<unsigned char> cover(static_cast<size_t>(width) * static_cast<size_t>(height));
    stbtt_MakeCodepointBitmapSubpixel(&f.info, cover.data(), width, height, width, f.scale, f.scale, part, 0.0F, c);
    for (int row = 0; row < height; ++row) {
      for (int column = 0; column < width; ++column) {
        const unsigned char ink = cover[static_cast<size_t>(row * width + column)];
        if (ink > 0) put(whole + left + column, f.ascent + top + row, ink / 255.0);
      }
    }
  });
}

}  // namespace tryon
