// Seams proposed for the specifications of the GarmentCode family with their stitches taken away: what is proposed is
// held against what was there. The rules were chosen while looking at this set: it is no blind test.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "server/garment/suggest_seams.h"
#include "server/io/pattern_import.h"
#include "tests/support/known_seams.h"
#include "tests/support/shared_data.h"

namespace tryon {
namespace {

using testing::EdgeName;
using testing::Joint;
using testing::joint;

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

constexpr int kBands = 5;
using Bands = std::array<Tally, kBands>;  // of confidence: [0, 0.2), [0.2, 0.4) ...

void judge(const std::string& file, Bands* bands, int* seams, int* found) {
  SCOPED_TRACE(file);
  const testing::Pieces pieces = testing::as_cut(import_pattern(testing::read_file(file), file).value().pattern);
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
  const std::vector<std::string> files = testing::all_specifications();
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
    EXPECT_GE(found, 0.4 * seams) << "pieces of one length in plenty, and no grain lines: few seams are plain";
  }
}

}  // namespace
}  // namespace tryon
