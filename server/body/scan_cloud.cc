#include "server/body/scan_cloud.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/orient.h"
#include "server/body/scan_levels.h"
#include "server/body/scan_planes.h"
#include "server/body/scan_points.h"

namespace tryon {
namespace {

constexpr int kMinPoints = 1500;      // fewer cannot show a body's surface
constexpr double kCell = 0.010;       // of the diagonal without the outermost hundredth
constexpr int kMinNeighbours = 4;     // in a cell and about it: fewer are strays
constexpr double kLargeGroup = 0.05;  // of the largest: worth a look
constexpr double kStandsApart = 0.2;  // m between two persons
constexpr double kSole = 0.04;        // m above the floor: what is seen there is drawn down to it
constexpr double kSoleStep = 0.006;   // m between the points of a sole

absl::Status too_few(size_t count) {
  return invalid_input("BODY_TOO_FEW_POINTS", "body",
                       cat("the largest thing in the scan has ", count, " points, fewer than ", kMinPoints),
                       "Send a finer scan of one standing person.");
}

double robust_diagonal(const std::vector<Vec3>& points) {
  Vec3 size;
  for (int k = 0; k < 3; ++k) {
    std::vector<double> along(points.size());
    for (size_t i = 0; i < points.size(); ++i) along[i] = points[i][k];
    const size_t cut = points.size() / 100;
    std::nth_element(along.begin(), along.begin() + static_cast<std::ptrdiff_t>(cut), along.end());
    const double low = along[cut];
    std::nth_element(along.begin(), along.end() - 1 - static_cast<std::ptrdiff_t>(cut), along.end());
    size[k] = along[along.size() - 1 - cut] - low;
  }
  return size.norm();
}

struct Things {
  std::vector<std::vector<int>> groups;  // indices of points, largest first
  std::vector<FlatThing> flat;
  int flat_points = 0, stray_points = 0;
};

Things take_apart(const std::vector<Vec3>& points) {
  FlatThings flat = find_flat_things(points);
  std::vector<int> left;
  std::vector<Vec3> at;
  for (size_t i = 0; i < points.size(); ++i) {
    if (flat.on_plane[i]) continue;
    left.push_back(static_cast<int>(i));
    at.push_back(points[i]);
  }
  Things things{{}, std::move(flat.planes), static_cast<int>(points.size() - left.size()), 0};
  const double diagonal = robust_diagonal(at);
  if (!(diagonal > 0.0)) return things;
  const PointGroups groups = group_points(at, kCell * diagonal, kMinNeighbours);
  things.groups.resize(groups.size.size());
  for (size_t i = 0; i < at.size(); ++i) {
    if (groups.group[i] < 0) {
      ++things.stray_points;
    } else {
      things.groups[groups.group[i]].push_back(left[i]);
    }
  }
  return things;
}

std::vector<Vec3> at_indices(const std::vector<Vec3>& points, const std::vector<int>& of) {
  std::vector<Vec3> out;
  out.reserve(of.size());
  for (int i : of) out.push_back(points[i]);
  return out;
}

struct Found {
  size_t group;
  Placement placement;
};

absl::StatusOr<Found> find_group(const RunContext& run, const ScanOptions& options, const std::vector<Vec3>& points,
                                 const Things& things) {
  std::optional<absl::Status> why;
  std::optional<Found> found;
  for (size_t g = 0; g < things.groups.size() && g < 8; ++g) {
    RETURN_IF_ERROR(run.check());
    const std::vector<int>& group = things.groups[g];
    if (static_cast<double>(group.size()) < kLargeGroup * static_cast<double>(things.groups[0].size())) break;
    if (group.size() < kMinPoints) {
      if (!why) why = too_few(group.size());
      continue;
    }
    const std::vector<Vec3> at = at_indices(points, group);
    absl::StatusOr<Placement> placement = find_placement(at, options, things.flat);
    if (!placement.ok()) {
      if (!why || error_detail(*why)->reason == "BODY_NOT_HUMAN") why = placement.status();
      continue;
    }
    if (!found) {
      found = Found{g, *std::move(placement)};
      continue;
    }
    Vec3 apart = found->placement(bounds_of(at).center()) -
                 found->placement(bounds_of(at_indices(points, things.groups[found->group])).center());
    apart.y() = 0.0;
    if (apart.norm() > kStandsApart) {
      return invalid_input(
          "BODY_SEVERAL_PERSONS", "body",
          cat("the scan shows at least two persons, ", std::round(100 * apart.norm()) / 100, " m apart"),
          "Send one person a scan.");
    }
  }
  if (found) return *std::move(found);
  return why ? *why : too_few(0);
}

// Soles are never seen: under everything just above the floor a sheet of points closes them.
void close_soles(PointCloud* cloud) {
  std::vector<Vec3> shadow;
  for (const Vec3& p : cloud->positions) {
    if (p.y() < kSole) shadow.emplace_back(p.x(), 0.0, p.z());
  }
  // The outline's inside: rows across the foot between its outermost points.
  const PointGroups feet = group_points(shadow, 0.02, 3);
  for (size_t f = 0; f < feet.size.size() && f < 2; ++f) {
    std::vector<std::pair<double, double>> rows;  // by z: least and greatest x
    double low = 1e300, high = -1e300;
    for (size_t i = 0; i < shadow.size(); ++i) {
      if (feet.group[i] != static_cast<int>(f)) continue;
      low = std::min(low, shadow[i].z());
      high = std::max(high, shadow[i].z());
    }
    rows.assign(static_cast<size_t>((high - low) / kSoleStep) + 1, {1e300, -1e300});
    for (size_t i = 0; i < shadow.size(); ++i) {
      if (feet.group[i] != static_cast<int>(f)) continue;
      auto& row = rows[static_cast<size_t>((shadow[i].z() - low) / kSoleStep)];
      row.first = std::min(row.first, shadow[i].x());
      row.second = std::max(row.second, shadow[i].x());
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      for (double x = rows[r].first + 0.004; x < rows[r].second - 0.004; x += kSoleStep) {
        cloud->positions.emplace_back(x, 0.0, low + (static_cast<double>(r) + 0.5) * kSoleStep);
        if (!cloud->normals.empty()) cloud->normals.emplace_back(0, -1, 0);
      }
    }
  }
}

void say_what_was_left_out(const Things& things, size_t group, size_t total, std::vector<std::string>* healed) {
  if (!things.flat.empty()) {
    healed->push_back(cat("left out ", things.flat.size(), " floor", things.flat.size() > 1 ? "s or walls" : "", " of ",
                          things.flat_points, " points"));
  }
  if (things.stray_points > 0) healed->push_back(cat("left out ", things.stray_points, " stray points"));
  const size_t others = total - things.groups[group].size() - static_cast<size_t>(things.stray_points) -
                        static_cast<size_t>(things.flat_points);
  if (others > 0) healed->push_back(cat("left out ", things.groups.size() - 1, " other things of ", others, " points"));
}

}  // namespace

bool is_head_and_shoulders(const std::vector<Vec3>& points) {
  for (int axis = 0; axis < 3; ++axis) {
    for (double sign : {1.0, -1.0}) {
      const PointLevels levels(points, sign * Vec3::Unit(axis));
      std::vector<double> width;  // from the top down, each 4 % of the height
      for (double ratio = 0.98; ratio > 0.02; ratio -= 0.04) {
        const auto patches = levels.at(levels.low() + ratio * levels.height());
        double widest = 0.0;
        for (const LevelPatch& patch : patches) widest = std::max(widest, (patch.high - patch.low).maxCoeff());
        width.push_back(widest);
      }
      for (size_t neck = 3; neck + 3 < width.size(); ++neck) {
        const double head = *std::max_element(width.begin(), width.begin() + static_cast<std::ptrdiff_t>(neck));
        const double shoulders = *std::max_element(width.begin() + static_cast<std::ptrdiff_t>(neck), width.end());
        const double head_height = static_cast<double>(neck) * 0.04 * levels.height();
        if (width[neck] < 0.92 * head && shoulders > 1.5 * head && shoulders < 4.5 * head && head < head_height * 1.5 &&
            head > 0.4 * head_height) {
          return true;
        }
      }
    }
  }
  return false;
}

absl::StatusOr<CloudPerson> find_person_in_cloud(const RunContext& run, const ScanOptions& options,
                                                 const PointCloud& scan) {
  RETURN_IF_ERROR(validate(scan, "body"));
  if (scan.positions.size() < kMinPoints) return too_few(scan.positions.size());
  const Things things = take_apart(scan.positions);
  absl::StatusOr<Found> found = find_group(run, options, scan.positions, things);
  if (!found.ok()) {
    if (error_detail(found.status())->reason != "BODY_NOT_HUMAN") return found.status();
    for (const std::vector<int>& group : things.groups) {
      if (group.size() < kMinPoints) break;
      if (!is_head_and_shoulders(at_indices(scan.positions, group))) continue;
      return invalid_input("BODY_PARTIAL", "body",
                           "the scan shows a head and shoulders only: everything below the chest is missing",
                           "Scan the person from all sides, head to feet, and join the views.");
    }
    return found.status();
  }
  CloudPerson person;
  for (int i : things.groups[found->group]) {
    person.cloud.positions.push_back(found->placement(scan.positions[i]));
    if (!scan.normals.empty()) person.cloud.normals.push_back(found->placement.turn * scan.normals[i]);
  }
  person.source = found->placement.source;
  person.source.point_count = scan.point_count();
  say_what_was_left_out(things, found->group, scan.positions.size(), &person.source.healed);
  for (const FlatThing& thing : things.flat) person.on_floor |= (found->placement.turn * thing.normal).y() > 0.85;
  if (person.on_floor) close_soles(&person.cloud);
  return person;
}

}  // namespace tryon
