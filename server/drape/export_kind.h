// What it is: what a drape can be asked for beyond its usual files, by name. Files: garment_web.glb,
// garment_desktop.glb, garment_source.glb, wind.glb, garment.ply, garment.stl, turntable.png, views.png, heat_*.png,
// sections.png, frames_*.bin. Units: none. How it fails: an unknown name has no kind. Thread rules: constants.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace tryon {

enum class Export { kWeb, kDesktop, kSource, kWind, kPly, kStl, kTurntable, kViews, kHeatMaps, kSections, kFrames };
inline constexpr std::array<std::string_view, 11> kExportNames = {
    "web", "desktop", "source", "wind", "ply", "stl", "turntable", "views", "heatmaps", "sections", "frames"};

inline std::optional<Export> export_named(std::string_view name) {
  const auto at = std::find(kExportNames.begin(), kExportNames.end(), name);
  if (at == kExportNames.end()) return std::nullopt;
  return static_cast<Export>(at - kExportNames.begin());
}

}  // namespace tryon
