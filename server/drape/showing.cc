#include "server/drape/showing.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <utility>

#include "absl/time/clock.h"
#include "server/base/status.h"
#include "server/drape/shown_garment.h"
#include "server/io/mesh_export.h"

namespace tryon {
namespace {

constexpr char kPreviewName[] = "preview.glb", kFramesType[] = "application/octet-stream";

constexpr size_t kHeader = 2 * sizeof(uint32_t), kPlace = 3 * sizeof(float);

template <typename T>
void append_bytes(const T& value, std::string* out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out->append(bytes, sizeof bytes);
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

std::string frames_file_name(int number) {
  std::ostringstream out;
  out << "frames_" << std::setw(3) << std::setfill('0') << number << ".bin";
  return out.str();
}

absl::StatusOr<std::vector<std::string_view>> frames_in(std::string_view file) {
  std::array<uint32_t, 2> count = {};
  if (file.size() >= kHeader) std::memcpy(count.data(), file.data(), kHeader);
  const size_t frame = count[1] * kPlace;
  if (file.size() < kHeader || count[0] > kFramesAFile || file.size() != kHeader + count[0] * frame) {
    return internal_fault("a file of frames is not as long as it says");
  }
  std::vector<std::string_view> out;
  for (uint32_t k = 0; k < count[0]; ++k) out.push_back(file.substr(kHeader + k * frame, frame));
  return out;
}

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
    for (int k = 0; k < 3; ++k) append_bytes(static_cast<float>(p[k]), &bytes_);
  }
  if (++in_file_ == kFramesAFile) end_file();
}

void Showing::end_file() {
  const std::string name = frames_file_name(static_cast<int>(files_.size()));
  std::string file;
  append_bytes(static_cast<uint32_t>(in_file_), &file);
  append_bytes(static_cast<uint32_t>(welded_.size()), &file);
  file += bytes_;
  bytes_.clear();
  in_file_ = 0;
  run_.show({name, file, kFramesType});
  files_[name] = {std::move(file), kFramesType};
}

Artifacts Showing::frames() && {
  if (in_file_ > 0) end_file();
  return std::move(files_);
}

}  // namespace tryon
