// What it is: letters for pictures: DejaVu Sans, which the program carries with it, drawn by stb_truetype. Units:
// pixels, y down; text is UTF-8. Shapes: one line; line breaks are not known. How it fails: a character that the face
// does not have is drawn as its box, bytes that are no UTF-8 likewise. Thread rules: pure functions; the same bytes on
// every machine.
#pragma once

#include <functional>
#include <string_view>

namespace tryon {

inline constexpr int kTextHeight = 19;  // pixels from the top of an accented capital to the bottom of a g

int text_width(std::string_view text);
// put(x, y, coverage 0 .. 1) for each pixel that ink touches, x and y from the text's top left corner.
void ink_text(std::string_view text, const std::function<void(int, int, double)>& put);

}  // namespace tryon
