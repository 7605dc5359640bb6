#include "server/io/seam_sidecar.h"

#include <algorithm>
#include <cmath>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/pattern_outline.h"
#include "server/garment/seam_graph.h"
#include "server/io/json_gate.h"
#include "server/io/pattern_values.h"

namespace tryon {
namespace {

using pattern_io::Json;

constexpr double kLengthAgrees = 0.003;  // metres between a stated seam length and the pattern's

absl::Status mismatch(const std::string& field, const std::string& message) {
  return invalid_input("SIDECAR_MISMATCH", field, message, "Send the sidecar that was written for this pattern file.");
}

// By number in the file's order, or by name.
absl::StatusOr<const Panel*> find_piece(const Json& entry, const std::string& field, const Pattern& pieces) {
  ASSIGN_OR_RETURN(const Json* value, pattern_io::member(entry, field, "piece"));
  if (value->is_string()) {
    ASSIGN_OR_RETURN(const std::string name, pattern_io::text(*value, cat(field, ".piece")));
    for (const Panel& panel : pieces.panels) {
      if (panel.name == name) return &panel;
    }
    return mismatch(cat(field, ".piece"), cat("the pattern has no piece called ", name));
  }
  ASSIGN_OR_RETURN(const int number, pattern_io::index(*value, cat(field, ".piece")));
  if (number >= 0 && number < static_cast<int>(pieces.panels.size())) return &pieces.panels[number];
  return mismatch(cat(field, ".piece"), cat("the pattern has no piece ", number, ": it has ", pieces.panels.size()));
}

void turn(double degrees, Panel* panel) {
  const Eigen::Rotation2Dd rotation(radians(degrees));
  auto turned = [&](Vec2* p) { *p = rotation * *p; };
  for (Vec2& v : panel->vertices) turned(&v);
  for (InternalLine& line : panel->lines) {
    for (Vec2& p : line.points) turned(&p);
  }
  for (Dart& d : panel->darts) turned(&d.tip);
  for (DrillHole& h : panel->drill_holes) turned(&h.at);
  turned(&panel->grain);
}

absl::Status shape_panel(const Json& entry, const std::string& field, Panel* panel) {
  ASSIGN_OR_RETURN(const int fold, pattern_io::optional_index(entry, field, "unfold_edge", -1));
  if (fold >= static_cast<int>(panel->edges.size())) {
    return mismatch(cat(field, ".unfold_edge"), cat("the piece has no edge ", fold));
  }
  if (fold >= 0) {
    const PanelEdge& edge = panel->edges[fold];
    const Vec2 a = panel->vertices[edge.start], b = panel->vertices[edge.end];
    RETURN_IF_ERROR(unfold(a, b, panel));
  }
  ASSIGN_OR_RETURN(const bool mirror, pattern_io::flag(entry, field, "mirror"));
  if (mirror) *panel = mirror_piece(*panel);
  ASSIGN_OR_RETURN(const double degrees, pattern_io::optional_number(entry, field, "turn_deg", 0.0));
  if (degrees != 0.0) turn(degrees, panel);
  return absl::OkStatus();
}

absl::Status name_panel(const Json& entry, const std::string& field, Panel* panel) {
  ASSIGN_OR_RETURN(const std::string name, pattern_io::optional_text(entry, field, "name"));
  if (!name.empty()) panel->name = name;
  ASSIGN_OR_RETURN(const std::string role, pattern_io::optional_text(entry, field, "role"));
  if (!role.empty()) panel->role = role;
  ASSIGN_OR_RETURN(const std::string fabric, pattern_io::optional_text(entry, field, "fabric"));
  if (!fabric.empty()) panel->fabric = fabric;
  ASSIGN_OR_RETURN(panel->layer, pattern_io::optional_index(entry, field, "layer", panel->layer));
  panel->quantity = 1, panel->mirrored = false;
  if (pattern_io::optional_member(entry, "translation_mm") == nullptr) return absl::OkStatus();
  return pattern_io::read_placement(entry, field, panel);
}

// Cuts a panel from its piece, in every size of the pattern.
absl::Status cut_panel(const Json& entry, const std::string& field, const Pattern& pieces, Pattern* out) {
  ASSIGN_OR_RETURN(const Panel* piece, find_piece(entry, field, pieces));
  Panel panel = *piece;
  RETURN_IF_ERROR(shape_panel(entry, field, &panel));
  RETURN_IF_ERROR(name_panel(entry, field, &panel));
  out->panels.push_back(std::move(panel));
  for (size_t s = 0; s < pieces.sizes.size(); ++s) {
    Panel other = in_shape(*piece, pieces.sizes[s].panels[piece - pieces.panels.data()]);
    RETURN_IF_ERROR(shape_panel(entry, field, &other));
    out->sizes[s].panels.push_back(shape_of(other));
  }
  return absl::OkStatus();
}

absl::Status check_lengths(const Json& seams, const Pattern& pattern) {
  for (size_t s = 0; s < pattern.seams.size(); ++s) {
    const std::string field = cat("seams[", s, "]");
    ASSIGN_OR_RETURN(const double stated, pattern_io::optional_number(seams[s], field, "length_mm", 0.0));
    if (stated == 0.0) continue;
    const double found = chain_length(pattern, pattern.seams[s].a);
    if (std::abs(found - from_mm(stated)) <= kLengthAgrees + 0.005 * found) continue;
    return mismatch(field, cat("seam ", s, " should be ", stated, " mm, in this pattern it is ", to_mm(found), " mm"));
  }
  return absl::OkStatus();
}

// Every piece becomes a panel, or somebody says why not.
absl::Status tell_left_out(const Json& root, const Pattern& pieces, std::vector<bool> used,
                           std::vector<std::string>* notes) {
  ASSIGN_OR_RETURN(const Json* list, pattern_io::optional_list(root, "the sidecar", "left_out"));
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const std::string field = cat("left_out[", i, "]");
    ASSIGN_OR_RETURN(const Panel* piece, find_piece((*list)[i], field, pieces));
    ASSIGN_OR_RETURN(const std::string why, pattern_io::optional_text((*list)[i], field, "why"));
    const size_t number = static_cast<size_t>(piece - pieces.panels.data());
    if (used[number]) return mismatch(field, cat("piece ", piece->name, " is left out, and a panel is cut from it"));
    used[number] = true;
    if (notes != nullptr) notes->push_back(cat("piece ", piece->name, " is left out", why.empty() ? "" : ": ", why));
  }
  for (size_t p = 0; notes != nullptr && p < used.size(); ++p) {
    if (!used[p]) notes->push_back(cat("piece ", pieces.panels[p].name, " is left out: the sidecar does not name it"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<bool>> used_pieces(const Json& panels, const Pattern& pieces) {
  std::vector<bool> used(pieces.panels.size(), false);
  for (size_t p = 0; p < panels.size(); ++p) {
    ASSIGN_OR_RETURN(const Panel* piece, find_piece(panels[p], cat("panels[", p, "]"), pieces));
    used[static_cast<size_t>(piece - pieces.panels.data())] = true;
  }
  return used;
}

}  // namespace

absl::StatusOr<Pattern> apply_sidecar(std::string_view sidecar, const Pattern& pieces, const PatternLimits& limits,
                                      std::vector<std::string>* notes) {
  RETURN_IF_ERROR(check_json(sidecar, limits.max_depth));
  const Json root = Json::parse(sidecar, nullptr, false);
  ASSIGN_OR_RETURN(const std::string schema, pattern_io::optional_text(root, "the sidecar", "schema"));
  if (schema != "tryon.seams.v1") {
    return invalid_input("PATTERN_FIELD_TYPE", "schema", "the sidecar is no tryon.seams.v1 file",
                         "Write \"schema\": \"tryon.seams.v1\".");
  }
  Pattern out = pieces;
  ASSIGN_OR_RETURN(const Json* panels, pattern_io::optional_list(root, "the sidecar", "panels"));
  if (panels != nullptr) {
    RETURN_IF_ERROR(
        pattern_io::check_count(panels->size(), limits.max_panels, "PATTERN_TOO_MANY_PANELS", "panels", "panels"));
    out.panels.clear(), out.stitches.clear(), out.seams.clear();
    for (SizeVariant& variant : out.sizes) variant.panels.clear();
    for (size_t p = 0; p < panels->size(); ++p) {
      RETURN_IF_ERROR(cut_panel((*panels)[p], cat("panels[", p, "]"), pieces, &out));
    }
    ASSIGN_OR_RETURN(const std::vector<bool> used, used_pieces(*panels, pieces));
    RETURN_IF_ERROR(tell_left_out(root, pieces, used, notes));
  }
  pattern_io::Reader reader(limits);
  ASSIGN_OR_RETURN(const Json* seams, pattern_io::optional_list(root, "the sidecar", "seams"));
  if (seams == nullptr) return out;
  ASSIGN_OR_RETURN(out.seams, pattern_io::read_seams(*seams, out, &reader));
  RETURN_IF_ERROR(validate(out));
  RETURN_IF_ERROR(check_lengths(*seams, out));
  return out;
}

}  // namespace tryon
