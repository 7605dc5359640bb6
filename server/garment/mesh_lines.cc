#include "server/garment/mesh_lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "server/base/status.h"
#include "server/garment/mesh_outline.h"
#include "server/garment/pattern_curve.h"
#include "server/garment/pleats.h"
#include "server/mesh/predicates.h"

namespace tryon {
namespace {

// Fractions of an edge.
constexpr double kReaches = 0.15;      // an end as near to the outline is meant to lie on it
constexpr double kStep = 0.2;          // of looking along a line
constexpr double kTwice = 0.2;         // a line that runs along another one this near is the same line
constexpr double kSag = 0.05;          // of a chord from a curve
constexpr double kShortest = 0.4;      // of a line and of its chords
constexpr double kShortestRest = 1.5;  // of what is left beside a part that was left out
constexpr double kSmallestLoop = 2.0;  // the length of a closed line; a smaller one is a point
constexpr double kNothing = 1e-7;      // metres

using Polyline = std::vector<Vec2>;

struct Run {
  Polyline points;
  bool starts = false, ends = false;  // on the outline
};

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

double length_of(const Polyline& line) {
  double sum = 0.0;
  for (size_t i = 0; i + 1 < line.size(); ++i) sum += (line[i + 1] - line[i]).norm();
  return sum;
}

double distance_to(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 d = b - a;
  const double t = std::clamp((p - a).dot(d) / std::max(d.squaredNorm(), 1e-300), 0.0, 1.0);
  return (a + t * d - p).norm();
}

double distance_to(const Vec2& p, const Polyline& line, bool closed) {
  double least = std::numeric_limits<double>::max();
  for (size_t i = 0; i + (closed ? 0 : 1) < line.size(); ++i) {
    least = std::min(least, distance_to(p, line[i], line[(i + 1) % line.size()]));
  }
  return least;
}

bool is_inside(const Vec2& p, const Polyline& polygon) {
  bool inside = false;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    if ((a.y() > p.y()) == (b.y() > p.y())) continue;
    if (p.x() < a.x() + (p.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x())) inside = !inside;
  }
  return inside;
}

Polyline flattened(const InternalLine& line) {
  const size_t n = line.points.size();
  Polyline out;
  for (size_t i = 0; i + (line.closed ? 0 : 1) < n; ++i) {
    const Vec2 &s = line.points[i], &e = line.points[(i + 1) % n];
    out.push_back(s);
    if (line.curves.empty() || line.curves[i].kind == EdgeCurve::Kind::kLine || (e - s).norm() < kNothing) continue;
    if (line.curves[i].kind == EdgeCurve::Kind::kPolyline) {
      for (const Vec2& c : line.curves[i].controls) out.push_back(from_relative(c, s, e));
      continue;
    }
    const CurveShape shape(s, e, line.curves[i]);
    for (int k = 1; k < 24; ++k) out.push_back(shape.at(k / 24.0));
  }
  out.push_back(line.closed ? line.points.front() : line.points.back());
  return out;
}

// ---- clipping -------------------------------------------------------------------------------------------------

// Shares of the segment where it meets sides of the polygon, ascending.
std::vector<double> crossings(const Vec2& p, const Vec2& q, const Polyline& polygon) {
  std::vector<double> out;
  const Vec2 d = q - p;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 &a = polygon[i], e = polygon[(i + 1) % polygon.size()] - a;
    const double turn = cross(d, e);
    if (std::abs(turn) < 1e-12 * d.norm() * e.norm()) continue;
    const double t = cross(a - p, e) / turn, s = cross(a - p, d) / turn;
    if (t >= 0.0 && t <= 1.0 && s >= -1e-9 && s <= 1.0 + 1e-9) out.push_back(t);
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool run_is_inside(const Polyline& run, const Polyline& polygon) {
  size_t longest = 0;
  for (size_t i = 1; i + 1 < run.size(); ++i) {
    if ((run[i + 1] - run[i]).norm() > (run[longest + 1] - run[longest]).norm()) longest = i;
  }
  return is_inside(0.5 * (run[longest] + run[longest + 1]), polygon);
}

std::vector<Run> clipped(const Polyline& line, const Polyline& polygon) {
  std::vector<Run> out;
  Run run;
  auto finish = [&](bool on_outline) {
    run.ends = on_outline;
    if (run.points.size() > 1 && length_of(run.points) > kNothing && run_is_inside(run.points, polygon)) {
      out.push_back(run);
    }
    run = Run{{}, on_outline, false};
  };
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    run.points.push_back(line[i]);
    for (const double t : crossings(line[i], line[i + 1], polygon)) {
      const Vec2 at = line[i] + t * (line[i + 1] - line[i]);
      run.points.push_back(at);
      finish(true);
      run.points.push_back(at);
    }
  }
  run.points.push_back(line.back());
  finish(false);
  return out;
}

// Points along a run, no farther apart than a step.
Polyline stepped(const Polyline& line, double step) {
  Polyline out = {line.front()};
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const Vec2 d = line[i + 1] - line[i];
    const int count = std::max(1, static_cast<int>(std::ceil(d.norm() / step)));
    for (int k = 1; k < count; ++k) out.push_back(line[i] + d * (double(k) / count));
    out.push_back(line[i + 1]);
  }
  return out;
}

// ---- one panel ------------------------------------------------------------------------------------------------

class Marker {
 public:
  Marker(const Panel& panel, double edge_m) : panel_(panel), edge_(edge_m), polygon_(outline_points(panel)) {}

  PanelMarks run() {
    for (size_t i = 0; i < panel_.pleats.size(); ++i) add_folds(static_cast<int>(i));
    for (size_t i = 0; i < panel_.lines.size(); ++i) add_line(static_cast<int>(i));
    for (const DrillHole& hole : panel_.drill_holes) out_.holes.push_back(hole.at);
    for (const Notch& notch : panel_.notches) out_.notches.push_back({notch.edge, notch.at, 0.0});
    return std::move(out_);
  }

 private:
  void add_line(int index) {
    const InternalLine& line = panel_.lines[index];
    const Polyline whole = flattened(line);
    const bool cut = line.kind == InternalLine::Kind::kCut;
    const auto kind = cut ? ClothLine::Kind::kCut : ClothLine::Kind::kDrawn;
    if (line.closed && length_of(whole) < kSmallestLoop * edge_) {
      if (is_inside(whole.front(), polygon_)) out_.holes.push_back(centre(whole));
      return;
    }
    for (Run& run : clipped(whole, polygon_)) {
      const bool whole_loop = line.closed && !run.starts && !run.ends;
      if (!whole_loop) extend(&run);
      // A cut from outline to outline would part the panel: it is drawn only.
      const bool opens = cut && !(run.starts && run.ends);
      for (Run& part : opens ? std::vector<Run>{run} : clear_parts(run)) {
        const bool all = part.points.size() == run.points.size();
        add(opens ? kind : ClothLine::Kind::kDrawn, index, part, whole_loop && all);
      }
    }
  }

  static Vec2 centre(const Polyline& line) {
    Vec2 sum = Vec2::Zero();
    for (size_t i = 0; i + 1 < line.size(); ++i) sum += line[i] / static_cast<double>(line.size() - 1);
    return sum;
  }

  // Folds run straight into the cloth, square to the pleat's edge, as far as the cloth goes. Where a pleat is sewn
  // down, the line that its visible crease is sewn to is drawn as well.
  void add_folds(int index) {
    const Pleat& pleat = panel_.pleats[index];
    const auto at = [&](double offset) -> Vec2 {
      const EdgePlace place = walk_outline(panel_, {pleat.edge, pleat.at}, offset);
      return edge_at(panel_, place.edge, place.at);
    };
    const double reach = pleat_reach(pleat);
    const Vec2 along = at(reach) - at(-reach);
    Vec2 inward = Vec2(-along.y(), along.x()).normalized();
    if (signed_area(polygon_) < 0.0) inward = -inward;
    for (const double offset : fold_offsets(pleat)) add_fold(index, at(offset), inward, offset, ClothLine::Kind::kFold);
    if (pleat.stitched <= 0.0) return;
    for (const FoldPair& pair : fold_pairs(pleat)) {
      const double offset = pair.middle + (pair.to_end ? pleat.depth : -pleat.depth);
      add_fold(index, at(offset), inward, offset, ClothLine::Kind::kTack);
    }
  }

  void add_fold(int index, const Vec2& s, const Vec2& inward, double offset, ClothLine::Kind kind) {
    const Polyline ray = {s + 1e-5 * inward, s + 20.0 * inward};  // a panel measures 10 m at most
    const std::vector<Run> runs = clipped(ray, polygon_);
    if (runs.empty() || (runs.front().points.front() - ray.front()).norm() > 1e-4) return;
    Run run = runs.front();
    run.points.front() = s, run.starts = true;
    for (const Run& part : clear_parts(run)) {
      const size_t before = out_.lines.size();
      add(kind, index, part, false);
      if (out_.lines.size() > before) out_.lines.back().offset = offset;
    }
  }

  // An end that all but reaches the outline goes on to it.
  void extend(Run* run) const {
    for (const bool at_end : {false, true}) {
      if (at_end ? run->ends : run->starts) continue;
      const Vec2 end = at_end ? run->points.back() : run->points.front();
      const OutlinePlace place = nearest_on_outline(panel_, end);
      if (place.distance > kReaches * edge_) continue;
      const Vec2 on = edge_at(panel_, place.edge, place.at);
      if (at_end) {
        run->points.push_back(on), run->ends = true;
      } else {
        run->points.insert(run->points.begin(), on), run->starts = true;
      }
    }
  }

  // Which steps run along the outline or along a line that is drawn already, and not only past it.
  std::vector<bool> blocked(const Run& run, const Polyline& steps) const {
    std::vector<double> arc = {0.0};
    for (size_t i = 1; i < steps.size(); ++i) arc.push_back(arc.back() + (steps[i] - steps[i - 1]).norm());
    std::vector<bool> out(steps.size(), false), along(steps.size(), false);
    for (size_t i = 0; i < steps.size(); ++i) {
      const bool leaves = (run.starts && arc[i] < edge_) || (run.ends && arc.back() - arc[i] < edge_);
      out[i] = !leaves && distance_to(steps[i], polygon_, true) < kClear * edge_;
      for (const MarkedLine& other : out_.lines) {
        along[i] = along[i] || distance_to(steps[i], other.points, false) < kTwice * edge_;
      }
    }
    for (size_t i = 0, j = 0; i < steps.size(); i = j + 1) {
      for (j = i; j + 1 < steps.size() && along[j + 1] == along[i];) ++j;
      if (along[i] && (arc[j] - arc[i] > edge_ || arc[j] - arc[i] > 0.9 * arc.back())) {
        std::fill(out.begin() + static_cast<long>(i), out.begin() + static_cast<long>(j) + 1, true);
      }
    }
    return out;
  }

  std::vector<Run> clear_parts(const Run& run) const {
    const Polyline steps = stepped(run.points, kStep * edge_);
    const std::vector<bool> out = blocked(run, steps);
    if (std::find(out.begin(), out.end(), true) == out.end()) return {run};
    std::vector<Run> parts;
    for (size_t i = 0; i < steps.size(); ++i) {
      if (out[i]) continue;
      Run part;
      part.starts = run.starts && i == 0;
      for (; i < steps.size() && !out[i]; ++i) part.points.push_back(steps[i]);
      part.ends = run.ends && i == steps.size();
      if (length_of(part.points) >= kShortestRest * edge_) parts.push_back(std::move(part));
    }
    return parts;
  }

  // Douglas and Peucker's choice of points: none of the others farther from the chords than `tolerance`.
  static void choose(const Polyline& line, size_t from, size_t to, double tolerance, std::vector<bool>* chosen) {
    double farthest = tolerance;
    size_t at = 0;
    for (size_t i = from + 1; i < to; ++i) {
      const double d = distance_to(line[i], line[from], line[to]);
      if (d > farthest) farthest = d, at = i;
    }
    if (at == 0) return;
    (*chosen)[at] = true;
    choose(line, from, at, tolerance, chosen);
    choose(line, at, to, tolerance, chosen);
  }

  Polyline spaced(const Polyline& line) const {
    std::vector<bool> chosen(line.size(), false);
    chosen.front() = chosen.back() = true;
    choose(line, 0, line.size() - 1, kSag * edge_, &chosen);
    Polyline kept = {line.front()};
    for (size_t i = 1; i + 1 < line.size(); ++i) {
      const bool room =
          (line[i] - kept.back()).norm() >= kShortest * edge_ && (line[i] - line.back()).norm() >= kShortest * edge_;
      if (chosen[i] && room) kept.push_back(line[i]);
    }
    Polyline out = {kept.front()};
    kept.push_back(line.back());
    for (size_t i = 0; i + 1 < kept.size(); ++i) {
      const Vec2 d = kept[i + 1] - kept[i];
      const int count = std::max(1, static_cast<int>(std::lround(d.norm() / edge_)));
      for (int k = 1; k < count; ++k) out.push_back(kept[i] + d * (double(k) / count));
      out.push_back(kept[i + 1]);
    }
    return out;
  }

  void add(ClothLine::Kind kind, int source, const Run& run, bool closed) {
    if (length_of(run.points) < kShortest * edge_) return;
    MarkedLine line;
    line.kind = kind, line.source = source, line.closed = closed;
    line.points = spaced(run.points);
    line.starts_on_outline = run.starts, line.ends_on_outline = run.ends;
    if (run.starts) line.start = nearest_on_outline(panel_, run.points.front());
    if (run.ends) line.end = nearest_on_outline(panel_, run.points.back());
    out_.lines.push_back(std::move(line));
  }

  const Panel& panel_;
  const double edge_;
  const Polyline polygon_;
  PanelMarks out_;
};

// ---- one sampling of the outline ------------------------------------------------------------------------------

// Whether the segment lies inside: it meets the outline nowhere but in its own ends (their vertices, or -1).
bool stays_inside(const Vec2& p, const Vec2& q, int p_vertex, int q_vertex, const Polyline& outline) {
  const int n = static_cast<int>(outline.size());
  Eigen::AlignedBox2d box(p);
  box.extend(q);
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    const Vec2 &a = outline[i], &b = outline[j];
    if (!box.intersects(Eigen::AlignedBox2d(a.cwiseMin(b), a.cwiseMax(b)))) continue;
    const bool touches_p = i == p_vertex || j == p_vertex, touches_q = i == q_vertex || j == q_vertex;
    if (touches_p && touches_q) return false;  // it is this side
    if (!touches_p && !touches_q) {
      if (segments_meet(p, q, a, b)) return false;
      continue;
    }
    const Vec2 &shared = touches_p ? p : q, &other = i == p_vertex || i == q_vertex ? b : a;
    const Vec2 along = (touches_p ? q : p) - shared;
    if (orientation(p, q, other) == 0 && along.dot(other - shared) > 0.0) return false;
  }
  return is_inside(0.5 * (p + q), outline);
}

}  // namespace

PanelMarks panel_marks(const Panel& panel, double edge_m) {
  if (panel.lines.empty() && panel.pleats.empty() && panel.notches.empty() && panel.drill_holes.empty()) return {};
  return Marker(panel, edge_m).run();
}

int outline_vertex(const PanelOutline& outline, const OutlinePlace& place) {
  const int n = static_cast<int>(outline.points.size()), edges = static_cast<int>(outline.first.size());
  const int begin = outline.first[place.edge], end = place.edge + 1 < edges ? outline.first[place.edge + 1] : n;
  int best = end % n;
  double least = 1.0 - place.at;
  for (int i = begin; i < end; ++i) {
    const double off = std::abs(outline.share[i] - place.at);
    if (off < least) least = off, best = i;
  }
  return best;
}

bool drop_faulty(const absl::Status& refusal, MarkedDomain* marked) {
  const auto detail = error_detail(refusal);
  if (!detail) return false;
  const std::string& field = detail->field;
  size_t index = 0;
  const size_t open = field.find('[');
  if (open == std::string::npos) return false;
  std::from_chars(field.data() + open + 1, field.data() + field.size(), index);
  PlanarDomain& domain = marked->domain;
  if (field.rfind("lines[", 0) == 0 && index < domain.lines.size()) {
    domain.lines.erase(domain.lines.begin() + static_cast<long>(index));
    marked->line.erase(marked->line.begin() + static_cast<long>(index));
    return true;
  }
  if (field.rfind("points[", 0) != 0 || index >= domain.points.size()) return false;
  domain.points.erase(domain.points.begin() + static_cast<long>(index));
  return true;
}

MarkedDomain marked_domain(const PanelMarks& marks, const PanelOutline& outline, double edge_m) {
  MarkedDomain out;
  out.domain.outline = outline.points;
  for (size_t l = 0; l < marks.lines.size(); ++l) {
    const MarkedLine& line = marks.lines[l];
    Polyline points = line.points;
    const int first = line.starts_on_outline ? outline_vertex(outline, line.start) : -1;
    const int last = line.ends_on_outline ? outline_vertex(outline, line.end) : -1;
    if (first >= 0) points.front() = outline.points[first];
    if (last >= 0) points.back() = outline.points[last];
    Polyline part = {points.front()};
    auto finish = [&](const Vec2& next) {
      if (part.size() > 1) out.domain.lines.push_back(part), out.line.push_back(static_cast<int>(l));
      part = {next};
    };
    for (size_t i = 0; i + 1 < points.size(); ++i) {
      const int p = i == 0 ? first : -1, q = i + 2 == points.size() ? last : -1;
      if (!stays_inside(points[i], points[i + 1], p, q, outline.points)) {
        finish(points[i + 1]);
        continue;
      }
      part.push_back(points[i + 1]);
    }
    finish(points.back());
  }
  for (const Vec2& hole : marks.holes) {
    const bool clear = distance_to(hole, outline.points, true) >= kClear * edge_m && is_inside(hole, outline.points);
    bool free = clear;
    for (const auto& line : out.domain.lines) free = free && distance_to(hole, line, false) >= kClear * edge_m;
    if (free) out.domain.points.push_back(hole);
  }
  return out;
}

}  // namespace tryon
