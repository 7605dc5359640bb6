#include "server/render/glyphs.h"

#include <cctype>

namespace tryon {
namespace {

constexpr std::array<Glyph, 10> kDigits = {{{14, 17, 19, 21, 25, 17, 14},
                                            {4, 12, 4, 4, 4, 4, 14},
                                            {14, 17, 1, 2, 4, 8, 31},
                                            {14, 17, 1, 6, 1, 17, 14},
                                            {2, 6, 10, 18, 31, 2, 2},
                                            {31, 16, 30, 1, 1, 17, 14},
                                            {6, 8, 16, 30, 17, 17, 14},
                                            {31, 1, 2, 4, 8, 8, 8},
                                            {14, 17, 17, 14, 17, 17, 14},
                                            {14, 17, 17, 15, 1, 2, 12}}};
constexpr std::array<Glyph, 26> kLetters = {{
    {0, 0, 14, 1, 15, 17, 15},     // a
    {16, 16, 30, 17, 17, 17, 30},  // b
    {0, 0, 14, 17, 16, 17, 14},    // c
    {1, 1, 15, 17, 17, 17, 15},    // d
    {0, 0, 14, 17, 31, 16, 14},    // e
    {6, 9, 8, 28, 8, 8, 8},        // f
    {0, 0, 15, 17, 15, 1, 14},     // g
    {16, 16, 30, 17, 17, 17, 17},  // h
    {4, 0, 12, 4, 4, 4, 14},       // i
    {2, 0, 6, 2, 2, 18, 12},       // j
    {16, 16, 18, 20, 24, 20, 18},  // k
    {12, 4, 4, 4, 4, 4, 14},       // l
    {0, 0, 26, 21, 21, 21, 21},    // m
    {0, 0, 30, 17, 17, 17, 17},    // n
    {0, 0, 14, 17, 17, 17, 14},    // o
    {0, 0, 30, 17, 30, 16, 16},    // p
    {0, 0, 15, 17, 15, 1, 1},      // q
    {0, 0, 22, 25, 16, 16, 16},    // r
    {0, 0, 15, 16, 14, 1, 30},     // s
    {8, 8, 28, 8, 8, 9, 6},        // t
    {0, 0, 17, 17, 17, 19, 13},    // u
    {0, 0, 17, 17, 17, 10, 4},     // v
    {0, 0, 17, 17, 21, 21, 10},    // w
    {0, 0, 17, 10, 4, 10, 17},     // x
    {0, 0, 17, 17, 15, 1, 14},     // y
    {0, 0, 31, 2, 4, 8, 31},       // z
}};
constexpr Glyph kSpace = {}, kPoint = {0, 0, 0, 0, 0, 12, 12}, kDash = {0, 0, 0, 31, 0, 0, 0},
                kPercent = {24, 25, 2, 4, 8, 19, 3}, kSlash = {1, 1, 2, 4, 8, 16, 16}, kPlus = {0, 4, 4, 31, 4, 4, 0},
                kComma = {0, 0, 0, 0, 12, 4, 8}, kColon = {0, 12, 12, 0, 12, 12, 0}, kOpen = {2, 4, 8, 8, 8, 4, 2},
                kClose = {8, 4, 2, 2, 2, 4, 8}, kBox = {31, 17, 17, 17, 17, 17, 31};

const Glyph& mark_of(char c) {
  switch (c) {
    case ' ':
    case '_':
      return kSpace;
    case '.':
      return kPoint;
    case '-':
      return kDash;
    case '%':
      return kPercent;
    case '/':
      return kSlash;
    case '+':
      return kPlus;
    case ',':
      return kComma;
    case ':':
      return kColon;
    case '(':
      return kOpen;
    case ')':
      return kClose;
    default:
      return kBox;
  }
}

}  // namespace

const Glyph& glyph_of(char c) {
  if (c >= '0' && c <= '9') return kDigits[static_cast<size_t>(c - '0')];
  const int lower = std::tolower(static_cast<unsigned char>(c));
  if (lower >= 'a' && lower <= 'z') return kLetters[static_cast<size_t>(lower - 'a')];
  return mark_of(c);
}

}  // namespace tryon
