// What it is: the header of a PLY file: encoding, elements, properties. Inside of mesh_inspect_ply and cloud_ply.
// Units: none. How it fails: INVALID_ARGUMENT that names the line. Thread rules: pure functions.
#pragma once

#include <string>
#include <vector>

#include "server/io/mesh_inspect.h"

namespace tryon::mesh_inspect {

enum class PlyScalar { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat32, kFloat64 };
enum class PlyEncoding { kText, kLittle, kBig };

int size_of(PlyScalar scalar);  // bytes
inline bool is_float(PlyScalar s) { return s == PlyScalar::kFloat32 || s == PlyScalar::kFloat64; }

struct PlyProperty {
  std::string name;
  PlyScalar type = PlyScalar::kFloat32;
  std::optional<PlyScalar> list_count;  // set for a list
};
struct PlyElement {
  std::string name;
  int64_t count = 0;
  std::vector<PlyProperty> properties;

  int64_t smallest_bytes(bool text) const;        // of one entry
  int scalar_index(std::string_view name) const;  // of a property that is no list; -1 if there is none
};
struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::kText;
  std::vector<PlyElement> elements;
  size_t body = 0;  // first byte after end_header's line

  const PlyElement* find(std::string_view name) const;
  bool has_faces() const;
};

absl::StatusOr<PlyHeader> read_ply_header(const MeshSource& source);

}  // namespace tryon::mesh_inspect
