#include "server/body/proxy_elliptic.h"

#include <algorithm>

#include "server/body/proxy_refine.h"
#include "server/body/proxy_seed.h"

namespace tryon {
namespace {

constexpr int kEvenPoints = 8000, kCornerPoints = 4000;
constexpr int kSweeps = 6, kHoldSweeps = 16;
constexpr double kBulge = 3.0;      // of an outline outside the straight line against one inside
constexpr double kGirthPull = 3.0;  // see RefineSettings::girth
constexpr double kFirstPlane = 0.005, kPlaneSpacing = 0.017;  // metres; not those of the audit

// Hands out levels: groups grow one to three levels at a time where a further frustum saves most.
class LevelBudget {
 public:
  LevelBudget(const SeededStrands& seeded, const std::vector<std::vector<LevelShares>>& shares) : seeded_(seeded) {
    for (size_t k = 0; k < seeded.strands.size(); ++k) {
      choices_.push_back(choose_levels(seeded.strands[k].levels, shares[k], kBulge, kMost));
    }
    groups_ = 1 + *std::max_element(seeded.group.begin(), seeded.group.end());
    count_.assign(groups_, kLeast);
  }

  void spend(int budget) {
    for (int g = 0; g < groups_; ++g) budget -= members(g) * (kLeast - 1);
    for (;;) {
      int best = -1, grow = 0;
      double gain = 0.0;
      for (int g = 0; g < groups_; ++g) {
        for (int more = 1; more <= 3; ++more) {
          const int price = more * members(g);
          if (price == 0 || price > budget || count_[g] + more > kMost) continue;
          const double saved = (cost(g, count_[g]) - cost(g, count_[g] + more)) / price;
          if (saved > gain) gain = saved, best = g, grow = more;
        }
      }
      if (best < 0) return;
      count_[best] += grow, budget -= grow * members(best);
    }
  }

  std::vector<StrandLevel> levels(size_t strand) const { return choice(strand, count_[seeded_.group[strand]]).levels; }

 private:
  static constexpr int kMost = 32, kLeast = 2;
  const LevelChoice& choice(size_t strand, int count) const {
    return choices_[strand][std::min<size_t>(count, choices_[strand].size() - 1)];
  }
  int members(int group) const {
    return static_cast<int>(std::count(seeded_.group.begin(), seeded_.group.end(), group));
  }
  double cost(int group, int count) const {
    double sum = 0.0;
    for (size_t k = 0; k < choices_.size(); ++k) {
      if (seeded_.group[k] == group) sum += seeded_.importance[k] * choice(k, count).cost;
    }
    return sum;
  }
  const SeededStrands& seeded_;
  std::vector<std::vector<LevelChoice>> choices_;
  std::vector<int> count_;  // levels, by group
  int groups_ = 0;
};

void fit_levels(const Skin& skin, const GirthRuler& ruler, int budget, RefineSettings settings, SeededStrands* seeded) {
  std::vector<Strand>& strands = seeded->strands;
  StrandRefiner refiner(skin, &strands);
  refiner.measure_with(&ruler);
  settings.turning = 0.3;
  refiner.sweep(settings);
  LevelBudget levels(*seeded, refiner.owned_shares());
  levels.spend(budget);
  for (size_t k = 0; k < strands.size(); ++k) strands[k].levels = levels.levels(k);
  settings.turning = 0.2, settings.sliding = settings.nearby = true;
  for (const double weight : {10.0, 15.0, 40.0}) {
    settings.outside_weight = weight;
    refiner.restart();
    refiner.sweep(settings);
  }
}

}  // namespace

std::vector<Strand> fit_strands(const ProxyAnatomy& anatomy, const Skin& vertices, int budget, size_t allowed) {
  const Skin skin = sample_skin(anatomy.body(), kEvenPoints, kCornerPoints);
  SeededStrands seeded = seed_strands(anatomy, skin);
  if (seeded.strands.empty()) return {};
  const GirthRuler ruler(anatomy, kFirstPlane, kPlaneSpacing);
  RefineSettings settings;
  settings.sweeps = kSweeps, settings.girth = kGirthPull;
  fit_levels(skin, ruler, budget, settings, &seeded);
  for (Strand& strand : seeded.strands) {
    if (strand.compact) hold_points(skin, 0.96, &strand);
  }
  StrandRefiner whole(vertices, &seeded.strands);
  whole.measure_with(&ruler);
  settings.sweeps = kHoldSweeps, settings.outside_weight = 40.0, settings.sliding = true;
  whole.hold(settings, allowed);
  whole.grow(allowed);
  return std::move(seeded.strands);
}

}  // namespace tryon
