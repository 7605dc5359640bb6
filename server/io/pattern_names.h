// What it is: the words of tryon.pattern.v2 for the kinds of the pattern model, in the order of their enums.
// Units: none. How it fails: it does not. Thread rules: constants.
#pragma once

#include <array>

namespace tryon::pattern_io {

inline constexpr std::array<const char*, 2> kLineNames = {"drawn", "cut"};
inline constexpr std::array<const char*, 4> kPleatNames = {"knife_to_start", "knife_to_end", "box", "inverted"};
inline constexpr std::array<const char*, 6> kNotchNames = {"v", "slit", "t", "castle", "check", "u"};
inline constexpr std::array<const char*, 8> kSeamNames = {"plain",  "felled", "overlock", "french",
                                                          "lapped", "hem",    "casing",   "binding"};
inline constexpr std::array<const char*, 3> kClosureNames = {"none", "buttons", "zip"};

}  // namespace tryon::pattern_io
