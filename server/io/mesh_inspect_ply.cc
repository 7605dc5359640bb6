// What a PLY file is checked for: a sane header, as many bytes or words as it declares, finite x, y, z, faces in range.
#include <algorithm>
#include <array>
#include <cstring>

#include "server/io/cloud_points.h"
#include "server/io/mesh_ply_header.h"

namespace tryon::mesh_inspect {
namespace {

// Reads the numbers of the body one after another, whichever way they are written.
class ValueReader {
 public:
  ValueReader(const MeshSource& source, const PlyHeader& header)
      : source_(source), encoding_(header.encoding), rest_(source.bytes.substr(header.body)) {}

  absl::StatusOr<double> next(PlyScalar type, const std::string& element, int64_t entry) {
    return encoding_ == PlyEncoding::kText ? next_text(type, element, entry) : next_binary(type, element, entry);
  }
  // What is left when all is read: white space in text, nothing in binary.
  bool at_end() {
    if (encoding_ != PlyEncoding::kText) return rest_.empty();
    skip_space();
    return rest_.empty();
  }
  size_t left() const { return rest_.size(); }

 private:
  void skip_space() {
    while (!rest_.empty() && (is_blank(rest_[0]) || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  absl::StatusOr<double> next_text(PlyScalar type, const std::string& element, int64_t entry) {
    skip_space();
    if (rest_.empty()) return end_of_file(element, entry);
    const size_t end = std::min(rest_.find_first_of(" \t\r\n\v\f"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    const auto value = parse_number(word);
    if (!value || (!is_float(type) && *value != std::floor(*value))) {
      const std::string where = cat(element, " ", entry);
      return source_.contradictory(where, cat(where, " has '", shown(word), "' where a number belongs"));
    }
    return *value;
  }
  absl::StatusOr<double> next_binary(PlyScalar type, const std::string& element, int64_t entry) {
    const size_t size = static_cast<size_t>(size_of(type));
    if (rest_.size() < size) return end_of_file(element, entry);
    unsigned char raw[8] = {};
    std::memcpy(raw, rest_.data(), size);
    rest_.remove_prefix(size);
    if (encoding_ == PlyEncoding::kBig) std::reverse(raw, raw + size);
    return decode(type, raw);
  }
  static double decode(PlyScalar type, const unsigned char* raw) {
    auto as = [raw](auto value) {
      std::memcpy(&value, raw, sizeof(value));
      return static_cast<double>(value);
    };
    switch (type) {
      case PlyScalar::kInt8:
        return as(int8_t{});
      case PlyScalar::kUint8:
        return as(uint8_t{});
      case PlyScalar::kInt16:
        return as(int16_t{});
      case PlyScalar::kUint16:
        return as(uint16_t{});
      case PlyScalar::kInt32:
        return as(int32_t{});
      case PlyScalar::kUint32:
        return as(uint32_t{});
      case PlyScalar::kFloat32:
        return as(float{});
      case PlyScalar::kFloat64:
        return as(double{});
    }
    return 0.0;
  }
  absl::Status end_of_file(const std::string& element, int64_t entry) const {
    const std::string where = cat(element, " ", entry);
    return source_.truncated(where, cat("it ends inside ", where));
  }

  const MeshSource& source_;
  PlyEncoding encoding_;
  std::string_view rest_;
};

bool is_face_list(const PlyProperty& p) {
  return p.list_count.has_value() && (p.name == "vertex_indices" || p.name == "vertex_index");
}

// The header alone can be absurd: missing parts, or counts that the bytes behind it could never hold.
absl::Status check_header(const MeshSource& source, const PlyHeader& header) {
  const PlyElement *vertex = nullptr, *face = nullptr;
  const int64_t body_bytes = static_cast<int64_t>(source.bytes.size() - header.body);
  for (const PlyElement& e : header.elements) {
    if (e.name == "vertex") vertex = &e;
    if (e.name == "face") face = &e;
    if (e.name == "tristrips") {
      return source.unsupported("element tristrips", "triangle strips are not read", "Export plain triangles.");
    }
    if (e.count > 0 && e.properties.empty()) {
      return source.contradictory(cat("element ", shown(e.name)), cat("element ", shown(e.name), " has no properties"));
    }
  }
  if (vertex == nullptr || vertex->count == 0) return source.empty("declares no vertices");
  for (std::string_view axis : {"x", "y", "z"}) {
    const auto found = std::find_if(vertex->properties.begin(), vertex->properties.end(),
                                    [&](const PlyProperty& p) { return p.name == axis && !p.list_count; });
    if (found == vertex->properties.end()) {
      return source.contradictory("element vertex", cat("its vertices have no coordinate ", axis));
    }
  }
  const bool cloud = face == nullptr || face->count == 0;
  if (!cloud && face < vertex)
    return source.unsupported("element face", "faces come before vertices", "Export vertices first.");
  RETURN_IF_ERROR(source.check_counts(vertex->count, cloud ? 0 : face->count));
  if (!cloud && std::none_of(face->properties.begin(), face->properties.end(), is_face_list)) {
    return source.contradictory("element face", "its faces have no list vertex_indices");
  }
  for (const PlyElement& e : header.elements) {
    if (e.count > 0 && e.count > body_bytes / e.smallest_bytes(header.encoding == PlyEncoding::kText) + 1) {
      return source.truncated(
          cat("element ", shown(e.name)),
          cat("it declares ", e.count, " of element ", shown(e.name), " but has only ", body_bytes, " bytes for them"));
    }
  }
  return absl::OkStatus();
}

absl::Status check_list(const MeshSource& source, const PlyElement& e, const PlyProperty& p, int64_t entry,
                        int64_t vertex_count, ValueReader* values, UsedSet* used, int64_t* triangles) {
  ASSIGN_OR_RETURN(const double declared, values->next(*p.list_count, e.name, entry));
  const std::string where = cat(shown(e.name), " ", entry);
  if (declared < 0) return source.contradictory(where, cat(where, " declares a list of ", declared, " numbers"));
  if (declared > static_cast<double>(values->left())) {
    return source.truncated(where,
                            cat(where, " declares a list of ", declared, " numbers, more than the file still has"));
  }
  const int64_t length = static_cast<int64_t>(declared);
  const bool face = e.name == "face" && is_face_list(p);
  if (face && length < 3) return source.contradictory(where, cat(where, " has ", length, " corners"));
  for (int64_t k = 0; k < length; ++k) {
    ASSIGN_OR_RETURN(const double value, values->next(p.type, e.name, entry));
    if (!face) continue;
    if (!(value >= 0 && value < static_cast<double>(vertex_count)) || value != std::floor(value)) {
      return source.index_out_of_range(where, usable(value) ? static_cast<int64_t>(value) : -1, vertex_count);
    }
    used->mark(static_cast<int64_t>(value));
  }
  if (face) *triangles += length - 2;
  return absl::OkStatus();
}

absl::Status check_end(const MeshSource& source, ValueReader* values) {
  if (values->at_end()) return absl::OkStatus();
  return source.contradictory("end of file", cat(values->left(), " bytes follow after all that its header declares"));
}

// Reads a file whose vertices are all there is to it.
class PlyCloudReader {
 public:
  PlyCloudReader(const MeshSource& source, const PlyHeader& header)
      : source_(source), header_(header), values_(source, header), vertex_(*header.find("vertex")) {
    constexpr std::string_view kNames[] = {"x", "y", "z", "nx", "ny", "nz"};
    slot_.assign(vertex_.properties.size(), -1);
    for (int k = 0; k < 6; ++k) {
      const int index = vertex_.scalar_index(kNames[k]);
      if (index >= 0) slot_[static_cast<size_t>(index)] = k;
      if (k >= 3) normals_ = normals_ && index >= 0;
    }
  }

  absl::StatusOr<MeshFacts> read(ParsedMesh* keep) {
    CloudBuilder points(normals_);
    points.reserve(vertex_.count);
    for (const PlyElement& e : header_.elements) {
      for (int64_t entry = 0; entry < e.count; ++entry) {
        std::array<double, 6> value = {};
        RETURN_IF_ERROR(read_entry(e, entry, &value));
        if (&e != &vertex_) continue;
        RETURN_IF_ERROR(points.add(source_, {value[0], value[1], value[2]}, {value[3], value[4], value[5]}));
      }
    }
    RETURN_IF_ERROR(check_end(source_, &values_));
    ParsedMesh out;
    RETURN_IF_ERROR(points.finish(source_, &out));
    MeshFacts facts;
    facts.vertices = vertex_.count;
    facts.points = out.cloud.point_count();
    if (keep != nullptr) *keep = std::move(out);
    return facts;
  }

 private:
  absl::Status read_entry(const PlyElement& e, int64_t entry, std::array<double, 6>* value) {
    for (size_t i = 0; i < e.properties.size(); ++i) {
      const PlyProperty& p = e.properties[i];
      if (p.list_count) {
        int64_t triangles = 0;
        RETURN_IF_ERROR(check_list(source_, e, p, entry, 0, &values_, nullptr, &triangles));
        continue;
      }
      ASSIGN_OR_RETURN(const double number, values_.next(p.type, e.name, entry));
      if (&e == &vertex_ && slot_[i] >= 0) (*value)[static_cast<size_t>(slot_[i])] = number;
    }
    return absl::OkStatus();
  }

  const MeshSource& source_;
  const PlyHeader& header_;
  ValueReader values_;
  const PlyElement& vertex_;
  std::vector<int> slot_;  // [property_count] 0..5: x, y, z, nx, ny, nz; -1: not wanted
  bool normals_ = true;
};

}  // namespace

absl::StatusOr<MeshFacts> inspect_ply(const MeshSource& source, ParsedMesh* cloud) {
  ASSIGN_OR_RETURN(const PlyHeader header, read_ply_header(source));
  RETURN_IF_ERROR(check_header(source, header));
  if (!header.has_faces()) return PlyCloudReader(source, header).read(cloud);
  int64_t vertex_count = 0, triangles = 0;
  for (const PlyElement& e : header.elements) {
    if (e.name == "vertex") vertex_count = e.count;
  }
  UsedSet used(vertex_count);
  ValueReader values(source, header);
  for (const PlyElement& e : header.elements) {
    for (int64_t entry = 0; entry < e.count; ++entry) {
      for (const PlyProperty& p : e.properties) {
        if (p.list_count) {
          RETURN_IF_ERROR(check_list(source, e, p, entry, vertex_count, &values, &used, &triangles));
          continue;
        }
        ASSIGN_OR_RETURN(const double value, values.next(p.type, e.name, entry));
        const bool coordinate = e.name == "vertex" && (p.name == "x" || p.name == "y" || p.name == "z");
        if (coordinate && !usable(value)) return source.not_finite(cat("vertex ", entry));
      }
    }
  }
  RETURN_IF_ERROR(check_end(source, &values));
  RETURN_IF_ERROR(source.check_counts(vertex_count, triangles));
  return MeshFacts{vertex_count, used.count(), triangles};
}

}  // namespace tryon::mesh_inspect
