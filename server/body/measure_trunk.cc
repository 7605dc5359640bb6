#include <algorithm>
#include <cmath>

#include "server/body/measure_parts.h"

namespace tryon {
namespace {

// Shares of the height.
constexpr double kHipSlide = 0.010;     // a tape at the buttocks slides to the fullest place within about 2 cm
constexpr double kBustSlide = 0.0072;   // and at the bust within about 1 cm
constexpr double kPitClear = 0.008;     // and no higher than this below the armpits
constexpr double kSmooth = 0.020;       // half the window over which an outline is smoothed
constexpr double kCrease = 0.010;       // spacing of the differences that find the crease below the breasts
constexpr double kBelowCrease = 0.005;  // the under-bust tape lies below it
constexpr double kWaistUsual = 0.630, kWaistSpread = 0.040;
constexpr double kWaistSoftness = 0.010;  // of the girth: levels that exceed the smallest by more hardly count
constexpr double kHollowUsual = 0.620, kHollowSpread = 0.050, kHollowSoftness = 0.0010;  // of the height
constexpr double kCreaseSoftness = 0.05;                                                 // of the change of slope
constexpr double kFlatChest = 0.040;                     // the under-bust tape of a flat chest lies below the bust's
constexpr double kNoCrease = 0.15, kCreaseClear = 0.35;  // change of the girth's slope
constexpr double kBustAside = 0.028;                     // the least distance of a bust point from the middle
constexpr double kBustPointTurn = 0.14;                  // radians off the front: where the bust point faces

// Where the trunk narrows, near to where waists lie.
double narrowing(const BodyRuler& ruler, double low, double high) {
  const double scale = ruler.girth(0.5 * (low + high));
  return find_blended(low, high, kWaistSoftness,
                      [&](double y) {
                        const double girth = ruler.girth(y), usual = (y / ruler.height() - kWaistUsual) / kWaistSpread;
                        return girth > 0 ? -girth / scale - 0.5 * kWaistSoftness * usual * usual : -1e9;
                      })
      .at;
}

// Where the back is most hollow, near to where the small of the back lies.
double hollow_of_back(const BodyRuler& ruler, double low, double high) {
  const double h = ruler.height();
  return find_blended(low, high, kHollowSoftness,
                      [&](double y) {
                        const double usual = (y / h - kHollowUsual) / kHollowSpread;
                        return ruler.on_midline(y, -1).z() / h - 0.5 * kHollowSoftness * usual * usual;
                      })
      .at;
}

void find_waist(const BodyRuler& ruler, TrunkLevels* at) {
  const double h = ruler.height(), low = 0.575 * h, top = std::min(0.68 * h, ruler.levels().armpit() - 0.07 * h);
  at->natural_waist = narrowing(ruler, low, top);
  at->waist = 0.5 * (at->natural_waist + hollow_of_back(ruler, low, top));
}

// A tape laid at a level slides up or down to the fullest place close by.
double fullest(const BodyRuler& ruler, double low, double high) {
  return find_largest(low, high, 0.5 * ruler.step(), [&](double y) { return ruler.girth(y); }).at;
}

// Below the crease under the breasts, where the girth's slope turns most; towards the ends of where creases lie a turn
// counts less and less, so that a slope that merely goes on beyond them is none.
double find_under_bust(const BodyRuler& ruler, double bust) {
  const double h = ruler.height(), gap = kCrease * h, low = bust - 0.062 * h, high = bust - 0.018 * h;
  const Extremum crease = find_blended(low, high, kCreaseSoftness, [&](double y) {
    const double share = (y - low) / (high - low), inside = std::min(1.0, 8.0 * share * (1.0 - share));
    return inside * (ruler.girth(y + gap) - 2 * ruler.girth(y) + ruler.girth(y - gap)) / gap;
  });
  const double flat = bust - kFlatChest * h;  // has no crease; the level goes over from one to the other
  const double clear = std::clamp((crease.value - kNoCrease) / (kCreaseClear - kNoCrease), 0.0, 1.0);
  return flat + clear * (crease.at - kBelowCrease * h - flat);
}

void find_bust(const BodyRuler& ruler, TrunkLevels* at) {
  const double h = ruler.height(), pit = ruler.levels().armpit();
  const double low = std::max(at->natural_waist + 0.055 * h, pit - 0.085 * h), high = pit - 0.012 * h;
  const Extremum bust = find_peak(low, high, 0.5 * ruler.step(), kSmooth * h,
                                  [&](double y) { return ruler.furthest(y, Vec3::UnitZ()).z(); });
  const bool only_belly = !bust.inner && bust.at < 0.5 * (low + high);
  at->bust = only_belly ? std::clamp(pit - 0.045 * h, low, high) : bust.at;
  at->fullest_bust =
      fullest(ruler, at->bust - kBustSlide * h, std::min(at->bust + kBustSlide * h, pit - kPitClear * h));
  at->under_bust = find_under_bust(ruler, at->bust);
}

void find_hips(const BodyRuler& ruler, TrunkLevels* at) {
  const double h = ruler.height(), crotch = ruler.levels().crotch;
  const double top = std::max(crotch + 0.03 * h, at->natural_waist - 0.05 * h);
  const Extremum buttock = find_peak(crotch + 0.015 * h, top, ruler.step(), 0.5 * kSmooth * h,
                                     [&](double y) { return -ruler.furthest(y, -Vec3::UnitZ()).z(); });
  at->buttock = buttock.at;
  const double slide = std::min(kHipSlide * h, buttock.at - crotch);
  at->hip = fullest(ruler, buttock.at - slide, buttock.at + slide);
  at->high_hip = 0.5 * (at->waist + at->buttock);  // not the hip: that slides where a seat is full
}

void level(BodyRuler* ruler, const std::string& name, double y) {
  ruler->set_tape(name + "_girth", ruler->girth_tape(y), y);
  ruler->set_height(name + "_height", ruler->furthest(y, Vec3::UnitX()));
}

void mark_trunk(const TrunkLevels& at, BodyRuler* ruler) {
  ruler->mark("natural_waist", ruler->middle_at(at.natural_waist));
  ruler->mark("waist", ruler->middle_at(at.waist));
  ruler->mark("waist_front", ruler->on_midline(at.waist, 1));
  ruler->mark("waist_back", ruler->on_midline(at.waist, -1));
  ruler->mark("high_hip", ruler->middle_at(at.high_hip));
  ruler->mark("hip", ruler->middle_at(at.hip));
  ruler->mark("under_bust", ruler->middle_at(at.under_bust));
  const double crotch = ruler->levels().crotch;
  const double depth = ruler->middle_at(crotch + 0.01 * ruler->height()).z();
  ruler->mark("crotch", Vec3(ruler->levels().middle, crotch, depth));
  for (int side = 0; side < 2; ++side) {
    const Vec3 ahead(side_sign(side) * std::sin(kBustPointTurn), 0, std::cos(kBustPointTurn));
    ruler->mark(sided(side, "bust"), ruler->furthest(at.bust, ahead, side, kBustAside * ruler->height()));
    ruler->mark(sided(side, "buttock"), ruler->furthest(at.buttock, -Vec3::UnitZ(), side, 0.02));
  }
}

}  // namespace

TrunkLevels measure_trunk(BodyRuler* ruler) {
  TrunkLevels at;
  find_waist(*ruler, &at);
  find_hips(*ruler, &at);
  find_bust(*ruler, &at);
  mark_trunk(at, ruler);
  level(ruler, "bust", at.bust), level(ruler, "fullest_bust", at.fullest_bust),
      level(ruler, "under_bust", at.under_bust);
  level(ruler, "natural_waist", at.natural_waist), level(ruler, "waist", at.waist);
  level(ruler, "high_hip", at.high_hip), level(ruler, "hip", at.hip), level(ruler, "buttock", at.buttock);
  const double h = ruler->height(), crotch = ruler->levels().crotch, chest = ruler->levels().armpit() - 0.02 * h;
  ruler->set_tape("upper_chest_girth", ruler->girth_tape(chest), chest);
  const Extremum widest = find_largest(crotch + 0.02 * h, std::max(crotch + 0.03 * h, at.natural_waist), ruler->step(),
                                       [&](double y) { return ruler->girth(y); });
  ruler->set_tape("fullest_hip_girth", ruler->girth_tape(widest.at), widest.at);
  ruler->set_height("crotch_height", ruler->landmark("crotch"));
  ruler->set_height("inside_leg_height", ruler->landmark("crotch"));
  ruler->set_tape("bust_point_width", tape_through({ruler->landmark("left_bust"), ruler->landmark("right_bust")}),
                  at.bust);
  return at;
}

}  // namespace tryon
