#include "server/garment/waist_fit.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/piece_layout.h"

namespace tryon {
namespace {

constexpr double kBelowTop = 0.06;  // m: an edge this far below the highest free one belongs to another opening
constexpr double kSlack = 30.0;     // mm

struct FreeEdge {
  double height = 0.0, length = 0.0;
  double along_warp = 0.0;  // squared cosine between it and the grain
  bool stayed = false;
};

// mm; a share of it lies along the warp, the rest along the weft, and a share is stayed.
struct Opening {
  double length = 0.0, along_warp = 0.0, stayed = 0.0;
};

double squared_cosine(const Vec2& a, const Vec2& b) {
  const double sizes = a.squaredNorm() * b.squaredNorm();
  return sizes > 0.0 ? std::pow(a.dot(b), 2) / sizes : 0.0;
}

// Its relaxed share where an elastic is sewn on, else 1.
double elastic_share(const Pattern& pattern, int panel, int edge) {
  for (const SeamSpec& seam : pattern.seams) {
    for (const auto* chain : {&seam.a, &seam.b}) {
      for (const SeamRange& r : *chain) {
        if (r.panel == panel && r.edge == edge) return seam.elastic.relaxed;
      }
    }
  }
  return 1.0;
}

// Unsewn edges of the piece that look up.
std::vector<FreeEdge> upper_edges(const Pattern& pattern, const PieceLayout& piece, int p,
                                  const std::set<std::pair<int, int>>& sewn) {
  std::vector<FreeEdge> out;
  const Panel& panel = pattern.panels[static_cast<size_t>(p)];
  for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) {
    if (sewn.count({p, e}) > 0) continue;
    const Vec2 from = edge_point(panel, e, 0.0), to = edge_point(panel, e, 1.0);
    const Vec2 a = piece.to_surface(from), b = piece.to_surface(to);
    const double length = edge_length(panel, e);
    // Seen from outside a loop runs counter-clockwise: its upper side runs to the left.
    if (a.x() - b.x() < 0.5 * length) continue;
    out.push_back({0.5 * (a.y() + b.y()), length * elastic_share(pattern, p, e), squared_cosine(to - from, panel.grain),
                   panel.edges[static_cast<size_t>(e)].label == kWaistLabel});
  }
  return out;
}

Finding finding(const char* code, std::string message, std::string remedy) {
  Finding out;
  out.code = code, out.message = std::move(message), out.remedy = std::move(remedy);
  return out;
}

Opening upper_opening(const Pattern& pattern) {
  const auto layout = lay_out(pattern);
  if (!layout.ok() || layout->upper || pattern.stitches.empty()) return {};
  std::set<std::pair<int, int>> sewn;
  for (const Stitch& s : pattern.stitches) sewn.insert({{s.a.panel, s.a.edge}, {s.b.panel, s.b.edge}});
  std::vector<FreeEdge> edges;
  for (int p = 0; p < static_cast<int>(pattern.panels.size()); ++p) {
    const PieceLayout& piece = layout->pieces[static_cast<size_t>(p)];
    if (piece.tube != PieceTube::kTrunk || piece.role.kind == PieceKind::kPocket) continue;
    for (const FreeEdge& e : upper_edges(pattern, piece, p, sewn)) edges.push_back(e);
  }
  double top = -1e9;
  for (const FreeEdge& e : edges) top = std::max(top, e.height);
  Opening out;
  for (const FreeEdge& e : edges) {
    if (e.height <= top - kBelowTop) continue;
    out.length += to_mm(e.length);
    out.along_warp += to_mm(e.length) * e.along_warp;
    if (e.stayed) out.stayed += to_mm(e.length);
  }
  if (out.length > 0.0) out.along_warp /= out.length, out.stayed /= out.length;
  return out;
}

}  // namespace

double upper_opening_mm(const Pattern& pattern) { return upper_opening(pattern).length; }

std::vector<Finding> waist_findings(const Pattern& pattern, double waist_girth_mm, double hip_girth_mm,
                                    const ClothGive& give) {
  const Opening upper = upper_opening(pattern);
  const double opening = upper.length;
  if (opening <= 0.0 || opening <= waist_girth_mm + kSlack) return {};
  const auto mm = [](double value) { return std::lround(value); };
  const std::string wide = cat("the waist is ", mm(opening), " mm round, ", mm(opening - waist_girth_mm),
                               " mm larger than the body's ", mm(waist_girth_mm), " mm");
  const double needed = hip_girth_mm / opening - 1.0;  // of stretch, to go over the hip
  const double given = (1.0 - upper.stayed) * (upper.along_warp * give.warp + (1.0 - upper.along_warp) * give.weft);
  if (needed <= std::max(given, 0.0)) {
    const std::string how = needed <= 0.0 ? "" : cat(" once the cloth gives ", std::ceil(100.0 * needed), " %");
    return {finding("WAIST_FALLS",
                    cat(wide, ", and wider than its hip of ", mm(hip_girth_mm), " mm", how, ": it will fall"),
                    "Take a smaller size, or close, dart or draw in the waist.")};
  }
  const std::string over =
      upper.stayed > 0.5 ? "" : cat(", and over the hip if the cloth gives ", std::ceil(100.0 * needed), " %");
  return {finding("WAIST_SLIDES", cat(wide, ": it will slide down until the body is as wide", over),
                  "Take a smaller size, or give the waist an elastic, if it is to sit at the waist.")};
}

}  // namespace tryon
