#include "server/render/colour_map.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace tryon {
namespace {

constexpr uint32_t kViridisStops[] = {0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d,
                                      0x2c728e, 0x26828e, 0x21918c, 0x1fa088, 0x28ae80, 0x3fbc73,
                                      0x5ec962, 0x84d44b, 0xaddc30, 0xd8e219, 0xfde725};
constexpr uint32_t kAboutZeroStops[] = {0x2d004b, 0x542788, 0x8073ac, 0xb2abd2, 0xd8daeb, 0xf7f7f7,
                                        0xfee0b6, 0xfdb863, 0xe08214, 0xb35806, 0x7f3b08};

std::span<const uint32_t> stops_of(ColourMap map) {
  if (map == ColourMap::kViridis) return kViridisStops;
  return kAboutZeroStops;
}

}  // namespace

Rgb8 map_srgb(ColourMap map, double share) {
  if (std::isnan(share)) return {128, 128, 128};
  const std::span<const uint32_t> stops = stops_of(map);
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const size_t below = std::min(static_cast<size_t>(place), stops.size() - 2);
  const double part = place - static_cast<double>(below);
  Rgb8 out{};
  for (int c = 0; c < 3; ++c) {
    const int shift = 16 - 8 * c;
    const double a = stops[below] >> shift & 255, b = stops[below + 1] >> shift & 255;
    out[static_cast<size_t>(c)] = static_cast<uint8_t>(std::lround(a + part * (b - a)));
  }
  return out;
}

Vec3 map_linear(ColourMap map, double share) {
  const Rgb8 c = map_srgb(map, share);
  return {linear_of_srgb(c[0] / 255.0), linear_of_srgb(c[1] / 255.0), linear_of_srgb(c[2] / 255.0)};
}

double linear_of_srgb(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4); }

}  // namespace tryon
