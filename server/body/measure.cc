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

Subset triangles_of(const Body& body, BodyPart part) {
  Subset out;
  for (int t = 0; t < body.mesh.triangle_count(); ++t) {
    const Triangle& tri = body.mesh.triangles[t];
    int inside = 0;
    for (int k = 0; k < 3; ++k) inside += body.part[tri[k]] == part;
    if (inside >= 2) out.push_back(t);
  }
  return out;
}

// Girth of all that a horizontal cut of a part meets, as one tape would go round it; 0 if nothing.
double girth_at(const Body& body, const Subset& part, double y) {
  std::vector<Vec3> points;
  for (const SliceLoop& loop : slice_mesh(body.mesh, &part, Vec3(0, y, 0), Vec3::UnitY())) {
    points.insert(points.end(), loop.points.begin(), loop.points.end());
  }
  return hull_perimeter(points, Vec3::UnitY());
}

struct Level {
  double y = 0, girth = 0;
};

Level extreme(double low, double high, double step, bool widest, const std::function<double(double)>& girth) {
  Level best{0.5 * (low + high), widest ? 0.0 : 1e300};
  for (double y = low; y <= high; y += step) {
    const double g = girth(y);
    if (g > 0 && (widest ? g > best.girth : g < best.girth)) best = {y, g};
  }
  if (best.girth > 1e200) best.girth = 0;
  return best;
}

class Measurer {
 public:
  Measurer(const BodyLevels& levels, Body* body) : levels_(levels), body_(*body), height_(levels.height) {}

  void run() {
    set("height", height_);
    torso();
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

  Vec3 middle_at(const Subset& part, double y) const {
    const auto loops = slice_mesh(body_.mesh, &part, Vec3(0, y, 0), Vec3::UnitY());
    return loops.empty() ? Vec3(0, y, 0) : loops[0].centroid;
  }

  // The point of a cut that reaches furthest along a direction.
  Vec3 furthest(const Subset& part, double y, const Vec3& direction, double min_x = -1e9, double max_x = 1e9) const {
    Vec3 best = middle_at(part, y);
    double reach = -1e300;
    for (const SliceLoop& loop : slice_mesh(body_.mesh, &part, Vec3(0, y, 0), Vec3::UnitY())) {
      for (const Vec3& p : loop.points) {
        if (p.x() < min_x || p.x() > max_x || p.dot(direction) <= reach) continue;
        reach = p.dot(direction);
        best = p;
      }
    }
    return best;
  }

  // The level whose foremost point is furthest forward: the bust points.
  double most_forward(const Subset& part, double low, double high, double step) const {
    double best = 0.5 * (low + high), reach = -1e300;
    for (double y = low; y <= high; y += step) {
      const double z = furthest(part, y, Vec3::UnitZ()).z();
      if (z > reach) best = y, reach = z;
    }
    return best;
  }

  void torso() {
    const Subset trunk = triangles_of(body_, BodyPart::kTorso);
    const double step = 0.0025 * height_;
    auto girth = [&](double y) { return girth_at(body_, trunk, y); };
    const double bust_top = levels_.armpit - 0.015 * height_;
    const Level waist = extreme(0.575 * height_, 0.675 * height_, step, false, girth);
    const Level hip = extreme(levels_.crotch + 0.01 * height_, waist.y - 0.05 * height_, step, true, girth);
    const double bust_y = most_forward(trunk, waist.y + 0.055 * height_, bust_top, step);
    const Level bust{bust_y, girth(bust_y)};
    const Level under = extreme(bust.y - 0.065 * height_, bust.y - 0.03 * height_, step, false, girth);
    set("waist_girth", waist.girth), set("waist_height", waist.y);
    set("hip_girth", hip.girth), set("hip_height", hip.y);
    set("bust_girth", bust.girth), set("bust_height", bust.y);
    set("under_bust_girth", under.girth);
    set("crotch_height", levels_.crotch), set("inside_leg_height", levels_.crotch);
    mark("waist", middle_at(trunk, waist.y));
    mark("hip", middle_at(trunk, hip.y));
    mark("crotch", Vec3(0, levels_.crotch, middle_at(trunk, levels_.crotch + 0.01 * height_).z()));
    mark("left_bust", furthest(trunk, bust.y, Vec3::UnitZ(), 0.02, 1e9));
    mark("right_bust", furthest(trunk, bust.y, Vec3::UnitZ(), -1e9, -0.02));
    mark("crown", Vec3(0, height_, middle_at(triangles_of(body_, BodyPart::kHead), 0.96 * height_).z()));
    waist_back_ = furthest(trunk, waist.y, -Vec3::UnitZ());
  }

  void neck() {
    const Subset neck = triangles_of(body_, BodyPart::kNeck);
    const double y = levels_.neck_narrow;
    set("neck_girth", girth_at(body_, neck, y));
    const double base = levels_.neck_bottom + 0.25 * (levels_.neck_narrow - levels_.neck_bottom);
    mark("neck_back", furthest(neck, base, -Vec3::UnitZ()));
    mark("neck_front", furthest(neck, levels_.neck_bottom + 0.002, Vec3::UnitZ()));
    mark("left_neck_side", furthest(neck, base, Vec3::UnitX()));
    mark("right_neck_side", furthest(neck, base, -Vec3::UnitX()));
    set("neck_height", body_.landmarks["neck_back"].y());
    set("back_length", (body_.landmarks["neck_back"] - waist_back_).norm());
  }

  void leg(int side) {
    const std::string name = side == 0 ? "left_" : "right_";
    const Subset leg = triangles_of(body_, side == 0 ? BodyPart::kLeftLeg : BodyPart::kRightLeg);
    const double step = 0.0025 * height_;
    auto girth = [&](double y) { return girth_at(body_, leg, y); };
    const Level thigh = extreme(levels_.crotch - 0.06 * height_, levels_.crotch - 0.012 * height_, step, true, girth);
    const double knee_y = 0.585 * levels_.crotch;
    const Level calf = extreme(0.30 * levels_.crotch, 0.55 * levels_.crotch, step, true, girth);
    const Level ankle = extreme(0.06 * levels_.crotch, 0.25 * levels_.crotch, step, false, girth);
    mark(name + "knee", middle_at(leg, knee_y));
    mark(name + "ankle", middle_at(leg, ankle.y));
    add("thigh_girth", thigh.girth), add("knee_girth", girth(knee_y));
    add("calf_girth", calf.girth), add("ankle_girth", ankle.girth);
  }

  // Axis from the shoulder end to the hand; girths are cut across it.
  void arm(int side) {
    const std::string name = side == 0 ? "left_" : "right_";
    const double sign = side == 0 ? 1.0 : -1.0;
    const BodyPart part = side == 0 ? BodyPart::kLeftArm : BodyPart::kRightArm;
    const Subset arm = triangles_of(body_, part);
    Vec3 shoulder(levels_.arm_plane[side], levels_.armpit, 0);
    double top = -1e300;
    for (int v = 0; v < body_.mesh.vertex_count(); ++v) {
      const Vec3& p = body_.mesh.positions[v];
      if (body_.part[v] != part || std::abs(p.x() - levels_.arm_plane[side]) > 0.012) continue;
      if (p.y() > top) shoulder = p, top = p.y();
    }
    const Vec3 pit(levels_.arm_plane[side], levels_.armpit, shoulder.z());
    const Vec3 root = 0.5 * (shoulder + pit);
    Vec3 tip = root;
    for (int v = 0; v < body_.mesh.vertex_count(); ++v) {
      if (body_.part[v] == part && (body_.mesh.positions[v] - root).norm() > (tip - root).norm()) {
        tip = body_.mesh.positions[v];
      }
    }
    const double reach = (tip - root).norm();
    if (arm.empty() || reach < 0.15 * height_) return;
    const Vec3 axis = (tip - root) / reach;
    auto cut = [&](double ratio) { return slice_mesh(body_.mesh, &arm, root + ratio * reach * axis, axis); };
    auto girth = [&](double ratio) {
      const auto loops = cut(ratio);
      return loops.empty() ? 0.0 : loops[0].hull_perimeter;
    };
    const Level upper = extreme(0.18, 0.30, 0.01, true, girth);
    const Level elbow{0.44, girth(0.44)};
    const Level wrist = extreme(0.64, 0.80, 0.01, false, girth);
    add("upper_arm_girth", upper.girth), add("elbow_girth", elbow.girth), add("wrist_girth", wrist.girth);
    auto middle = [&](double ratio) {
      const auto loops = cut(ratio);
      return loops.empty() ? Vec3(root + ratio * reach * axis) : loops[0].centroid;
    };
    mark(name + "shoulder", shoulder), mark(name + "armpit", pit);
    mark(name + "elbow", middle(elbow.y)), mark(name + "wrist", middle(wrist.y));
    add("shoulder_height", shoulder.y());
    add("arm_length", (middle(elbow.y) - shoulder).norm() + (middle(wrist.y) - middle(elbow.y)).norm());
    angle_ += 0.5 * degrees(std::atan2(-axis.y(), sign * axis.x()));
  }

  void add(const std::string& name, double metres) {  // mean of left and right
    if (metres <= 0) return;
    auto& [sum, count] = pairs_[name];
    sum += metres;
    ++count;
  }

  void finish() {
    for (const auto& [name, value] : pairs_) set(name, value.first / value.second);
    const auto l = body_.landmarks.find("left_shoulder"), r = body_.landmarks.find("right_shoulder");
    if (l != body_.landmarks.end() && r != body_.landmarks.end()) {
      set("shoulder_width", std::abs(l->second.x() - r->second.x()));
    }
    body_.arm_angle_deg = angle_;
    body_.pose = angle_ < 22 ? Pose::kT : angle_ < 68 ? Pose::kA : Pose::kArmsDown;
  }

  const BodyLevels& levels_;
  Body& body_;
  double height_, angle_ = 0;
  Vec3 waist_back_ = Vec3::Zero();
  std::map<std::string, std::pair<double, int>> pairs_;
};

}  // namespace

void measure_body(const BodyLevels& levels, Body* body) { Measurer(levels, body).run(); }

}  // namespace tryon
