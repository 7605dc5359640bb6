#include "server/render/typeface.h"

#include <algorithm>
#include <map>
#include <string>

#include "gtest/gtest.h"

namespace tryon {
namespace {

std::map<std::pair<int, int>, double> inked(const std::string& text) {
  std::map<std::pair<int, int>, double> out;
  ink_text(text, [&](int x, int y, double ink) { out[{x, y}] += ink; });
  return out;
}

TEST(Typeface, LettersStandInTheirLineAndCapitalsAreNotSmallLetters) {
  for (const std::string text : {"Pa", "waist girth 712 mm", "Ågy", "|"}) {
    for (const auto& [at, ink] : inked(text)) {
      EXPECT_GE(at.first, -1) << text;
      EXPECT_LE(at.first, text_width(text)) << text;
      EXPECT_GE(at.second, 0) << text;
      EXPECT_LT(at.second, kTextHeight) << text;
      EXPECT_GT(ink, 0.0);
    }
  }
  EXPECT_NE(inked("P"), inked("p"));
  EXPECT_TRUE(inked(" ").empty());
}

TEST(Typeface, WidthsAddUpAndACharacterOfTwoBytesIsOneLetter) {
  EXPECT_EQ(text_width(""), 0);
  EXPECT_GT(text_width("mm"), text_width("m"));
  EXPECT_LT(text_width("i"), text_width("m")) << "letters are as wide as they are";
  EXPECT_NEAR(text_width("é"), text_width("e"), 1);
  EXPECT_NE(inked("²"), inked("2"));
}

TEST(Typeface, BytesThatAreNoUtf8AreBoxesAndNothingWorse) {
  for (const std::string text : {"\xff", "\xc3", "a\xe2\x82", "\xf0\x28\x8c\x28", "\x80\x80"}) {
    EXPECT_FALSE(inked(text).empty());
    EXPECT_GT(text_width(text), 0);
  }
}

}  // namespace
}  // namespace tryon
