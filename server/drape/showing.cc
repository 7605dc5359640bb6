#include "server/drape/showing.h"

#include <algorithm>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <utility>

#include "absl/time/clock.h"
#include "server/drape/shown_garment.h"
#include "server/io/mesh_export.h"

namespace tryon {
namespace {

constexpr char kPreviewName[] = "preview.glb", kFramesType[] = "application/octet-stream";

std::string frames_name(size_t number) {
  std::ostringstream out;
  out << "frames_" << std::setw(3) << std::setfill('0') << number << ".bin";
  return out.str();
}

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
  for (const Vec3& p : picked(cloth, welded_)) {
    const std::array<float, 3> place = {static_cast<float>(p.x()), static_cast<float>(p.y()),
                                        static_cast<float>(p.z())};
    char bytes[sizeof place];
    std::memcpy(bytes, place.data(), sizeof place);
    bytes_.append(bytes, sizeof bytes);
  }
  if (++in_file_ == kFramesAFile) end_file();
}

void Showing::end_file() {
  const std::string name = frames_name(files_.size());
  run_.show({name, bytes_, kFramesType});
  files_[name] = {std::exchange(bytes_, {}), kFramesType};
  in_file_ = 0;
}

Artifacts Showing::frames() && {
  if (in_file_ > 0) end_file();
  return std::move(files_);
}

}  // namespace tryon
