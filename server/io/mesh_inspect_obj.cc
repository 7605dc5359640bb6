// What an OBJ file is checked for: v, vt, vn and f lines; everything else is left to the reader.
#include <array>

#include "server/io/cloud_points.h"
#include "server/io/mesh_inspect.h"

namespace tryon::mesh_inspect {
namespace {

// v, vt, vn in the order in which a face corner names them.
enum Kind { kVertex = 0, kTexture = 1, kNormal = 2, kFaceLine = 3, kOther = 4, kUnknown = 5 };

Kind kind_of(std::string_view word) {
  if (word == "v") return kVertex;
  if (word == "vt") return kTexture;
  if (word == "vn") return kNormal;
  if (word == "f" || word == "fo") return kFaceLine;
  for (std::string_view known : {"o", "g", "s", "l", "p", "vp", "mtllib", "usemtl", "usemap", "mg", "lod", "bevel",
                                 "c_interp", "d_interp", "shadow_obj", "trace_obj", "call"}) {
    if (word == known) return kOther;
  }
  return kUnknown;
}

constexpr int kMaxCorners = 1000;  // of one face: cutting it into triangles takes time with the square of this

struct ObjState {
  const MeshSource& source;
  Polygons* keep;                     // may be null
  std::array<int64_t, 3> total = {};  // v, vt, vn lines in the file
  std::array<int64_t, 3> seen = {};   // so far
  int64_t faces = 0, triangles = 0;
};

// Counts first: a face may name a vertex that comes later, and the limits hold before anything is kept.
absl::Status count_lines(ObjState* state) {
  LineReader lines(state->source.bytes);
  std::string_view line;
  int64_t known = 0, unknown = 0;
  while (lines.next(&line)) {
    const std::string_view word = next_word(&line);
    if (word.empty() || word[0] == '#') continue;
    const Kind kind = kind_of(word);
    if (kind <= kNormal) ++state->total[kind];
    if (kind == kFaceLine) ++state->faces;
    ++(kind == kUnknown ? unknown : known);
  }
  if (known == 0 && unknown == 0) return state->source.empty("has no geometry, only blank lines or comments");
  if (state->total[kVertex] == 0 && state->faces == 0 && unknown >= known) {
    return state->source.wrong_type("is not an OBJ file: it has neither 'v' nor 'f' lines");
  }
  if (state->total[kVertex] == 0) return state->source.empty("has no vertices");
  return state->source.check_counts(state->total[kVertex], state->faces);
}

absl::Status check_numbers(const MeshSource& source, std::string_view rest, int needed, bool cut,
                           const std::string& where, Vec3* first_three) {
  for (int k = 0;; ++k) {
    const std::string_view word = next_word(&rest);
    if (word.empty() || word[0] == '#') {
      if (k >= needed) return absl::OkStatus();
      const std::string what = cat(where, " has ", k, " of ", needed, " numbers");
      return cut ? source.truncated(where, what) : source.contradictory(where, what);
    }
    const auto value = parse_number(word);
    if (!value) return source.contradictory(where, cat(where, " has '", shown(word), "' where a number belongs"));
    if (!usable(*value)) return source.not_finite(where);
    if (k < 3) (*first_three)[k] = *value;
  }
}

// One corner "v", "v/vt", "v//vn" or "v/vt/vn"; negative numbers count back from the latest line.
absl::Status check_corner(const ObjState& state, std::string_view corner, const std::string& where, UsedSet* used) {
  for (int kind = kVertex; kind <= kNormal; ++kind) {
    const size_t slash = corner.find('/');
    const std::string_view part = corner.substr(0, slash);
    if (!part.empty() || kind == kVertex) {
      const auto index = parse_integer(part);
      if (!index) {
        return state.source.contradictory(where, cat(where, " has '", shown(part), "' where a vertex number belongs"));
      }
      const int64_t resolved = *index > 0 ? *index - 1 : state.seen[kind] + *index;
      if (*index == 0 || resolved < 0 || resolved >= state.total[kind]) {
        return state.source.index_out_of_range(where, *index, state.total[kind]);
      }
      if (kind == kVertex) used->mark(resolved);
      if (kind == kVertex && state.keep != nullptr) state.keep->corners.push_back(static_cast<int>(resolved));
    }
    if (slash == std::string_view::npos) return absl::OkStatus();
    corner.remove_prefix(slash + 1);
  }
  return state.source.contradictory(where, cat(where, " has a corner with more than three numbers"));
}

absl::Status check_face(ObjState* state, std::string_view rest, bool cut, const std::string& where, UsedSet* used) {
  int corners = 0;
  for (std::string_view word = next_word(&rest); !word.empty() && word[0] != '#'; word = next_word(&rest)) {
    RETURN_IF_ERROR(check_corner(*state, word, where, used));
    ++corners;
  }
  if (corners < 3) {
    const std::string what = cat(where, " is a face with ", corners, " corners");
    return cut ? state->source.truncated(where, what) : state->source.contradictory(where, what);
  }
  if (corners > kMaxCorners) {
    return state->source.unsupported(where,
                                     cat(where, " is a face with ", corners, " corners; the limit is ", kMaxCorners),
                                     "Triangulate the mesh before the export.");
  }
  state->triangles += corners - 2;
  if (state->keep != nullptr) state->keep->starts.push_back(static_cast<int>(state->keep->corners.size()));
  return absl::OkStatus();
}

struct CloudNumbers {
  std::vector<Vec3> positions, normals;  // of v and vn lines
};

// A file of bare v lines; as many vn lines as v lines are the points' normals, one each.
absl::StatusOr<MeshFacts> finish_cloud(const MeshSource& source, const CloudNumbers& points, ParsedMesh* keep) {
  const bool with_normals = !points.normals.empty() && points.normals.size() == points.positions.size();
  CloudBuilder builder(with_normals);
  for (size_t i = 0; i < points.positions.size(); ++i) {
    RETURN_IF_ERROR(builder.add(source, points.positions[i], with_normals ? points.normals[i] : Vec3(Vec3::Zero())));
  }
  ParsedMesh out;
  RETURN_IF_ERROR(builder.finish(source, &out));
  MeshFacts facts;
  facts.vertices = static_cast<int64_t>(points.positions.size());
  facts.points = out.cloud.point_count();
  if (keep != nullptr) *keep = std::move(out);
  return facts;
}

}  // namespace

absl::StatusOr<MeshFacts> inspect_obj(const MeshSource& source, Polygons* keep, ParsedMesh* cloud) {
  if (source.bytes.find('\0') != std::string_view::npos) {
    return source.wrong_type("is not an OBJ file: it holds binary data");
  }
  ObjState state{source, keep};
  if (keep != nullptr) *keep = {{}, {}, {0}};
  RETURN_IF_ERROR(count_lines(&state));
  const bool bare = state.faces == 0;
  CloudNumbers points;
  UsedSet used(state.total[kVertex]);
  LineReader lines(source.bytes);
  std::string_view line;
  std::string joined;  // a line that ends in a backslash goes on in the next
  while (lines.next(&line)) {
    const std::string where = cat("line ", lines.number());
    joined.clear();
    std::string_view trimmed = line;
    if (trimmed.ends_with('\r')) trimmed.remove_suffix(1);
    while (trimmed.ends_with('\\') && lines.next(&line)) {
      joined.append(trimmed.empty() ? trimmed : trimmed.substr(0, trimmed.size() - 1)).push_back(' ');
      trimmed = line;
      if (trimmed.ends_with('\r')) trimmed.remove_suffix(1);
    }
    if (!joined.empty()) {
      joined.append(trimmed);
      trimmed = joined;
    }
    const Kind kind = kind_of(next_word(&trimmed));
    if (kind <= kNormal) {
      const int needed = kind == kTexture ? 1 : 3;
      Vec3 numbers = Vec3::Zero();
      RETURN_IF_ERROR(check_numbers(source, trimmed, needed, lines.last_is_cut(), where, &numbers));
      if (bare && kind != kTexture) (kind == kVertex ? points.positions : points.normals).push_back(numbers);
      if (kind == kVertex && keep != nullptr) keep->positions.push_back(numbers);
      ++state.seen[kind];
    } else if (kind == kFaceLine) {
      RETURN_IF_ERROR(check_face(&state, trimmed, lines.last_is_cut(), where, &used));
    }
  }
  RETURN_IF_ERROR(source.check_counts(state.total[kVertex], state.triangles));
  if (bare) return finish_cloud(source, points, cloud);
  return MeshFacts{state.total[kVertex], used.count(), state.triangles, 0};
}

}  // namespace tryon::mesh_inspect
