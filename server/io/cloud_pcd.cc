// PCD 0.7 (and .6, .5): a header of one line an entry, then the points as text, as records, or field by field in LZF.
#include <algorithm>
#include <array>
#include <cstring>

#include "server/io/cloud_lzf.h"
#include "server/io/cloud_points.h"

namespace tryon::mesh_inspect {
namespace {

constexpr int64_t kMaxHeaderLines = 1000, kMaxFields = 256, kMaxCount = 1 << 16;
constexpr size_t kMaxHeaderBytes = 1 << 20;
enum class PcdData { kText, kBinary, kCompressed };

struct PcdField {
  std::string name;
  int64_t size = 4, count = 1;
  char type = 'F';
  int64_t offset = 0;  // within a record
  int64_t column = 0;  // of its first word in a line
};
struct PcdHeader {
  std::vector<PcdField> fields;
  int64_t width = -1, height = -1, points = -1;
  int64_t record = 0, columns = 0;  // bytes and words of one point
  PcdData data = PcdData::kText;
  size_t body = 0;    // first byte after DATA's line
  int64_t lines = 0;  // of the header
  bool has_version = false;

  const PcdField* find(std::string_view name) const {
    for (const PcdField& f : fields) {
      if (f.name == name) return &f;
    }
    return nullptr;
  }
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::string_view w = next_word(&line); !w.empty() && static_cast<int64_t>(out.size()) <= kMaxFields;
       w = next_word(&line)) {
    out.push_back(w);
  }
  return out;
}

// SIZE, TYPE and COUNT give one word a field, in the order of FIELDS.
absl::Status set_per_field(const MeshSource& source, std::string_view key, const std::vector<std::string_view>& words,
                           const std::string& where, PcdHeader* header) {
  if (words.size() != header->fields.size()) {
    return source.contradictory(where,
                                cat(where, " has ", words.size(), " entries for ", header->fields.size(), " fields"));
  }
  for (size_t i = 0; i < words.size(); ++i) {
    PcdField& field = header->fields[i];
    if (key == "TYPE") {
      field.type = words[i][0];
      if (words[i].size() == 1 && (field.type == 'F' || field.type == 'I' || field.type == 'U')) continue;
      return source.contradictory(where, cat(where, " has the unknown type '", shown(words[i]), "'"));
    }
    const auto value = parse_integer(words[i]);
    const bool fits = value && (key == "COUNT" ? *value >= 0 && *value <= kMaxCount
                                               : *value == 1 || *value == 2 || *value == 4 || *value == 8);
    if (!fits) return source.contradictory(where, cat(where, " has the unusable ", key, " '", shown(words[i]), "'"));
    (key == "COUNT" ? field.count : field.size) = *value;
  }
  return absl::OkStatus();
}

absl::Status set_fields(const MeshSource& source, const std::vector<std::string_view>& words, const std::string& where,
                        PcdHeader* header) {
  if (!header->fields.empty()) return source.contradictory(where, cat(where, " repeats FIELDS"));
  if (words.empty() || static_cast<int64_t>(words.size()) > kMaxFields) {
    return source.contradictory(where, cat(where, " has no usable list of fields"));
  }
  for (std::string_view word : words) {
    const bool filler = word == "_";
    if (!filler && header->find(word) != nullptr) {
      return source.contradictory(where, cat(where, " repeats '", shown(word), "'"));
    }
    header->fields.push_back({.name = std::string(word)});
  }
  return absl::OkStatus();
}

absl::Status set_number(const MeshSource& source, std::string_view key, const std::vector<std::string_view>& words,
                        const std::string& where, PcdHeader* header) {
  const auto value = words.size() == 1 ? parse_integer(words[0]) : std::nullopt;
  if (!value || *value < 0 || *value > (int64_t{1} << 40)) {
    return source.contradictory(where, cat(where, " has no usable ", key));
  }
  (key == "WIDTH" ? header->width : key == "HEIGHT" ? header->height : header->points) = *value;
  return absl::OkStatus();
}

// Where the camera stood: translation and unit quaternion. The points are in the frame that they are stored in.
absl::Status check_viewpoint(const MeshSource& source, const std::vector<std::string_view>& words,
                             const std::string& where) {
  bool sound = words.size() == 7;
  for (std::string_view word : words) {
    const auto value = parse_number(word);
    sound = sound && value && usable(*value);
  }
  return sound ? absl::OkStatus() : source.contradictory(where, cat(where, " has no usable VIEWPOINT"));
}

absl::Status set_data(const MeshSource& source, const std::vector<std::string_view>& words, const std::string& where,
                      PcdHeader* header) {
  const std::string_view word = words.size() == 1 ? words[0] : std::string_view();
  if (word == "ascii") {
    header->data = PcdData::kText;
  } else if (word == "binary") {
    header->data = PcdData::kBinary;
  } else if (word == "binary_compressed") {
    header->data = PcdData::kCompressed;
  } else {
    return source.contradictory(where, cat(where, " names the unknown kind of data '", shown(word), "'"));
  }
  return absl::OkStatus();
}

absl::Status set_entry(const MeshSource& source, std::string_view key, const std::vector<std::string_view>& words,
                       const std::string& where, PcdHeader* header) {
  if (key == "VERSION") {
    const std::string_view version = words.size() == 1 ? words[0] : std::string_view();
    for (std::string_view known : {"0.7", ".7", "0.6", ".6", "0.5", ".5"}) header->has_version |= version == known;
    if (header->has_version) return absl::OkStatus();
    return source.unsupported(where, cat("is PCD version '", shown(version), "'"), "Export as PCD 0.7.");
  }
  if (key == "FIELDS" || key == "COLUMNS") return set_fields(source, words, where, header);
  if (key == "SIZE" || key == "TYPE" || key == "COUNT") return set_per_field(source, key, words, where, header);
  if (key == "WIDTH" || key == "HEIGHT" || key == "POINTS") return set_number(source, key, words, where, header);
  if (key == "VIEWPOINT") return check_viewpoint(source, words, where);
  if (key == "DATA") return set_data(source, words, where, header);
  return source.contradictory(where, cat(where, " has the unknown header word '", shown(key), "'"));
}

// Offsets, counts and what must be there.
absl::Status settle(const MeshSource& source, PcdHeader* header) {
  for (PcdField& field : header->fields) {
    field.offset = header->record, field.column = header->columns;
    header->record += field.size * field.count;
    header->columns += field.count;
    if (field.type == 'F' && field.size < 4) {
      return source.contradictory(
          "header", cat("its field '", shown(field.name), "' is a number of ", field.size, " bytes with a fraction"));
    }
  }
  for (std::string_view axis : {"x", "y", "z"}) {
    const PcdField* field = header->find(axis);
    if (field == nullptr || field->count != 1) {
      return source.contradictory("header", cat("its points have no coordinate ", axis));
    }
  }
  const bool grid = header->width >= 0 && header->height >= 0;
  if (grid && header->height > 0 && header->width > (int64_t{1} << 40) / header->height) {
    return source.contradictory("header", "its WIDTH times HEIGHT is beyond all bounds");
  }
  if (header->points < 0) header->points = grid ? header->width * header->height : header->width;
  if (header->points < 0) return source.contradictory("header", "it declares neither POINTS nor WIDTH and HEIGHT");
  if (grid && header->points != header->width * header->height) {
    return source.contradictory("header", cat("its POINTS are ", header->points, ", its WIDTH times HEIGHT is ",
                                              header->width * header->height));
  }
  if (header->points == 0) return source.empty("declares no points");
  return source.check_counts(header->points, 0);
}

absl::StatusOr<PcdHeader> read_header(const MeshSource& source) {
  PcdHeader header;
  LineReader lines(source.bytes.substr(0, kMaxHeaderBytes));
  std::string_view line;
  while (lines.next(&line) && lines.number() <= kMaxHeaderLines && !lines.last_is_cut()) {
    const std::string where = cat("line ", lines.number());
    const std::string_view key = next_word(&line);
    if (key.empty() || key[0] == '#') continue;
    RETURN_IF_ERROR(set_entry(source, key, words_of(line), where, &header));
    if (key != "DATA") continue;
    if (!header.has_version) return source.contradictory("header", "its header has no VERSION");
    if (header.fields.empty()) return source.contradictory("header", "its header has no FIELDS");
    header.body = lines.position();
    header.lines = lines.number();
    RETURN_IF_ERROR(settle(source, &header));
    return header;
  }
  if (header.fields.empty() && !header.has_version) {
    return source.wrong_type("is not a PCD file: its header has neither VERSION nor FIELDS");
  }
  return source.truncated("header", "its header has no DATA");
}

double decode(const PcdField& field, const char* raw) {
  auto as = [raw](auto value) {
    std::memcpy(&value, raw, sizeof(value));
    return static_cast<double>(value);
  };
  if (field.type == 'F') return field.size == 8 ? as(double{}) : as(float{});
  const bool is_signed = field.type == 'I';
  switch (field.size) {
    case 1:
      return is_signed ? as(int8_t{}) : as(uint8_t{});
    case 2:
      return is_signed ? as(int16_t{}) : as(uint16_t{});
    case 4:
      return is_signed ? as(int32_t{}) : as(uint32_t{});
    default:
      return is_signed ? as(int64_t{}) : as(uint64_t{});
  }
}

// The six fields that matter; null where absent.
struct Columns {
  std::array<const PcdField*, 6> field = {};
  explicit Columns(const PcdHeader& header) {
    constexpr std::string_view kNames[] = {"x", "y", "z", "normal_x", "normal_y", "normal_z"};
    for (size_t k = 0; k < 6; ++k) field[k] = header.find(kNames[k]);
    for (size_t k = 3; k < 6; ++k) {
      if (field[k] != nullptr && field[k]->count != 1) field[k] = nullptr;
    }
  }
  bool with_normals() const { return field[3] != nullptr && field[4] != nullptr && field[5] != nullptr; }
  int used() const { return with_normals() ? 6 : 3; }
};

absl::Status read_text(const MeshSource& source, const PcdHeader& header, const Columns& columns, CloudBuilder* out) {
  LineReader lines(source.bytes.substr(header.body));
  std::string_view line;
  int64_t points = 0;
  while (lines.next(&line)) {
    const std::string where = cat("line ", header.lines + lines.number());
    double value[6] = {};
    int64_t column = 0;
    for (std::string_view word = next_word(&line); !word.empty(); word = next_word(&line), ++column) {
      for (int k = 0; k < columns.used(); ++k) {
        if (columns.field[k]->column != column) continue;
        const auto number = parse_number(word);
        if (!number) return source.contradictory(where, cat(where, " has '", shown(word), "' where a number belongs"));
        value[k] = *number;
      }
    }
    if (column == 0) continue;
    const std::string what = cat(where, " has ", column, " of ", header.columns, " numbers");
    if (column < header.columns && lines.last_is_cut()) return source.truncated(where, what);
    if (column != header.columns) return source.contradictory(where, what);
    if (++points > header.points) {
      return source.contradictory(where, cat("it declares ", header.points, " points, but more follow"));
    }
    RETURN_IF_ERROR(out->add(source, {value[0], value[1], value[2]}, {value[3], value[4], value[5]}));
  }
  if (points == header.points) return absl::OkStatus();
  return source.truncated("end of file", cat("it declares ", header.points, " points but has ", points));
}

// `stride` bytes from point to point; field k of point 0 lies at begin[k].
absl::Status read_records(const MeshSource& source, const Columns& columns, std::string_view bytes,
                          const std::array<int64_t, 6>& begin, const std::array<int64_t, 6>& stride, int64_t count,
                          CloudBuilder* out) {
  for (int64_t i = 0; i < count; ++i) {
    double value[6] = {};
    for (int k = 0; k < columns.used(); ++k) {
      value[k] = decode(*columns.field[k], bytes.data() + begin[k] + i * stride[k]);
    }
    RETURN_IF_ERROR(out->add(source, {value[0], value[1], value[2]}, {value[3], value[4], value[5]}));
  }
  return absl::OkStatus();
}

absl::Status read_binary(const MeshSource& source, const PcdHeader& header, const Columns& columns, CloudBuilder* out) {
  std::array<int64_t, 6> begin = {}, stride = {};
  for (int k = 0; k < columns.used(); ++k) begin[k] = columns.field[k]->offset, stride[k] = header.record;
  return read_records(source, columns, source.bytes.substr(header.body), begin, stride, header.points, out);
}

// Two lengths, then LZF of all x, all y, ...
absl::Status read_compressed(const MeshSource& source, const PcdHeader& header, const Columns& columns,
                             CloudBuilder* out) {
  const std::string_view body = source.bytes.substr(header.body);
  uint32_t compressed = 0, plain = 0;
  std::memcpy(&compressed, body.data(), 4);
  std::memcpy(&plain, body.data() + 4, 4);
  if (compressed > body.size() - 8) {
    return source.truncated("data", cat("it declares ", compressed, " compressed bytes and has ", body.size() - 8));
  }
  if (plain != header.points * header.record) {
    return source.contradictory(
        "data", cat("it declares ", plain, " bytes for ", header.points, " points of ", header.record, " bytes"));
  }
  const auto data = lzf_decompress(body.substr(8, compressed), plain);
  if (!data.ok()) return source.contradictory("data", std::string(data.status().message()));
  std::array<int64_t, 6> begin = {}, stride = {};
  for (int k = 0; k < columns.used(); ++k) {
    begin[k] = columns.field[k]->offset * header.points;
    stride[k] = columns.field[k]->size;
  }
  return read_records(source, columns, *data, begin, stride, header.points, out);
}

// Before anything is allocated: can these bytes hold that many points?
absl::Status check_bytes(const MeshSource& source, const PcdHeader& header) {
  const auto left = static_cast<int64_t>(source.bytes.size() - header.body);
  const int64_t least = header.data == PcdData::kText     ? header.points * 2 * header.columns - 1
                        : header.data == PcdData::kBinary ? header.points * header.record
                                                          : 8;
  if (left < least) {
    return source.truncated("data",
                            cat("it declares ", header.points, " points but has only ", left, " bytes for them"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MeshFacts> inspect_pcd(const MeshSource& source, ParsedMesh* keep) {
  ASSIGN_OR_RETURN(const PcdHeader header, read_header(source));
  RETURN_IF_ERROR(check_bytes(source, header));
  const Columns columns(header);
  CloudBuilder points(columns.with_normals());
  switch (header.data) {
    case PcdData::kText:
      RETURN_IF_ERROR(read_text(source, header, columns, &points));
      break;
    case PcdData::kBinary:
      RETURN_IF_ERROR(read_binary(source, header, columns, &points));
      break;
    case PcdData::kCompressed:
      RETURN_IF_ERROR(read_compressed(source, header, columns, &points));
      break;
  }
  ParsedMesh out;
  RETURN_IF_ERROR(points.finish(source, &out));
  MeshFacts facts;
  facts.vertices = header.points;
  facts.points = out.cloud.point_count();
  if (keep != nullptr) *keep = std::move(out);
  return facts;
}

}  // namespace tryon::mesh_inspect
