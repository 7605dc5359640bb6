#include "server/garment/templates/skirt_parts.h"

#include <algorithm>
#include <cmath>

namespace tryon {
namespace {

constexpr double kBandHeight = 0.036;  // m
constexpr double kBandShare = 0.98;    // of the waist girth

// A band whose lower side is in `parts`. Edges: 0 .. parts - 1 lower (left to right), end, upper, end.
Panel band(double half, const std::vector<double>& parts, std::string name) {
  PanelDraft d(std::move(name), "body", {-half, 0});
  double x = -half;
  for (const double part : parts) d.line({x += part, 0});
  d.line({half, kBandHeight});
  const int top = d.line({-half, kBandHeight});
  d.close();
  d.panel().edges[static_cast<size_t>(top)].label = kWaistLabel;
  return d.panel();
}

}  // namespace

double waist_of(const TemplateInput& in) { return kBandShare * from_mm(in.body.waist_girth); }

double hip_depth(const TemplateInput& in, double length) {
  return std::clamp(from_mm(in.body.waist_height - in.body.hip_height), 0.10, 0.8 * length);
}

std::pair<int, int> add_bands(PatternDraft* draft, double waist, const std::vector<double>& parts) {
  const int f = draft->add(band(waist / 4, parts, "waistband_front"));
  const int b = draft->add(reversed(band(waist / 4, parts, "waistband_back")));
  const int k = static_cast<int>(parts.size());
  for (const int e : {k, k + 2}) draft->sew(f, e, b, turned(e, k + 3));
  return {f, b};
}

void sew_two(PatternDraft* draft, int f, int b, std::pair<int, int> bands, const std::vector<int>& sides,
             const std::vector<int>& tops, int n) {
  for (const int e : sides) draft->sew(f, e, b, turned(e, n));
  const int k = static_cast<int>(tops.size());
  for (int i = 0; i < k; ++i) {  // tops run from the left to the right of the person's front: against the band
    draft->sew(f, tops[i], bands.first, k - 1 - i);
    draft->sew(b, turned(tops[i], n), bands.second, turned(k - 1 - i, k + 3));
  }
}

TemplateParameters skirt_parameters(double length, double ease, double flare) {
  return {{"length", "mm", "from the waistband to the hem", 250, 1000, length},
          {"ease", "mm", "added to the hip girth", 0, 200, ease},
          {"flare", "mm", "added to the whole hem", 0, 1600, flare}};
}

// Half a skirt with a dart each side. Edges: 0 hem, 1 side, 2 hip, 3 .. 10 waist from the left (part, dart, dart, part,
// ...), 11, 12.
Panel darted_skirt(double waist, double dart, double dart_at, double hip, double hem, double depth, double length,
                   std::string name) {
  const double h = length - depth, end = waist + dart;
  PanelDraft d(std::move(name), "body", {-hem, 0});
  d.line({hem, 0});
  d.line({hip, h});
  d.curve({hip, h + 0.4 * depth}, {end + 0.35 * (hip - end), length - 0.3 * depth}, {end, length});
  d.line({dart_at + dart, length});
  d.line({dart_at + 0.5 * dart, length - 0.55 * depth});
  d.line({dart_at, length});
  d.line({0, length});
  d.line({-dart_at, length});
  d.line({-dart_at - 0.5 * dart, length - 0.55 * depth});
  d.line({-dart_at - dart, length});
  d.line({-end, length});
  d.curve({-end - 0.35 * (hip - end), length - 0.3 * depth}, {-hip, h + 0.4 * depth}, {-hip, h});
  d.close();
  return d.panel();
}

Pattern draw_two_piece_skirt(const TemplateInput& in) {
  const double waist = waist_of(in) / 4, length = in.m("length"), depth = hip_depth(in, length);
  const double hip = std::max((from_mm(in.body.hip_girth) + in.m("ease")) / 4, waist);
  const double hem = hip + in.m("flare") / 4, dart_at = 0.45 * waist;
  const double dart = std::clamp(0.45 * (hip - waist), 0.006, 0.032);
  PatternDraft draft("skirt");
  const auto bands = add_bands(&draft, 4 * waist, {waist - dart_at, dart_at, dart_at, waist - dart_at});
  const auto panel = [&](const char* name) {
    return darted_skirt(waist, dart, dart_at, hip, hem, depth, length, name);
  };
  const int f = draft.add(panel("skirt_front")), b = draft.add(reversed(panel("skirt_back")));
  sew_two(&draft, f, b, bands, {1, 2, 11, 12}, {3, 6, 7, 10}, kDartedSkirt);
  for (const int e : {4, 8}) {
    draft.sew(f, e, f, e + 1);
    draft.sew(b, turned(e, kDartedSkirt), b, turned(e + 1, kDartedSkirt));
  }
  return finished(&draft);
}

}  // namespace tryon
