// What it is: every measurement that a body may carry, with its meaning, in the order of a tailor's sheet.
// Units and frame: values are millimetres. Shapes: one row a name; a paired item also comes as left_NAME and
// right_NAME, its plain name being the mean of both. How it fails: an unknown name gives null.
// A tape is 1/100 of the height wide on limbs and neck (the mean over that width is taken), flesh rounds off corners of
// less than 4 cm, and hollows are spanned: see tape.h. Thread rules: constants. Names follow ISO 8559-1:2017 where it
// has the item; `standard` is then its name there.
#pragma once

#include <string_view>
#include <vector>

namespace tryon {

enum class ItemKind { kGirth, kLength, kHeight, kWidth };
std::string_view item_kind_name(ItemKind kind);  // "girth", ...

struct MeasurementItem {
  std::string_view name;        // key of Body::measurements_mm and Body::curves
  std::string_view standard;    // its name in ISO 8559-1:2017; empty: not an item of the standard
  std::string_view definition;  // how it is taken from a surface
  ItemKind kind = ItemKind::kGirth;
  bool paired = false;
};

const std::vector<MeasurementItem>& measurement_items();
// By name, with or without left_ or right_.
const MeasurementItem* find_measurement_item(std::string_view name);

}  // namespace tryon
