#include <algorithm>
#include <cmath>

#include "server/base/units.h"
#include "server/body/measure_parts.h"

namespace tryon {
namespace {

constexpr double kNapeGirth = 1.20;     // of the neck's smallest horizontal girth
constexpr double kFrontBelow = 0.029;   // of the height: the front neck point below the nape
constexpr double kFrontPull = 20.0;     // towards that, against the depth of the bend
constexpr double kBendSoftness = 4e-4;  // of the height
constexpr double kArcReach = 1.15;      // how far an arc of the base may stand out, times its middle point
constexpr double kSideAbove = 0.0067;   // of the height: the side neck point above the nape
constexpr double kNeckSlide = 0.008;    // of the height: how far from the narrowest level that tape looks for less
constexpr double kNeckWidth = 2.0, kBaseWidth = 1.6;  // of a tape's
constexpr double kBaseSlope = 0.7;   // of the skin at the neck's base: how far its normal rises as it leads outward
constexpr double kBaseReach = 0.03;  // of the height: how far a quarter of the base may stand out
constexpr double kSideDepth = 0.62;  // of the way from the pit of the throat to the nape

// Where the front's outline bends from the neck into the chest: deepest behind the line from throat to bust, with a
// pull towards its usual place below the nape, since the bend is shallow.
Vec3 find_neck_front(const BodyRuler& ruler, double bust) {
  const double narrow = ruler.levels().neck_narrow, h = ruler.height();
  const double usual = ruler.landmark("neck_back").y() - kFrontBelow * h;
  const Vec3 top = ruler.on_midline(narrow, 1), low = ruler.on_midline(bust, 1);
  const Vec3 line = (top - low).normalized(), inward(0, line.z(), -line.y());
  const Extremum deepest = find_blended(ruler.levels().armpit(), narrow, kBendSoftness * h, [&](double y) {
    return (ruler.on_midline(y, 1) - low).dot(inward) - kFrontPull / h * (y - usual) * (y - usual);
  });
  return ruler.on_midline(deepest.at, 1);
}

// The back neck point lies where the shoulders begin to widen the neck.
double find_nape(const BodyRuler& ruler) {
  auto girth = [&](double y) {
    const auto loops = ruler.level(y);
    const SliceLoop* loop = trunk_loop(loops, ruler.levels().middle);
    return loop == nullptr ? 0.0 : loop->hull_perimeter;
  };
  const double narrow = ruler.levels().neck_narrow, limit = kNapeGirth * girth(narrow);
  return find_change(narrow, ruler.levels().neck_bottom, 0.5 * ruler.step(),
                     [&](double y) { return girth(y) >= limit; });
}

// On the neck's side a little above the nape, where the neck goes over into the shoulder.
Vec3 find_neck_side(const BodyRuler& ruler, int side) {
  const Vec3 nape = ruler.landmark("neck_back"), front = ruler.landmark("neck_front");
  const double y = nape.y() + kSideAbove * ruler.height();
  return ruler.on_side(y, front.z() + kSideDepth * (nape.z() - front.z()), side);
}

// The neck leans forward: of all tapes round its narrowest place the shortest.
Tape neck_tape(const BodyRuler& ruler) {
  constexpr double kNoNeck = 1e9;
  const Vec3 centre = ruler.middle_at(ruler.levels().neck_narrow);
  const TriangleMesh& mesh = ruler.body().mesh;
  std::vector<int> near;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle& tri = mesh.triangles[t];
    const bool trunk = ruler.body().part[tri[0]] <= BodyPart::kTorso;
    if (trunk && (mesh.positions[tri[0]] - centre).norm() < 0.12 * ruler.height()) near.push_back(t);
  }
  auto round = [&](double lean, double up) {
    const Vec3 axis(0, std::cos(lean), std::sin(lean));
    const auto loops = slice_mesh(mesh, &near, centre + up * axis, axis);
    const SliceLoop* loop = trunk_loop(loops, ruler.levels().middle);
    return loop == nullptr ? Tape{} : tape_round_flesh(loop->points, axis);
  };
  const Extremum best = find_smallest(0, radians(30), radians(5),
                                      [&](double lean) { return length_or(kNoNeck, round(lean, 0.0).length); });
  auto wide = [&](double up) {
    return tape_of_width(up, kNeckWidth * ruler.tape_width(), [&](double at) { return round(best.at, at); });
  };
  const double slide = kNeckSlide * ruler.height();
  const Extremum place =
      find_smallest(-slide, slide, 0.25 * slide, [&](double up) { return length_or(kNoNeck, wide(up).length); });
  return wide(place.at);
}

// From side to side over the nape, in the plane of the three.
Tape back_neck(const BodyRuler& ruler) {
  const Vec3 nape = ruler.landmark("neck_back");
  const Vec3 left = ruler.landmark("left_neck_side"), right = ruler.landmark("right_neck_side");
  const double aside = 0.003 * ruler.height();  // the neck may bulge beside its side points
  const Vec3 out = nape - 0.5 * (left + right);
  return ruler.tape_on_body(left, right, out, kArcReach * out.norm(), aside);
}

// A chain round the neck's base, in four quarters from one of its points to the next, each in the plane that stands
// square to the skin there: one that grazes the shoulders' slope instead grows by 2 mm for every millimetre that it
// sinks. The points are taken a little higher and lower too.
Tape neck_base(const BodyRuler& ruler) {
  const Vec3 nape = ruler.landmark("neck_back"), front = ruler.landmark("neck_front");
  const Vec3 side[2] = {ruler.landmark("left_neck_side"), ruler.landmark("right_neck_side")};
  const Vec3 middle = 0.25 * (nape + front + side[0] + side[1]);
  auto quarter = [&](const Vec3& from, const Vec3& to) {
    const Vec3 across = 0.5 * (from + to) - middle;
    const Vec3 out = Vec3(across.x(), 0, across.z()).normalized() + kBaseSlope * Vec3::UnitY();
    return ruler.tape_on_body(from, to, out, kBaseReach * ruler.height());
  };
  return tape_of_width(0.0, kBaseWidth * ruler.tape_width(), [&](double up) {
    const Vec3 left = ruler.on_side(side[0].y() + up, side[0].z(), 0);
    const Vec3 right = ruler.on_side(side[1].y() + up, side[1].z(), 1);
    const Vec3 behind = ruler.on_midline(nape.y() + up, -1), before = ruler.on_midline(front.y() + up, 1);
    Tape base = joined_tapes(joined_tapes(quarter(left, behind), quarter(behind, right)),
                             joined_tapes(quarter(right, before), quarter(before, left)));
    base.points.pop_back();
    base.closed = true;
    return without_corners(base, Vec3::UnitY());
  });
}

void head(BodyRuler* ruler) {
  const double h = ruler->height();
  Vec3 crown(ruler->levels().middle, 0, 0);
  for (const Vec3& p : ruler->body().mesh.positions) {
    if (p.y() > crown.y()) crown = p;
  }
  ruler->mark("crown", crown);
  ruler->set_height("height", Vec3(crown.x(), h, crown.z()));
  const Extremum brow = find_largest(0.945 * h, 0.985 * h, ruler->step(), [&](double y) { return ruler->girth(y); });
  ruler->set_tape("head_girth", ruler->girth_tape(brow.at), brow.at);
}

}  // namespace

void measure_head_and_neck(const TrunkLevels& at, BodyRuler* ruler) {
  const BodyLevels& levels = ruler->levels();
  head(ruler);
  const double nape = find_nape(*ruler);
  ruler->mark("neck_back", ruler->on_midline(nape, -1));
  ruler->mark("neck_front", find_neck_front(*ruler, at.bust));
  for (int side = 0; side < 2; ++side) ruler->mark(sided(side, "neck_side"), find_neck_side(*ruler, side));
  ruler->set_tape("neck_girth", neck_tape(*ruler), levels.neck_narrow);
  ruler->set_tape("back_neck_width", back_neck(*ruler), nape);
  ruler->set_tape("neck_base_girth", neck_base(*ruler), nape);
  ruler->set_height("neck_height", ruler->landmark("neck_back"));
  const Vec3 crown = ruler->landmark("crown");
  ruler->set_drop("head_and_neck_length", Vec3(crown.x(), levels.height, crown.z()), nape);
}

}  // namespace tryon
