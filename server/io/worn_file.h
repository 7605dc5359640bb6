// What it is: garments as they lie on a body (worn.tryon), innermost first, so that another can be dressed over them,
// or the same in another size or fabric begin there: cloth at rest, its rest shape, its elastics, what it is made of,
// and how it is shown. Numbers come back to the last bit. Units and frame: metres, +Y up, body facing +Z. Shapes: as
// WeldedMesh; `uv` and `shown` are of the unsewn garment. How it fails: WORN_FILE_UNREADABLE for what is cut, altered,
// of another version, or fits no cloth. Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/garment.h"

namespace tryon {

inline constexpr size_t kMostWorn = 8;  // over each other

struct StoredGarment {
  std::string name;             // of the pattern
  std::string fabric;           // a name of the library, or a whole tryon.fabric.v1 document
  WeldedMesh cloth;             // at rest
  std::vector<Vec2> uv;         // [cloth.source] metres along weft and warp
  std::vector<Triangle> shown;  // of the unsewn garment: indices into uv
  // Of the garment on top, since version 2 (empty and 0 before):
  std::string made_of;    // digest of its request, whatever the size
  std::string meshed_in;  // the size whose triangles were carried to its own; empty: as the garment was created
  double edge_m = 0.0;    // of those triangles
};

struct StoredOutfit {
  std::string body;  // digest of the body's request
  std::vector<StoredGarment> garments;
};

std::string write_worn_file(const StoredOutfit& outfit);
absl::StatusOr<StoredOutfit> read_worn_file(std::string_view bytes);

}  // namespace tryon
