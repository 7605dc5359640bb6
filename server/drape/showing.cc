#include "server/drape/showing.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"
#include "server/drape/shown_garment.h"
#include "server/io/mesh_export.h"

namespace tryon {
namespace {

constexpr char kPreviewName[] = "preview.glb", kFramesType[] = "application/octet-stream";

ExportPiece cloth_at(const std::vector<Triangle>& triangles, const sim::DrapeState& state, const Vec3& colour) {
  ExportPiece piece;
  piece.name = "cloth";
  for (const auto& x : state.x) piece.mesh.positions.push_back(x.cast<double>());
  piece.mesh.triangles = triangles;
  piece.normals = vertex_normals(piece.mesh);
  piece.colour = colour;
  return piece;
}

}  // namespace

Showing::Showing(const RunContext& run, const GarmentMesh& garment, const Fabric& fabric, const DrapeSettings& settings)
    : run_(run), garment_(garment), fabric_(fabric), settings_(settings) {}

void Showing::listen(SettleOptions* options) {
  const auto& wanted = settings_.exports;
  if (settings_.preview_seconds > 0 && run_.on_file) {
    options->after_step = [this](const auto& triangles, const auto& state) { look(triangles, state); };
  }
  if (std::find(wanted.begin(), wanted.end(), Export::kFrames) != wanted.end()) {
    options->on_frame = [this](const std::vector<Vec3>& cloth) { take_frame(cloth); };
  }
}

void Showing::look(const std::vector<Triangle>& triangles, const sim::DrapeState& state) {
  const absl::Time now = absl::Now();
  if (now < next_look_) return;
  next_look_ = now + absl::Seconds(settings_.preview_seconds);
  auto glb = write_glb({cloth_at(triangles, state, fabric_.colour)});
  if (glb.ok()) run_.show({kPreviewName, *std::move(glb), "model/gltf-binary"});
}

void Showing::take_frame(const std::vector<Vec3>& cloth) {
  if (welded_.empty()) welded_ = shown_garment(garment_, weld(garment_, garment_.placed)).welded;
  file_.add(picked(cloth, welded_));
  if (file_.count() == kFramesAFile) end_file();
}

void Showing::end_file() {
  const std::string name = frames_file_name(static_cast<int>(files_.size()));
  Artifact& file = files_[name] = {file_.take(), kFramesType};
  run_.show({name, file.bytes, file.media_type});
}

Artifacts Showing::frames() && {
  if (file_.count() > 0) end_file();
  return std::move(files_);
}

}  // namespace tryon
