#include "server/garment/lint.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/base/units.h"
#include "server/garment/pleats.h"
#include "server/garment/seam_graph.h"
#include "server/garment/suggest_seams.h"

namespace tryon {
namespace {

using Severity = Finding::Severity;

constexpr double kLengthSlack = 0.003;  // metres that any seam may differ by
constexpr double kShortEdge = 0.002;    // metres
constexpr double kSmallestGarment = 0.09, kLargestArea = 20.0;
constexpr double kSureProposal = 0.7;  // a proposal that an unsewn edge is held against

std::string mm_text(double metres) { return cat(std::round(to_mm(metres) * 10.0) / 10.0, " mm"); }

struct Linter {
  const Pattern& pattern;
  std::vector<Finding>* out;

  void add(Severity severity, const char* code, const std::string& panel, int edge, int seam, std::string message,
           std::string remedy) const {
    out->push_back({severity, code, panel, edge, seam, std::move(message), std::move(remedy), false});
  }

  // What cannot be sewn at all.
  bool faults() const {
    for (const absl::Status& status : validate_all(pattern)) {
      const auto detail = error_detail(status);
      std::string panel;
      for (const Panel& p : pattern.panels) {
        if (detail && detail->field.rfind(cat("pattern.panels[", p.name, "]"), 0) == 0) panel = p.name;
      }
      add(Severity::kError, detail ? detail->reason.c_str() : "INTERNAL", panel, -1, -1, std::string(status.message()),
          detail ? detail->remedy : "");
    }
    return !out->empty();
  }

  void seam_lengths(const std::vector<SeamSpec>& seams) const {
    for (int s = 0; s < static_cast<int>(seams.size()); ++s) {
      const SeamSpec& seam = seams[s];
      if (seam.b.empty()) continue;
      const double a = sewn_length(pattern, seam.a), b = sewn_length(pattern, seam.b) * seam.gather;
      if (std::abs(a - b) <= std::max(kLengthSlack, seam.ease * std::max(a, b))) continue;
      const SeamRange& first = seam.a.front();
      const Panel &pa = pattern.panels[first.panel], &pb = pattern.panels[seam.b.front().panel];
      const std::string ratio = seam.gather == 1.0 ? "" : cat(" gathered ", seam.gather, " to 1");
      add(Severity::kWarning, "SEAM_LENGTHS_UNEQUAL", pa.name, first.edge, s,
          cat("panel ", pa.name, ": seam ", s, " is ", mm_text(a), ", its partner, panel ", pb.name, ", ",
              mm_text(sewn_length(pattern, seam.b)), ratio),
          "Make both sides equally long, or say how much is eased or gathered in.");
    }
  }

  void small_edges() const {
    for (const Panel& panel : pattern.panels) {
      for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) {
        const double length = edge_length(panel, e);
        if (length >= kShortEdge) continue;
        add(Severity::kNote, "EDGE_SHORT", panel.name, e, -1,
            cat("panel ", panel.name, ": edge ", e, " is only ", mm_text(length), " long"),
            "Join it with its neighbour if it is no corner of its own.");
      }
    }
  }

  void sizes() const {
    double largest = 0.0, area = 0.0;
    for (const Panel& panel : pattern.panels) {
      Eigen::AlignedBox2d box;
      for (const Vec2& p : outline_points(panel, 8)) box.extend(p);
      largest = std::max(largest, box.sizes().maxCoeff());
      area += panel_area(panel);
    }
    if (largest >= kSmallestGarment && area <= kLargestArea) return;
    add(Severity::kWarning, "GARMENT_SIZE", "", -1, -1,
        cat("the largest piece measures ", mm_text(largest), ", all of them ", area, " m2: no garment of a person"),
        "Check the unit of the file.");
  }

  void grain() const {
    std::vector<const Panel*> without;
    for (const Panel& panel : pattern.panels) {
      if (!panel.grain_given) without.push_back(&panel);
    }
    if (without.empty()) return;
    if (without.size() == pattern.panels.size()) {
      add(Severity::kNote, "GRAIN_MISSING", "", -1, -1, "no piece has a grain line: the warp is taken along y",
          "Draw grain lines if the cloth is not to hang straight down its pieces.");
      return;
    }
    for (const Panel* panel : without) {
      add(Severity::kWarning, "GRAIN_MISSING", panel->name, -1, -1, cat("panel ", panel->name, " has no grain line"),
          "Draw its grain line.");
    }
  }

  static bool congruent(const Panel& a, const Panel& b) {
    const int n = static_cast<int>(a.edges.size());
    if (n != static_cast<int>(b.edges.size()) || std::abs(panel_area(a) - panel_area(b)) > 1e-3 * panel_area(a)) {
      return false;
    }
    for (int shift = 0; shift < n; ++shift) {
      bool same = true;
      for (int e = 0; e < n && same; ++e) {
        same = std::abs(edge_length(a, e) - edge_length(b, (e + shift) % n)) < 5e-4;
      }
      if (same) return true;
    }
    return false;
  }

  void pleats() const {
    const auto& seams = pattern.seams;
    if (std::any_of(seams.begin(), seams.end(), [](const SeamSpec& s) { return s.pleat; })) return;  // laid already
    for (const Panel& panel : pattern.panels) {
      const std::vector<bool> laid = laid_pleats(panel);
      for (size_t i = 0; i < laid.size(); ++i) {
        if (laid[i]) continue;
        add(Severity::kWarning, "PLEAT_NOT_LAID", panel.name, panel.pleats[i].edge, -1,
            cat("panel ", panel.name, ": pleat ", i, " takes ", mm_text(2.0 * pleat_reach(panel.pleats[i])),
                " of edge ", panel.pleats[i].edge,
                " and does not fit between its ends and the other pleats: its cloth is ", "gathered instead"),
            "Move the pleat, or make it less deep.");
      }
    }
  }

  // Two equal pieces of one cloth in one place, or without any place and not said to be a pair.
  void duplicates() const {
    for (size_t i = 0; i < pattern.panels.size(); ++i) {
      for (size_t j = i + 1; j < pattern.panels.size(); ++j) {
        const Panel &a = pattern.panels[i], &b = pattern.panels[j];
        if (a.fabric != b.fabric || a.layer != b.layer || !congruent(a, b)) continue;
        const bool one_place = a.placed && b.placed && (a.translation - b.translation).norm() < 1e-3 &&
                               (a.rotation - b.rotation).norm() < 1e-3;
        const bool nowhere = !a.placed && !b.placed && pattern.seams.empty() && pattern.stitches.empty();
        if (!one_place && !nowhere) continue;
        add(one_place ? Severity::kWarning : Severity::kNote, "PANEL_DUPLICATE", b.name, -1, -1,
            cat("panels ", a.name, " and ", b.name, " are equal", one_place ? " and lie in one place" : ""),
            "Remove one of them, or say that it is a lining or an interfacing.");
      }
    }
  }

  std::set<std::pair<int, int>> used_edges(const std::vector<SeamSpec>& seams) const {
    std::set<std::pair<int, int>> used;
    for (const SeamSpec& seam : seams) {
      for (const auto* chain : {&seam.a, &seam.b}) {
        for (const SeamRange& r : *chain) used.insert({r.panel, r.edge});
      }
    }
    return used;
  }

  void unsewn(const std::vector<SeamSpec>& seams) const {
    if (seams.empty()) {
      add(Severity::kWarning, "PATTERN_NOT_SEWN", "", -1, -1, "the pattern says no seams: its pieces lie loose",
          "Send a sidecar with the seams, or ask for suggested seams.");
      return;
    }
    const auto used = used_edges(seams);
    for (const SeamProposal& p : suggest_seams(pattern)) {
      if (p.confidence < kSureProposal) continue;
      bool free = true;
      for (const auto* chain : {&p.seam.a, &p.seam.b}) {
        for (const SeamRange& r : *chain) free = free && !used.count({r.panel, r.edge});
      }
      if (!free) continue;
      const SeamRange &a = p.seam.a.front(), &b = p.seam.b.front();
      const Panel &pa = pattern.panels[a.panel], &pb = pattern.panels[b.panel];
      add(Severity::kWarning, "EDGE_NOT_SEWN", pa.name, a.edge, -1,
          cat("panel ", pa.name, ": edge ", a.edge, " (", mm_text(chain_length(pattern, p.seam.a)),
              ") is sewn to nothing; edge ", b.edge, " of panel ", pb.name, " would fit"),
          "Sew them together, or finish the edge as a hem.");
    }
  }

  static bool is_limb(const Panel& panel) {
    std::string text = panel.name + " " + panel.role;
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return panel.label == "arm" || text.find("sleeve") != std::string::npos;
  }

  int root(std::vector<int>* parent, int v) const {
    while ((*parent)[v] != v) v = (*parent)[v];
    return v;
  }

  // Pieces that hang together; a sleeve that meets nothing but sleeves closes on nothing.
  void loose_parts(const std::vector<SeamSpec>& seams) const {
    if (seams.empty()) return;
    std::vector<int> parent(pattern.panels.size());
    std::iota(parent.begin(), parent.end(), 0);
    for (const SeamSpec& seam : seams) {
      if (seam.b.empty()) continue;
      for (const auto* chain : {&seam.a, &seam.b}) {
        for (const SeamRange& r : *chain) {
          const int a = root(&parent, seam.a.front().panel), b = root(&parent, r.panel);
          parent[std::max(a, b)] = std::min(a, b);
        }
      }
    }
    std::map<int, std::vector<int>> parts;
    for (int p = 0; p < static_cast<int>(parent.size()); ++p) parts[root(&parent, p)].push_back(p);
    for (const auto& [first, members] : parts) {
      const Panel& panel = pattern.panels[first];
      const bool limb = std::all_of(members.begin(), members.end(), [&](int p) { return is_limb(pattern.panels[p]); });
      if (limb && parts.size() > 1) {
        add(Severity::kWarning, "SLEEVE_LOOSE", panel.name, -1, -1,
            cat("panel ", panel.name, " is sewn to no armhole: it closes on nothing"), "Sew its cap into an armhole.");
      } else if (members.size() == 1 && pattern.panels.size() > 1) {
        add(Severity::kWarning, "PANEL_LOOSE", panel.name, -1, -1, cat("panel ", panel.name, " is sewn to no other"),
            "Sew it on, or leave it out.");
      }
    }
  }
};

// ---- direction of seams ---------------------------------------------------------------------------------------

Vec3 in_space(const Panel& panel, const Vec2& p) {
  return panel.rotation * Vec3(p.x(), p.y(), 0.0) + panel.translation;
}

Vec3 chain_end(const Pattern& pattern, const std::vector<SeamRange>& chain, bool last) {
  const SeamRange& r = last ? chain.back() : chain.front();
  return in_space(pattern.panels[r.panel], edge_at(pattern.panels[r.panel], r.edge, last ? r.to : r.from));
}

// Both chains walked along their outlines: the outer side of one would lie on the inner side of the other.
bool parallel(const SeamSpec& seam) {
  return (seam.a.front().from < seam.a.front().to) == (seam.b.front().from < seam.b.front().to);
}

enum class Placement { kUnknown, kAgrees, kReversed };

Placement look(const Pattern& pattern, const SeamSpec& seam) {
  for (const auto* chain : {&seam.a, &seam.b}) {
    for (const SeamRange& r : *chain) {
      if (!pattern.panels[r.panel].placed) return Placement::kUnknown;
    }
  }
  const Vec3 a0 = chain_end(pattern, seam.a, false), a1 = chain_end(pattern, seam.a, true);
  const Vec3 b0 = chain_end(pattern, seam.b, false), b1 = chain_end(pattern, seam.b, true);
  const double as_said = (a0 - b0).norm() + (a1 - b1).norm(), turned = (a0 - b1).norm() + (a1 - b0).norm();
  if (std::abs(as_said - turned) < 0.25 * std::max(as_said, turned)) return Placement::kUnknown;
  return turned < as_said ? Placement::kReversed : Placement::kAgrees;
}

void turn_round(std::vector<SeamRange>* chain) {
  std::reverse(chain->begin(), chain->end());
  for (SeamRange& r : *chain) std::swap(r.from, r.to);
}

Finding twisted(const Pattern& pattern, const SeamSpec& seam, int s, bool mended) {
  const Panel &pa = pattern.panels[seam.a.front().panel], &pb = pattern.panels[seam.b.front().panel];
  return {Severity::kWarning,
          "SEAM_TWISTED",
          pa.name,
          seam.a.front().edge,
          s,
          cat("panel ", pa.name, ": seam ", s, " with panel ", pb.name, " is sewn twisted",
              mended ? ": it was turned round" : ""),
          mended ? "Turn one side round in the file." : "Check which ends of the seam belong together.",
          mended};
}

}  // namespace

Pattern mend(const Pattern& pattern, std::vector<Finding>* findings) {
  Pattern out = pattern;
  const int specs = static_cast<int>(pattern.seams.size());
  const std::vector<SeamSpec> seams = all_seams(pattern);
  std::vector<bool> turned(seams.size(), false);
  for (int s = 0; s < static_cast<int>(seams.size()); ++s) {
    const SeamSpec& seam = seams[s];
    if (seam.b.empty() || seam.right_wrong) continue;
    const Placement placement = look(pattern, seam);
    if (!parallel(seam) || placement == Placement::kAgrees) {
      if (parallel(seam)) findings->push_back(twisted(pattern, seam, s, false));
      continue;
    }
    turned[s] = true;
    findings->push_back(twisted(pattern, seam, s, true));
    if (s < specs) turn_round(&out.seams[s].b);
  }
  int s = specs;
  for (Stitch& stitch : out.stitches) {
    const bool turn = turned[stitch.seam >= 0 ? stitch.seam : s];
    if (stitch.seam < 0) ++s;
    if (turn && stitch.seam < 0) stitch.right_wrong = false;
  }
  const bool split = std::any_of(turned.begin(), turned.begin() + specs, [](bool t) { return t; });
  if (!split) return out;
  const auto again = split_seams(out);
  return again.ok() ? *again : pattern;
}

std::vector<Finding> lint(const Pattern& pattern) {
  std::vector<Finding> findings;
  const Linter linter{pattern, &findings};
  if (linter.faults()) return findings;
  const std::vector<SeamSpec> seams = all_seams(pattern);
  linter.seam_lengths(seams);
  mend(pattern, &findings);
  linter.unsewn(seams);
  linter.loose_parts(seams);
  linter.duplicates();
  linter.pleats();
  linter.sizes();
  linter.small_edges();
  linter.grain();
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return findings;
}

}  // namespace tryon
