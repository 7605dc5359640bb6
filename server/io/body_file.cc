#include "server/io/body_file.h"

#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/fields.h"

namespace tryon {
namespace {

constexpr std::string_view kMagic = "TRYONBDY";
constexpr uint32_t kVersion = 2;     // 1 did not tell whether the pose was declared
constexpr double kFarthest = 100.0;  // metres: nothing of a person lies farther out

absl::Status unreadable(std::string_view why) {
  return invalid_input("BODY_FILE_UNREADABLE", "body.tryon", cat("the stored body cannot be read: ", why),
                       "Create the body again from its scan or its measurements.");
}

template <typename Archive>
void fields(Archive& a, ScanSource& s) {
  a.text(s.unit), a.text(s.up_axis), a.text(s.facing);
  a.number(s.scale_m);
  vector_of_numbers(a, s.shift_m);
  flag(a, s.declared_unit), flag(a, s.declared_up), flag(a, s.declared_facing);
  if (a.version >= 2) flag(a, s.declared_pose);
  a.number(s.point_count);
  a.number(s.filled_ratio);
  texts(a, s.healed), texts(a, s.completed);
}

template <typename Archive>
void fields(Archive& a, MeasureCurve& curve) {
  points(a, curve.points);
  flag(a, curve.closed);
  a.number(curve.height_m);
}

template <typename Archive>
void fields(Archive& a, Body& body) {
  fields(a, body.mesh);
  list(a, body.part, 1, [&](BodyPart& part) { a.choice(part, kBodyPartCount); });
  list(a, body.segment, 1, [&](BodySegment& segment) { a.choice(segment, kBodySegmentCount); });
  a.choice(body.pose, 3);
  fields(a, body.source);
  a.number(body.height_m), a.number(body.arm_angle_deg);
  named(a, body.measurements_mm, [&](double& mm) { a.number(mm); });
  named(a, body.curves, [&](MeasureCurve& curve) { fields(a, curve); });
  named(a, body.landmarks, [&](Vec3& p) { vector_of_numbers(a, p); });
}

template <typename Archive>
void fields(Archive& a, Sphere& s) {
  vector_of_numbers(a, s.center);
  a.number(s.radius);
}

template <typename Archive>
void fields(Archive& a, Frustum& f) {
  for (Vec3* v : {&f.bottom, &f.top, &f.axis, &f.u, &f.v}) vector_of_numbers(a, *v);
  for (Vec2* r : {&f.bottom_radii, &f.top_radii}) vector_of_numbers(a, *r);
  flag(a, f.open_bottom), flag(a, f.open_top);
}

template <typename Archive>
void fields(Archive& a, Proxy& proxy) {
  a.choice(proxy.kind, 3);
  a.choice(proxy.part, kBodyPartCount);
  bool is_sphere = std::holds_alternative<Sphere>(proxy.solid);
  flag(a, is_sphere);
  if constexpr (std::is_same_v<Archive, FieldReader>) {
    if (!is_sphere) proxy.solid = Frustum{};
  }
  std::visit([&](auto& solid) { fields(a, solid); }, proxy.solid);
  a.number(proxy.girth_error_ratio), a.number(proxy.mean_gap_mm), a.number(proxy.max_gap_mm);
}

template <typename Archive>
void fields(Archive& a, GirthErrors& errors) {
  a.number(errors.cuts);
  a.number(errors.median), a.number(errors.p95), a.number(errors.largest);
}

template <typename Archive>
void fields(Archive& a, ProxySet& set) {
  a.choice(set.shape, 2);
  list(a, set.proxies, 35, [&](Proxy& proxy) { fields(a, proxy); });
  fields(a, set.torso_girth), fields(a, set.limb_girth);
  a.number(set.girth_error_p95), a.number(set.mean_gap_mm), a.number(set.max_gap_mm), a.number(set.largest_step_mm);
  a.number(set.uncovered_vertices);
}

template <typename Archive>
void fields(Archive& a, MeasurementOutcome& item) {
  a.number(item.wanted_mm), a.number(item.achieved_mm), a.number(item.deviation_mm);
  flag(a, item.predicted);
}

template <typename Archive>
void fields(Archive& a, StoredBody& stored) {
  fields(a, stored.body);
  list(a, stored.proxies, 50, [&](ProxySet& set) { fields(a, set); });
  flag(a, stored.has_head_and_hands);
  named(a, stored.outcome, [&](MeasurementOutcome& item) { fields(a, item); });
}

bool is_near(const Vec3& p) { return p.cwiseAbs().maxCoeff() <= kFarthest; }

bool is_sound(const Sphere& s) { return is_near(s.center) && s.radius >= 0.0 && s.radius <= kFarthest; }

bool is_sound(const Frustum& f) {
  const auto is_unit = [](const Vec3& v) { return std::abs(v.norm() - 1.0) < 1e-6; };
  const auto is_size = [](const Vec2& r) { return r.minCoeff() >= 0.0 && r.maxCoeff() <= kFarthest; };
  return is_near(f.bottom) && is_near(f.top) && is_unit(f.axis) && is_unit(f.u) && is_unit(f.v) &&
         is_size(f.bottom_radii) && is_size(f.top_radii);
}

// What the file's checksum cannot promise when somebody else has written it.
absl::Status check(const StoredBody& stored) {
  const Body& body = stored.body;
  const absl::Status mesh = validate(body.mesh, "body");
  if (!mesh.ok()) return unreadable(std::string(mesh.message()));
  if (body.mesh.triangles.empty()) return unreadable("it has no surface");
  const size_t count = body.mesh.positions.size();
  if (body.part.size() != count || (!body.segment.empty() && body.segment.size() != count)) {
    return unreadable("its parts are not one a vertex");
  }
  for (const Vec3& p : body.mesh.positions) {
    if (!is_near(p)) return unreadable("a vertex is not near the floor's middle");
  }
  for (const ProxySet& set : stored.proxies) {
    for (const Proxy& proxy : set.proxies) {
      const bool sound = std::visit([](const auto& solid) { return is_sound(solid); }, proxy.solid);
      if (!sound) return unreadable("a bounding solid has impossible sizes");
    }
  }
  return absl::OkStatus();
}

}  // namespace

const ProxySet* StoredBody::find(ProxyShape shape) const {
  for (const ProxySet& set : proxies) {
    if (set.shape == shape) return &set;
  }
  return nullptr;
}

std::string write_body_file(const StoredBody& stored) {
  return write_fields(kMagic, kVersion, [&](FieldWriter& a) {
    fields(a, const_cast<StoredBody&>(stored));  // a writer only reads; one list of fields for both ways
  });
}

absl::StatusOr<StoredBody> read_body_file(std::string_view bytes) {
  StoredBody stored;
  const std::string why = read_fields(kMagic, kVersion, bytes, [&](FieldReader& a) { fields(a, stored); });
  if (!why.empty()) return unreadable(why);
  RETURN_IF_ERROR(check(stored));
  return stored;
}

}  // namespace tryon
