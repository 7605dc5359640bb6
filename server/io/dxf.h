// What it is: the part of a DXF file that sewing patterns use, as it stands there: blocks with polylines, lines, points
// and texts, by layer. R12 POLYLINE / VERTEX / SEQEND and LWPOLYLINE alike; bulges become chords of an arc.
// Units: the file's own. Every other entity is counted in `not_understood`, never dropped in silence.
// How it fails: PATTERN_DXF with the line of the file; PATTERN_TOO_MANY_* beyond DxfLimits, before anything is kept.
// Thread rules: pure function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/triangle_mesh.h"

namespace tryon {

struct DxfLimits {
  int max_blocks = 2'048;
  int64_t max_points = 400'000;
  int max_texts = 20'000;
};

struct DxfPath {
  std::string layer;
  std::vector<Vec2> points;
  bool closed = false;
  int line = 0;  // of the file, counted from 1
};

struct DxfMark {  // a POINT or a CIRCLE's centre
  std::string layer;
  Vec2 at = Vec2::Zero();
};

struct DxfText {
  std::string layer, text;
  Vec2 at = Vec2::Zero();
};

struct DxfBlock {
  std::string name;
  int line = 0;
  std::vector<DxfPath> paths;
  std::vector<DxfMark> points;
  std::vector<DxfText> texts;
};

struct DxfInsert {
  std::string block;
  double scale_x = 1.0, scale_y = 1.0, turn_deg = 0.0;
};

struct DxfFile {
  std::vector<DxfBlock> blocks;
  DxfBlock loose;  // entities outside blocks
  std::vector<DxfInsert> inserts;
  std::map<std::string, int> not_understood;  // "SPLINE on layer 8" -> count
};

bool looks_like_dxf(std::string_view bytes);
absl::StatusOr<DxfFile> read_dxf(std::string_view bytes, const DxfLimits& limits = {});

}  // namespace tryon
