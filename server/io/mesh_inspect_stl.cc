// What an STL file is checked for: the size that a binary file declares, or the grammar of a text file, and the
// numbers.
#include <bit>
#include <cstring>

#include "server/io/mesh_inspect.h"

namespace tryon::mesh_inspect {
namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is read in place");
constexpr int64_t kHeaderBytes = 84, kTriangleBytes = 50;

absl::StatusOr<MeshFacts> facts_of(const MeshSource& source, int64_t triangles) {
  if (triangles == 0) return source.empty("declares no triangles");
  RETURN_IF_ERROR(source.check_counts(0, triangles));  // its vertices count only once they are welded
  return MeshFacts{3 * triangles, 3 * triangles, triangles};
}

absl::StatusOr<MeshFacts> inspect_binary(const MeshSource& source) {
  const int64_t size = static_cast<int64_t>(source.bytes.size());
  if (size < kHeaderBytes) return source.truncated("header", cat("it has ", size, " bytes, an STL header has 84"));
  uint32_t declared = 0;
  std::memcpy(&declared, source.bytes.data() + 80, 4);
  const int64_t held = (size - kHeaderBytes) / kTriangleBytes, needed = kHeaderBytes + kTriangleBytes * declared;
  const std::string what = cat("its header declares ", declared, " triangles (", needed, " bytes), the file has ", size,
                               " bytes, enough for ", held);
  if (size < needed) return source.truncated(cat("triangle ", held), what);
  if (size > needed) return source.contradictory("header", what);
  ASSIGN_OR_RETURN(const MeshFacts facts, facts_of(source, declared));
  for (int64_t t = 0; t < declared; ++t) {
    float corner[9];
    std::memcpy(corner, source.bytes.data() + kHeaderBytes + kTriangleBytes * t + 12, sizeof(corner));
    for (float x : corner) {
      if (!usable(x)) return source.not_finite(cat("triangle ", t));
    }
  }
  return facts;
}

// The text form, a word at a time.
struct StlWords {
  const MeshSource& source;
  LineReader lines;
  std::string_view line = {};

  explicit StlWords(const MeshSource& s) : source(s), lines(s.bytes) {}
  std::string_view next() {  // empty at the end of the file
    for (;;) {
      const std::string_view word = next_word(&line);
      if (!word.empty() || !lines.next(&line)) return word;
    }
  }
  std::string where() const { return cat("line ", lines.number()); }
  bool at_cut_end() const { return line.empty() && lines.last_is_cut(); }  // inside the very last word
  absl::Status expect(std::string_view wanted) {
    const std::string_view word = next();
    if (word == wanted) return absl::OkStatus();
    if (word.empty() || (wanted.starts_with(word) && at_cut_end())) {
      return source.truncated(where(), cat("it ends where '", wanted, "' belongs"));
    }
    return source.contradictory(where(), cat(where(), " has '", shown(word), "' where '", wanted, "' belongs"));
  }
  absl::Status numbers(int count, bool must_be_usable) {
    for (int k = 0; k < count; ++k) {
      const std::string_view word = next();
      const auto value = parse_number(word);
      if (word.empty() || (!value && at_cut_end())) return source.truncated(where(), "it ends where a number belongs");
      if (!value) return source.contradictory(where(), cat(where(), " has '", shown(word), "' where a number belongs"));
      if (must_be_usable && !usable(*value)) return source.not_finite(where());
    }
    return absl::OkStatus();
  }
};

absl::Status check_facet(StlWords* words) {  // the word "facet" is taken
  RETURN_IF_ERROR(words->expect("normal"));
  RETURN_IF_ERROR(words->numbers(3, false));  // normals are not used: NaN there harms nobody
  RETURN_IF_ERROR(words->expect("outer"));
  RETURN_IF_ERROR(words->expect("loop"));
  for (int k = 0; k < 3; ++k) {
    RETURN_IF_ERROR(words->expect("vertex"));
    RETURN_IF_ERROR(words->numbers(3, true));
  }
  RETURN_IF_ERROR(words->expect("endloop"));
  return words->expect("endfacet");
}

absl::StatusOr<MeshFacts> inspect_text(const MeshSource& source) {
  StlWords words(source);
  int64_t triangles = 0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word != "solid") {
      return source.contradictory(words.where(), cat(words.where(), " has '", shown(word), "' where 'solid' belongs"));
    }
    words.line = {};  // the rest of the line is a name
    for (word = words.next(); word == "facet"; word = words.next()) {
      RETURN_IF_ERROR(check_facet(&words));
      ++triangles;
    }
    if (word.empty()) return source.truncated(words.where(), "it ends without 'endsolid'");
    if (word != "endsolid") {
      return source.contradictory(words.where(), cat(words.where(), " has '", shown(word), "' where 'facet' belongs"));
    }
    words.line = {};
  }
  return facts_of(source, triangles);
}

}  // namespace

absl::StatusOr<MeshFacts> inspect_stl(const MeshSource& source) {
  const std::string_view bytes = source.bytes;
  uint32_t declared = 0;
  if (bytes.size() >= kHeaderBytes) std::memcpy(&declared, bytes.data() + 80, 4);
  const bool size_fits = bytes.size() >= kHeaderBytes &&
                         static_cast<int64_t>(bytes.size()) == kHeaderBytes + kTriangleBytes * int64_t{declared};
  // Binary files may begin with "solid" too; only their size tells, and text has no NUL.
  const bool is_text = !size_fits && bytes.starts_with("solid") && bytes.find('\0') == std::string_view::npos;
  if (!is_text && bytes.size() < kHeaderBytes && bytes.find('\0') == std::string_view::npos) {
    return source.wrong_type("is not an STL file: it neither begins with 'solid' nor has a binary header");
  }
  return is_text ? inspect_text(source) : inspect_binary(source);
}

}  // namespace tryon::mesh_inspect
