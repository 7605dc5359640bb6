// What it is: the files that a drape is asked for beyond the usual ones: GLB for the web (at most 3 MB and 150,000
// triangles), for the desktop and as simulated, the wind as an animated GLB, PLY, STL.
// Units and frame: metres, +Y up, body facing +Z; fields SI. Shapes: file name -> artifact, see README.md.
// How it fails: as write_glb; INTERNAL where no mesh fits the web's limit. Thread rules: as RunContext.
#pragma once

#include "absl/status/status.h"
#include "server/drape/cloth_fields.h"
#include "server/drape/drape_goods.h"
#include "server/drape/pipeline.h"
#include "server/drape/shown_garment.h"
#include "server/io/mesh_export.h"

namespace tryon {

inline constexpr size_t kWebBytes = 3'000'000;
inline constexpr int kWebTriangles = 150'000;

ExportPiece garment_piece(const DrapeGoods& goods, const ShownGarment& shown);
ExportPiece body_piece(const TriangleMesh& skin, double opacity);
// The body and what it wears beneath the garment, moving if the garment does.
std::vector<ExportPiece> dressed_body(const DrapeGoods& goods, bool moving);
absl::Status add_exports(const RunContext& run, const DrapeGoods& goods, const ShownGarment& shown,
                         const std::vector<ClothField>& fields, Artifacts* out);

// The same piece with at most so many triangles and, quantised or by Draco, so many bytes.
absl::StatusOr<std::string> write_web_glb(const ExportPiece& piece, const GlbOptions& options, int most_triangles,
                                          size_t most_bytes);

}  // namespace tryon
