#include "server/body/segment.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/segment_crotch.h"
#include "server/body/segment_islands.h"
#include "server/body/tape.h"

namespace tryon {
namespace {

constexpr double kFar = 1e300;
// Shares of the height.
constexpr double kStep = 0.005;            // of the search for the armpit
constexpr double kArmJump = 0.020;         // a flank that widens by more in one step has met the arm
constexpr double kBelowArmpit = 0.002;     // here the arm is surely separate
constexpr double kPitDepth = 0.018;        // below the armpit: the flank there gives the cut's foot
constexpr double kFlankLowered = 0.015;    // below the armpit: the flank there gives the shoulder point,
constexpr double kFlankRaised = 0.050;     // deeper for raised arms, which pull the flank out
constexpr double kShoulderMargin = 0.005;  // of the shoulder point beyond the flank
constexpr double kRaisedDeg = 45.0;        // arms lower than this leave the flank as it is
constexpr double kIslandShare = 0.05;      // of a part: larger pieces stay, they may be torn off by a hole
constexpr double kLeastArm = 0.15;         // an arm reaches further than this from its pit
constexpr int kMinPartVertices = 4;

struct Span {
  double low = kFar, high = -kFar;
  double width() const { return high - low; }
};

Span across(const SliceLoop& loop) {
  Span s;
  for (const Vec3& p : loop.points) {
    s.low = std::min(s.low, p.x());
    s.high = std::max(s.high, p.x());
  }
  return s;
}

absl::Status missing(std::string_view what) {
  return invalid_input("BODY_NOT_HUMAN", "body", cat("the ", what, " was not found"),
                       "Send a scan of one standing person in A-pose, T-pose or with the arms down, arms clear of the "
                       "body and legs apart.");
}

double find_middle(const LevelSlicer& slicer, double height) {
  double sum = 0.0;
  int count = 0;
  for (double ratio : {0.54, 0.57, 0.60, 0.63}) {
    const auto loops = slicer.at(ratio * height);
    const SliceLoop* loop = trunk_loop(loops);
    if (loop == nullptr) continue;
    const Span s = across(*loop);
    sum += 0.5 * (s.low + s.high);
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

double flank(const LevelSlicer& slicer, const BodyLevels& levels, int side, double y) {
  const auto loops = slicer.at(y);
  const SliceLoop* loop = trunk_loop(loops, levels.middle);
  if (loop == nullptr) return 0.0;
  const Span s = across(*loop);
  return side == 0 ? s.high - levels.middle : levels.middle - s.low;
}

// The lowest level at which the trunk's loop suddenly takes the arm in.
absl::Status find_armpit(const LevelSlicer& slicer, int side, BodyLevels* levels) {
  const double height = levels->height, jump = kArmJump * height;
  double before = flank(slicer, *levels, side, 0.64 * height);
  for (double ratio = 0.64 + kStep; ratio < 0.86; ratio += kStep) {
    const double now = flank(slicer, *levels, side, ratio * height);
    if (now > before + jump) {
      double low = (ratio - kStep) * height, high = ratio * height;
      for (int i = 0; i < 7; ++i) {
        const double y = 0.5 * (low + high);
        (flank(slicer, *levels, side, y) > before + jump ? high : low) = y;
      }
      levels->arm[side].pit_y = high;
      return absl::OkStatus();
    }
    before = now;
  }
  return missing(side == 0 ? "left armpit" : "right armpit");
}

// Of the straight line from the armpit to the outermost fingertip below the horizontal; 0 for raised arms.
double rough_arm_angle(const TriangleMesh& mesh, const LevelSlicer& slicer, const BodyLevels& levels, int side) {
  const double sign = side_sign(side);
  Vec3 tip = Vec3::Zero();
  double reach = -kFar;
  for (const Vec3& p : mesh.positions) {
    if (p.y() < 0.3 * levels.height || sign * p.x() <= reach) continue;
    reach = sign * p.x();
    tip = p;
  }
  const double out = reach - sign * levels.middle - flank(slicer, levels, side, levels.arm[side].pit_y - 0.02);
  return std::clamp(degrees(std::atan2(levels.arm[side].pit_y - tip.y(), std::max(out, 1e-3))), 0.0, 90.0);
}

void find_arm_cut(const TriangleMesh& mesh, const LevelSlicer& slicer, int side, BodyLevels* levels) {
  ArmCut& cut = levels->arm[side];
  const double height = levels->height;
  const double lowered = std::min(rough_arm_angle(mesh, slicer, *levels, side) / kRaisedDeg, 1.0);
  const double depth = kFlankRaised + lowered * (kFlankLowered - kFlankRaised);
  cut.top_across = flank(slicer, *levels, side, cut.pit_y - depth * height) + kShoulderMargin * height;
  cut.pit_across = std::max(cut.top_across, flank(slicer, *levels, side, cut.pit_y - kPitDepth * height));
  cut.top_y = cut.pit_y;
  const double x = levels->middle + side_sign(side) * cut.top_across;
  for (const SliceLoop& loop : slice_mesh(mesh, nullptr, Vec3(x, 0, 0), Vec3::UnitX())) {
    for (const Vec3& p : loop.points) cut.top_y = std::max(cut.top_y, p.y());
  }
}

double neck_girth(const LevelSlicer& slicer, const BodyLevels& levels, double y) {
  const auto loops = slicer.at(y);
  const SliceLoop* loop = trunk_loop(loops, levels.middle);
  return loop == nullptr ? 0.0 : loop->hull_perimeter;
}

absl::Status find_neck(const LevelSlicer& slicer, BodyLevels* levels) {
  const double height = levels->height, step = 0.002 * height;
  double narrow = kFar, shoulders = 0.0;
  for (double y = 0.81 * height; y < 0.91 * height; y += step) {
    const double girth = neck_girth(slicer, *levels, y);
    shoulders = std::max(shoulders, girth);
    if (girth <= 0.0 || girth >= narrow) continue;
    narrow = girth;
    levels->neck_narrow = y;
  }
  if (shoulders < 1.3 * narrow) return missing("neck");
  const Extremum best = find_smallest(levels->neck_narrow - step, levels->neck_narrow + step, step, [&](double y) {
    const double girth = neck_girth(slicer, *levels, y);
    return girth > 0 ? girth : kFar;
  });
  levels->neck_narrow = best.at;
  auto wider = [&](double times) {
    return [&slicer, levels, limit = times * best.value](double y) { return neck_girth(slicer, *levels, y) >= limit; };
  };
  levels->neck_bottom = find_change(levels->neck_narrow, levels->armpit(), step, wider(1.30));
  levels->neck_top = find_change(levels->neck_narrow, 0.93 * height, step, wider(1.12));
  return absl::OkStatus();
}

// Below the armpits arms and trunk are separate pieces: the trunk's stands on the floor, an arm's lies beyond the
// flank.
class HangingPieces {
 public:
  HangingPieces(const TriangleMesh& mesh, const BodyLevels& levels, const VertexLinks& links)
      : mesh_(mesh), levels_(levels), links_(links), seen_(mesh.positions.size(), 0) {}

  bool below_armpit(int v) const {
    const Vec3& p = mesh_.positions[v];
    return p.y() < levels_.arm[p.x() >= levels_.middle ? 0 : 1].pit_y - kBelowArmpit * levels_.height;
  }

  void mark_arms(std::vector<BodyPart>* part) {
    for (int v = 0; v < mesh_.vertex_count(); ++v) {
      if (seen_[v] || !below_armpit(v)) continue;
      const std::vector<int> piece = flood(v);
      double x = 0.0, low = kFar;
      for (int w : piece) {
        x += (mesh_.positions[w].x() - levels_.middle) / static_cast<double>(piece.size());
        low = std::min(low, mesh_.positions[w].y());
      }
      const int side = x >= 0 ? 0 : 1;
      const bool on_floor = low < 0.5 * levels_.crotch;
      if (on_floor || std::abs(x) < 0.8 * levels_.arm[side].top_across) continue;
      for (int w : piece) (*part)[w] = side == 0 ? BodyPart::kLeftArm : BodyPart::kRightArm;
    }
  }

 private:
  std::vector<int> flood(int start) {
    std::vector<int> piece = {start};
    seen_[start] = 1;
    for (size_t i = 0; i < piece.size(); ++i) {
      for (int k = links_.first[piece[i]]; k < links_.first[piece[i] + 1]; ++k) {
        const int w = links_.to[k];
        if (seen_[w] || !below_armpit(w)) continue;
        seen_[w] = 1;
        piece.push_back(w);
      }
    }
    return piece;
  }

  const TriangleMesh& mesh_;
  const BodyLevels& levels_;
  const VertexLinks& links_;
  std::vector<char> seen_;
};

// Of a vertex that hangs on no arm below the armpit.
BodyPart part_at(const Vec3& p, const BodyLevels& levels, bool below_armpit) {
  const int side = p.x() >= levels.middle ? 0 : 1;
  if (below_armpit) {
    if (p.y() >= levels.crotch) return BodyPart::kTorso;
    return side == 0 ? BodyPart::kLeftLeg : BodyPart::kRightLeg;
  }
  if (std::abs(p.x() - levels.middle) > levels.arm[side].across_at(p.y())) {
    return side == 0 ? BodyPart::kLeftArm : BodyPart::kRightArm;
  }
  if (p.y() > levels.neck_top) return BodyPart::kHead;
  return p.y() > levels.neck_bottom ? BodyPart::kNeck : BodyPart::kTorso;
}

// Thighs that touch cross the middle, folds of skin cross a level.
void absorb_part_islands(const VertexLinks& links, std::vector<BodyPart>* part) {
  std::vector<uint8_t> label(part->size());
  for (size_t v = 0; v < part->size(); ++v) label[v] = static_cast<uint8_t>((*part)[v]);
  absorb_islands(links, kBodyPartCount, kIslandShare, &label);
  for (size_t v = 0; v < part->size(); ++v) (*part)[v] = static_cast<BodyPart>(label[v]);
}

absl::Status check_parts(const std::vector<BodyPart>& part) {
  std::array<int, kBodyPartCount> count{};
  for (BodyPart p : part) ++count[static_cast<size_t>(p)];
  for (int p = 0; p < kBodyPartCount; ++p) {
    if (count[p] >= kMinPartVertices) continue;
    std::string name(body_part_name(static_cast<BodyPart>(p)));
    std::replace(name.begin(), name.end(), '_', ' ');
    return missing(name);
  }
  return absl::OkStatus();
}

// A hand that has grown together with the thigh hangs on the trunk, and the arm ends at its pit.
absl::Status check_arms(const TriangleMesh& mesh, const std::vector<BodyPart>& part, const BodyLevels& levels) {
  double reach[2] = {0, 0};
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (part[v] != BodyPart::kLeftArm && part[v] != BodyPart::kRightArm) continue;
    const int side = part[v] == BodyPart::kLeftArm ? 0 : 1;
    const ArmCut& cut = levels.arm[side];
    const Vec3 pit = levels.cut_point(side, cut.pit_across, cut.pit_y, mesh.positions[v].z());
    reach[side] = std::max(reach[side], (mesh.positions[v] - pit).norm());
  }
  for (int side = 0; side < 2; ++side) {
    if (reach[side] < kLeastArm * levels.height) return missing(side == 0 ? "left forearm" : "right forearm");
  }
  return absl::OkStatus();
}

}  // namespace

double ArmCut::across_at(double y) const {
  if (top_y - pit_y < 1e-6) return top_across;
  const double t = std::clamp((y - pit_y) / (top_y - pit_y), 0.0, 1.0);
  return pit_across + t * (top_across - pit_across);
}

double BodyLevels::armpit() const { return std::min(arm[0].pit_y, arm[1].pit_y); }

Vec3 BodyLevels::cut_point(int side, double across, double y, double z) const {
  return {middle + side_sign(side) * across, y, z};
}

const SliceLoop* trunk_loop(const std::vector<SliceLoop>& loops, double middle_x) {
  const SliceLoop* best = nullptr;
  double best_score = 0.0;
  for (const SliceLoop& loop : loops) {
    if (loop.area < 0.2 * loops[0].area) continue;
    const double score = loop.area * std::exp(-std::abs(loop.centroid.x() - middle_x) / 0.06);
    if (score > best_score) {
      best_score = score;
      best = &loop;
    }
  }
  return best;
}

absl::StatusOr<Segmentation> segment_body(const TriangleMesh& mesh) {
  Segmentation out;
  BodyLevels& levels = out.levels;
  const LevelSlicer slicer(mesh, nullptr, Vec3::UnitY());
  levels.height = slicer.high();
  levels.middle = find_middle(slicer, levels.height);
  ASSIGN_OR_RETURN(const Crotch crotch, find_crotch(slicer, levels.height, levels.middle));
  levels.crotch = crotch.level;
  levels.legs_touch = crotch.legs_touch;
  for (int side = 0; side < 2; ++side) RETURN_IF_ERROR(find_armpit(slicer, side, &levels));
  for (int side = 0; side < 2; ++side) find_arm_cut(mesh, slicer, side, &levels);
  RETURN_IF_ERROR(find_neck(slicer, &levels));
  const VertexLinks links = vertex_links(mesh);
  HangingPieces pieces(mesh, levels, links);
  out.part.resize(mesh.positions.size());
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    out.part[v] = part_at(mesh.positions[v], levels, pieces.below_armpit(v));
  }
  pieces.mark_arms(&out.part);
  absorb_part_islands(links, &out.part);
  RETURN_IF_ERROR(check_parts(out.part));
  RETURN_IF_ERROR(check_arms(mesh, out.part, levels));
  return out;
}

}  // namespace tryon
