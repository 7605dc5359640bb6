#include "server/body/mannequin_sections.h"

#include <algorithm>
#include <cmath>

#include "server/base/units.h"

namespace tryon {
namespace {

constexpr double kDefaultHeight = 1.680, kHand = 0.106;              // metres; of the height
constexpr double kHipTop = 0.520, kHighHip = 0.572, kFlank = 0.738;  // levels of the trunk
constexpr double kWaistRound = 0.012;                                // a belly is round, not pointed

// Half width, front and back (z) of the trunk's middle line, by level.
const MonotoneCurve kHalfWidth({{0.458, 0.172}, {0.470, 0.174},  {0.503, 0.174},  {0.545, 0.164},  {0.585, 0.140},
                                {0.622, 0.122}, {0.655, 0.125},  {0.685, 0.132},  {0.722, 0.140},  {0.756, 0.154},
                                {0.785, 0.176}, {0.812, 0.190},  {0.820, 0.172},  {0.832, 0.112},  {0.840, 0.080},
                                {0.848, 0.063}, {0.864, 0.053},  {0.876, 0.053},  {0.890, 0.058},  {0.905, 0.065},
                                {0.925, 0.072}, {0.945, 0.0755}, {0.962, 0.0715}, {0.980, 0.0582}, {0.991, 0.0414},
                                {0.998, 0.0200}});
const MonotoneCurve kFront({{0.458, 0.082}, {0.470, 0.091}, {0.503, 0.103},  {0.555, 0.114},  {0.600, 0.106},
                            {0.622, 0.099}, {0.655, 0.097}, {0.685, 0.100},  {0.722, 0.103},  {0.756, 0.088},
                            {0.785, 0.062}, {0.812, 0.036}, {0.835, 0.016},  {0.848, 0.018},  {0.864, 0.036},
                            {0.873, 0.060}, {0.881, 0.088}, {0.889, 0.101},  {0.902, 0.106},  {0.922, 0.1115},
                            {0.945, 0.109}, {0.962, 0.102}, {0.980, 0.0845}, {0.991, 0.0627}, {0.998, 0.0350}});
// A man's chest stands further forward and higher, over a flatter arch of ribs.
const MonotoneCurve kManFront({{0.600, 0.0},
                               {0.655, -0.004},
                               {0.688, -0.006},
                               {0.722, 0.002},
                               {0.750, 0.007},
                               {0.785, 0.010},
                               {0.812, 0.008},
                               {0.840, 0.0}});
const MonotoneCurve kBack({{0.458, -0.092},  {0.470, -0.108},  {0.503, -0.122}, {0.545, -0.110}, {0.590, -0.080},
                           {0.622, -0.070},  {0.655, -0.080},  {0.685, -0.095}, {0.722, -0.108}, {0.756, -0.112},
                           {0.785, -0.106},  {0.812, -0.095},  {0.835, -0.080}, {0.848, -0.070}, {0.864, -0.061},
                           {0.876, -0.060},  {0.900, -0.072},  {0.920, -0.088}, {0.945, -0.092}, {0.962, -0.0845},
                           {0.980, -0.0665}, {0.991, -0.0447}, {0.998, -0.0170}});
const MonotoneCurve kSquareness(
    {{0.47, 0.02}, {0.503, 0.03}, {0.62, 0.05}, {0.72, 0.07}, {0.80, 0.05}, {0.85, 0.0}, {0.90, 0.03}, {1.0, 0.0}});
const MonotoneCurve kBreast(
    {{0.683, 0.0}, {0.700, 0.40}, {0.722, 1.0}, {0.740, 0.80}, {0.760, 0.42}, {0.785, 0.10}, {0.800, 0.0}});
const MonotoneCurve kButtock({{0.450, 0.25}, {0.475, 0.75}, {0.497, 1.0}, {0.520, 0.85}, {0.550, 0.30}, {0.580, 0.0}});

// The leg: by its share (crotch = 1).
const MonotoneCurve kLegHalfWidth({{0.125, 0.0295},
                                   {0.20, 0.034},
                                   {0.30, 0.045},
                                   {0.42, 0.0555},
                                   {0.51, 0.0515},
                                   {0.575, 0.0535},
                                   {0.66, 0.061},
                                   {0.80, 0.075},
                                   {0.96, 0.087},
                                   {1.03, 0.088}});
const MonotoneCurve kLegFront({{0.125, 0.001},
                               {0.20, 0.003},
                               {0.30, 0.013},
                               {0.42, 0.029},
                               {0.51, 0.043},
                               {0.575, 0.056},
                               {0.62, 0.060},
                               {0.66, 0.066},
                               {0.80, 0.086},
                               {0.96, 0.097},
                               {1.03, 0.099}});
const MonotoneCurve kLegBack({{0.125, -0.068},
                              {0.20, -0.069},
                              {0.30, -0.079},
                              {0.42, -0.083},
                              {0.51, -0.067},
                              {0.575, -0.056},
                              {0.66, -0.059},
                              {0.80, -0.072},
                              {0.96, -0.093},
                              {1.03, -0.100}});

// The foot's rings turn from the ankle's level plane to the toes' upright one: instep above, heel and sole below.
const MonotoneCurve kInstepY({{0.0, 0.096},
                              {0.10, 0.080},
                              {0.2, 0.071},
                              {0.35, 0.063},
                              {0.5, 0.054},
                              {0.65, 0.042},
                              {0.8, 0.030},
                              {0.92, 0.021},
                              {0.985, 0.015}});
const MonotoneCurve kInstepZ({{0.0, 0.001},
                              {0.10, 0.010},
                              {0.2, 0.024},
                              {0.35, 0.045},
                              {0.5, 0.070},
                              {0.65, 0.101},
                              {0.8, 0.133},
                              {0.92, 0.157},
                              {0.985, 0.170}});
const MonotoneCurve kSoleY(
    {{0.0, 0.096}, {0.08, 0.062}, {0.16, 0.032}, {0.25, 0.010}, {0.33, 0.0}, {0.9, 0.0}, {0.985, 0.004}});
const MonotoneCurve kSoleZ({{0.0, -0.068},
                            {0.08, -0.075},
                            {0.16, -0.082},
                            {0.25, -0.078},
                            {0.33, -0.060},
                            {0.5, 0.010},
                            {0.65, 0.065},
                            {0.8, 0.120},
                            {0.92, 0.155},
                            {0.985, 0.170}});
const MonotoneCurve kFootHalfWidth({{0.0, 0.0295},
                                    {0.15, 0.031},
                                    {0.35, 0.033},
                                    {0.5, 0.037},
                                    {0.68, 0.044},
                                    {0.8, 0.043},
                                    {0.9, 0.036},
                                    {0.96, 0.025},
                                    {0.985, 0.015}});

// The arm (wrist = 1) and the hand (tip = 2): half sizes across (in the plane of the A) and to the front.
const MonotoneCurve kArmAcross({{0.0, 0.050},
                                {0.15, 0.049},
                                {0.30, 0.0445},
                                {0.45, 0.040},
                                {0.57, 0.0375},
                                {0.66, 0.0385},
                                {0.80, 0.033},
                                {0.92, 0.0245},
                                {1.0, 0.0205},
                                {1.15, 0.0185},
                                {1.40, 0.0170},
                                {1.60, 0.0135},
                                {1.85, 0.0095},
                                {1.94, 0.0075},
                                {1.985, 0.004}});
const MonotoneCurve kArmForward({{0.0, 0.052},
                                 {0.15, 0.050},
                                 {0.30, 0.0455},
                                 {0.45, 0.042},
                                 {0.57, 0.0405},
                                 {0.66, 0.0410},
                                 {0.80, 0.035},
                                 {0.92, 0.0285},
                                 {1.0, 0.0285},
                                 {1.18, 0.0345},
                                 {1.42, 0.0425},
                                 {1.62, 0.0385},
                                 {1.83, 0.0290},
                                 {1.94, 0.0185},
                                 {1.985, 0.009}});
const MonotoneCurve kArmDrift({{0.0, 0.0}, {0.50, 0.0}, {1.0, 0.022}, {2.0, 0.042}});  // a relaxed elbow and hand

// How much a section narrows towards its front: the jaw, the chin.
const MonotoneCurve kTaper({{0.862, 0.0}, {0.885, 0.30}, {0.915, 0.20}, {0.950, 0.06}, {0.990, 0.0}});
// The lap: the front draws in between the thighs.
const MonotoneCurve kLap({{0.455, 0.040}, {0.472, 0.026}, {0.490, 0.010}, {0.515, 0.0}, {0.520, 0.0}});
const MonotoneCurve kCleft({{0.455, 0.030}, {0.480, 0.018}, {0.520, 0.0}, {0.530, 0.0}});  // and so does the seat
// A fuller trunk grows more in depth than in breadth (the power of its girth's scale that goes from one to the other),
// and at the waist it grows ahead, not behind (the share of the added depth): the small of the back stays hollow.
const MonotoneCurve kDeepens({{0.490, 0.0}, {0.560, 0.08}, {0.622, 0.12}, {0.685, 0.08}, {0.722, 0.14}, {0.812, 0.0}});
const MonotoneCurve kGrowsAhead({{0.470, 0.40},
                                 {0.503, 0.35},
                                 {0.530, 0.60},
                                 {0.555, 0.78},
                                 {0.590, 0.86},
                                 {0.622, 0.84},
                                 {0.652, 0.78},
                                 {0.685, 0.57},
                                 {0.722, 0.57},
                                 {0.756, 0.52},
                                 {0.760, 0.50}});
// Thighs are flat where they face each other.
const MonotoneCurve kThighSquareness({{0.78, 0.0}, {0.96, 0.075}, {1.03, 0.09}});

double hill(double x, double center, double width) {
  const double away = (x - center) / width;
  return std::exp(-0.5 * away * away);
}

double bump(double angle, double center_degrees, double width_degrees) {
  const double away = std::remainder(angle - radians(center_degrees), 2 * kPi) / radians(width_degrees);
  return std::exp(-0.5 * away * away);
}

// An ellipse-like closed curve; squareness lifts its diagonals.
Vec2 rounded(double angle, double squareness) {
  const double s2 = std::sin(2 * angle);
  return (1.0 + squareness * s2 * s2) * Vec2(std::cos(angle), std::sin(angle));
}

MonotoneCurve trunk_scale(const FigureKnobs& k) {
  return MonotoneCurve({{level::kHip, k.of(Girth::kHip)},
                        {kHipTop, k.of(Girth::kHip)},
                        {kHighHip, k.high_hip * 0.5 * (k.of(Girth::kHip) + k.of(Girth::kWaist))},
                        {level::kWaist - kWaistRound, k.of(Girth::kWaist)},
                        {level::kWaist + kWaistRound, k.of(Girth::kWaist)},
                        {level::kUnderBust, k.of(Girth::kUnderBust)},
                        {level::kBust, k.of(Girth::kBust)},
                        {level::kHoleTop, k.of(Girth::kBust)},
                        {level::kNeck, k.of(Girth::kNeck)},
                        {level::kNeck + 0.004, k.of(Girth::kNeck)},
                        {level::kChin + 0.012, k.of(Girth::kHead)},
                        {level::kBrow, k.of(Girth::kHead)}});
}

MonotoneCurve trunk_width_scale(const FigureKnobs& k, double shoulder) {
  return MonotoneCurve({{level::kHip, k.of(Girth::kHip)},
                        {kHipTop, k.of(Girth::kHip)},
                        {kHighHip, k.high_hip * 0.5 * (k.of(Girth::kHip) + k.of(Girth::kWaist))},
                        {level::kWaist - kWaistRound, k.of(Girth::kWaist)},
                        {level::kWaist + kWaistRound, k.of(Girth::kWaist)},
                        {level::kUnderBust, std::pow(k.flank, 0.3) * k.of(Girth::kUnderBust)},
                        {level::kBust, std::pow(k.flank, 0.6) * k.of(Girth::kBust)},
                        {kFlank, k.flank * k.of(Girth::kBust)},
                        {level::kHoleBottom, k.flank * k.of(Girth::kBust)},
                        {level::kHoleTop, shoulder},
                        {level::kShoulder + 0.010, shoulder},
                        {level::kNeck, k.of(Girth::kNeck)},
                        {level::kNeck + 0.004, k.of(Girth::kNeck)},
                        {level::kChin + 0.012, k.of(Girth::kHead)},
                        {level::kBrow, k.of(Girth::kHead)}});
}

// The mean of a scale over the neighbouring levels between hip and bust, so that flesh goes over roundly from one girth
// to the next.
double softened(const MonotoneCurve& scale, double trunk_level) {
  const double up = (trunk_level - level::kHip) / 0.04, down = (level::kBust - trunk_level) / 0.04;
  const double step = 0.013 * std::clamp(std::min(up, down), 0.0, 1.0);
  if (step == 0.0) return scale.at(trunk_level);
  double sum = 0.0;
  for (int k = -2; k <= 2; ++k) sum += (3 - std::abs(k)) * scale.at(trunk_level + k * step);
  return sum / 9.0;
}

}  // namespace

Sections::Sections(const MannequinTable& table, const FigureKnobs& knobs)
    : table_(table),
      knobs_(knobs),
      unit_(from_mm(table.height) / kDefaultHeight),
      belly_(std::clamp((table.waist_girth / table.hip_girth - 0.80) / 0.25, 0.0, 1.2)),
      height_(from_mm(table.height)),
      inside_leg_(from_mm(table.inside_leg)),
      trunk_scale_(trunk_scale(knobs)),
      trunk_width_scale_(trunk_width_scale(knobs, table.shoulder_width / MannequinTable().shoulder_width / unit_)),
      leg_scale_({{leg::kAnkle, knobs.of(Girth::kAnkle)},
                  {leg::kCalf, knobs.of(Girth::kCalf)},
                  {leg::kKnee, knobs.of(Girth::kKnee)},
                  {0.93, knobs.of(Girth::kThigh)},
                  {1.0, knobs.of(Girth::kThigh)}}),
      arm_scale_({{arm::kUpper - 0.05, knobs.of(Girth::kUpperArm)},
                  {arm::kUpper, knobs.of(Girth::kUpperArm)},
                  {arm::kElbow, knobs.of(Girth::kElbow)},
                  {arm::kWrist, knobs.of(Girth::kWrist)},
                  {1.4, 1.0}}) {}

// The levels are stretched so that the crotch lies where the inside leg says and the waist where its knob does; from
// the bust up they are shares of the height.
double Sections::height_of(double trunk_level) const {
  if (trunk_level >= level::kBust) return trunk_level * height_;
  const double waist = level::kWaist * height_ + knobs_.waist_shift;
  if (trunk_level >= level::kWaist) {
    const double up = (trunk_level - level::kWaist) / (level::kBust - level::kWaist);
    return waist + up * (level::kBust * height_ - waist);
  }
  const double share = (trunk_level - level::kCrotch) / (level::kWaist - level::kCrotch);
  return inside_leg_ + share * (waist - inside_leg_);
}

// Nose, brow, eyes, lips and chin stand out from the head's oval, ears from its sides; the default figure's metres.
Vec2 Sections::face(double at, double angle) const {
  const double side = std::sin(angle) < 0 ? kPi - angle : angle;  // both halves of a bump at 90 degrees
  const double nose = 0.017 * hill(at, 0.9135, 0.0062) + 0.010 * hill(at, 0.9255, 0.008);
  const double ahead = nose * bump(side, 90, 8.5) + 0.004 * hill(at, 0.9455, 0.005) * bump(side, 90, 30) -
                       0.010 * hill(at, 0.9335, 0.0065) * (bump(side, 63, 11) + bump(side, 117, 11)) +
                       0.002 * hill(at, 0.9015, 0.0035) * bump(side, 90, 15) -
                       0.001 * hill(at, 0.8955, 0.003) * bump(side, 90, 18) +
                       0.006 * hill(at, 0.8895, 0.005) * bump(side, 90, 16);
  const double aside = 0.014 * hill(at, 0.924, 0.013) * (bump(angle, -10, 9) - bump(angle, 190, 9));
  return {aside, ahead};
}

Vec3 Sections::trunk(double trunk_level, double column_angle) const {
  // On the head the columns crowd towards the face.
  const double crowd = 0.42 * std::clamp((trunk_level - 0.872) / 0.02, 0.0, 1.0);
  const double angle = column_angle + crowd * std::cos(column_angle);
  const double scale = softened(trunk_scale_, trunk_level), deepens = kDeepens.at(trunk_level);
  const double sz = std::pow(scale, 1.0 + 1.3 * deepens);
  const double sx = softened(trunk_width_scale_, trunk_level) * std::pow(scale, -deepens);
  const double man = table_.manliness;
  const double belly = belly_ * hill(trunk_level, 0.600, 0.055);
  const double front = kFront.at(trunk_level) + man * kManFront.at(trunk_level) + 0.045 * belly,
               back = kBack.at(trunk_level);
  const Vec2 round = rounded(angle, kSquareness.at(trunk_level) + 0.03 * man * hill(trunk_level, 0.74, 0.05));
  const double cup = std::clamp((table_.bust_girth - table_.under_bust_girth) / 130.0, 0.1, 1.6) * (1.0 - man);
  const double breast = 0.034 * cup * kBreast.at(trunk_level) * (bump(angle, 56, 18) + bump(angle, 124, 18));
  const double pectoral =
      (0.014 + 0.012 * belly_) * man * hill(trunk_level, 0.730, 0.022) * (bump(angle, 57, 24) + bump(angle, 123, 24));
  const double shoulder_blades =
      0.008 * hill(trunk_level, 0.765, 0.03) * (bump(angle, 237, 20) + bump(angle, 303, 20) - bump(angle, 270, 10));
  const double buttock =
      (0.019 - 0.005 * man) * kButtock.at(trunk_level) * (bump(angle, 242, 19) + bump(angle, 298, 19));
  const double furrow =
      0.006 * kBreast.at(trunk_level) * cup * bump(angle, 90, 13) + kLap.at(trunk_level) * bump(angle, 90, 20);
  const double cleft = kCleft.at(trunk_level) * bump(angle, 270, 13);
  const double spine = 0.006 * hill(trunk_level, 0.66, 0.06) * bump(angle, 270, 12);
  const Vec2 features = face(trunk_level, angle);
  const double relief = breast + pectoral + features.y() - furrow - buttock - shoulder_blades + cleft + spine;
  const double ahead = (kGrowsAhead.at(trunk_level) - 0.5) * (sz - 1.0) * (front - back);
  const double z = 0.5 * (front + back) + ahead + sz * (0.5 * (front - back) * round.y() + relief);
  const double taper = 1.0 - kTaper.at(trunk_level) * std::max(0.0, std::sin(angle));
  const double broad = 1.0 + man * (0.05 * hill(trunk_level, 0.622, 0.05) - 0.02 * hill(trunk_level, 0.503, 0.04));
  const double x = sx * (kHalfWidth.at(trunk_level) * broad * taper * round.x() + features.x());
  return {unit_ * x, height_of(trunk_level), unit_ * z};
}

Vec3 Sections::shoulder_tip() const {
  return {from_mm(table_.shoulder_width) / 2, level::kShoulder * height_, -0.034 * unit_};
}

Vec3 Sections::head_top() const { return {0.0, height_, 0.008 * unit_}; }

Vec3 Sections::crotch_point() const { return {0.0, inside_leg_ + knobs_.crotch_shift, -0.008 * unit_}; }

Vec3 Sections::leg(double y, double angle) const {
  const double share = y / inside_leg_, scale = leg_scale_.at(share) * unit_;
  const double thigh = unit_ * knobs_.of(Girth::kThigh) * kLegHalfWidth.at(0.96);
  const double hip = unit_ * knobs_.of(Girth::kHip) * kHalfWidth.at(level::kHip);
  const double top_center = std::max(hip - thigh, thigh + 0.003), ankle_center = top_center + 0.012 * unit_;
  const double down = std::clamp((1.0 - share) / (1.0 - leg::kAnkle), 0.0, 1.0);
  const double front = kLegFront.at(share), back = kLegBack.at(share);
  const Vec2 round = rounded(angle, kThighSquareness.at(share));
  return {top_center + down * (ankle_center - top_center) + scale * kLegHalfWidth.at(share) * round.x(), y,
          unit_ * 0.5 * (front + back) + scale * 0.5 * (front - back) * round.y()};
}

Vec3 Sections::foot(double share, double angle) const {
  const Vec3 ankle_front = leg(leg::kAnkle * inside_leg_, kPi / 2),
             ankle_back = leg(leg::kAnkle * inside_leg_, -kPi / 2);
  const double ankle_y = leg::kAnkle * inside_leg_ / 0.096, fade = std::clamp(1.0 - share / 0.35, 0.0, 1.0);
  Vec2 top(kInstepY.at(share), kInstepZ.at(share) * unit_), sole(kSoleY.at(share), kSoleZ.at(share) * unit_);
  top.x() *= ankle_y, sole.x() *= ankle_y;
  top.y() += fade * (ankle_front.z() - kInstepZ.at(0) * unit_);
  sole.y() += fade * (ankle_back.z() - kSoleZ.at(0) * unit_);
  const double ankle_half = leg(leg::kAnkle * inside_leg_, 0).x() - ankle_front.x();
  const double half = kFootHalfWidth.at(share) * unit_ + fade * (ankle_half - kFootHalfWidth.at(0) * unit_);
  const double flat = std::clamp((share - 0.15) / 0.25, 0.0, 1.0);
  const double c = std::cos(angle), s = std::sin(angle);
  const double below = s < 0 ? (1 - flat) * s - flat * (1 - std::pow(1 + s, 2.0)) : s;  // a sole is flat
  const Vec2 at = 0.5 * (top + sole) + 0.5 * below * (top - sole);
  const double spread = 1.0 + 0.10 * flat * std::pow(std::sin(2 * angle), 2);
  return {ankle_front.x() + half * spread * c + 0.006 * unit_ * share, std::max(0.0, at.x()), at.y()};
}

Vec3 Sections::toe_tip() const { return 0.5 * (foot(0.985, 0.0) + foot(0.985, kPi)) + Vec3(0, 0, 0.003 * unit_); }

Vec3 Sections::arm_direction() const {
  const double a = radians(table_.arm_angle_deg);
  return {std::cos(a), -std::sin(a), 0.0};
}

double Sections::arm_leaves_trunk() const {
  const double chest = trunk(level::kHoleBottom, 0.0).x() + 0.020 * unit_;
  double share = 0.0;
  while (share < 1.0 && arm(share, kPi).x() < chest) share += 0.01;
  return share;
}

Vec3 Sections::arm_center(double share) const {
  const double a = radians(table_.arm_angle_deg), length = from_mm(table_.arm_length);
  const Vec3 up(std::sin(a), std::cos(a), 0.0);
  const Vec3 joint = shoulder_tip() - unit_ * knobs_.of(Girth::kUpperArm) * kArmAcross.at(0.15) * up;
  const double along = share <= 1.0 ? share * length : length + (share - 1.0) * kHand * height_;
  return joint + along * arm_direction() + unit_ * kArmDrift.at(share) * Vec3::UnitZ();
}

Vec3 Sections::arm(double share, double angle) const {
  const double a = radians(table_.arm_angle_deg), scale = unit_ * arm_scale_.at(share);
  const Vec3 up(std::sin(a), std::cos(a), 0.0);
  const double thumb = 0.034 * bump(angle, 90, 24) * hill(share, 1.34, 0.085);
  return arm_center(share) + scale * kArmAcross.at(share) * std::cos(angle) * up +
         scale * (kArmForward.at(share) * std::sin(angle) + thumb) * Vec3::UnitZ();
}

Vec3 Sections::finger_tip() const { return arm_center(2.0); }

}  // namespace tryon
