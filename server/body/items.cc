#include "server/body/items.h"

namespace tryon {
namespace {

constexpr ItemKind kGirth = ItemKind::kGirth, kLength = ItemKind::kLength, kHeight = ItemKind::kHeight,
                   kWidth = ItemKind::kWidth;

std::vector<MeasurementItem> make_items() {
  return {
      // Heights.
      {"height", "Stature (body height)", "floor to the highest point of the head", kHeight},
      {"neck_height", "Back neck height", "floor to the back neck point (nape)", kHeight},
      {"shoulder_height", "Shoulder height", "floor to the shoulder point", kHeight, true},
      {"bust_height", "Bust height", "floor to the foremost level of the chest, where bust_girth lies", kHeight},
      {"fullest_bust_height", "", "floor to the level of fullest_bust_girth", kHeight},
      {"under_bust_height", "Under bust height", "floor to the level of under_bust_girth", kHeight},
      {"natural_waist_height", "", "floor to the level of natural_waist_girth", kHeight},
      {"waist_height", "Waist height", "floor to the level of waist_girth", kHeight},
      {"high_hip_height", "Top hip height", "floor to the level of high_hip_girth", kHeight},
      {"hip_height", "Hip height", "floor to the level of hip_girth", kHeight},
      {"buttock_height", "", "floor to the level of buttock_girth", kHeight},
      {"crotch_height", "Inside leg height",
       "floor to the level at which the legs part, where the area of horizontal sections begins to grow fast", kHeight},
      {"inside_leg_height", "Inside leg height", "the same as crotch_height", kHeight},
      {"knee_height", "Knee height", "floor to the middle of the knee", kHeight, true},
      {"calf_height", "", "floor to the level of calf_girth", kHeight, true},
      {"ankle_height", "", "floor to the level of ankle_girth", kHeight, true},
      {"head_and_neck_length", "Head and neck length", "plumb from the crown to the level of the nape", kHeight},
      {"vertical_back_length", "", "plumb from the nape to the waist's level", kHeight},
      {"scye_depth", "Scye depth", "plumb from the nape to the level of the lower armpit", kHeight},
      {"waist_to_hip_height", "Waist to hip", "plumb from the waist's level to the hip's", kHeight},
      {"body_rise", "Body rise", "plumb from the waist's level to the crotch's", kHeight},
      // Girths of head and trunk.
      {"head_girth", "Head girth", "largest horizontal tape above the brows", kGirth},
      {"neck_girth", "Neck girth",
       "shortest tape, 1/50 of the height wide, round the neck's narrowest place, across its own lean", kGirth},
      {"neck_base_girth", "Neck base girth",
       "round the nape, both side neck points and the pit of the throat, in four quarters that each lie square on the "
       "skin",
       kGirth},
      {"upper_chest_girth", "Upper chest girth", "horizontal, just below the armpits, arms left out", kGirth},
      {"bust_girth", "Bust girth", "horizontal, at the foremost level of the chest; for men the chest girth", kGirth},
      {"fullest_bust_girth", "", "horizontal, at the fullest place within 1/200 of the height of bust_girth", kGirth},
      {"under_bust_girth", "Under bust girth",
       "horizontal, just below the crease under the breasts; a flat chest: 1/25 of the height below the bust", kGirth},
      {"natural_waist_girth", "",
       "horizontal, where the trunk narrows most between ribs and hips; where it hardly narrows, at the mean of the "
       "levels that are within about 1 % of its smallest girth",
       kGirth},
      {"waist_girth", "Waist girth",
       "horizontal, halfway between the narrowest place and the hollow of the back: the standard's level halfway "
       "between lowest rib and hip bone, as far as a surface shows it",
       kGirth},
      {"high_hip_girth", "Top hip girth",
       "horizontal, halfway between the levels of the waist and of the greatest protrusion of the buttocks", kGirth},
      {"hip_girth", "Hip girth",
       "horizontal, at the greatest protrusion of the buttocks, slid by at most 1/100 of the height to the fullest "
       "place",
       kGirth},
      {"buttock_girth", "", "horizontal, exactly at the greatest protrusion of the buttocks", kGirth},
      {"fullest_hip_girth", "", "largest horizontal tape between crotch and waist", kGirth},
      {"total_crotch_length", "Total crotch length",
       "from the front of the waist between the legs to its back, tight in the plane of the middle", kLength},
      // Girths of the limbs.
      {"thigh_girth", "Thigh girth", "largest horizontal tape just below the crotch", kGirth, true},
      {"mid_thigh_girth", "Mid-thigh girth", "horizontal, halfway between crotch and knee", kGirth, true},
      {"knee_girth", "Knee girth", "horizontal, at the middle of the knee", kGirth, true},
      {"calf_girth", "Calf girth", "largest horizontal tape of the lower leg", kGirth, true},
      {"ankle_girth", "Minimum leg girth", "smallest horizontal tape above the ankle", kGirth, true},
      {"upper_arm_girth", "Upper-arm girth", "largest tape across the middle of the upper arm", kGirth, true},
      {"elbow_girth", "Elbow girth", "round the elbow, across its bend", kGirth, true},
      {"forearm_girth", "Forearm girth", "largest tape across the forearm", kGirth, true},
      {"wrist_girth", "Wrist girth", "smallest tape, 1/50 of the height wide, across the end of the forearm", kGirth,
       true},
      // Over the trunk.
      {"shoulder_width", "Shoulder width", "straight from shoulder point to shoulder point", kWidth},
      {"across_back_shoulder_width", "Across back shoulder width",
       "from shoulder point over the nape to the other shoulder point", kLength},
      {"shoulder_length", "Shoulder length", "from the side neck point to the shoulder point", kLength, true},
      {"back_neck_width", "", "from side neck point over the nape to the other side", kLength},
      {"across_back_width", "Across back width",
       "between the arms' beginnings at the back, halfway from armpit to shoulder point", kLength},
      {"across_front_width", "Across front width", "the same in front", kLength},
      {"bust_back_arc", "",
       "part of bust_girth behind the side line: the frontal plane halfway between the outermost points of waist and "
       "hip",
       kLength},
      {"waist_back_arc", "", "part of waist_girth behind the same side line", kLength},
      {"hip_back_arc", "", "part of hip_girth behind the same side line", kLength},
      {"buttock_point_width", "", "straight between the hindmost points of both buttocks, at least 2 cm off the middle",
       kWidth},
      {"hip_flare", "", "how far the hip's side stands out beyond the waist's, level", kWidth, true},
      {"shoulder_drop", "", "plumb from the side neck point to the level of the shoulder point", kLength, true},
      {"armscye_depth", "", "plumb from the shoulder point to the level of the armpit", kLength, true},
      {"bust_point_width", "Bust point to bust point", "straight between the bust points", kWidth},
      {"back_length", "Back neck point to waist",
       "from the nape down the middle of the back to the waist, tight over hollows", kLength},
      {"back_length_to_natural_waist", "", "the same to the level of natural_waist_girth", kLength},
      {"neck_front_to_waist_length", "Front neck point to waist",
       "from the pit of the throat down the middle of the front to the waist, tight over hollows", kLength},
      {"front_length", "Side neck point to waist over bust point",
       "from the side neck point over the bust point to the waist", kLength, true},
      {"neck_to_bust_length", "Side neck point to bust point", "from the side neck point to the bust point", kLength,
       true},
      {"shoulder_to_bust_length", "",
       "from the shoulder's seam line to the bust's level, in an upright plane a quarter of the way from the bust "
       "point to the middle of the shoulder",
       kLength, true},
      {"shoulder_to_fullest_bust_length", "", "the same to the level of fullest_bust_girth", kLength, true},
      {"shoulder_to_waist_length", "", "the same over the bust to the waist's level", kLength, true},
      // Along the limbs.
      {"arm_length", "Outer arm length", "from the shoulder point over the elbow to the wrist, on the arm's outside",
       kLength, true},
      {"upper_arm_length", "Upper-arm length", "from the shoulder point to the elbow", kLength, true},
      {"lower_arm_length", "Lower-arm length", "from the elbow to the wrist", kLength, true},
      {"neck_to_wrist_length", "Back neck point to wrist", "from the nape over shoulder point and elbow to the wrist",
       kLength, true},
      {"hand_length", "Hand length", "straight from the wrist to the fingertip", kLength, true},
      {"outside_leg_length", "Outside leg length", "from the waist's side over the hip, then plumb to the floor",
       kLength, true},
  };
}

std::string_view without_side(std::string_view name) {
  for (std::string_view side : {"left_", "right_"}) {
    if (name.substr(0, side.size()) == side) return name.substr(side.size());
  }
  return name;
}

}  // namespace

std::string_view item_kind_name(ItemKind kind) {
  static constexpr std::string_view kNames[] = {"girth", "length", "height", "width"};
  return kNames[static_cast<size_t>(kind)];
}

const std::vector<MeasurementItem>& measurement_items() {
  static const std::vector<MeasurementItem> items = make_items();
  return items;
}

const MeasurementItem* find_measurement_item(std::string_view name) {
  const std::string_view plain = without_side(name);
  for (const MeasurementItem& item : measurement_items()) {
    if (item.name == plain && (plain == name || item.paired)) return &item;
  }
  return nullptr;
}

}  // namespace tryon
