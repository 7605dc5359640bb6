#include "server/drape/cross_sections.h"

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/segment.h"
#include "server/body/slices.h"

namespace tryon {
namespace {

std::vector<SectionLine> lines_of(const std::vector<SliceLoop>& loops) {
  std::vector<SectionLine> out;
  for (const SliceLoop& loop : loops) {
    SectionLine line;
    line.closed = loop.closed;
    for (const Vec3& p : loop.points) line.points.emplace_back(p.x(), p.z());
    if (line.points.size() > 1) out.push_back(std::move(line));
  }
  return out;
}

CrossSection cut_at(const Body& body, const TriangleMesh& cloth, const std::string& level, double height_m) {
  CrossSection cut;
  cut.level = level;
  cut.height_m = height_m;
  const Vec3 origin(0, height_m, 0);
  const auto round_trunk = slice_mesh(cloth, nullptr, origin, Vec3::UnitY());
  cut.body = lines_of(slice_mesh(body.mesh, nullptr, origin, Vec3::UnitY()));
  cut.cloth = lines_of(round_trunk);
  const SliceLoop* loop = trunk_loop(round_trunk);
  if (loop != nullptr && loop->closed) cut.cloth_girth = loop->perimeter;
  const auto girth = body.measurements_mm.find(cat(level, "_girth"));
  if (girth != body.measurements_mm.end()) cut.body_girth = from_mm(girth->second);
  return cut;
}

}  // namespace

std::vector<CrossSection> cross_sections(const Body& body, const TriangleMesh& cloth) {
  std::vector<CrossSection> out;
  for (const char* level : {"bust", "waist", "hip"}) {
    const auto height = body.measurements_mm.find(cat(level, "_height"));
    if (height != body.measurements_mm.end()) out.push_back(cut_at(body, cloth, level, from_mm(height->second)));
  }
  return out;
}

}  // namespace tryon
