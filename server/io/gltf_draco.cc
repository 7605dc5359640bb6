#include "server/io/gltf_draco.h"

#include <algorithm>

#include "draco/compression/decode.h"
#include "draco/compression/encode.h"
#include "draco/mesh/mesh.h"
#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon {
namespace {

constexpr int kPositionBits = 14, kNormalBits = 10, kTextureBits = 12, kGenericBits = 12;
constexpr int kSpeed = 5;

draco::GeometryAttribute::Type type_of(DracoAttribute::Kind kind) {
  switch (kind) {
    case DracoAttribute::Kind::kPosition:
      return draco::GeometryAttribute::POSITION;
    case DracoAttribute::Kind::kNormal:
      return draco::GeometryAttribute::NORMAL;
    case DracoAttribute::Kind::kTexture:
      return draco::GeometryAttribute::TEX_COORD;
    case DracoAttribute::Kind::kGeneric:
      return draco::GeometryAttribute::GENERIC;
  }
  return draco::GeometryAttribute::GENERIC;
}

int add_attribute(const DracoAttribute& attribute, size_t count, draco::Mesh* mesh) {
  draco::GeometryAttribute form;
  form.Init(type_of(attribute.kind), nullptr, static_cast<int8_t>(attribute.components), draco::DT_FLOAT32, false,
            static_cast<int64_t>(sizeof(float)) * attribute.components, 0);
  const int index = mesh->AddAttribute(form, true, static_cast<uint32_t>(count));
  draco::PointAttribute* stored = mesh->attribute(index);
  for (size_t v = 0; v < count; ++v) {
    stored->SetAttributeValue(draco::AttributeValueIndex(static_cast<uint32_t>(v)),
                              &attribute.values[v * static_cast<size_t>(attribute.components)]);
  }
  return static_cast<int>(stored->unique_id());
}

// What a reader will find: counts and the bounds of the places after rounding.
absl::Status read_back(DracoMesh* out) {
  draco::DecoderBuffer buffer;
  buffer.Init(out->bytes.data(), out->bytes.size());
  draco::Decoder decoder;
  auto read = decoder.DecodeMeshFromBuffer(&buffer);
  if (!read.ok()) return internal_fault(cat("Draco cannot read its own bytes: ", read.status().error_msg_string()));
  const draco::Mesh& mesh = *read.value();
  out->vertex_count = mesh.num_points();
  out->index_count = 3 * static_cast<size_t>(mesh.num_faces());
  const draco::PointAttribute* places = mesh.GetNamedAttribute(draco::GeometryAttribute::POSITION);
  for (uint32_t v = 0; v < mesh.num_points(); ++v) {
    std::array<float, 3> p{};
    places->GetMappedValue(draco::PointIndex(v), p.data());
    for (size_t k = 0; k < 3; ++k) {
      out->low[k] = v == 0 ? p[k] : std::min(out->low[k], p[k]);
      out->high[k] = v == 0 ? p[k] : std::max(out->high[k], p[k]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DracoMesh> encode_draco(const std::vector<Triangle>& triangles,
                                       const std::vector<DracoAttribute>& attributes) {
  draco::Mesh mesh;
  const size_t count = attributes[0].values.size() / static_cast<size_t>(attributes[0].components);
  mesh.set_num_points(static_cast<uint32_t>(count));
  mesh.SetNumFaces(triangles.size());
  for (size_t t = 0; t < triangles.size(); ++t) {
    draco::Mesh::Face face;
    for (int k = 0; k < 3; ++k) face[static_cast<size_t>(k)] = static_cast<uint32_t>(triangles[t][k]);
    mesh.SetFace(draco::FaceIndex(static_cast<uint32_t>(t)), face);
  }
  DracoMesh out;
  for (const DracoAttribute& attribute : attributes) out.ids.push_back(add_attribute(attribute, count, &mesh));
  draco::Encoder encoder;
  encoder.SetEncodingMethod(draco::MESH_EDGEBREAKER_ENCODING);
  encoder.SetSpeedOptions(kSpeed, kSpeed);
  encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, kPositionBits);
  encoder.SetAttributeQuantization(draco::GeometryAttribute::NORMAL, kNormalBits);
  encoder.SetAttributeQuantization(draco::GeometryAttribute::TEX_COORD, kTextureBits);
  encoder.SetAttributeQuantization(draco::GeometryAttribute::GENERIC, kGenericBits);
  draco::EncoderBuffer buffer;
  const draco::Status done = encoder.EncodeMeshToBuffer(mesh, &buffer);
  if (!done.ok()) return internal_fault(cat("Draco cannot write the mesh: ", done.error_msg_string()));
  out.bytes.assign(buffer.data(), buffer.size());
  RETURN_IF_ERROR(read_back(&out));
  return out;
}

}  // namespace tryon
