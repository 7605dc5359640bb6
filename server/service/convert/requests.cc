#include "server/service/convert/requests.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/drape/grown_garment.h"
#include "server/fabric/fabric.h"
#include "server/garment/template.h"
#include "server/service/convert/names.h"
#include "server/sim/solvers/solver.h"

namespace tryon {
namespace {

constexpr size_t kMaxFileName = 255;
constexpr size_t kMaxName = 64;  // of a size or a template
constexpr int kMaxMeasurements = 100, kMaxParameters = 64;
constexpr const char* kDirections[] = {"+x", "-x", "+y", "-y", "+z", "-z"};
constexpr absl::Duration kLongestLimit = absl::Hours(24);

absl::Status check_digest(const std::string& digest, std::string_view field) {
  if (is_sha256_hex(digest)) return absl::OkStatus();
  return invalid_input("BLOB_NAME", field, cat(field, " is not 64 lower-case hex digits"),
                       "Give the SHA-256 of the uploaded file.");
}

absl::Status check_file_name(const std::string& name) {
  bool good = name.size() <= kMaxFileName;
  for (char c : name) good = good && static_cast<unsigned char>(c) >= 0x20 && c != '/' && c != '\\';
  if (good) return absl::OkStatus();
  return invalid_input("FILE_NAME", "source.file_name",
                       "the file name is too long or holds a path or control characters",
                       "Give the bare name, at most 255 bytes.");
}

ProxyShape shape_of(v1::ProxyShape shape) {
  return shape == v1::PROXY_SHAPE_CIRCULAR ? ProxyShape::kCircular : ProxyShape::kElliptic;
}

absl::Status check_enum(bool known, std::string_view field) {
  if (known) return absl::OkStatus();
  return invalid_input("ENUM_UNKNOWN", field, cat(field, " has a value that this version does not know"),
                       "Use a value of the proto file.");
}

absl::Status read_air(const v1::Wind& wind, sim::Wind* air) {
  RETURN_IF_ERROR(check_enum(v1::WindModel_IsValid(wind.model()), "wind.model"));
  if (wind.model() == v1::WIND_MODEL_TRIANGLE) air->model = sim::WindModel::kTriangle;
  air->gust_ratio = wind.gust_ratio();
  air->turbulence = wind.turbulence_ratio();
  if (wind.gust_period_seconds() != 0.0) air->gust_period = wind.gust_period_seconds();
  if (wind.turbulence_length_m() != 0.0) air->turbulence_length = wind.turbulence_length_m();
  if (wind.turbulence_seed() != 0) air->seed = wind.turbulence_seed();
  return absl::OkStatus();
}

// The domain's words for a field and the proto's: the caller hears of the field that was sent.
absl::Status with_proto_field(const absl::Status& status) {
  static constexpr std::pair<std::string_view, std::string_view> kFields[] = {{"settings.threads", "thread_count"},
                                                                              {"settings.", ""},
                                                                              {"scan.", "source."},
                                                                              {"garment.", "source."},
                                                                              {"figure.", "source.measurements."}};
  auto detail = error_detail(status);
  if (!detail) return status;
  for (const auto& [ours, theirs] : kFields) {
    if (detail->field.rfind(ours, 0) != 0) continue;
    return make_error(status.code(), detail->reason, cat(theirs, detail->field.substr(ours.size())),
                      std::string(status.message()), detail->remedy);
  }
  return status;
}

FigureType figure_type_of(v1::Figure figure) {
  return figure == v1::FIGURE_MALE     ? FigureType::kMale
         : figure == v1::FIGURE_FEMALE ? FigureType::kFemale
                                       : FigureType::kNeutral;
}

absl::StatusOr<BodyTable> figure_of(const v1::MeasurementTable& table) {
  BodyTable out;
  RETURN_IF_ERROR(check_enum(v1::Figure_IsValid(table.figure()), "source.measurements.figure"));
  if (table.measurements_mm_size() > kMaxMeasurements) {
    return invalid_input("SETTING_OUT_OF_RANGE", "source.measurements.measurements_mm",
                         cat(table.measurements_mm_size(), " measurements are more than ", kMaxMeasurements),
                         "Use the names of ListMeasurementItems.");
  }
  out.figure = figure_type_of(table.figure());
  out.height_mm = table.height_mm();
  out.measurements_mm.insert(table.measurements_mm().begin(), table.measurements_mm().end());
  if (table.has_arm_angle_deg()) out.arm_angle_deg = table.arm_angle_deg();
  return out;
}

absl::Status check_length(const std::string& name, std::string_view field) {
  if (name.size() <= kMaxName) return absl::OkStatus();
  return invalid_input("SETTING_OUT_OF_RANGE", field, cat(field, " has ", name.size(), " bytes, more than ", kMaxName),
                       "Use a name that the file or ListTemplates has.");
}

absl::StatusOr<std::string> sample_of(const std::string& name) {
  auto known = template_of_sample(name);
  if (known.ok()) return known;
  return invalid_input("SAMPLE_UNKNOWN", "source.sample", "there is no such sample garment",
                       "The samples are: skirt, trousers, tshirt.");
}

absl::Status check_template(const std::string& name) {
  std::string list = kOffsetGarment;
  if (name == kOffsetGarment) return absl::OkStatus();
  for (const TemplateInfo& known : list_templates()) {
    if (known.name == name) return absl::OkStatus();
    list += cat(", ", known.name);
  }
  return invalid_input("TEMPLATE_UNKNOWN", "source.template", "there is no such template",
                       cat("The templates are: ", list, "."));
}

absl::StatusOr<TemplateRequest> template_of(const v1::TemplateSource& source) {
  TemplateRequest out;
  RETURN_IF_ERROR(check_enum(v1::Figure_IsValid(source.figure()), "source.template.figure"));
  RETURN_IF_ERROR(check_length(source.size(), "source.template.size"));
  if (source.parameters_size() > kMaxParameters) {
    return invalid_input("SETTING_OUT_OF_RANGE", "source.template.parameters",
                         cat(source.parameters_size(), " parameters are more than ", kMaxParameters),
                         "Use the names of ListTemplates.");
  }
  out.name = source.template_();
  out.size = source.size();
  if (source.fit_case() == v1::TemplateSource::kBody) {
    ASSIGN_OR_RETURN(out.body, parse_name(source.body(), "bodies", "source.template.body"));
  }
  out.figure = figure_type_of(source.figure());
  out.parameters.insert(source.parameters().begin(), source.parameters().end());
  return out;
}

// `fabrics/denim_11oz` is the library's denim_11oz: one fabric, one request.
std::string fabric_order(const std::string& fabric) {
  const std::string_view word = fabric_word(fabric);
  return word.empty() || !own_fabric_id(fabric).empty() ? fabric : std::string(word);
}

absl::Status read_exports(const v1::CreateDrapeRequest& request, DrapeSettings* out) {
  std::set<Export> wanted;
  for (const int what : request.exports()) {
    RETURN_IF_ERROR(check_enum(v1::Export_IsValid(what) && what != v1::EXPORT_UNSPECIFIED, "exports"));
    wanted.insert(static_cast<Export>(what - v1::EXPORT_WEB));
  }
  out->exports.assign(wanted.begin(), wanted.end());
  out->draco = request.draco();
  RETURN_IF_ERROR(check_enum(v1::Pictures_IsValid(request.pictures()), "pictures"));
  out->pictures = static_cast<Pictures>(request.pictures());
  return absl::OkStatus();
}

absl::Status read_source(const v1::BodySource& source, BodyRequest* out) {
  if (source.source_case() == v1::BodySource::kMeshSha256) {
    out->blob = source.mesh_sha256();
    return check_digest(source.mesh_sha256(), "source.mesh_sha256");
  }
  if (source.source_case() == v1::BodySource::kMeasurements) {
    ASSIGN_OR_RETURN(out->figure, figure_of(source.measurements()));
    return absl::OkStatus();
  }
  out->sample = source.source_case() == v1::BodySource::kSample && source.sample();
  if (out->sample) return absl::OkStatus();
  return invalid_input("BODY_SOURCE_MISSING", "source", "the request names no scan, no measurements and not the sample",
                       "Set source.mesh_sha256, source.measurements or source.sample.");
}

}  // namespace

absl::StatusOr<BodyRequest> to_domain(const v1::CreateBodyRequest& request) {
  const v1::BodySource& source = request.source();
  BodyRequest out;
  RETURN_IF_ERROR(check_file_name(source.file_name()));
  RETURN_IF_ERROR(check_enum(v1::ProxyShape_IsValid(request.proxy_shape()), "proxy_shape"));
  RETURN_IF_ERROR(check_enum(v1::Axis_IsValid(source.up_axis()), "source.up_axis"));
  RETURN_IF_ERROR(check_enum(v1::Direction_IsValid(source.facing()), "source.facing"));
  RETURN_IF_ERROR(check_enum(v1::Pose_IsValid(source.pose()), "source.pose"));
  out.proxy_shape = shape_of(request.proxy_shape());
  out.keep_head_and_hands = request.keep_head_and_hands();
  out.file_name = source.file_name();
  RETURN_IF_ERROR(read_source(source, &out));
  out.keep_scan = request.keep_scan() && !out.blob.empty();
  if (source.has_metres_per_unit()) out.scan.metres_per_unit = source.metres_per_unit();
  if (source.up_axis() != v1::AXIS_UNSPECIFIED) out.scan.up_axis = static_cast<UpAxis>(source.up_axis() - v1::AXIS_X);
  if (source.facing() != v1::DIRECTION_UNSPECIFIED) {
    out.scan.facing = kDirections[static_cast<size_t>(source.facing() - v1::DIRECTION_PLUS_X)];
  }
  if (source.pose() != v1::POSE_UNSPECIFIED) out.scan.pose = static_cast<Pose>(source.pose() - v1::POSE_A);
  RETURN_IF_ERROR(with_proto_field(validate(out)));
  return out;
}

absl::StatusOr<GarmentRequest> to_domain(const v1::CreateGarmentRequest& request) {
  const v1::GarmentSource& source = request.source();
  GarmentRequest out;
  RETURN_IF_ERROR(check_file_name(source.file_name()));
  out.file_name = source.file_name();
  if (source.source_case() == v1::GarmentSource::kPatternSha256) {
    RETURN_IF_ERROR(check_digest(source.pattern_sha256(), "source.pattern_sha256"));
    out.blob = source.pattern_sha256();
  } else if (source.source_case() == v1::GarmentSource::kSample && !source.sample().empty()) {
    ASSIGN_OR_RETURN(out.draft.emplace().name, sample_of(source.sample()));
  } else if (source.source_case() == v1::GarmentSource::kTemplate && !source.template_().template_().empty()) {
    ASSIGN_OR_RETURN(out.draft, template_of(source.template_()));
  } else {
    return invalid_input("GARMENT_SOURCE_MISSING", "source", "the request names neither a pattern nor a template",
                         "Set source.pattern_sha256, source.template or source.sample.");
  }
  if (!source.seams_sha256().empty()) RETURN_IF_ERROR(check_digest(source.seams_sha256(), "source.seams_sha256"));
  out.seams_blob = source.seams_sha256();
  if (!source.grading_sha256().empty()) {
    RETURN_IF_ERROR(check_digest(source.grading_sha256(), "source.grading_sha256"));
  }
  out.grading_blob = source.grading_sha256();
  RETURN_IF_ERROR(check_length(source.size(), "source.size"));
  out.size = source.size();
  if (source.has_metres_per_unit()) out.metres_per_unit = source.metres_per_unit();
  out.check_only = request.validate_only();
  RETURN_IF_ERROR(with_proto_field(validate(out)));
  if (out.draft) RETURN_IF_ERROR(check_template(out.draft->name));
  return out;
}

absl::StatusOr<LayerContact> layers_of(const v1::CreateDrapeRequest& request) {
  if (request.self_contact() && request.layer_contact() == v1::LAYER_CONTACT_NEVER)
    return invalid_input("SETTINGS_CONFLICT", "self_contact", "self_contact asks for what layer_contact NEVER forbids",
                         "Leave self_contact out.");
  if (request.self_contact() || request.layer_contact() == v1::LAYER_CONTACT_ALWAYS) return LayerContact::kAlways;
  return request.layer_contact() == v1::LAYER_CONTACT_NEVER ? LayerContact::kNever : LayerContact::kWhereNeeded;
}

absl::StatusOr<FabricRequest> to_domain(const v1::CreateFabricRequest& request) {
  const v1::FabricSource& source = request.source();
  FabricRequest out;
  RETURN_IF_ERROR(check_file_name(source.file_name()));
  out.file_name = source.file_name();
  out.check_only = request.validate_only();
  if (source.source_case() == v1::FabricSource::kFileSha256) {
    out.blob = source.file_sha256();
    RETURN_IF_ERROR(check_digest(source.file_sha256(), "source.file_sha256"));
    return out;
  }
  out.document = source.document();
  if (out.document.empty()) {
    return invalid_input("FABRIC_SOURCE_MISSING", "source", "the request has neither a file nor a document",
                         "Set source.file_sha256 or source.document.");
  }
  if (out.document.size() <= kMaxFabricDocument) return out;
  return invalid_input("FABRIC_FILE_TOO_LARGE", "source.document",
                       cat("the document has ", out.document.size() >> 10, " KiB, more than 64"),
                       "Upload it as a file, or leave out what is not in tryon.fabric.v1.");
}

absl::Duration duration_of(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

absl::StatusOr<Motion> motion_of(const v1::Motion& motion) {
  Motion out;
  if (motion.has_duration()) out.seconds = absl::ToDoubleSeconds(duration_of(motion.duration()));
  if (motion.frames_per_second() != 0.0) out.frames_per_second = motion.frames_per_second();
  if (motion.has_wind_duration()) {
    out.wind_seconds = absl::ToDoubleSeconds(duration_of(motion.wind_duration()));
    if (!(out.wind_seconds > 0.0)) {
      return invalid_input("SETTING_OUT_OF_RANGE", "motion.wind_duration", "the wind blows for no time at all",
                           "Leave out wind_mps for still air, or wind_duration for wind to the end.");
    }
  }
  out.from_sewn = motion.from_sewn();
  return out;
}

absl::StatusOr<double> preview_interval_of(const v1::CreateDrapeRequest& request) {
  if (!request.has_preview_interval()) return 0.0;
  const double seconds = absl::ToDoubleSeconds(duration_of(request.preview_interval()));
  if (seconds >= 0.1 && seconds <= 3600.0) return seconds;
  return invalid_input("SETTING_OUT_OF_RANGE", "preview_interval",
                       cat("preview_interval is ", seconds, " s, outside 0.1 .. 3600"),
                       "Give a duration in that range, or none.");
}

absl::StatusOr<DrapeSettings> to_domain(const v1::CreateDrapeRequest& request) {
  DrapeSettings out;
  if (!request.fabric().empty()) out.fabric = fabric_order(request.fabric());
  if (!request.solver().empty()) out.solver = request.solver();
  if (request.resolution_mm() != 0.0) out.resolution_mm = request.resolution_mm();
  if (request.thread_count() != 0) out.threads = request.thread_count();
  RETURN_IF_ERROR(check_enum(v1::ContactSurface_IsValid(request.contact()), "contact"));
  RETURN_IF_ERROR(check_enum(v1::ProxyShape_IsValid(request.proxy_shape()), "proxy_shape"));
  out.contact_scan = request.contact() != v1::CONTACT_SURFACE_PROXIES;
  RETURN_IF_ERROR(check_enum(v1::LayerContact_IsValid(request.layer_contact()), "layer_contact"));
  ASSIGN_OR_RETURN(out.layer_contact, layers_of(request));
  out.proxy_shape = shape_of(request.proxy_shape());
  out.wind_mps = Vec3(request.wind_mps().x(), request.wind_mps().y(), request.wind_mps().z());
  RETURN_IF_ERROR(read_air(request.wind(), &out.air));
  if (request.has_motion()) {
    ASSIGN_OR_RETURN(out.motion, motion_of(request.motion()));
  }
  ASSIGN_OR_RETURN(out.preview_seconds, preview_interval_of(request));
  RETURN_IF_ERROR(check_enum(v1::Membrane_IsValid(request.membrane()), "membrane"));
  RETURN_IF_ERROR(check_enum(v1::Bending_IsValid(request.bending()), "bending"));
  if (request.membrane() != v1::MEMBRANE_UNSPECIFIED)
    out.membrane = static_cast<MembraneModel>(request.membrane() - v1::MEMBRANE_THREADS);
  out.bending = static_cast<BendingModel>(request.bending());
  RETURN_IF_ERROR(check_enum(v1::TargetGrade_IsValid(request.target_grade()), "target_grade"));
  out.target_grade = static_cast<TargetGrade>(request.target_grade());
  RETURN_IF_ERROR(read_exports(request, &out));
  RETURN_IF_ERROR(with_proto_field(validate(out)));
  if (!request.over().empty()) RETURN_IF_ERROR(with_proto_field(validate_over(out)));
  if (!request.starts_from().empty()) {
    RETURN_IF_ERROR(with_proto_field(validate_start(out, !request.over().empty())));
  }
  if (own_fabric_id(out.fabric).empty()) RETURN_IF_ERROR(with_proto_field(fabric_by_name(out.fabric).status()));
  RETURN_IF_ERROR(sim::check_solver(out.solver));
  return out;
}

absl::StatusOr<absl::Duration> time_limit_of(const v1::CreateDrapeRequest& request) {
  const absl::Duration limit = duration_of(request.time_limit());
  if (limit == absl::ZeroDuration() || (limit >= absl::Milliseconds(1) && limit <= kLongestLimit)) return limit;
  return invalid_input("SETTING_OUT_OF_RANGE", "time_limit",
                       cat("time_limit is ", absl::ToDoubleSeconds(limit), " s, outside 0.001 .. 86400"),
                       "Give a duration in that range, or none.");
}

}  // namespace tryon
