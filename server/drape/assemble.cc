#include "server/drape/assemble.h"

#include <algorithm>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/body_from_measurements.h"
#include "server/body/mannequin.h"
#include "server/drape/cut_body.h"
#include "server/drape/limb_ends.h"
#include "server/garment/waist_fit.h"
#include "server/io/pattern_json.h"

namespace tryon {
absl::StatusOr<Body> sample_body(const RunContext& run) {
  ASSIGN_OR_RETURN(TriangleMesh mesh, make_mannequin(MannequinTable{}));
  ScanOptions options;
  options.metres_per_unit = 1.0;
  options.up_axis = UpAxis::kY;
  return make_body(run, std::move(mesh), options);
}

namespace {

absl::StatusOr<MeshFormat> format_of(std::string_view bytes, std::string_view file_name) {
  auto format = mesh_format_from_name(file_name);
  return format.ok() ? format : sniff_mesh_format(bytes);
}

double landmark_height(const Body& body, const std::string& name, double fallback_ratio) {
  const auto it = body.landmarks.find(name);
  return it == body.landmarks.end() ? fallback_ratio * body.height_m : it->second.y();
}

Vec3 landmark_or(const Body& body, const std::string& name, const Vec3& otherwise) {
  const auto it = body.landmarks.find(name);
  return it == body.landmarks.end() ? otherwise : it->second;
}

absl::StatusOr<Body> scanned_body(const RunContext& run, const BodyRequest& request, const PipelineInput& input) {
  ASSIGN_OR_RETURN(const MeshFormat format, format_of(input.body_bytes, request.file_name));
  ASSIGN_OR_RETURN(ParsedMesh parsed, parse_mesh_sandboxed(run, input.meshparse_path, input.body_bytes, format,
                                                           request.file_name, input.parse_limits));
  run.report("clean", 0.0);
  const Reconstructor reconstruct = [&input](const RunContext& context, const PointCloud& cloud,
                                             const ReconstructSettings& settings) {
    context.report("reconstruct", 0.0);
    auto surface = reconstruct_sandboxed(context, input.meshparse_path, cloud, settings, input.parse_limits);
    context.report("orient", 0.0);
    return surface;
  };
  auto body =
      make_body(run, {std::move(parsed.mesh), std::move(parsed.cloud), parsed.healed}, request.scan, reconstruct);
  if (!body.ok()) return prefix_field(body.status(), cat(request.file_name, ": "));
  std::vector<std::string>& healed = body->source.healed;  // reading comes first, and is told once
  std::erase_if(healed, [&](const std::string& text) {
    return std::find(parsed.healed.begin(), parsed.healed.end(), text) != parsed.healed.end();
  });
  healed.insert(healed.begin(), parsed.healed.begin(), parsed.healed.end());
  return body;
}

absl::Status measure_person(const RunContext& run, const BodyRequest& request, const PipelineInput& input,
                            StoredBody* stored) {
  if (request.figure) {
    ASSIGN_OR_RETURN(BodyFromMeasurements made, body_from_measurements(run, *request.figure));
    stored->body = std::move(made.body);
    stored->outcome = std::move(made.outcome);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(stored->body, request.sample ? sample_body(run) : scanned_body(run, request, input));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StoredBody> load_body(const RunContext& run, const BodyRequest& request, const PipelineInput& input) {
  run.report("parse", 0.0);
  if (!input.stored_body.empty()) return read_body_file(input.stored_body);
  StoredBody stored;
  RETURN_IF_ERROR(measure_person(run, request, input, &stored));
  stored.has_head_and_hands = request.keep_head_and_hands;
  // First cut, then bounded: the solids are spent on what is kept, and what is reported of them is true of it.
  if (!stored.has_head_and_hands) stored.body = without_head_and_hands(std::move(stored.body));
  for (const ProxyShape shape : {ProxyShape::kCircular, ProxyShape::kElliptic}) {
    run.report("fit", 0.5 * static_cast<double>(stored.proxies.size()));
    ASSIGN_OR_RETURN(ProxySet proxies, fit_proxies(run, stored.body, shape));
    stored.proxies.push_back(std::move(proxies));
  }
  return stored;
}

absl::StatusOr<FittedPerson> person_of(StoredBody stored, ProxyShape shape) {
  const ProxySet* proxies = stored.find(shape);
  if (proxies == nullptr) return internal_fault("the stored body lacks the bounding solids that are asked for");
  FittedPerson person;
  person.proxies = *proxies;
  person.solids = SolidSet(proxies->solids());
  person.body = std::move(stored.body);
  person.has_head_and_hands = stored.has_head_and_hands;
  person.outcome = std::move(stored.outcome);
  return person;
}

void put_on_skin(const RunContext& run, YieldingSkin skin, FittedPerson* person) {
  person->skin = std::move(skin);
  person->surface = std::make_shared<const ClosestPointIndex>(person->skin.mesh);
  person->sharp = sharp_points(run, person->skin.mesh);
}

absl::StatusOr<FittedPerson> person_to_dress(const RunContext& run, StoredBody stored, ProxyShape shape) {
  // For a layer of cloth on either part: both contact offsets and the gap of layers are 6 mm; on coarse levels
  // triangles are chords of limbs, and with 6.5 or 8 mm the legs of some trousers crossed between thighs.
  constexpr double kRoomBetweenParts = 0.010;
  ASSIGN_OR_RETURN(FittedPerson person, person_of(std::move(stored), shape));
  ASSIGN_OR_RETURN(YieldingSkin skin, give_way(run, person.body.mesh, kRoomBetweenParts));
  put_on_skin(run, std::move(skin), &person);
  person.solids = SolidSet(solids_that_yield(person.proxies, kRoomBetweenParts));
  return person;
}

namespace {

// Middles of the bounding solids of an arm, from the shoulder to the wrist.
std::vector<Vec3> arm_middles(const ProxySet& proxies, BodyPart part, const Vec3& shoulder, const Vec3& wrist) {
  std::vector<std::pair<double, Vec3>> along;
  const Vec3 way = wrist - shoulder;
  for (const Proxy& proxy : proxies.proxies) {
    const auto* bone = std::get_if<Frustum>(&proxy.solid);
    if (proxy.part != part || bone == nullptr) continue;
    for (const Vec3& end : {Vec3(bone->bottom), Vec3(bone->top)}) {
      const double share = (end - shoulder).dot(way) / std::max(way.squaredNorm(), 1e-12);
      if (share >= 0.0 && share <= 1.05) along.emplace_back(share, end);
    }
  }
  std::sort(along.begin(), along.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Vec3> middles;
  for (const auto& [share, middle] : along) middles.push_back(middle);
  return middles;
}

}  // namespace

DraftMeasurements draft_measurements(const Body& body) {
  DraftMeasurements m;
  const std::pair<const char*, double*> fields[] = {
      {"bust_girth", &m.bust_girth},      {"waist_girth", &m.waist_girth},
      {"hip_girth", &m.hip_girth},        {"shoulder_width", &m.shoulder_width},
      {"neck_girth", &m.neck_girth},      {"upper_arm_girth", &m.upper_arm_girth},
      {"neck_height", &m.neck_height},    {"shoulder_height", &m.shoulder_height},
      {"waist_height", &m.waist_height},  {"hip_height", &m.hip_height},
      {"crotch_height", &m.crotch_height}};
  for (const auto& [name, value] : fields) {
    const auto it = body.measurements_mm.find(name);
    if (it != body.measurements_mm.end()) *value = it->second;
  }
  m.arm_angle_deg = body.arm_angle_deg;
  return m;
}

absl::StatusOr<GarmentMesh> assemble_garment(const RunContext& run, const Pattern& pattern, const FittedPerson& person,
                                             double edge_m, ArrangeReport* report) {
  run.report("assemble", 0.0);
  ASSIGN_OR_RETURN(GarmentMesh garment, mesh_garment(run, pattern, edge_m));
  run.report("assemble", 0.5);
  RETURN_IF_ERROR(place_garment(run, pattern, person, &garment, report));
  run.report("assemble", 1.0);
  return garment;
}

absl::Status place_garment(const RunContext& run, const Pattern& pattern, const FittedPerson& person,
                           GarmentMesh* garment, ArrangeReport* report) {
  ArrangeTarget target;
  target.solids = &person.solids;
  target.height_m = person.body.height_m;
  target.shoulder_height_m = landmark_height(person.body, "left_shoulder", 0.82);
  target.waist_height_m = landmark_height(person.body, "waist", 0.62);
  const double h = person.body.height_m;
  target.left_shoulder = landmark_or(person.body, "left_shoulder", Vec3(0.10 * h, 0.82 * h, 0));
  target.right_shoulder = landmark_or(person.body, "right_shoulder", Vec3(-0.10 * h, 0.82 * h, 0));
  target.left_wrist = landmark_or(person.body, "left_wrist", target.left_shoulder + Vec3(0.2 * h, -0.2 * h, 0));
  target.right_wrist = landmark_or(person.body, "right_wrist", target.right_shoulder + Vec3(-0.2 * h, -0.2 * h, 0));
  target.left_arm = arm_middles(person.proxies, BodyPart::kLeftArm, target.left_shoulder, target.left_wrist);
  target.right_arm = arm_middles(person.proxies, BodyPart::kRightArm, target.right_shoulder, target.right_wrist);
  for (const Proxy& proxy : person.proxies.proxies) {
    if (proxy.part == BodyPart::kLeftArm || proxy.part == BodyPart::kRightArm) target.arms.push_back(proxy.solid);
  }
  ASSIGN_OR_RETURN(*report, arrange(run, target, pattern, garment));
  const ProxyAnatomy anatomy(person.body);
  garment->limb_ends = limb_ends(anatomy);
  if (person.surface) keep_inside(*person.surface, &garment->limb_ends);
  garment->upper_arms = upper_arms(anatomy);
  garment->head = head_middle(anatomy);
  garment->nose = nose(anatomy);
  const DraftMeasurements girths = draft_measurements(person.body);
  report->findings = waist_findings(pattern, girths.waist_girth, girths.hip_girth);
  return absl::OkStatus();
}

}  // namespace tryon
