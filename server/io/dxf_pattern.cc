#include "server/io/dxf_pattern.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/pattern_outline.h"
#include "server/io/dxf.h"
#include "server/io/rul.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

constexpr double kGap = 1e-3;              // metres between the ends of a path that counts as closed
constexpr double kLargestPiece = 5.0;      // metres
constexpr double kSmallestLargest = 0.09;  // metres: of the largest piece of a garment for a person
constexpr double kNotchNear = 0.04;        // metres from the sew line: notches stand on the cut line
constexpr double kAllowance = 0.06;        // metres between cut line and sew line
constexpr double kSamePlace = 5e-4;

struct Piece {
  const DxfBlock* block = nullptr;
  std::string name, size, material;
  int quantity = 1;
  bool mirrored = false;
  std::vector<Vec2> cut_line;  // metres, as drawn
  std::vector<Vec2> loop;      // metres, clean
  std::vector<int> corners;    // of the loop
  std::vector<int> rule;       // [loop] number of its grade rule, -1: none
  std::vector<const DxfPath*> internal, cutouts;
};

std::string trimmed(const std::string& s) {
  const size_t begin = s.find_first_not_of(" \t"), end = s.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

// The rest of the text after `key`, where it begins so (in any case).
bool after(const std::string& text, std::string_view key, std::string* out) {
  if (text.size() < key.size()) return false;
  for (size_t i = 0; i < key.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != std::tolower(static_cast<unsigned char>(key[i]))) {
      return false;
    }
  }
  *out = trimmed(text.substr(key.size()));
  return true;
}

class Importer {
 public:
  Importer(const DxfFile& file, std::string_view file_name, const ImportOptions& options)
      : file_(file), file_name_(file_name), options_(options) {}

  absl::StatusOr<ImportedPattern> run() {
    out_.format = ImportedPattern::Format::kDxf;
    find_unit();
    RETURN_IF_ERROR(collect());
    RETURN_IF_ERROR(check_sizes_of_pieces());
    RETURN_IF_ERROR(choose_size());
    for (const Piece& piece : pieces_) RETURN_IF_ERROR(add_panel(piece));
    RETURN_IF_ERROR(grade());
    RETURN_IF_ERROR(unfold_mirrors());
    report();
    return std::move(out_);
  }

 private:
  void note(std::string text) {
    if (out_.notes.size() < 200) out_.notes.push_back(std::move(text));
  }

  void find_unit() {
    out_.metres_per_unit = options_.metres_per_unit;
    std::string unit;
    for (const DxfText& text : file_.loose.texts) after(trimmed(text.text), "units:", &unit);
    if (out_.metres_per_unit > 0.0) return;
    stated_ = unit == "METRIC" || unit == "ENGLISH";
    out_.metres_per_unit = unit == "ENGLISH" ? 0.0254 : 1e-3;
    note(stated_ ? cat("the file says its unit: ", unit == "ENGLISH" ? "inches" : "millimetres")
                 : std::string("the file says no unit: taken as millimetres"));
  }

  std::vector<Vec2> metres(const std::vector<Vec2>& points) const {
    std::vector<Vec2> out;
    for (const Vec2& p : points) out.push_back(p * out_.metres_per_unit);
    return out;
  }

  bool is_closed(const DxfPath& path) const {
    return path.closed ||
           (path.points.size() > 3 && (path.points.front() - path.points.back()).norm() * out_.metres_per_unit < kGap);
  }

  double area(const DxfPath& path) const { return std::abs(signed_area(metres(path.points))); }

  const DxfPath* largest(const DxfBlock& block, const char* layer) const {
    const DxfPath* best = nullptr;
    for (const DxfPath& path : block.paths) {
      if (path.layer == layer && is_closed(path) && (best == nullptr || area(path) > area(*best))) best = &path;
    }
    return best;
  }

  // Whether a line runs everywhere within a seam allowance inside the cut line's box.
  bool follows(const DxfPath& path, const DxfPath& boundary) const {
    Eigen::AlignedBox2d inner, outer;
    for (const Vec2& p : metres(path.points)) inner.extend(p);
    for (const Vec2& p : metres(boundary.points)) outer.extend(p);
    const Vec2 low = inner.min() - outer.min(), high = outer.max() - inner.max();
    return std::min(low.minCoeff(), high.minCoeff()) > -kGap && std::max(low.maxCoeff(), high.maxCoeff()) < kAllowance;
  }

  // The sew line on layer 14, or on layer 8 where AAMA files keep it.
  const DxfPath* sew_line(const DxfBlock& block, const DxfPath* boundary) const {
    if (const DxfPath* path = largest(block, "14")) return path;
    const DxfPath* path = largest(block, "8");
    return path == nullptr || (boundary != nullptr && !follows(*path, *boundary)) ? nullptr : path;
  }

  void read_texts(Piece* piece) {
    std::string value;
    for (const DxfText& text : piece->block->texts) {
      const std::string line = trimmed(text.text);
      const size_t cut = line.find(", Cut ");
      if (after(line, "piece name:", &value)) {
        piece->name = value;
      } else if (after(line, "size:", &value)) {
        piece->size = value;
      } else if (after(line, "material:", &value)) {
        piece->material = value;
      } else if (after(line, "quantity:", &value)) {
        read_quantity(value, piece);
      } else if (cut != std::string::npos && piece->material.empty()) {
        piece->material = line.substr(0, cut);
        std::from_chars(line.data() + cut + 6, line.data() + line.size(), piece->quantity);
        piece->mirrored = piece->quantity > 1;
      }
    }
    piece->quantity = std::clamp(piece->quantity, 1, 100);
  }

  // "2" or "1,1": right ones and left ones.
  static void read_quantity(const std::string& value, Piece* piece) {
    int right = 0, left = 0;
    const auto first = std::from_chars(value.data(), value.data() + value.size(), right);
    const size_t comma = value.find(',');
    if (comma != std::string::npos) std::from_chars(value.data() + comma + 1, value.data() + value.size(), left);
    if (first.ec != std::errc() || right < 0 || left < 0 || right > 100 || left > 100) return;
    piece->quantity = std::max(1, right + left);
    piece->mirrored = right > 0 && left > 0;
  }

  std::string unique(std::string name) {
    if (name.empty()) name = cat("piece ", pieces_.size() + 1);
    if (name.size() > 100) name.resize(100);
    std::string out = name;
    for (int k = 2; !names_.insert(out).second; ++k) out = cat(name, " ", k);
    return out;
  }

  absl::Status open_outline(const DxfBlock& block, int line, double gap_m) const {
    return invalid_input("PANEL_LOOP_OPEN", cat("block ", block.name, ", line ", line),
                         cat("piece ", block.name, ": its boundary is open: ", to_mm(gap_m), " mm are missing"),
                         "Close the outline of the piece and export it again.");
  }

  absl::Status collect() {
    for (const DxfBlock& block : file_.blocks) {
      const DxfPath* boundary = largest(block, "1");
      const DxfPath* outline = sew_line(block, boundary);
      if (outline == nullptr) outline = boundary;
      if (outline == nullptr) {
        for (const DxfPath& path : block.paths) {
          if (path.layer != "1" || path.points.size() < 3) continue;
          return open_outline(block, path.line,
                              (path.points.front() - path.points.back()).norm() * out_.metres_per_unit);
        }
        if (!block.paths.empty()) note(cat("block ", block.name, " has no boundary on layer 1: left out"));
        continue;
      }
      if (static_cast<int>(pieces_.size()) >= options_.limits.max_panels) {
        return invalid_input("PATTERN_TOO_MANY_PANELS", cat("line ", block.line),
                             cat("the file has more than ", options_.limits.max_panels, " pieces"), "Split the file.");
      }
      RETURN_IF_ERROR(add_piece(block, outline, boundary));
    }
    if (!pieces_.empty()) return absl::OkStatus();
    return invalid_input("PATTERN_WITHOUT_PANELS", "the file",
                         "the DXF file has no block with a closed boundary on layer 1: it is a drawing, no pattern",
                         "Export the pattern as ASTM D6673 or AAMA DXF.");
  }

  absl::Status add_piece(const DxfBlock& block, const DxfPath* outline, const DxfPath* boundary) {
    Piece piece;
    piece.block = &block;
    piece.name = block.name;
    read_texts(&piece);
    piece.loop = clean_loop(metres(outline->points));
    if (boundary != nullptr) piece.cut_line = metres(boundary->points);
    if (piece.loop.size() < 3) {
      return invalid_input("OUTLINE_TOO_SHORT", cat("block ", block.name, ", line ", outline->line),
                           cat("piece ", block.name, " has ", piece.loop.size(), " different points"),
                           "Draw a closed piece of cloth.");
    }
    for (const DxfPath& path : block.paths) {
      if (&path == outline || &path == boundary) continue;
      if (path.layer == "8" && path.points.size() > 1) piece.internal.push_back(&path);
      if (path.layer == "11" && path.points.size() > 1) piece.cutouts.push_back(&path);
      if (path.layer == "1") note(cat("piece ", block.name, ": a second line on layer 1 (line ", path.line, ")"));
    }
    find_corners_and_rules(&piece);
    pieces_.push_back(std::move(piece));
    return absl::OkStatus();
  }

  int loop_point(const Piece& piece, const Vec2& at) const {
    int best = -1;
    double nearest = kSamePlace;
    for (size_t i = 0; i < piece.loop.size(); ++i) {
      const double d = (piece.loop[i] - at).norm();
      if (d < nearest) nearest = d, best = static_cast<int>(i);
    }
    return best;
  }

  void find_corners_and_rules(Piece* piece) const {
    const std::vector<Vec2>& loop = piece->loop;
    std::set<int> turns;
    for (const DxfMark& mark : piece->block->points) {
      const int i = mark.layer == "2" ? loop_point(*piece, mark.at * out_.metres_per_unit) : -1;
      if (i >= 0) turns.insert(i);
    }
    piece->corners = find_corners(loop);
    if (turns.size() >= 3) {  // the file says where the outline turns: corners are among these points
      std::vector<int> kept;
      for (const int i : piece->corners) {
        if (turns.count(i)) kept.push_back(i);
      }
      if (kept.size() >= 2) piece->corners = kept;
    }
    piece->rule.assign(loop.size(), -1);
    for (const DxfText& text : piece->block->texts) {
      const std::string t = trimmed(text.text);
      int rule = 0;
      if (t.size() < 2 || t[0] != '#') continue;
      const std::string digits = trimmed(t.substr(1));
      if (std::from_chars(digits.data(), digits.data() + digits.size(), rule).ec != std::errc()) continue;
      const int i = loop_point(*piece, text.at * out_.metres_per_unit);
      if (i >= 0) piece->rule[i] = rule;
    }
  }

  // A person's size: nothing that is worn measures more than 5 m, and its largest piece no less than 9 cm.
  absl::Status check_sizes_of_pieces() const {
    double largest = 0.0;
    for (const Piece& piece : pieces_) {
      Eigen::AlignedBox2d box;
      for (const Vec2& p : piece.loop) box.extend(p);
      for (const Vec2& p : piece.cut_line) box.extend(p);
      const Vec2 size = box.sizes();
      largest = std::max(largest, size.maxCoeff());
      if (size.maxCoeff() <= kLargestPiece) continue;
      return invalid_input("PANEL_SIZE", cat("block ", piece.block->name, ", line ", piece.block->line),
                           cat("piece ", piece.name, " measures ", size.x(), " m by ", size.y(), " m"),
                           "No piece of a garment is so large: check its drafting formulas, or the unit of the file.");
    }
    if (largest >= kSmallestLargest) return absl::OkStatus();
    return invalid_input("PATTERN_UNIT", "the file",
                         cat("at ", to_mm(out_.metres_per_unit), " mm a unit the largest piece measures ",
                             to_mm(largest), " mm: no garment of a person"),
                         "Say the unit of the file: inches, centimetres or millimetres.");
  }

  // A block a piece and size: those of the wanted size are the pattern, the others its sizes where they match.
  absl::Status choose_size() {
    std::vector<std::string> sizes;
    for (const Piece& p : pieces_) {
      if (!p.size.empty() && std::find(sizes.begin(), sizes.end(), p.size) == sizes.end()) sizes.push_back(p.size);
    }
    if (sizes.size() < 2) {
      out_.pattern.size = sizes.empty() ? "" : sizes[0];
      return absl::OkStatus();
    }
    std::string sample;
    for (const DxfText& text : file_.loose.texts) after(trimmed(text.text), "sample size:", &sample);
    const bool known = std::find(sizes.begin(), sizes.end(), sample) != sizes.end();
    out_.pattern.size = known ? sample : sizes[0];
    std::vector<Piece> base;
    for (const Piece& p : pieces_) {
      if (p.size.empty() || p.size == out_.pattern.size) base.push_back(p);
    }
    for (const std::string& size : sizes) {
      if (size != out_.pattern.size) add_size(size, base);
    }
    pieces_ = std::move(base);
    return absl::OkStatus();
  }

  void add_size(const std::string& size, const std::vector<Piece>& base) {
    SizeVariant variant{size, {}};
    for (const Piece& piece : base) {
      const Piece* other = piece.size.empty() ? &piece : nullptr;
      for (const Piece& p : pieces_) {
        if (p.size == size && p.name == piece.name) other = &p;
      }
      if (other == nullptr || other->loop.size() != piece.loop.size()) {
        note(cat("size ", size, ": piece ", piece.name, other == nullptr ? " is missing" : " has other points",
                 ", the size is left out"));
        return;
      }
      Panel panel;
      set_outline(other->loop, piece.corners, &panel);
      variant.panels.push_back(outline_shape(panel));
    }
    out_.pattern.sizes.push_back(std::move(variant));
  }

  // Of the outline alone: its marks are those of the base size until rules move them.
  static PanelShape outline_shape(const Panel& panel) {
    PanelShape shape = shape_of(panel);
    shape.marks.clear();
    return shape;
  }

  void add_lines(const std::vector<const DxfPath*>& paths, InternalLine::Kind kind, Panel* panel) const {
    for (const DxfPath* path : paths) {
      InternalLine line;
      line.kind = kind;
      line.closed = is_closed(*path) && path->points.size() > 2;
      for (const Vec2& p : metres(path->points)) {
        if (line.points.empty() || (p - line.points.back()).norm() > 1e-6) line.points.push_back(p);
      }
      if (line.closed && (line.points.front() - line.points.back()).norm() < 1e-6) line.points.pop_back();
      if (line.points.size() > 1) panel->lines.push_back(std::move(line));
    }
  }

  void add_marks(const Piece& piece, Panel* panel) {
    for (const DxfMark& mark : piece.block->points) {
      const Vec2 at = mark.at * out_.metres_per_unit;
      if (mark.layer == "13") {
        panel->drill_holes.push_back({at, ""});
        continue;
      }
      const bool notch =
          mark.layer == "4" || mark.layer == "80" || mark.layer == "81" || mark.layer == "82" || mark.layer == "83";
      if (!notch) continue;
      const OutlinePlace place = nearest_on_outline(*panel, at);
      if (place.distance > kNotchNear) {
        note(cat("piece ", piece.name, ": a notch lies ", to_mm(place.distance), " mm from the outline: left out"));
        continue;
      }
      const Notch::Kind kind = mark.layer == "80"   ? Notch::Kind::kT
                               : mark.layer == "81" ? Notch::Kind::kCastle
                               : mark.layer == "82" ? Notch::Kind::kCheck
                               : mark.layer == "83" ? Notch::Kind::kU
                                                    : Notch::Kind::kV;
      panel->notches.push_back({kind, place.edge, place.at, 0.0});
    }
  }

  absl::Status add_panel(const Piece& piece) {
    Panel panel;
    panel.name = unique(trimmed(piece.name));
    panel.placed = false;
    panel.quantity = piece.quantity, panel.mirrored = piece.mirrored;
    panel.fabric = piece.material.substr(0, 100);
    set_outline(piece.loop, piece.corners, &panel);
    add_lines(piece.internal, InternalLine::Kind::kDrawn, &panel);
    add_lines(piece.cutouts, InternalLine::Kind::kCut, &panel);
    add_marks(piece, &panel);
    for (const DxfPath& path : piece.block->paths) {
      if (path.layer != "7" || path.points.size() < 2) continue;
      Vec2 d = path.points.back() - path.points.front();
      if (d.y() < 0.0 || (d.y() == 0.0 && d.x() < 0.0)) d = -d;  // drawn from either end: up is the end that is up
      if (d.norm() > 0.0) panel.grain = d.normalized(), panel.grain_given = true;
    }
    points_ += static_cast<int64_t>(piece.loop.size());
    if (points_ > options_.limits.max_points) {
      return invalid_input("PATTERN_TOO_MANY_EDGES", cat("block ", piece.block->name),
                           "the outlines have too many points", "Export the pattern with a coarser curve tolerance.");
    }
    out_.pattern.panels.push_back(std::move(panel));
    return absl::OkStatus();
  }

  // ---- grading by rules ---------------------------------------------------------------------------------------

  absl::Status grade() {
    if (options_.grading.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const GradeRules rules, read_rul(options_.grading));
    if (static_cast<int>(rules.sizes.size()) > options_.limits.max_sizes) {
      return invalid_input("PATTERN_TOO_MANY_SIZES", "grading", cat("the table has ", rules.sizes.size(), " sizes"),
                           cat("Send at most ", options_.limits.max_sizes, " sizes."));
    }
    for (const Piece& piece : pieces_) {
      for (size_t i = 0; i < piece.rule.size(); ++i) {
        if (piece.rule[i] < 0 || rules.rules.count(piece.rule[i])) continue;
        return invalid_input("GRADE_RULES", cat("block ", piece.block->name),
                             cat("piece ", piece.name, ": a point follows grade rule ", piece.rule[i],
                                 ", which the table does not have"),
                             "Send the RUL file that belongs to this DXF.");
      }
    }
    Pattern& pattern = out_.pattern;
    pattern.size = rules.sample;
    pattern.sizes.clear();
    for (size_t s = 0; s < rules.sizes.size(); ++s) {
      if (rules.sizes[s] == rules.sample) continue;
      SizeVariant variant{rules.sizes[s], {}};
      for (size_t p = 0; p < pieces_.size(); ++p) {
        const std::vector<Vec2> delta = grade_deltas(rules, s, pieces_[p].loop, pieces_[p].rule);
        std::vector<Vec2> loop = pieces_[p].loop;
        for (size_t i = 0; i < loop.size(); ++i) loop[i] += delta[i];
        Panel panel;
        set_outline(loop, pieces_[p].corners, &panel);
        PanelShape shape = outline_shape(panel);
        shape.marks = graded_marks(pattern.panels[p], pieces_[p].loop, delta);
        variant.panels.push_back(std::move(shape));
      }
      pattern.sizes.push_back(std::move(variant));
    }
    return absl::OkStatus();
  }

  // A mirror line (layer 6) unfolds its half piece, in every size about its own fold.
  absl::Status unfold_mirrors() {
    for (size_t p = 0; p < pieces_.size(); ++p) {
      for (const DxfPath& path : pieces_[p].block->paths) {
        if (path.layer != "6" || path.points.size() < 2) continue;
        const std::vector<Vec2> line = metres(path.points);
        std::vector<PanelShape*> shapes;
        for (SizeVariant& variant : out_.pattern.sizes) shapes.push_back(&variant.panels[p]);
        RETURN_IF_ERROR(unfold_sizes(line.front(), line.back(), &out_.pattern.panels[p], shapes));
        note(cat("piece ", pieces_[p].name, ": unfolded at its mirror line"));
        break;
      }
    }
    return absl::OkStatus();
  }

  void report() {
    for (const auto& [what, count] : file_.not_understood) note(cat("not understood: ", count, " ", what));
    static const std::set<std::string> kKnown = {"1",  "2",  "3",  "4",  "6",  "7",  "8",  "11", "13", "14",
                                                 "15", "80", "81", "82", "83", "84", "85", "86", "87"};
    std::map<std::string, int> unknown;
    for (const DxfBlock& block : file_.blocks) {
      for (const DxfPath& path : block.paths) unknown[path.layer] += kKnown.count(path.layer) ? 0 : 1;
      for (const DxfMark& mark : block.points) unknown[mark.layer] += kKnown.count(mark.layer) ? 0 : 1;
    }
    for (const auto& [layer, count] : unknown) {
      if (count > 0) note(cat("not understood: ", count, " lines or points on layer ", layer.substr(0, 40)));
    }
    if (!file_.loose.paths.empty()) {
      note(cat("not understood: ", file_.loose.paths.size(), " lines outside of all pieces"));
    }
    for (const DxfInsert& insert : file_.inserts) {
      if (std::abs(insert.scale_x - 1.0) < 1e-6 && std::abs(insert.scale_y - 1.0) < 1e-6) continue;
      note(cat("block ", insert.block, " is placed at a scale of ", insert.scale_x, ": taken at its own size"));
    }
  }

  const DxfFile& file_;
  const std::string file_name_;
  const ImportOptions& options_;
  ImportedPattern out_;
  std::vector<Piece> pieces_;
  std::set<std::string> names_;
  bool stated_ = false;
  int64_t points_ = 0;
};

}  // namespace

absl::StatusOr<ImportedPattern> read_dxf_pattern(std::string_view bytes, std::string_view file_name,
                                                 const ImportOptions& options) {
  DxfLimits limits;
  limits.max_points = options.limits.max_points;
  ASSIGN_OR_RETURN(const DxfFile file, read_dxf(bytes, limits));
  return Importer(file, file_name, options).run();
}

}  // namespace tryon
