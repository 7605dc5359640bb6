#include "server/body/segment.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

std::vector<SliceLoop> level(const TriangleMesh& mesh, double y) {
  return slice_mesh(mesh, nullptr, Vec3(0, y, 0), Vec3::UnitY());
}

struct Span {
  double low = 1e300, high = -1e300;
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
                       "Send a scan of one standing person in A-pose, T-pose or with the arms down.");
}

// Does one loop cover both sides of the middle? Above the crotch it does, below each leg has its own.
bool trunk_at(const TriangleMesh& mesh, double y, double middle, double height) {
  for (const SliceLoop& loop : level(mesh, y)) {
    const Span s = across(loop);
    if (s.low < middle - 0.045 * height && s.high > middle + 0.045 * height && s.width() > 0.12 * height) return true;
  }
  return false;
}

absl::StatusOr<double> find_crotch(const TriangleMesh& mesh, double middle, double height) {
  double ratio = 0.35;
  while (ratio < 0.58 && !trunk_at(mesh, ratio * height, middle, height)) ratio += 0.01;
  if (ratio >= 0.58) return missing("crotch");
  double low = (ratio - 0.01) * height, high = ratio * height;
  for (int i = 0; i < 8; ++i) {
    const double y = 0.5 * (low + high);
    (trunk_at(mesh, y, middle, height) ? high : low) = y;
  }
  return high;
}

double trunk_width(const TriangleMesh& mesh, double y) {
  const auto loops = level(mesh, y);
  const SliceLoop* loop = trunk_loop(loops);
  return loop == nullptr ? 0.0 : across(*loop).width();
}

// The lowest level at which the trunk's loop suddenly takes the arms in.
absl::StatusOr<double> find_armpit(const TriangleMesh& mesh, double height) {
  const double step = 0.005 * height;
  double before = trunk_width(mesh, 0.64 * height);
  for (double y = 0.645 * height; y < 0.86 * height; y += step) {
    const double now = trunk_width(mesh, y);
    if (now > before + 0.045 * height) {
      double low = y - step, high = y;
      for (int i = 0; i < 6; ++i) {
        const double middle = 0.5 * (low + high);
        (trunk_width(mesh, middle) > before + 0.045 * height ? high : low) = middle;
      }
      return high;
    }
    before = now;
  }
  return missing("armpit");
}

void find_neck(const TriangleMesh& mesh, BodyLevels* levels) {
  const double height = levels->height;
  double narrow = 1e300;
  for (double y = 0.81 * height; y < 0.91 * height; y += 0.0025 * height) {
    const auto loops = level(mesh, y);
    const SliceLoop* loop = trunk_loop(loops);
    if (loop == nullptr || loop->hull_perimeter >= narrow) continue;
    narrow = loop->hull_perimeter;
    levels->neck_narrow = y;
  }
  auto girth = [&](double y) {
    const auto loops = level(mesh, y);
    const SliceLoop* loop = trunk_loop(loops);
    return loop == nullptr ? 0.0 : loop->hull_perimeter;
  };
  levels->neck_bottom = levels->neck_narrow;
  while (levels->neck_bottom > levels->armpit && girth(levels->neck_bottom) < 1.30 * narrow) {
    levels->neck_bottom -= 0.002 * height;
  }
  levels->neck_top = levels->neck_narrow;
  while (levels->neck_top < 0.93 * height && girth(levels->neck_top) < 1.12 * narrow)
    levels->neck_top += 0.002 * height;
}

// Below the armpit the trunk is bare of arms: its sides give the cut planes. Far enough below that the flank's flare
// towards a raised arm does not count.
void find_arm_planes(const TriangleMesh& mesh, BodyLevels* levels) {
  const auto loops = level(mesh, levels->armpit - 0.025 * levels->height);
  const SliceLoop* loop = trunk_loop(loops);
  const Span s = loop != nullptr ? across(*loop) : Span{-0.09 * levels->height, 0.09 * levels->height};
  levels->arm_plane[0] = s.high + 0.004 * levels->height;
  levels->arm_plane[1] = s.low - 0.004 * levels->height;
}

bool beyond_plane(const Vec3& p, const BodyLevels& levels, int side) {
  if (p.y() < levels.armpit - 0.008 * levels.height) return false;
  return side == 0 ? p.x() > levels.arm_plane[0] : p.x() < levels.arm_plane[1];
}

// Whatever hangs on the mesh beyond the cut plane without passing through it is arm.
void flood_arms(const TriangleMesh& mesh, const BodyLevels& levels, std::vector<BodyPart>* part) {
  std::vector<std::vector<int>> neighbours(mesh.positions.size());
  for (const EdgeUse& e : mesh_edges(mesh)) {
    neighbours[e.a].push_back(e.b);
    neighbours[e.b].push_back(e.a);
  }
  const double ceiling = levels.armpit - 0.008 * levels.height;
  for (int side = 0; side < 2; ++side) {
    std::vector<int> queue;
    std::vector<char> seen(mesh.positions.size(), 0);
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      if (!beyond_plane(mesh.positions[v], levels, side)) continue;
      seen[v] = 1;
      queue.push_back(v);
    }
    for (size_t i = 0; i < queue.size(); ++i) {
      const int v = queue[i];
      (*part)[v] = side == 0 ? BodyPart::kLeftArm : BodyPart::kRightArm;
      for (int w : neighbours[v]) {
        const Vec3& p = mesh.positions[w];
        const bool outside = side == 0 ? p.x() > levels.arm_plane[0] - 0.002 : p.x() < levels.arm_plane[1] + 0.002;
        if (seen[w] || (p.y() >= ceiling && !beyond_plane(p, levels, side))) continue;
        if (p.y() < ceiling && !outside && p.y() > ceiling - 0.03 * levels.height) continue;  // the trunk's flank
        seen[w] = 1;
        queue.push_back(w);
      }
    }
  }
}

}  // namespace

const SliceLoop* trunk_loop(const std::vector<SliceLoop>& loops) {
  const SliceLoop* best = nullptr;
  double best_score = 0.0;
  for (const SliceLoop& loop : loops) {
    if (loop.area < 0.2 * loops[0].area) continue;
    const double score = loop.area * std::exp(-std::abs(loop.centroid.x()) / 0.06);
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
  levels.height = bounds(mesh).max().y();
  ASSIGN_OR_RETURN(levels.crotch, find_crotch(mesh, 0.0, levels.height));
  ASSIGN_OR_RETURN(levels.armpit, find_armpit(mesh, levels.height));
  find_neck(mesh, &levels);
  find_arm_planes(mesh, &levels);
  out.part.assign(mesh.positions.size(), BodyPart::kTorso);
  flood_arms(mesh, levels, &out.part);
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (out.part[v] != BodyPart::kTorso) continue;
    const Vec3& p = mesh.positions[v];
    if (p.y() > levels.neck_top) {
      out.part[v] = BodyPart::kHead;
    } else if (p.y() > levels.neck_bottom) {
      out.part[v] = BodyPart::kNeck;
    } else if (p.y() < levels.crotch) {
      out.part[v] = p.x() >= 0 ? BodyPart::kLeftLeg : BodyPart::kRightLeg;
    }
  }
  return out;
}

}  // namespace tryon
