#include "server/drape/measure_trust.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nlohmann/json.hpp"
#include "server/base/units.h"
#include "server/drape/frames_file.h"
#include "server/drape/outfit.h"
#include "server/metrics/body_depth.h"
#include "server/metrics/metrics.h"
#include "server/metrics/sewn_sides.h"

namespace tryon {
namespace {

using Json = nlohmann::json;

constexpr double kCutAlike = 0.02, kCutAlikeM = 3e-3;  // sides that differ by less are sewn without ease
constexpr double kLookSeconds = 1.0 / 15.0;            // between two frames whose crossings are counted

Json json_of(const Percentiles& p) { return Json{{"p50", p.p50}, {"p95", p.p95}, {"p99", p.p99}, {"max", p.max}}; }

Json equilibrium_json(const SettleReport& r) {
  return Json{{"termination", r.termination},   {"grade", r.grade},           {"residual_max", r.residual_max},
              {"residual_rms", r.residual_rms}, {"iterations", r.iterations}, {"steps", r.sew_steps + r.drape_steps}};
}

Json motion_json(const RunContext& run, const Settled& settled) {
  const SettleReport& r = settled.report;
  const WorstFrame worst = worst_frame(run, settled);
  Json out{{"frames", r.blown.size()}, {"frame_seconds", r.blown_step_s}, {"frames_a_file", kFramesAFile}};
  out["self_intersections_max"] = worst.crossings;
  out["self_intersections_frames"] = worst.looked_at;
  out["self_intersections_max_at_s"] = (worst.frame + 1) * r.blown_step_s;
  if (r.motion_end) {
    out["end_speed_p99_5_mm_per_s"] = to_mm(r.motion_end->fast_speed);
    out["end_kinetic_energy_j_per_kg"] = r.motion_end->kinetic_energy;
  }
  return out;
}

std::vector<std::pair<int, int>> closed_pairs(const GarmentMesh& garment, const WeldedMesh& cloth) {
  std::vector<std::pair<int, int>> pairs;
  for (const Seam& seam : garment.seams) {
    for (size_t k = 0; k < seam.left.size(); ++k) {
      pairs.emplace_back(cloth.source[seam.left[k]], cloth.source[seam.right[k]]);
    }
  }
  return pairs;
}

SewnSide sewn_side(const GarmentMesh& garment, const WeldedMesh& cloth, const std::vector<int>& side) {
  SewnSide out;
  for (size_t k = 0; k + 1 < side.size(); ++k) {
    const int a = cloth.source[side[k]], b = cloth.source[side[k + 1]];
    out.rest.push_back((garment.flat[side[k]] - garment.flat[side[k + 1]]).norm());
    out.length.push_back((cloth.mesh.positions[a] - cloth.mesh.positions[b]).norm());
  }
  return out;
}

// Whether the pattern means one side to be shorter in the seam than it was cut: sides of unequal lengths, or an
// elastic.
bool is_gathered(const GarmentMesh& garment, const Seam& seam) {
  const double longer = std::max(seam.left_length, seam.right_length);
  if (std::abs(seam.left_length - seam.right_length) > std::max(kCutAlikeM, kCutAlike * longer)) return true;
  const auto in = [](const std::vector<int>& all, int v) { return std::find(all.begin(), all.end(), v) != all.end(); };
  return std::any_of(garment.bands.begin(), garment.bands.end(), [&](const ElasticBand& band) {
    if (band.relaxed > 1.0 - kCutAlike) return false;
    return (in(band.vertices, seam.left.front()) && in(band.vertices, seam.left.back())) ||
           (in(band.vertices, seam.right.front()) && in(band.vertices, seam.right.back()));
  });
}

void add_seam_strain(const char* key, const std::vector<SewnSide>& sides, Json* out) {
  const SeamStrain strain = seam_strain(sides);
  if (strain.length <= 0.0) return;
  (*out)[key] = {
      {"p95", strain.p95}, {"max", strain.max}, {"side_max", strain.side_max}, {"length_mm", to_mm(strain.length)}};
}

Json seams_json(const DrapeFacts& facts) {
  const WeldedMesh& cloth = facts.settled.cloth;
  const SettleReport& report = facts.settled.report;
  const SeamGap gap = seam_gap(cloth.mesh.positions, closed_pairs(facts.garment, cloth));
  double mismatch = 0.0;
  std::vector<SewnSide> plain, gathered;
  for (const Seam& seam : facts.garment.seams) {
    mismatch = std::max(mismatch, std::abs(seam.left_length - seam.right_length));
    std::vector<SewnSide>& kind = is_gathered(facts.garment, seam) ? gathered : plain;
    for (const auto* side : {&seam.left, &seam.right}) kind.push_back(sewn_side(facts.garment, cloth, *side));
  }
  Json out{{"count", facts.garment.seams.size()},
           {"max_gap_mm", gap.max_mm},
           {"mean_gap_mm", gap.mean_mm},
           {"gap_before_weld_mm", report.gap_before_weld_mm},
           {"max_ease_mm", to_mm(mismatch)}};
  if (report.mean_gap_before_weld_mm) out["mean_gap_before_weld_mm"] = *report.mean_gap_before_weld_mm;
  add_seam_strain("strain_along", plain, &out);
  add_seam_strain("gathered_strain_along", gathered, &out);
  return out;
}

Json penetration_json(const RunContext& run, const DrapeFacts& facts, const TriangleMesh& all) {
  const YieldingSkin& skin = facts.person.skin;
  const double yielded = skin.deepest();
  const std::vector<double> at_vertices = signed_distances(run, all.positions, *facts.person.surface);
  const Penetration scan = penetration_of(at_vertices);
  const Penetration rigid =
      yielded > 0.0 ? measure_penetration(run, all.positions, ClosestPointIndex(facts.person.body.mesh)) : scan;
  const Penetration proxies = measure_penetration(run, all.positions, facts.person.solids);
  const BodyDepth depth = measure_body_depth(run, all, at_vertices, *facts.person.surface, facts.person.solids);
  Json out{{"vertices", scan.vertices},          {"max_depth_mm", scan.max_depth_mm},
           {"yielded_mm", to_mm(yielded)},       {"rigid_max_depth_mm", rigid.max_depth_mm},
           {"proxy_vertices", proxies.vertices}, {"proxy_max_depth_mm", proxies.max_depth_mm},
           {"samples", depth.samples},           {"deepest_mm", depth.deepest_mm},
           {"mean_depth_mm", depth.mean_mm},     {"share", depth.share},
           {"volume_cm3", depth.volume_cm3}};
  if (depth.inside_both) out["samples_in_proxies_too"] = *depth.inside_both;
  return out;
}

Json shear_degrees(const Percentiles& cosine) {
  const auto degrees = [](double c) { return std::asin(std::min(1.0, c)) * 180.0 / M_PI; };
  return json_of(Percentiles{degrees(cosine.p50), degrees(cosine.p95), degrees(cosine.p99), degrees(cosine.max)});
}

Json strain_json(const DrapeFacts& facts) {
  const WeldedMesh& cloth = facts.settled.cloth;
  const StrainField strain = measure_strain(cloth.mesh, cloth.corner_flat);
  const Percentiles shear = percentiles(strain.shear);
  Json out{{"warp", json_of(percentiles(strain.warp))},
           {"weft", json_of(percentiles(strain.weft))},
           {"shear", json_of(shear)},
           {"shear_deg", shear_degrees(shear)},
           {"bias", json_of(percentiles(fibre_strain(cloth.mesh, cloth.corner_flat).bias))},
           {"first", json_of(percentiles(strain.first))},
           {"second", json_of(percentiles(strain.second))}};
  if (!strain.area_ratio.empty())
    out["area_ratio_min"] = *std::min_element(strain.area_ratio.begin(), strain.area_ratio.end());
  return out;
}

// The yardstick: what a straight strip as long as the cloth is tall weighs a metre of its width.
Json tension_json(const DrapeFacts& facts) {
  const Box3 box = bounds(facts.settled.cloth.mesh);
  Json out{{"max", largest_line_tension(facts.settled.report.forces.tension)}};
  if (facts.fit.rest_area > 0.0)
    out["own_weight"] = facts.fit.weight_n / facts.fit.rest_area * (box.max().y() - box.min().y());
  return out;
}

// Counted back from the last.
std::vector<int> looked_at(size_t count, double frame_seconds) {
  const int every = std::clamp(static_cast<int>(std::ceil(kLookSeconds / std::max(frame_seconds, 1e-6) - 1e-9)), 1, 4);
  std::vector<int> out;
  for (int k = (static_cast<int>(count) - 1) % every; k < static_cast<int>(count); k += every) out.push_back(k);
  return out;
}

TriangleMesh frame_mesh(const Settled& settled, size_t frame, const std::vector<Triangle>& triangles) {
  TriangleMesh out;
  out.triangles = triangles;
  const auto add = [&](const std::vector<Vec3>& x) { out.positions.insert(out.positions.end(), x.begin(), x.end()); };
  for (const Worn& worn : settled.beneath) add(worn.blown[frame]);
  add(settled.report.blown[frame]);
  return out;
}

}  // namespace

WorstFrame worst_frame(const RunContext& run, const Settled& settled) {
  const SettleReport& report = settled.report;
  const std::vector<int> frames = looked_at(report.blown.size(), report.blown_step_s);
  const std::vector<Triangle> triangles = outfit_mesh(settled).triangles;
  std::vector<int> crossings(frames.size());
  run.parallel_for(static_cast<int64_t>(frames.size()), 1, [&](int64_t begin, int64_t end) {
    for (size_t k = static_cast<size_t>(begin); k < static_cast<size_t>(end); ++k)
      crossings[k] = count_self_intersections(frame_mesh(settled, static_cast<size_t>(frames[k]), triangles));
  });
  const auto worst = std::max_element(crossings.begin(), crossings.end());
  return {frames[static_cast<size_t>(worst - crossings.begin())], *worst, static_cast<int>(frames.size())};
}

Json trust_json(const RunContext& run, const DrapeFacts& facts, const TriangleMesh& all) {
  const SettleReport& report = facts.settled.report;
  Json out;
  out["equilibrium"] = equilibrium_json(report);
  if (!report.blown.empty()) out["motion"] = motion_json(run, facts.settled);
  out["seams"] = seams_json(facts);
  out["penetration"] = penetration_json(run, facts, all);
  out["self_intersections"] = count_self_intersections(all);
  out["strain"] = strain_json(facts);
  if (!report.forces.tension.empty()) out["line_tension_n_per_m"] = tension_json(facts);
  return out;
}

}  // namespace tryon
