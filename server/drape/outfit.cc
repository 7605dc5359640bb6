#include "server/drape/outfit.h"

#include <algorithm>
#include <map>
#include <utility>

#include "server/base/kept_memory.h"
#include "server/base/status.h"
#include "server/drape/limb_ends.h"
#include "server/drape/motion.h"
#include "server/drape/resting.h"
#include "server/metrics/metrics.h"
#include "server/metrics/rim.h"

namespace tryon {
namespace {

constexpr double kTogether = 0.5;                      // of the progress of draping: from here on all come to rest
constexpr double kDrawnIn = 0.9, kSoftStretch = 50.0;  // of the width; N/m
constexpr int kDrawSteps = 6, kDrawRounds = 6;
constexpr double kRoom = kLayerGap;     // m beyond the contact offset, so that triangles between vertices clear folds
constexpr double kSphereRadius = 0.02;  // m, and the side of the cells that get one
constexpr double kCuffOver = 0.3, kCuffAside = 0.12;  // m past the end of an arm, and off its line
constexpr double kLift = 1e-3;                        // m a round
constexpr int kTogetherFall = 8, kLiftRounds = 30;

void append(const TriangleMesh& from, TriangleMesh* to) {
  const Triangle shift = Triangle::Constant(to->vertex_count());
  to->positions.insert(to->positions.end(), from.positions.begin(), from.positions.end());
  for (const Triangle& t : from.triangles) to->triangles.push_back(t + shift);
}

TriangleMesh mesh_of(const std::vector<Worn>& worn) {
  TriangleMesh out;
  for (const Worn& layer : worn) append(layer.garment.cloth.mesh, &out);
  return out;
}

// What is told as draping is a part of it, or a stage of its own.
RunContext part_of(const RunContext& run, double begin, double share, const char* stage = "drape") {
  RunContext out = run;
  if (!run.on_progress) return out;
  out.on_progress = [tell = run.on_progress, begin, share, stage](const Progress& now) {
    tell(now.stage == "drape" ? Progress{stage, begin + share * now.fraction} : now);
  };
  return out;
}

// Triangles between vertices that clear what is beneath may still cut its folds: their corners are lifted off it until
// none does. What is beneath is never cut by more than a few millimetres, so the way along its normals is the way out.
void lift_clear(const TriangleMesh& beneath, TriangleMesh* cloth) {
  const int below = beneath.triangle_count();
  TriangleMesh all = beneath;
  append(*cloth, &all);
  std::vector<Vec3> lift(all.positions.size());
  for (int round = 0; round < kLiftRounds; ++round) {
    std::fill(lift.begin(), lift.end(), Vec3::Zero());
    bool clear = true;
    for (const auto& [first, second] : self_intersections(all)) {
      if (first >= below || second < below) continue;
      clear = false;
      const Vec3 up = triangle_normal(all, first).normalized();
      for (const int v : all.triangles[second]) lift[v] += up;
    }
    if (clear) break;
    for (size_t v = beneath.positions.size(); v < lift.size(); ++v) {
      if (!lift[v].isZero()) all.positions[v] += kLift * lift[v].normalized();
    }
  }
  std::copy(all.positions.begin() + beneath.vertex_count(), all.positions.end(), cloth->positions.begin());
}

// A cuff that reaches over the end of an arm belongs into the sleeve above as the arm does.
void reach_to_cuffs(const std::vector<Worn>& beneath, std::vector<LimbEnd>* ends) {
  for (const Worn& worn : beneath) {
    const std::vector<Rim> rims = find_rims(worn.garment.cloth.mesh, worn.garment.cloth.corner_flat);
    for (LimbEnd& end : *ends) {
      if (!is_arm(end)) continue;
      for (const Rim& rim : rims) {
        const Vec3 along = (end.tips[0] - end.inner).normalized(), on = rim.middle - end.tips[0];
        const double farther = on.dot(along);
        if (farther > 0.0 && farther < kCuffOver && (on - farther * along).norm() < kCuffAside)
          end.tips[0] = rim.middle;
      }
    }
  }
}

// The part of a list over all cloths that belongs to one.
template <typename T>
std::vector<T> slice(const std::vector<T>& all, size_t begin, size_t count) {
  if (all.empty()) return {};
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

std::vector<std::vector<Vec3>> slices(const std::vector<std::vector<Vec3>>& frames, size_t begin, size_t count) {
  std::vector<std::vector<Vec3>> out;
  for (const auto& frame : frames) out.push_back(slice(frame, begin, count));
  return out;
}

std::vector<Cloth> all_cloths(const Settled& settled, const Fabric& fabric) {
  std::vector<Cloth> out;
  for (const Worn& worn : settled.beneath) out.push_back({worn.garment.cloth, worn.fabric});
  out.push_back({settled.cloth, fabric});
  return out;
}

void take_positions(const std::vector<Vec3>& positions, std::vector<Worn>* beneath) {
  size_t vertex = 0;
  for (Worn& worn : *beneath) {
    TriangleMesh& mesh = worn.garment.cloth.mesh;
    mesh.positions = slice(positions, vertex, mesh.positions.size());
    vertex += mesh.positions.size();
  }
}

// The rest shape that pulls every triangle a little narrower than it is now, across the warp.
WeldedMesh drawn_in(const WeldedMesh& cloth) {
  WeldedMesh out = cloth;
  const StrainField strain = measure_strain(cloth.mesh, cloth.corner_flat);
  for (size_t t = 0; t < out.corner_flat.size(); ++t) {
    const double width = std::min(1.0, kDrawnIn * (1.0 + strain.weft[t]));
    for (Vec2& corner : out.corner_flat[t]) corner.x() *= width;
  }
  return out;
}

// What is beneath draws in round the body, like a knit, while something is put on over it: a narrow sleeve would else
// have to go round a wide one that cannot give way. Only across the warp, which runs along limbs and trunk: hems stay
// where they are. Little by little, so that nothing that lies on the body already is pressed hard.
absl::Status draw_in(const RunContext& run, const sim::Collider& body, SettleOptions options,
                     std::vector<Worn>* beneath) {
  options.layers = LayerContact::kAlways;
  RestGoal goal;
  goal.fall_steps = kDrawSteps, goal.share = 1.0 / kDrawRounds;
  SettleReport unread;
  for (int round = 0; round < kDrawRounds; ++round) {
    std::vector<WeldedMesh> narrow;
    std::vector<Fabric> soft;
    for (const Worn& worn : *beneath) {
      narrow.push_back(drawn_in(worn.garment.cloth));
      soft.push_back(worn.fabric);
      soft.back().strain_limit = {};
      for (double* k : {&soft.back().stretch_warp, &soft.back().stretch_weft}) *k = std::min(*k, kSoftStretch);
    }
    std::vector<Cloth> cloths;
    for (size_t k = 0; k < narrow.size(); ++k) cloths.push_back({narrow[k], soft[k]});
    goal.begin = round * goal.share;
    ASSIGN_OR_RETURN(const std::vector<Vec3> close, come_to_rest(run, cloths, body, options, goal, &unread));
    take_positions(close, beneath);
  }
  return absl::OkStatus();
}

// Positions, frames and forces of all cloths to whom they belong; the report keeps the garment's own.
void hand_out(const std::vector<Vec3>& positions, Settled* settled) {
  size_t vertex = 0, triangle = 0;
  SettleReport& report = settled->report;
  take_positions(positions, &settled->beneath);
  for (Worn& worn : settled->beneath) {
    const TriangleMesh& mesh = worn.garment.cloth.mesh;
    const size_t count = mesh.positions.size();
    worn.blown = slices(report.blown, vertex, count);
    vertex += count;
    triangle += mesh.triangles.size();
  }
  TriangleMesh& mesh = settled->cloth.mesh;
  const size_t count = mesh.positions.size();
  mesh.positions = slice(positions, vertex, count);
  report.blown = slices(report.blown, vertex, count);
  report.forces.press = slice(report.forces.press, vertex, count);
  report.forces.reaction = slice(report.forces.reaction, vertex, count);
  report.forces.tension = slice(report.forces.tension, triangle, mesh.triangles.size());
}

}  // namespace

absl::StatusOr<Settled> dress_over(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric,
                                   const sim::Collider& body, const SettleOptions& options, std::vector<Worn> beneath) {
  size_t vertices = static_cast<size_t>(garment.vertex_count());
  for (const Worn& worn : beneath) vertices += worn.garment.cloth.mesh.positions.size();
  const KeptMemory kept(kDrapeBytes * vertices);
  SettleOptions alone = options;
  alone.motion.reset();
  alone.to_be_continued = true;
  RETURN_IF_ERROR(draw_in(part_of(run, 0.0, 1.0, "dress"), body, alone, &beneath));
  const auto covered = sim::make_covered_collider(body, mesh_of(beneath), kRoom);
  GarmentMesh above = garment;
  reach_to_cuffs(beneath, &above.limb_ends);
  ASSIGN_OR_RETURN(Settled settled, sew_and_settle(part_of(run, 0.0, kTogether), above, fabric, *covered, alone));
  lift_clear(mesh_of(beneath), &settled.cloth.mesh);
  settled.beneath = std::move(beneath);
  SettleOptions together = options;
  together.layers = LayerContact::kAlways;
  const RunContext rest = part_of(run, kTogether, 1.0 - kTogether);
  ASSIGN_OR_RETURN(const std::vector<Vec3> positions,
                   come_to_rest(rest, all_cloths(settled, fabric), body, together,
                                only_rest_goal(kTogetherFall, together), &settled.report));
  settled.report.layers_kept_apart = true;
  hand_out(positions, &settled);
  if (!options.motion) return settled;
  ASSIGN_OR_RETURN(const std::vector<Vec3> moved,
                   move_in_air(rest, all_cloths(settled, fabric), body, together, &settled.report));
  hand_out(moved, &settled);
  return settled;
}

SolidSet solids_of_worn(const SolidSet& body, const std::vector<Worn>& beneath) {
  if (beneath.empty()) return body;
  std::vector<Solid> solids = body.solids();
  std::map<std::array<int, 3>, std::pair<Vec3, int>> cells;
  for (const Vec3& p : mesh_of(beneath).positions) {
    const Eigen::Vector3i cell = (p / kSphereRadius).array().floor().cast<int>();
    auto& [sum, count] = cells.try_emplace({cell.x(), cell.y(), cell.z()}, Vec3::Zero(), 0).first->second;
    sum += p, ++count;
  }
  for (const auto& [cell, points] : cells) solids.emplace_back(Sphere{points.first / points.second, kSphereRadius});
  return SolidSet(std::move(solids));
}

TriangleMesh outfit_mesh(const Settled& settled) {
  TriangleMesh out = mesh_of(settled.beneath);
  append(settled.cloth.mesh, &out);
  return out;
}

}  // namespace tryon
