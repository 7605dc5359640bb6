#include "server/io/mesh_ply_header.h"

#include <algorithm>

namespace tryon::mesh_inspect {
namespace {

constexpr int64_t kMaxHeaderLines = 1000, kMaxProperties = 256;
constexpr size_t kMaxHeaderBytes = 1 << 20;

struct ScalarName {
  std::string_view name;
  PlyScalar scalar;
};
constexpr ScalarName kScalars[] = {
    {"char", PlyScalar::kInt8},      {"int8", PlyScalar::kInt8},       {"uchar", PlyScalar::kUint8},
    {"uint8", PlyScalar::kUint8},    {"short", PlyScalar::kInt16},     {"int16", PlyScalar::kInt16},
    {"ushort", PlyScalar::kUint16},  {"uint16", PlyScalar::kUint16},   {"int", PlyScalar::kInt32},
    {"int32", PlyScalar::kInt32},    {"uint", PlyScalar::kUint32},     {"uint32", PlyScalar::kUint32},
    {"float", PlyScalar::kFloat32},  {"float32", PlyScalar::kFloat32}, {"double", PlyScalar::kFloat64},
    {"float64", PlyScalar::kFloat64}};

std::optional<PlyScalar> scalar_of(std::string_view word) {
  for (const ScalarName& s : kScalars) {
    if (s.name == word) return s.scalar;
  }
  return std::nullopt;
}

absl::Status add_property(const MeshSource& source, std::string_view rest, const std::string& where,
                          PlyHeader* header) {
  if (header->elements.empty()) return source.contradictory(where, cat(where, " is a property of no element"));
  PlyProperty property;
  std::string_view type = next_word(&rest);
  if (type == "list") {
    property.list_count = scalar_of(next_word(&rest));
    if (!property.list_count || is_float(*property.list_count)) {
      return source.contradictory(where, cat(where, " has a list whose length is not a whole number type"));
    }
    type = next_word(&rest);
  }
  const auto scalar = scalar_of(type);
  property.name = std::string(next_word(&rest));
  if (!scalar) return source.contradictory(where, cat(where, " has the unknown type '", shown(type), "'"));
  if (property.name.empty()) return source.contradictory(where, cat(where, " has a property without a name"));
  property.type = *scalar;
  for (const PlyProperty& p : header->elements.back().properties) {
    if (p.name == property.name) return source.contradictory(where, cat(where, " repeats '", shown(p.name), "'"));
  }
  header->elements.back().properties.push_back(std::move(property));
  if (header->elements.back().properties.size() > kMaxProperties) {
    return source.contradictory(where, cat("it declares more than ", kMaxProperties, " properties"));
  }
  return absl::OkStatus();
}

absl::Status add_element(const MeshSource& source, std::string_view rest, const std::string& where, PlyHeader* header) {
  PlyElement element;
  element.name = std::string(next_word(&rest));
  const auto count = parse_integer(next_word(&rest));
  if (element.name.empty() || !count || *count < 0) {
    return source.contradictory(where, cat(where, " declares an element without a usable name and count"));
  }
  element.count = *count;
  for (const PlyElement& e : header->elements) {
    if (e.name == element.name) return source.contradictory(where, cat(where, " repeats '", shown(e.name), "'"));
  }
  header->elements.push_back(std::move(element));
  if (header->elements.size() > 64) return source.contradictory(where, "it declares more than 64 elements");
  return absl::OkStatus();
}

absl::Status set_encoding(const MeshSource& source, std::string_view rest, const std::string& where,
                          PlyHeader* header) {
  const std::string_view word = next_word(&rest), version = next_word(&rest);
  if (word == "ascii") {
    header->encoding = PlyEncoding::kText;
  } else if (word == "binary_little_endian") {
    header->encoding = PlyEncoding::kLittle;
  } else if (word == "binary_big_endian") {
    header->encoding = PlyEncoding::kBig;
  } else {
    return source.contradictory(where, cat(where, " names the unknown format '", shown(word), "'"));
  }
  if (version != "1.0")
    return source.contradictory(where, cat(where, " names the unknown version '", shown(version), "'"));
  return absl::OkStatus();
}

}  // namespace

int size_of(PlyScalar s) {
  switch (s) {
    case PlyScalar::kInt8:
    case PlyScalar::kUint8:
      return 1;
    case PlyScalar::kInt16:
    case PlyScalar::kUint16:
      return 2;
    case PlyScalar::kFloat64:
      return 8;
    default:
      return 4;
  }
}

int64_t PlyElement::smallest_bytes(bool text) const {
  int64_t bytes = 0;
  for (const PlyProperty& p : properties) bytes += text ? 2 : size_of(p.list_count.value_or(p.type));
  return bytes;
}

int PlyElement::scalar_index(std::string_view wanted) const {
  for (size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].name == wanted && !properties[i].list_count) return static_cast<int>(i);
  }
  return -1;
}

const PlyElement* PlyHeader::find(std::string_view name) const {
  const auto found =
      std::find_if(elements.begin(), elements.end(), [&](const PlyElement& e) { return e.name == name; });
  return found == elements.end() ? nullptr : &*found;
}

bool PlyHeader::has_faces() const {
  const PlyElement* face = find("face");
  return face != nullptr && face->count > 0;
}

absl::StatusOr<PlyHeader> read_ply_header(const MeshSource& source) {
  PlyHeader header;
  LineReader lines(source.bytes.substr(0, kMaxHeaderBytes));
  std::string_view line;
  bool has_format = false;
  while (lines.next(&line)) {
    const std::string where = cat("line ", lines.number());
    if (lines.last_is_cut() || lines.number() > kMaxHeaderLines) break;
    const std::string_view word = next_word(&line);
    if (lines.number() == 1) {
      if (word != "ply") return source.wrong_type("is not a PLY file: it does not begin with 'ply'");
    } else if (word == "format") {
      RETURN_IF_ERROR(set_encoding(source, line, where, &header));
      has_format = true;
    } else if (word == "element") {
      RETURN_IF_ERROR(add_element(source, line, where, &header));
    } else if (word == "property") {
      RETURN_IF_ERROR(add_property(source, line, where, &header));
    } else if (word == "end_header") {
      if (!has_format) return source.contradictory(where, "its header has no 'format' line");
      header.body = lines.position();
      return header;
    } else if (!word.empty() && word != "comment" && word != "obj_info") {
      return source.contradictory(where, cat(where, " has the unknown header word '", shown(word), "'"));
    }
  }
  if (!source.bytes.starts_with("ply")) return source.wrong_type("is not a PLY file: it does not begin with 'ply'");
  return source.truncated("header", "its header has no 'end_header'");
}

}  // namespace tryon::mesh_inspect
