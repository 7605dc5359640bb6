#include "server/garment/pattern_marks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"

namespace tryon {
namespace {

constexpr size_t kMostPleats = 200;  // of one panel
constexpr int kMostLayers = 64;      // ranges of one edge in seams that lay pleats
constexpr double kFar = 1e3;         // metres, of a mark from the panel's origin
constexpr double kSameShare = 1e-9;  // ranges that overlap by less only touch

std::string panel_field(const Panel& panel) { return cat("pattern.panels[", panel.name, "]"); }

absl::Status mark_fault(const Panel& panel, const char* list, size_t i, const std::string& what, const char* remedy) {
  return invalid_input("PANEL_MARK", cat(panel_field(panel), ".", list, "[", i, "]"),
                       cat("panel ", panel.name, ": ", what), remedy);
}

bool usable(const Vec2& p) { return p.allFinite() && p.norm() < kFar; }
bool is_share(double x) { return x >= 0.0 && x <= 1.0; }
bool has_edge(const Panel& panel, int edge) { return edge >= 0 && edge < static_cast<int>(panel.edges.size()); }

absl::Status check_line(const Panel& panel, size_t i) {
  const InternalLine& line = panel.lines[i];
  const size_t spans = line.closed ? line.points.size() : line.points.size() - 1;
  if (line.points.size() < 2 || (!line.curves.empty() && line.curves.size() != spans)) {
    return mark_fault(
        panel, "lines", i,
        cat("internal line ", i, " has ", line.points.size(), " points and ", line.curves.size(), " curves"),
        "Give two points or more, and one curve a span or none.");
  }
  for (const Vec2& p : line.points) {
    if (!usable(p)) {
      return mark_fault(panel, "lines", i, cat("a point of internal line ", i, " is not usable"), "Draw it again.");
    }
  }
  return absl::OkStatus();
}

absl::Status check_places(const Panel& panel) {
  for (size_t i = 0; i < panel.notches.size(); ++i) {
    const Notch& n = panel.notches[i];
    if (has_edge(panel, n.edge) && is_share(n.at) && n.depth >= 0.0 && n.depth < kFar) continue;
    return mark_fault(panel, "notches", i, cat("notch ", i, " lies at ", n.at, " of edge ", n.edge),
                      "Place it on an edge of the panel, between 0 and 1 of its length.");
  }
  for (size_t i = 0; i < panel.darts.size(); ++i) {
    const Dart& d = panel.darts[i];
    if (has_edge(panel, d.edge) && is_share(d.from) && is_share(d.to) && d.from < d.to && usable(d.tip)) continue;
    return mark_fault(panel, "darts", i, cat("dart ", i, " opens from ", d.from, " to ", d.to, " of edge ", d.edge),
                      "Open it on an edge of the panel, from a smaller to a greater share of its length.");
  }
  for (size_t i = 0; i < panel.pleats.size(); ++i) {
    const Pleat& p = panel.pleats[i];
    if (i == kMostPleats)
      return mark_fault(panel, "pleats", i, cat("there are more than ", i, " pleats"), "Take fewer.");
    if (has_edge(panel, p.edge) && is_share(p.at) && p.depth > 0.0 && p.depth < 2.0 && p.stitched >= 0.0) continue;
    return mark_fault(panel, "pleats", i,
                      cat("pleat ", i, " lies at ", p.at, " of edge ", p.edge, ", ", to_mm(p.depth), " mm deep"),
                      "Place it on an edge of the panel and give it a depth of cloth.");
  }
  return absl::OkStatus();
}

struct Taken {
  double from, to;
  int seam;
};

absl::Status check_range(const Pattern& pattern, const SeamRange& range, int s, const std::string& field) {
  if (range.panel < 0 || range.panel >= static_cast<int>(pattern.panels.size())) {
    return invalid_input("SEAM_PANEL_MISSING", field,
                         cat("seam ", s, " names panel ", range.panel, ", which does not exist"),
                         cat("Name a panel from 0 to ", pattern.panels.size() - 1, "."));
  }
  const Panel& panel = pattern.panels[range.panel];
  if (!has_edge(panel, range.edge)) {
    return invalid_input("SEAM_EDGE_MISSING", field,
                         cat("seam ", s, " names edge ", range.edge, " of panel ", panel.name, ", which has ",
                             panel.edges.size(), " edges"),
                         cat("Name an edge from 0 to ", panel.edges.size() - 1, "."));
  }
  if (is_share(range.from) && is_share(range.to) && std::abs(range.from - range.to) > 1e-6) return absl::OkStatus();
  return invalid_input("SEAM_RANGE", field,
                       cat("seam ", s, " takes edge ", range.edge, " of panel ", panel.name, " from ", range.from,
                           " to ", range.to, " of its length"),
                       "Give two different shares between 0 and 1.");
}

absl::Status check_free(const Pattern& pattern, const SeamRange& range, int s, const std::string& field,
                        std::map<std::pair<int, int>, std::vector<Taken>>* taken) {
  std::vector<Taken>& list = (*taken)[{range.panel, range.edge}];
  const double from = std::min(range.from, range.to), to = std::max(range.from, range.to);
  for (const Taken& t : list) {
    if (std::min(to, t.to) - std::max(from, t.from) < kSameShare) continue;
    const std::string other = t.seam >= 0 ? cat("seam ", t.seam) : std::string("a stitch of its own");
    return invalid_input("SEAM_EDGE_TWICE", field,
                         cat("a part of edge ", range.edge, " of panel ", pattern.panels[range.panel].name,
                             " is in seam ", s, " and in ", other),
                         "Let every piece of an edge take part in one seam.");
  }
  list.push_back({from, to, s});
  return absl::OkStatus();
}

absl::Status check_seam_values(const SeamSpec& seam, int s) {
  const bool ratio = seam.gather > 0.01 && seam.gather < 100.0 && seam.ease >= 0.0 && seam.ease <= 10.0;
  const bool band = seam.elastic.relaxed > 0.05 && seam.elastic.relaxed <= 1.0 && seam.elastic.stiffness >= 0.0 &&
                    std::isfinite(seam.elastic.stiffness);
  if (!seam.a.empty() && ratio && band) return absl::OkStatus();
  return invalid_input("SEAM_RANGE", cat("pattern.seams[", s, "]"),
                       seam.a.empty() ? cat("seam ", s, " has no side a")
                                      : cat("seam ", s, " gathers ", seam.gather, " to 1 with an ease of ", seam.ease,
                                            " and an elastic of ", seam.elastic.relaxed),
                       "Give ranges of edges, a gather ratio above 0, an ease from 0 and an elastic of 0.05 to 1.");
}

absl::Status check_shape(const Panel& panel, const PanelShape& shape, const std::string& size) {
  size_t marks = panel.darts.size() + panel.drill_holes.size();
  for (const InternalLine& line : panel.lines) marks += line.points.size();
  bool same = shape.vertices.size() == panel.vertices.size() && shape.curves.size() == panel.edges.size() &&
              (shape.marks.empty() || shape.marks.size() == marks);
  for (const Vec2& v : shape.vertices) same = same && usable(v);
  for (const Vec2& v : shape.marks) same = same && usable(v);
  for (size_t e = 0; same && e < panel.edges.size(); ++e) {
    auto straight = [](EdgeCurve::Kind k) { return k == EdgeCurve::Kind::kLine || k == EdgeCurve::Kind::kPolyline; };
    const EdgeCurve::Kind a = panel.edges[e].curve.kind, b = shape.curves[e].kind;
    same = a == b || (straight(a) && straight(b));
  }
  if (same) return absl::OkStatus();
  return invalid_input(
      "SIZE_TOPOLOGY", cat("pattern.sizes[", size, "].panels[", panel.name, "]"),
      cat("size ", size, ": panel ", panel.name, " has other corners, curves or marks than in the ", "base size"),
      "Grade the piece by moving its points, without adding or removing any.");
}

}  // namespace

absl::Status check_marks(const Panel& panel) {
  for (size_t i = 0; i < panel.lines.size(); ++i) RETURN_IF_ERROR(check_line(panel, i));
  RETURN_IF_ERROR(check_places(panel));
  for (size_t i = 0; i < panel.drill_holes.size(); ++i) {
    if (usable(panel.drill_holes[i].at)) continue;
    return mark_fault(panel, "drill_holes", i, cat("drill hole ", i, " is nowhere"), "Give finite coordinates.");
  }
  if (!panel.grain.allFinite() || std::abs(panel.grain.norm() - 1.0) > 1e-6) {
    return mark_fault(panel, "grain", 0, "the grain line has no direction", "Draw the grain line again.");
  }
  if (panel.quantity >= 1 && panel.quantity <= 100 && std::abs(panel.layer) <= 20) return absl::OkStatus();
  return invalid_input("PANEL_MARK", cat(panel_field(panel), ".quantity"),
                       cat("panel ", panel.name, " is cut ", panel.quantity, " times and lies in layer ", panel.layer),
                       "Cut it 1 to 100 times, in a layer from -20 to 20.");
}

absl::Status check_seams(const Pattern& pattern) {
  std::map<std::pair<int, int>, std::vector<Taken>> taken;
  std::map<std::pair<int, int>, int> layers;
  for (const Stitch& stitch : pattern.stitches) {
    if (stitch.seam >= 0) continue;
    for (const StitchSide* side : {&stitch.a, &stitch.b}) taken[{side->panel, side->edge}].push_back({0.0, 1.0, -1});
  }
  for (int s = 0; s < static_cast<int>(pattern.seams.size()); ++s) {
    const SeamSpec& seam = pattern.seams[s];
    RETURN_IF_ERROR(check_seam_values(seam, s));
    for (const auto* chain : {&seam.a, &seam.b}) {
      for (size_t i = 0; i < chain->size(); ++i) {
        const std::string field = cat("pattern.seams[", s, "].", chain == &seam.a ? "a" : "b", "[", i, "]");
        RETURN_IF_ERROR(check_range(pattern, (*chain)[i], s, field));
        if (!seam.pleat) {
          RETURN_IF_ERROR(check_free(pattern, (*chain)[i], s, field, &taken));
        } else if (++layers[{(*chain)[i].panel, (*chain)[i].edge}] > kMostLayers) {
          return invalid_input("SEAM_EDGE_TWICE", field,
                               cat("more than ", kMostLayers, " layers of pleats lie on edge ", (*chain)[i].edge,
                                   " of panel ", pattern.panels[(*chain)[i].panel].name),
                               "Lay fewer pleats on each other.");
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::Status check_sizes(const Pattern& pattern) {
  std::set<std::string> names = {pattern.size};
  for (const SizeVariant& variant : pattern.sizes) {
    if (variant.name.empty() || !names.insert(variant.name).second) {
      return invalid_input(
          "SIZE_NAME", cat("pattern.sizes[", variant.name, "]"),
          variant.name.empty() ? std::string("a size has no name") : cat("two sizes are called ", variant.name),
          "Give every size a name of its own.");
    }
    if (variant.panels.size() != pattern.panels.size()) {
      return invalid_input("SIZE_TOPOLOGY", cat("pattern.sizes[", variant.name, "]"),
                           cat("size ", variant.name, " has ", variant.panels.size(), " panels, the pattern has ",
                               pattern.panels.size()),
                           "Grade every piece.");
    }
    for (size_t p = 0; p < pattern.panels.size(); ++p) {
      RETURN_IF_ERROR(check_shape(pattern.panels[p], variant.panels[p], variant.name));
    }
  }
  return absl::OkStatus();
}

}  // namespace tryon
