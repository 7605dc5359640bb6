#include "server/body/measure.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/slices.h"

namespace tryon {
namespace {

using Subset = std::vector<int>;
constexpr double kFar = 1e300;

bool is_arm(BodyPart part) { return part == BodyPart::kLeftArm || part == BodyPart::kRightArm; }

// Triangles with at least two corners that `wanted` accepts.
template <typename Wanted>
Subset triangles_where(const Body& body, const Wanted& wanted) {
  Subset out;
  for (int t = 0; t < body.mesh.triangle_count(); ++t) {
    const Triangle& tri = body.mesh.triangles[t];
    int inside = 0;
    for (int k = 0; k < 3; ++k) inside += wanted(body.part[tri[k]]);
    if (inside >= 2) out.push_back(t);
  }
  return out;
}

struct Level {
  double y = 0, value = 0;
  bool inner = false;  // not at an end of the range that was searched
};

// The level in [low, high] with the largest value; values that are not positive do not count.
Level largest(double low, double high, double step, const std::function<double(double)>& value) {
  Level best{0.5 * (low + high), -kFar, false};
  const int count = std::max(2, static_cast<int>(std::ceil((high - low) / step)) + 1);
  for (int i = 0; i < count; ++i) {
    const double y = low + (high - low) * i / (count - 1);
    const double v = value(y);
    if (v > best.value) best = {y, v, i > 0 && i + 1 < count};
  }
  return best;
}

Level smallest_girth(double low, double high, double step, const std::function<double(double)>& girth) {
  Level best = largest(low, high, step, [&](double y) {
    const double g = girth(y);
    return g > 0 ? -g : -kFar;
  });
  best.value = best.value > -1e200 ? -best.value : 0.0;
  return best;
}

// The loop whose middle lies nearest to a point, of those that are not crumbs.
const SliceLoop* nearest_loop(const std::vector<SliceLoop>& loops, const Vec3& to) {
  const SliceLoop* best = nullptr;
  for (const SliceLoop& loop : loops) {
    if (loop.area < 0.15 * loops[0].area) continue;
    if (best == nullptr || (loop.centroid - to).norm() < (best->centroid - to).norm()) best = &loop;
  }
  return best;
}

class Measurer {
 public:
  Measurer(const BodyLevels& levels, Body* body)
      : levels_(levels),
        body_(*body),
        height_(levels.height),
        step_(0.0025 * levels.height),
        armless_(triangles_where(*body, [](BodyPart p) { return !is_arm(p); })),
        slicer_(body->mesh, &armless_, Vec3::UnitY()) {
    midline_ = slice_mesh(body_.mesh, &armless_, Vec3(levels_.middle, 0, 0), Vec3::UnitX());
  }

  void run() {
    set("height", height_);
    head();
    hips();
    bust();
    neck();
    for (int side = 0; side < 2; ++side) {
      leg(side);
      arm(side);
    }
    finish();
  }

 private:
  void set(const std::string& name, double metres) {
    if (metres > 0) body_.measurements_mm[name] = to_mm(metres);
  }
  void mark(const std::string& name, const Vec3& p) { body_.landmarks[name] = p; }
  static std::string sided(int side, std::string_view name) { return cat(side == 0 ? "left_" : "right_", name); }
  void add(const std::string& name, double metres) {  // mean of left and right
    if (metres <= 0) return;
    auto& [sum, count] = pairs_[name];
    sum += metres;
    ++count;
  }

  std::vector<SliceLoop> level(double y) const { return slicer_.at(y); }

  // One tape round all that a level meets, arms left out.
  double girth(double y) const {
    std::vector<Vec3> points;
    for (const SliceLoop& loop : level(y)) points.insert(points.end(), loop.points.begin(), loop.points.end());
    return hull_perimeter(points, Vec3::UnitY());
  }

  Vec3 middle_at(double y) const {
    const auto loops = level(y);
    const SliceLoop* loop = trunk_loop(loops, levels_.middle);
    return loop == nullptr ? Vec3(levels_.middle, y, 0) : loop->centroid;
  }

  // The point of a level that reaches furthest along a direction, at least `aside` from the middle on that side.
  Vec3 furthest(double y, const Vec3& direction, int side = 0, double aside = -kFar) const {
    Vec3 best = middle_at(y);
    double reach = -kFar;
    for (const SliceLoop& loop : level(y)) {
      for (const Vec3& p : loop.points) {
        if (side_sign(side) * (p.x() - levels_.middle) < aside || p.dot(direction) <= reach) continue;
        reach = p.dot(direction);
        best = p;
      }
    }
    return best;
  }

  // z of the midline's outermost point in front (+1) or behind (-1).
  double midline(double y, double sign) const {
    double best = -kFar;
    for (const SliceLoop& loop : midline_) {
      for (size_t i = 0; i + (loop.closed ? 0 : 1) < loop.points.size(); ++i) {
        const Vec3 &a = loop.points[i], &b = loop.points[(i + 1) % loop.points.size()];
        if ((a.y() > y) == (b.y() > y)) continue;
        best = std::max(best, sign * (a.z() + (y - a.y()) / (b.y() - a.y()) * (b.z() - a.z())));
      }
    }
    return best > -1e200 ? sign * best : middle_at(y).z();
  }
  Vec3 on_midline(double y, double sign) const { return {levels_.middle, y, midline(y, sign)}; }

  // Length of a tape along the back's midline between two levels, tight over hollows.
  double back_tape(double low, double high) const {
    std::vector<Vec2> chain;  // (y, distance behind), its upper hull
    for (int i = 0; i <= 80; ++i) {
      const double y = low + (high - low) * i / 80;
      const Vec2 p(y, -midline(y, -1));
      auto bends_in = [&] {
        const Vec2 u = chain.back() - chain[chain.size() - 2], v = p - chain.back();
        return u.x() * v.y() - u.y() * v.x() >= 0;
      };
      while (chain.size() >= 2 && bends_in()) chain.pop_back();
      chain.push_back(p);
    }
    double length = 0.0;
    for (size_t i = 1; i < chain.size(); ++i) length += (chain[i] - chain[i - 1]).norm();
    return length;
  }

  void head() {
    Vec3 crown(levels_.middle, -kFar, 0);
    for (const Vec3& p : body_.mesh.positions) {
      if (p.y() > crown.y()) crown = p;
    }
    mark("crown", crown);
  }

  void hips() {
    auto tape = [&](double y) { return girth(y); };
    Level waist =
        smallest_girth(0.575 * height_, std::min(0.68 * height_, levels_.armpit() - 0.07 * height_), step_, tape);
    if (!waist.inner) waist.y = 0.625 * height_;
    const double low = levels_.crotch + 0.02 * height_, high = std::min(levels_.crotch + 0.12 * height_, waist.y);
    const Level hip = largest(low, high, step_, tape);
    waist_y_ = waist.y;
    set("waist_girth", girth(waist.y)), set("waist_height", waist.y);
    set("hip_girth", girth(hip.y)), set("hip_height", hip.y);
    set("crotch_height", levels_.crotch), set("inside_leg_height", levels_.crotch);
    mark("waist", middle_at(waist.y));
    mark("hip", middle_at(hip.y));
    mark("crotch", Vec3(levels_.middle, levels_.crotch, middle_at(levels_.crotch + 0.01 * height_).z()));
  }

  void bust() {
    const double pit = levels_.armpit();
    const double low = std::max(waist_y_ + 0.055 * height_, pit - 0.085 * height_), high = pit - 0.012 * height_;
    Level bust = largest(low, high, step_, [&](double y) { return 1.0 + furthest(y, Vec3::UnitZ()).z(); });
    const bool only_belly = !bust.inner && bust.y < 0.5 * (low + high);
    if (only_belly) bust.y = std::clamp(pit - 0.045 * height_, low, high);
    const Level under =
        smallest_girth(bust.y - 0.045 * height_, bust.y - 0.030 * height_, step_, [&](double y) { return girth(y); });
    set("bust_girth", girth(bust.y)), set("bust_height", bust.y);
    set("under_bust_girth", under.value);
    for (int side = 0; side < 2; ++side) mark(sided(side, "bust"), furthest(bust.y, Vec3::UnitZ(), side, 0.02));
    bust_y_ = bust.y;
  }

  // Where the front's outline bends from the neck into the chest: its deepest point behind the line from throat to
  // bust.
  Vec3 neck_front() const {
    const Vec3 top = on_midline(levels_.neck_narrow, 1), low = on_midline(bust_y_, 1);
    const Vec3 line = (top - low).normalized();
    const Vec3 inward(0, line.z(), -line.y());
    Vec3 best = on_midline(levels_.neck_bottom, 1);
    double depth = 0.0;
    for (double y = levels_.neck_narrow; y > levels_.armpit(); y -= 0.5 * step_) {
      const Vec3 p = on_midline(y, 1);
      if ((p - low).dot(inward) <= depth) continue;
      depth = (p - low).dot(inward);
      best = p;
    }
    return best;
  }

  // The neck leans forward: of all tapes round its narrowest place the shortest.
  double neck_tape() const {
    const Vec3 centre = middle_at(levels_.neck_narrow);
    double best = kFar;
    for (double lean = 0; lean <= 30; lean += 3) {
      const Vec3 axis(0, std::cos(radians(lean)), std::sin(radians(lean)));
      const auto loops = slice_mesh(body_.mesh, &armless_, centre, axis);
      if (const SliceLoop* loop = nearest_loop(loops, centre)) best = std::min(best, loop->hull_perimeter);
    }
    return best < kFar ? best : 0.0;
  }

  void neck() {
    const double base = levels_.neck_bottom + 0.25 * (levels_.neck_narrow - levels_.neck_bottom);
    set("neck_girth", neck_tape());
    mark("neck_back", on_midline(base, -1));
    mark("neck_front", neck_front());
    mark("left_neck_side", furthest(base, Vec3::UnitX()));
    mark("right_neck_side", furthest(base, -Vec3::UnitX()));
    set("neck_height", base);
    set("back_length", back_tape(waist_y_, base));
  }

  SliceLoop leg_loop(int side, double y) const {
    for (SliceLoop& loop : level(y)) {
      if (side_sign(side) * (loop.centroid.x() - levels_.middle) > 0) return std::move(loop);
    }
    return {};
  }

  void leg(int side) {
    const double crotch = levels_.crotch, knee = 0.585 * crotch;
    auto tape = [&](double y) { return leg_loop(side, y).hull_perimeter; };
    const Level thigh = largest(crotch - 0.04 * height_, crotch - 0.008 * height_, step_, tape);
    const Level calf = largest(0.30 * crotch, 0.55 * crotch, step_, tape);
    const Level ankle = smallest_girth(0.06 * crotch, 0.25 * crotch, step_, tape);
    mark(sided(side, "knee"), leg_loop(side, knee).centroid);
    mark(sided(side, "ankle"), leg_loop(side, ankle.y).centroid);
    add("thigh_girth", thigh.value), add("knee_girth", tape(knee));
    add("calf_girth", calf.value), add("ankle_girth", ankle.value);
  }

  struct ArmShape {
    Subset triangles;
    Vec3 shoulder, pit, root, elbow, wrist, tip;
  };

  SliceLoop arm_loop(const ArmShape& arm, const Vec3& at, const Vec3& axis) const {
    auto loops = slice_mesh(body_.mesh, &arm.triangles, at, axis);
    const SliceLoop* loop = nearest_loop(loops, at);
    return loop == nullptr ? SliceLoop{} : *loop;
  }
  // A tape round all of a cut that is arm here, so that a torn scan's open pieces count together.
  double arm_girth(const ArmShape& arm, const Vec3& at, const Vec3& axis) const {
    std::vector<Vec3> points;
    for (const SliceLoop& loop : slice_mesh(body_.mesh, &arm.triangles, at, axis)) {
      if ((loop.centroid - at).norm() > 0.07 * height_) continue;
      points.insert(points.end(), loop.points.begin(), loop.points.end());
    }
    return hull_perimeter(points, axis);
  }
  Vec3 arm_middle(const ArmShape& arm, const Vec3& at, const Vec3& axis) const {
    const SliceLoop loop = arm_loop(arm, at, axis);
    return loop.points.empty() ? at : loop.centroid;
  }

  // The ends: shoulder point, armpit, middle of the cut between them, fingertip.
  void place_arm(int side, ArmShape* arm) const {
    const ArmCut& cut = levels_.arm[side];
    arm->shoulder = levels_.cut_point(side, cut.top_across, cut.top_y, 0);
    arm->pit = levels_.cut_point(side, cut.pit_across, cut.pit_y, 0);
    arm->root = 0.5 * (arm->shoulder + arm->pit);
    const Vec3 up = (arm->shoulder - arm->pit).normalized();
    const auto loops = slice_mesh(body_.mesh, nullptr, arm->root, Vec3(up.y(), -up.x(), 0));
    double top = -kFar, low = kFar;  // of the cut's outline, for the depth of the points
    if (const SliceLoop* loop = nearest_loop(loops, arm->root)) {
      arm->root.z() = arm->pit.z() = loop->centroid.z();
      for (const Vec3& p : loop->points) {
        if (p.y() > top) top = p.y(), arm->shoulder.z() = p.z();
        if (p.y() < low) low = p.y();
      }
    }
    const BodyPart part = side == 0 ? BodyPart::kLeftArm : BodyPart::kRightArm;
    arm->tip = arm->root;
    for (int v = 0; v < body_.mesh.vertex_count(); ++v) {
      const Vec3& p = body_.mesh.positions[v];
      if (body_.part[v] == part && (p - arm->root).norm() > (arm->tip - arm->root).norm()) arm->tip = p;
    }
  }

  // A bent arm's elbow is where its middle line is furthest from the chord; a straight one's stands at 42 % of it.
  void find_elbow(ArmShape* arm) const {
    const Vec3 chord = arm->tip - arm->root;
    const double reach = chord.norm();
    Vec3 best = arm->root + 0.42 * chord;
    double best_score = -kFar;
    for (double share = 0.30; share <= 0.56; share += 0.01) {
      const Vec3 at = arm->root + share * chord, middle = arm_middle(*arm, at, chord);
      const double score = (middle - at).norm() / reach - 0.6 * (share - 0.42) * (share - 0.42);
      if (score > best_score) best_score = score, best = middle;
    }
    arm->elbow = best;
  }

  void arm(int side) {
    const BodyPart part = side == 0 ? BodyPart::kLeftArm : BodyPart::kRightArm;
    ArmShape arm{triangles_where(body_, [part](BodyPart p) { return p == part; }), {}, {}, {}, {}, {}, {}};
    place_arm(side, &arm);
    mark(sided(side, "shoulder"), arm.shoulder), mark(sided(side, "armpit"), arm.pit);
    add("shoulder_height", arm.shoulder.y());
    if ((arm.tip - arm.root).norm() < 0.15 * height_) return;  // the hand's end of the arm is missing
    find_elbow(&arm);
    auto girth_along = [&](const Vec3& from, const Vec3& to) {
      return [this, &arm, from, to](double share) { return arm_girth(arm, from + share * (to - from), to - from); };
    };
    const Level wrist = smallest_girth(0.42, 0.72, 0.01, girth_along(arm.elbow, arm.tip));
    arm.wrist = arm_middle(arm, arm.elbow + wrist.y * (arm.tip - arm.elbow), arm.tip - arm.elbow);
    const Level upper = largest(0.40, 0.70, 0.02, girth_along(arm.root, arm.elbow));
    const Vec3 bend = (arm.elbow - arm.root).normalized() + (arm.wrist - arm.elbow).normalized();
    add("upper_arm_girth", upper.value), add("wrist_girth", wrist.value);
    add("elbow_girth", arm_girth(arm, arm.elbow, bend));
    mark(sided(side, "elbow"), arm.elbow), mark(sided(side, "wrist"), arm.wrist);
    add("arm_length", (arm.elbow - arm.shoulder).norm() + (arm.wrist - arm.elbow).norm());
    const Vec3 axis = arm.tip - arm.root;
    angle_ += 0.5 * degrees(std::atan2(-axis.y(), side_sign(side) * axis.x()));
  }

  void finish() {
    for (const auto& [name, value] : pairs_) set(name, value.first / value.second);
    set("shoulder_width", levels_.arm[0].top_across + levels_.arm[1].top_across);
    body_.arm_angle_deg = angle_;
    body_.pose = angle_ < 22 ? Pose::kT : angle_ < 68 ? Pose::kA : Pose::kArmsDown;
  }

  const BodyLevels& levels_;
  Body& body_;
  double height_, step_;
  Subset armless_;
  LevelSlicer slicer_;
  std::vector<SliceLoop> midline_;
  double waist_y_ = 0, bust_y_ = 0, angle_ = 0;
  std::map<std::string, std::pair<double, int>> pairs_;
};

}  // namespace

void measure_body(const BodyLevels& levels, Body* body) { Measurer(levels, body).run(); }

}  // namespace tryon
