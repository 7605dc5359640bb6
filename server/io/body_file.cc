#include "server/io/body_file.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "server/base/hash.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "TRYONBDY";
constexpr uint32_t kVersion = 2;  // 1 did not tell whether the pose was declared
constexpr size_t kHeader = 8 + 4 + 8, kDigest = 64;
constexpr double kFarthest = 100.0;  // metres: nothing of a person lies farther out

absl::Status unreadable(std::string_view why) {
  return invalid_input("BODY_FILE_UNREADABLE", "body.tryon", cat("the stored body cannot be read: ", why),
                       "Create the body again from its scan or its measurements.");
}

// One list of fields serves writing and reading: `Archive` is Writer or Reader.
class Writer {
 public:
  static constexpr uint32_t version = kVersion;
  template <typename T>
  void number(const T& value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <typename E>
  void choice(const E& value, int) {
    number(static_cast<uint8_t>(value));
  }
  void text(const std::string& value) {
    size(value.size(), 1);
    bytes_.append(value);
  }
  uint64_t size(size_t count, size_t) {
    number(static_cast<uint64_t>(count));
    return count;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes, uint32_t of_version = kVersion) : version(of_version), bytes_(bytes) {}
  const uint32_t version;
  template <typename T>
  void number(T& value) {
    if (!has(sizeof(T))) return;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) fail("a number is not finite");
    }
  }
  template <typename E>
  void choice(E& value, int count) {
    uint8_t code = 0;
    number(code);
    if (code >= count) return fail("a name is unknown");
    value = static_cast<E>(code);
  }
  void text(std::string& value) {
    const uint64_t length = size(0, 1);
    if (!has(length)) return;
    value.assign(bytes_.substr(0, length));
    bytes_.remove_prefix(length);
  }
  // A count of elements of at least `least_bytes` each, so that a hostile one cannot ask for memory.
  uint64_t size(size_t, size_t least_bytes) {
    uint64_t count = 0;
    number(count);
    if (count > bytes_.size() / least_bytes) fail("a count is larger than the file"), count = 0;
    return count;
  }
  absl::Status finish() {
    if (error_.empty() && !bytes_.empty()) fail("there is more than a body in it");
    return error_.empty() ? absl::OkStatus() : unreadable(error_);
  }

 private:
  bool has(uint64_t count) {
    if (bytes_.size() < count) fail("it ends too early");
    return error_.empty();
  }
  void fail(std::string_view why) {
    if (error_.empty()) error_ = why;
    bytes_ = {};
  }
  std::string_view bytes_;
  std::string error_;
};

template <typename Archive>
void flag(Archive& a, std::conditional_t<std::is_same_v<Archive, Reader>, bool&, const bool&> value) {
  a.choice(value, 2);
}

template <typename Archive, typename Vector>
void vector_of_numbers(Archive& a, Vector& v) {
  for (int k = 0; k < v.size(); ++k) a.number(v[k]);
}

template <typename Archive, typename List, typename Each>
void list(Archive& a, List& values, size_t least_bytes, Each each) {
  const uint64_t count = a.size(values.size(), least_bytes);
  if constexpr (std::is_same_v<Archive, Reader>) values.resize(count);
  for (auto& value : values) each(value);
}

template <typename Archive, typename Value, typename Each>
void named(Archive& a, std::map<std::string, Value>& values, Each each) {
  const uint64_t count = a.size(values.size(), 8);
  if constexpr (std::is_same_v<Archive, Reader>) {
    for (uint64_t i = 0; i < count; ++i) {
      std::string name;
      a.text(name);
      each(values[name]);
    }
  } else {
    for (auto& [name, value] : values) {
      a.text(name);
      each(value);
    }
  }
}

template <typename Archive>
void texts(Archive& a, std::vector<std::string>& values) {
  list(a, values, 8, [&](std::string& text) { a.text(text); });
}

template <typename Archive>
void points(Archive& a, std::vector<Vec3>& values) {
  list(a, values, 24, [&](Vec3& p) { vector_of_numbers(a, p); });
}

template <typename Archive>
void fields(Archive& a, TriangleMesh& mesh) {
  points(a, mesh.positions);
  list(a, mesh.triangles, 12, [&](Triangle& t) { vector_of_numbers(a, t); });
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
  if constexpr (std::is_same_v<Archive, Reader>) {
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
  Writer payload;
  fields(payload, const_cast<StoredBody&>(stored));  // a Writer only reads; one list of fields for both ways
  const std::string body = payload.take();
  Writer header;
  header.number(kVersion);
  header.number(static_cast<uint64_t>(body.size()));
  std::string out = cat(kMagic, header.take(), body);
  return out + sha256_hex(out);
}

absl::StatusOr<StoredBody> read_body_file(std::string_view bytes) {
  if (bytes.size() < kHeader + kDigest || bytes.substr(0, kMagic.size()) != kMagic)
    return unreadable("it is no such file");
  Reader header(bytes.substr(kMagic.size(), kHeader - kMagic.size()));
  uint32_t version = 0;
  uint64_t size = 0;
  header.number(version), header.number(size);
  if (version < 1 || version > kVersion) {
    return unreadable(cat("its version is ", version, ", this program knows 1 to ", kVersion));
  }
  if (size != bytes.size() - kHeader - kDigest) return unreadable("its length is not what it says");
  if (sha256_hex(bytes.substr(0, bytes.size() - kDigest)) != bytes.substr(bytes.size() - kDigest)) {
    return unreadable("its checksum is wrong");
  }
  StoredBody stored;
  Reader payload(bytes.substr(kHeader, size), version);
  fields(payload, stored);
  RETURN_IF_ERROR(payload.finish());
  RETURN_IF_ERROR(check(stored));
  return stored;
}

}  // namespace tryon
