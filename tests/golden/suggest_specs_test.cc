// Seams proposed for the specifications of the GarmentCode family with their stitches taken away: what is proposed is
// held against what was there. The rules were chosen while looking at this set: it is no blind test.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "server/garment/suggest_seams.h"
#include "server/io/pattern_import.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using EdgeName = std::pair<int, int>;  // panel, edge
using Joint = std::pair<EdgeName, EdgeName>;

Joint joint(EdgeName a, EdgeName b) { return a < b ? Joint{a, b} : Joint{b, a}; }

std::vector<std::string> all_specifications() {
  std::vector<std::string> files;
  for (const char* folder : {"garmentcode", "garmentcodedata", "garment_pattern_generator"}) {
    const std::string where = testing::shared_data_path(std::string("patterns/") + folder);
    for (const auto& entry : std::filesystem::directory_iterator(where)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Tally {
  int proposed = 0, right = 0;
  double confidence = 0.0;  // sum
};

// A proposal is right where every edge of it is sewn to edges of its other side and to nothing else.
bool is_right(const SeamProposal& p, const std::set<Joint>& truth) {
  std::set<EdgeName> a, b;
  for (const SeamRange& r : p.seam.a) a.insert({r.panel, r.edge});
  for (const SeamRange& r : p.seam.b) b.insert({r.panel, r.edge});
  auto met = [&](const std::set<EdgeName>& one, const std::set<EdgeName>& other) {
    return std::all_of(one.begin(), one.end(), [&](const EdgeName& e) {
      return std::any_of(other.begin(), other.end(), [&](const EdgeName& f) { return truth.count(joint(e, f)) > 0; });
    });
  };
  return met(a, b) && met(b, a);
}

// The edge of `other`'s outline that is edge e of `panel` seen in a mirror, or an empty list where they are no pair.
std::vector<int> mirror_edges(const Panel& panel, const Panel& other) {
  const int n = static_cast<int>(panel.edges.size());
  if (n != static_cast<int>(other.edges.size())) return {};
  for (int shift = 0; shift < n; ++shift) {
    std::vector<int> edges;
    bool same = true;
    for (int e = 0; e < n && same; ++e) {
      edges.push_back(((shift - e) % n + n) % n);
      same = std::abs(edge_length(panel, e) - edge_length(other, edges.back())) < 1e-4;
    }
    if (same) return edges;
  }
  return {};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
}

// Pieces as they are cut: of left and right ones that mirror each other only one, without any place; and the seams.
struct Pieces {
  Pattern pattern;
  std::set<Joint> seams;  // those of a piece with its own mirror image are not among them
};

Pieces as_cut(const Pattern& pattern) {
  const int count = static_cast<int>(pattern.panels.size());
  Pieces out;
  std::vector<int> place(count, -1);
  std::vector<std::vector<int>> edge_of(count);
  for (int p = 0; p < count; ++p) {
    const Panel& panel = pattern.panels[p];
    int twin = -1;
    for (int q = 0; q < p && twin < 0; ++q) {
      const std::string& name = pattern.panels[q].name;
      if (panel.name != replaced(name, "left", "right") && panel.name != replaced(name, "_l", "_r")) continue;
      edge_of[p] = mirror_edges(panel, pattern.panels[q]);
      if (!edge_of[p].empty()) twin = q;
    }
    if (twin >= 0) {
      place[p] = place[twin];
      continue;
    }
    place[p] = static_cast<int>(out.pattern.panels.size());
    for (int e = 0; e < static_cast<int>(panel.edges.size()); ++e) edge_of[p].push_back(e);
    out.pattern.panels.push_back(panel);
    Panel& piece = out.pattern.panels.back();
    piece.placed = false, piece.translation = Vec3::Zero(), piece.rotation = Eigen::Matrix3d::Identity();
    piece.label.clear();
  }
  for (const Stitch& s : pattern.stitches) {
    const EdgeName a = {place[s.a.panel], edge_of[s.a.panel][s.a.edge]};
    const EdgeName b = {place[s.b.panel], edge_of[s.b.panel][s.b.edge]};
    if (a != b) out.seams.insert(joint(a, b));
  }
  return out;
}

constexpr int kBands = 5;
using Bands = std::array<Tally, kBands>;  // of confidence: [0, 0.2), [0.2, 0.4) ...

void judge(const std::string& file, Bands* bands, int* seams, int* found) {
  SCOPED_TRACE(file);
  const Pieces pieces = as_cut(import_pattern(testing::read_file(file), file).value().pattern);
  *seams += static_cast<int>(pieces.seams.size());
  for (const SeamProposal& p : suggest_seams(pieces.pattern)) {
    const bool right = is_right(p, pieces.seams);
    Tally& tally = (*bands)[std::min(kBands - 1, static_cast<int>(p.confidence * kBands))];
    ++tally.proposed, tally.right += right, tally.confidence += p.confidence;
    *found += right ? static_cast<int>(std::max(p.seam.a.size(), p.seam.b.size())) : 0;
    EXPECT_TRUE(right || p.confidence <= 0.9)
        << p.confidence << " " << pieces.pattern.panels[p.seam.a[0].panel].name << "[" << p.seam.a[0].edge << "] "
        << pieces.pattern.panels[p.seam.b[0].panel].name << "[" << p.seam.b[0].edge << "] " << p.why;
  }
}

// By halves: every second garment.
TEST(SuggestSeamsOfSpecifications, AConfidenceIsAboutTheShareThatIsRightAndNoneAboveNineTenthsIsWrong) {
  TRYON_NEEDS_SHARED_DATA("patterns/garmentcodedata/index.csv");
  const std::vector<std::string> files = all_specifications();
  EXPECT_EQ(files.size(), 75u);
  for (size_t half = 0; half < 2; ++half) {
    Bands bands{};
    int seams = 0, found = 0;
    for (size_t i = half; i < files.size(); i += 2) judge(files[i], &bands, &seams, &found);
    std::printf("half %zu: %d seams, %d of them proposed\n", half, seams, found);
    for (const Tally& t : bands) {
      if (t.proposed == 0) continue;
      const double mean = t.confidence / t.proposed, share = double(t.right) / t.proposed;
      std::printf("  confidence %.2f: %d of %d right (%.2f)\n", mean, t.right, t.proposed, share);
      EXPECT_NEAR(share, mean, 0.1 + 1.0 / std::sqrt(t.proposed)) << "one tenth, and two standard deviations of chance";
    }
    EXPECT_GE(found, 0.2 * seams) << "pieces of one length in plenty, and no grain lines: few seams are plain";
  }
}

}  // namespace
}  // namespace tryon
