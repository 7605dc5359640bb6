// What a PLY file is checked for: a sane header, as many bytes or words as it declares, finite x, y, z, faces in range.
#include <algorithm>
#include <cstring>

#include "server/io/mesh_inspect.h"

namespace tryon::mesh_inspect {
namespace {

enum class Scalar { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat32, kFloat64 };
enum class Encoding { kText, kLittle, kBig };

struct ScalarName {
  std::string_view name;
  Scalar scalar;
};
constexpr ScalarName kScalars[] = {
    {"char", Scalar::kInt8},      {"int8", Scalar::kInt8},       {"uchar", Scalar::kUint8},
    {"uint8", Scalar::kUint8},    {"short", Scalar::kInt16},     {"int16", Scalar::kInt16},
    {"ushort", Scalar::kUint16},  {"uint16", Scalar::kUint16},   {"int", Scalar::kInt32},
    {"int32", Scalar::kInt32},    {"uint", Scalar::kUint32},     {"uint32", Scalar::kUint32},
    {"float", Scalar::kFloat32},  {"float32", Scalar::kFloat32}, {"double", Scalar::kFloat64},
    {"float64", Scalar::kFloat64}};

std::optional<Scalar> scalar_of(std::string_view word) {
  for (const ScalarName& s : kScalars) {
    if (s.name == word) return s.scalar;
  }
  return std::nullopt;
}

constexpr int size_of(Scalar s) {
  switch (s) {
    case Scalar::kInt8:
    case Scalar::kUint8:
      return 1;
    case Scalar::kInt16:
    case Scalar::kUint16:
      return 2;
    case Scalar::kFloat64:
      return 8;
    default:
      return 4;
  }
}
constexpr bool is_float(Scalar s) { return s == Scalar::kFloat32 || s == Scalar::kFloat64; }

struct Property {
  std::string name;
  Scalar type = Scalar::kFloat32;
  std::optional<Scalar> list_count;  // set for a list
};
struct Element {
  std::string name;
  int64_t count = 0;
  std::vector<Property> properties;

  int64_t smallest_bytes(bool text) const {  // of one entry
    int64_t bytes = 0;
    for (const Property& p : properties) bytes += text ? 2 : size_of(p.list_count.value_or(p.type));
    return bytes;
  }
};
struct Header {
  Encoding encoding = Encoding::kText;
  std::vector<Element> elements;
  size_t body = 0;  // first byte after end_header's line
  int64_t lines = 0;
};

absl::Status add_property(const MeshSource& source, std::string_view rest, const std::string& where, Header* header) {
  if (header->elements.empty()) return source.contradictory(where, cat(where, " is a property of no element"));
  Property property;
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
  for (const Property& p : header->elements.back().properties) {
    if (p.name == property.name) return source.contradictory(where, cat(where, " repeats '", shown(p.name), "'"));
  }
  header->elements.back().properties.push_back(std::move(property));
  return absl::OkStatus();
}

absl::Status add_element(const MeshSource& source, std::string_view rest, const std::string& where, Header* header) {
  Element element;
  element.name = std::string(next_word(&rest));
  const auto count = parse_integer(next_word(&rest));
  if (element.name.empty() || !count || *count < 0) {
    return source.contradictory(where, cat(where, " declares an element without a usable name and count"));
  }
  element.count = *count;
  for (const Element& e : header->elements) {
    if (e.name == element.name) return source.contradictory(where, cat(where, " repeats '", shown(e.name), "'"));
  }
  header->elements.push_back(std::move(element));
  if (header->elements.size() > 64) return source.contradictory(where, "it declares more than 64 elements");
  return absl::OkStatus();
}

absl::Status set_encoding(const MeshSource& source, std::string_view rest, const std::string& where, Header* header) {
  const std::string_view word = next_word(&rest), version = next_word(&rest);
  if (word == "ascii") {
    header->encoding = Encoding::kText;
  } else if (word == "binary_little_endian") {
    header->encoding = Encoding::kLittle;
  } else if (word == "binary_big_endian") {
    header->encoding = Encoding::kBig;
  } else {
    return source.contradictory(where, cat(where, " names the unknown format '", shown(word), "'"));
  }
  if (version != "1.0")
    return source.contradictory(where, cat(where, " names the unknown version '", shown(version), "'"));
  return absl::OkStatus();
}

absl::StatusOr<Header> read_header(const MeshSource& source) {
  Header header;
  LineReader lines(source.bytes);
  std::string_view line;
  bool has_format = false;
  while (lines.next(&line)) {
    const std::string where = cat("line ", lines.number());
    if (lines.last_is_cut() || lines.number() > 1000) break;
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
      header.lines = lines.number();
      return header;
    } else if (!word.empty() && word != "comment" && word != "obj_info") {
      return source.contradictory(where, cat(where, " has the unknown header word '", shown(word), "'"));
    }
  }
  if (!source.bytes.starts_with("ply")) return source.wrong_type("is not a PLY file: it does not begin with 'ply'");
  return source.truncated("header", "its header has no 'end_header'");
}

// Reads the numbers of the body one after another, whichever way they are written.
class ValueReader {
 public:
  ValueReader(const MeshSource& source, const Header& header)
      : source_(source), encoding_(header.encoding), rest_(source.bytes.substr(header.body)) {}

  absl::StatusOr<double> next(Scalar type, const std::string& element, int64_t entry) {
    return encoding_ == Encoding::kText ? next_text(type, element, entry) : next_binary(type, element, entry);
  }
  // What is left when all is read: white space in text, nothing in binary.
  bool at_end() {
    if (encoding_ != Encoding::kText) return rest_.empty();
    skip_space();
    return rest_.empty();
  }
  size_t left() const { return rest_.size(); }

 private:
  void skip_space() {
    while (!rest_.empty() && (is_blank(rest_[0]) || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  absl::StatusOr<double> next_text(Scalar type, const std::string& element, int64_t entry) {
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
  absl::StatusOr<double> next_binary(Scalar type, const std::string& element, int64_t entry) {
    const size_t size = static_cast<size_t>(size_of(type));
    if (rest_.size() < size) return end_of_file(element, entry);
    unsigned char raw[8] = {};
    std::memcpy(raw, rest_.data(), size);
    rest_.remove_prefix(size);
    if (encoding_ == Encoding::kBig) std::reverse(raw, raw + size);
    return decode(type, raw);
  }
  static double decode(Scalar type, const unsigned char* raw) {
    auto as = [raw](auto value) {
      std::memcpy(&value, raw, sizeof(value));
      return static_cast<double>(value);
    };
    switch (type) {
      case Scalar::kInt8:
        return as(int8_t{});
      case Scalar::kUint8:
        return as(uint8_t{});
      case Scalar::kInt16:
        return as(int16_t{});
      case Scalar::kUint16:
        return as(uint16_t{});
      case Scalar::kInt32:
        return as(int32_t{});
      case Scalar::kUint32:
        return as(uint32_t{});
      case Scalar::kFloat32:
        return as(float{});
      case Scalar::kFloat64:
        return as(double{});
    }
    return 0.0;
  }
  absl::Status end_of_file(const std::string& element, int64_t entry) const {
    const std::string where = cat(element, " ", entry);
    return source_.truncated(where, cat("it ends inside ", where));
  }

  const MeshSource& source_;
  Encoding encoding_;
  std::string_view rest_;
};

bool is_face_list(const Property& p) {
  return p.list_count.has_value() && (p.name == "vertex_indices" || p.name == "vertex_index");
}

// The header alone can be absurd: missing parts, or counts that the bytes behind it could never hold.
absl::Status check_header(const MeshSource& source, const Header& header) {
  const Element *vertex = nullptr, *face = nullptr;
  const int64_t body_bytes = static_cast<int64_t>(source.bytes.size() - header.body);
  for (const Element& e : header.elements) {
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
                                    [&](const Property& p) { return p.name == axis && !p.list_count; });
    if (found == vertex->properties.end()) {
      return source.contradictory("element vertex", cat("its vertices have no coordinate ", axis));
    }
  }
  if (face == nullptr || face->count == 0) {
    return source.has_no_faces(cat("is a point cloud: ", vertex->count, " vertices and no faces"));
  }
  if (face < vertex) return source.unsupported("element face", "faces come before vertices", "Export vertices first.");
  RETURN_IF_ERROR(source.check_counts(vertex->count, face->count));
  if (std::none_of(face->properties.begin(), face->properties.end(), is_face_list)) {
    return source.contradictory("element face", "its faces have no list vertex_indices");
  }
  for (const Element& e : header.elements) {
    if (e.count > 0 && e.count > body_bytes / e.smallest_bytes(header.encoding == Encoding::kText) + 1) {
      return source.truncated(
          cat("element ", shown(e.name)),
          cat("it declares ", e.count, " of element ", shown(e.name), " but has only ", body_bytes, " bytes for them"));
    }
  }
  return absl::OkStatus();
}

absl::Status check_list(const MeshSource& source, const Element& e, const Property& p, int64_t entry,
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

}  // namespace

absl::StatusOr<MeshFacts> inspect_ply(const MeshSource& source) {
  ASSIGN_OR_RETURN(const Header header, read_header(source));
  RETURN_IF_ERROR(check_header(source, header));
  int64_t vertex_count = 0, triangles = 0;
  for (const Element& e : header.elements) {
    if (e.name == "vertex") vertex_count = e.count;
  }
  UsedSet used(vertex_count);
  ValueReader values(source, header);
  for (const Element& e : header.elements) {
    for (int64_t entry = 0; entry < e.count; ++entry) {
      for (const Property& p : e.properties) {
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
  if (!values.at_end()) {
    return source.contradictory("end of file", cat(values.left(), " bytes follow after all that its header declares"));
  }
  RETURN_IF_ERROR(source.check_counts(vertex_count, triangles));
  return MeshFacts{vertex_count, used.count(), triangles};
}

}  // namespace tryon::mesh_inspect
