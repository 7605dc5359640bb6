#include "server/drape/grown_garment.h"

#include <vector>

#include "server/base/status.h"
#include "server/base/units.h"
#include "server/body/body_from_measurements.h"
#include "server/garment/offset_garment.h"

namespace tryon {
namespace {

std::vector<bool> trunk_and_legs(const Body& body) {
  std::vector<bool> use;
  for (const Triangle& t : body.mesh.triangles) {
    bool counts = true;
    for (int k = 0; k < 3 && !body.part.empty(); ++k) {
      const BodyPart part = body.part[static_cast<size_t>(t[k])];
      counts &= part != BodyPart::kLeftArm && part != BodyPart::kRightArm;
    }
    use.push_back(counts);
  }
  return use;
}

}  // namespace

const TemplateInfo& offset_garment_info() {
  static const TemplateInfo info = {kOffsetGarment,
                                    "garment grown as an offset of the body's slices (Ji 2004): a skirt, a tube dress",
                                    {{"rise", "mm", "how far the upper end lies above the waist", -150, 300, 10},
                                     {"length", "mm", "from the upper end to the hem", 150, 1200, 480},
                                     {"ease", "mm", "between body and cloth at the upper end", 1, 150, 4},
                                     {"flare", "mm", "more of it at the hem", 0, 600, 70}}};
  return info;
}

absl::StatusOr<MeshPattern> grow_garment(const Body& body, const TemplateValues& values, double edge_m) {
  ASSIGN_OR_RETURN(const TemplateValues v, complete_values(offset_garment_info(), values));
  const auto waist = body.landmarks.find("waist");
  const double waist_y = waist == body.landmarks.end() ? 0.62 * body.height_m : waist->second.y();
  OffsetGarmentSpec spec;
  spec.top_m = waist_y + from_mm(v.at("rise"));
  spec.bottom_m = std::max(spec.top_m - from_mm(v.at("length")), 0.03);
  spec.ease_m = from_mm(v.at("ease")), spec.flare_m = from_mm(v.at("flare"));
  spec.edge_m = edge_m;
  ASSIGN_OR_RETURN(const OffsetGarment grown, grow_offset_garment(body.mesh, trunk_and_legs(body), spec));
  return cut_into_gores(grown);
}

absl::StatusOr<Body> body_of_size(const RunContext& run, Figure figure, std::string_view size) {
  ASSIGN_OR_RETURN(const DraftMeasurements m, size_measurements(figure, size));
  BodyTable table;
  table.figure = figure == Figure::kMen ? FigureType::kMale : FigureType::kFemale;
  table.measurements_mm = {{"bust_girth", m.bust_girth}, {"waist_girth", m.waist_girth}, {"hip_girth", m.hip_girth}};
  ASSIGN_OR_RETURN(BodyFromMeasurements made, body_from_measurements(run, table));
  return std::move(made.body);
}

}  // namespace tryon
