#include "server/body/complete.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/scan_levels.h"
#include "server/body/scan_points.h"

namespace tryon {
namespace {

constexpr double kGapDeg = 100.0;  // of the trunk's outline unseen from its middle: one view shows no more
constexpr double kFlankGapDeg = 75.0;
constexpr double kThin = 0.010;        // m between points that stand for the skin
constexpr double kAbsent = 0.045;      // m: what the other side shows and has nothing this near is missing
constexpr double kTouching = 0.06;     // m: a true piece hangs on what was seen
constexpr double kLeastShare = 0.006;  // of the skin: smaller pieces are holes, and closed as such
constexpr double kMirrorReach = 0.06, kMirrorStep = 0.004;  // m of the middle plane about x = 0

struct Gap {
  double width_deg = 0.0;
  Vec2 middle = Vec2::Zero();  // unit, (x, z)
};

// The widest angle about the middle of a trunk patch in which no point lies.
Gap widest_gap(const std::vector<Vec3>& points, const LevelPatch& patch) {
  std::vector<double> angles;
  for (int i : patch.points) {
    angles.push_back(std::atan2(points[i].z() - patch.centroid.z(), points[i].x() - patch.centroid.x()));
  }
  std::sort(angles.begin(), angles.end());
  Gap gap;
  for (size_t i = 0; i < angles.size(); ++i) {
    const double next = i + 1 < angles.size() ? angles[i + 1] : angles[0] + 2.0 * kPi;
    if (degrees(next - angles[i]) <= gap.width_deg) continue;
    gap.width_deg = degrees(next - angles[i]);
    const double middle = 0.5 * (angles[i] + next);
    gap.middle = {std::cos(middle), std::sin(middle)};
  }
  return gap;
}

absl::Status partial(std::string_view region) {
  return invalid_input("BODY_PARTIAL", "body", cat("the scan does not show ", region, " of the person"),
                       "Scan the person from all sides, head to feet, and join the views.");
}

// The plane x = m under which most points find a partner.
double middle_plane(const std::vector<Vec3>& points, const PointGrid& grid) {
  double best = 0.0;
  int most = -1;
  for (double m = -kMirrorReach; m <= kMirrorReach + 1e-9; m += kMirrorStep) {
    int partners = 0;
    for (size_t i = 0; i < points.size(); i += 5) {
      partners += grid.any_near(Vec3(2.0 * m - points[i].x(), points[i].y(), points[i].z()), kThin);
    }
    if (partners > most || (partners == most && std::abs(m) < std::abs(best))) most = partners, best = m;
  }
  return best;
}

struct Piece {
  std::vector<int> of;  // indices of the absent points
  Vec3 middle = Vec3::Zero();
  double low = 1e300, high = -1e300;
  bool hangs_on = false;
};

std::vector<Piece> pieces_of(const std::vector<Vec3>& absent, const PointGrid& seen) {
  const PointGroups groups = group_points(absent, 0.03, 1);
  std::vector<Piece> pieces(groups.size.size());
  for (size_t i = 0; i < absent.size(); ++i) {
    Piece& piece = pieces[groups.group[i]];
    piece.of.push_back(static_cast<int>(i));
    piece.middle += absent[i];
    piece.low = std::min(piece.low, absent[i].y());
    piece.high = std::max(piece.high, absent[i].y());
    piece.hangs_on = piece.hangs_on || seen.any_near(absent[i], kTouching);
  }
  for (Piece& piece : pieces) piece.middle /= static_cast<double>(piece.of.size());
  return pieces;
}

// Limbs that are held differently are missing on both sides at once: nothing is to be mirrored then.
bool has_counterpart(const Piece& piece, const std::vector<Piece>& pieces) {
  for (const Piece& other : pieces) {
    if (other.middle.x() * piece.middle.x() >= 0) continue;
    const double overlap = std::min(piece.high, other.high) - std::max(piece.low, other.low);
    const bool alike = other.of.size() > piece.of.size() / 3 && piece.of.size() > other.of.size() / 3;
    if (alike && overlap > 0.3 * std::min(piece.high - piece.low, other.high - other.low)) return true;
  }
  return false;
}

}  // namespace

std::string region_name(const Vec3& p, double height) {
  const double y = p.y() / height, x = std::abs(p.x()) / height;
  const std::string side = p.x() > 0 ? "the left " : "the right ";
  if (y > 0.955) return "the scalp";
  if (y > 0.86 && x < 0.07) return cat(side, "half of the head");
  if (y < 0.02) return "the soles";
  if (y < 0.06) return cat(side, "foot");
  if (y < 0.27) return cat(side, "lower leg");
  if (x > 0.17) return cat(side, x > 0.26 ? "forearm" : "upper arm");
  if (y < 0.47 && x < 0.14) return cat(side, "thigh");
  if (x > 0.13) return cat(side, "arm");
  return cat(side, "flank");
}

absl::Status check_all_round(const std::vector<Vec3>& points) {
  const PointLevels levels(points, Vec3::UnitY());
  int cuts = 0, front = 0, back = 0, left = 0, right = 0;
  for (double ratio = 0.52; ratio < 0.71; ratio += 0.03) {
    const auto patches = levels.at(levels.low() + ratio * levels.height());
    const LevelPatch* trunk = nullptr;
    for (const LevelPatch& patch : patches) {
      if (patch.points.size() < 8 || patch.area < 0.15 * patches[0].area) continue;
      if (!trunk || std::abs(patch.centroid.x()) < std::abs(trunk->centroid.x())) trunk = &patch;
    }
    if (!trunk) continue;
    ++cuts;
    const Gap gap = widest_gap(points, *trunk);
    if (std::abs(gap.middle.y()) > 0.7) {
      if (gap.width_deg > kGapDeg) ++(gap.middle.y() > 0 ? front : back);
    } else if (gap.width_deg > kFlankGapDeg) {
      ++(gap.middle.x() > 0 ? left : right);
    }
  }
  if (cuts == 0) return absl::OkStatus();
  if (2 * back > cuts) return partial("the back");
  if (2 * front > cuts) return partial("the front");
  if (2 * left > cuts && 2 * right > cuts) return partial("the flanks");
  return absl::OkStatus();
}

Mirrored mirror_missing(const PointCloud& person) {
  Mirrored out;
  const std::vector<int> kept = thin_points(person.positions, kThin);
  std::vector<Vec3> skin;
  for (int i : kept) skin.push_back(person.positions[i]);
  const PointGrid near(skin, kThin), far(skin, kTouching);
  const double middle = middle_plane(skin, near);
  std::vector<Vec3> absent, normals;
  for (int i : kept) {
    const Vec3& p = person.positions[i];
    const Vec3 q(2.0 * middle - p.x(), p.y(), p.z());
    if (far.nearest(q, kTouching) < kAbsent) continue;
    absent.push_back(q);
    if (!person.normals.empty()) normals.emplace_back(person.normals[i].cwiseProduct(Vec3(-1, 1, 1)));
  }
  if (absent.empty()) return out;
  const std::vector<Piece> pieces = pieces_of(absent, far);
  const double height = bounds_of(skin).sizes().y();
  std::vector<char> wanted(absent.size(), 0);
  for (const Piece& piece : pieces) {
    if (static_cast<double>(piece.of.size()) < kLeastShare * static_cast<double>(skin.size())) continue;
    if (!piece.hangs_on || has_counterpart(piece, pieces)) continue;
    out.regions.push_back(region_name(piece.middle, height));
    for (int i : piece.of) wanted[i] = 1;
  }
  if (out.regions.empty()) return out;
  // The piece and the seam about it, where both sides are known.
  std::vector<Vec3> core;
  for (size_t i = 0; i < absent.size(); ++i) {
    if (wanted[i]) core.push_back(absent[i]);
  }
  const PointGrid about(core, kTouching);
  for (int i : kept) {
    const Vec3& p = person.positions[i];
    const Vec3 q(2.0 * middle - p.x(), p.y(), p.z());
    if (near.any_near(q, 0.999 * kThin) || !about.any_near(q, kAbsent)) continue;
    if (far.nearest(q, kTouching) < 0.012) continue;
    out.points.positions.push_back(q);
    if (!person.normals.empty()) out.points.normals.emplace_back(person.normals[i].cwiseProduct(Vec3(-1, 1, 1)));
  }
  const auto made = static_cast<double>(out.points.positions.size());
  out.share = made / (made + static_cast<double>(skin.size()));
  return out;
}

}  // namespace tryon
