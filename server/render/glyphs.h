// What it is: a tiny typeface for labels in pictures: small letters, digits and a few marks on a grid of 5 x 7 dots.
// Units: dots; a character is 6 wide with its gap. How it fails: what it does not know is drawn as a box.
// Thread rules: pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tryon {

inline constexpr int kGlyphWidth = 5, kGlyphHeight = 7, kGlyphAdvance = 6;
using Glyph = std::array<uint8_t, kGlyphHeight>;  // rows from the top; bit 4 is the leftmost dot
const Glyph& glyph_of(char c);                    // capitals look like small letters

}  // namespace tryon
