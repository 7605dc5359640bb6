// What it is: a study of proposed seams: finds the weights of server/garment/seam_odds.h on one half of the garments
// whose seams are known and judges them on the other half, both ways round; each garment once with the names of its
// pieces and once with numbers instead. Prints how many seams come back, how many proposals are right in each band of
// confidence, and the weights found on all garments. Options: none.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "server/garment/seam_odds.h"
#include "server/io/pattern_import.h"
#include "tests/support/known_seams.h"

namespace tryon {
namespace {

constexpr double kRidge = 1.0, kLeast = 0.15;

struct Garment {
  std::unique_ptr<testing::Pieces> pieces;  // stays where it is: `odds` looks at it
  std::unique_ptr<SeamOdds> odds;
  std::vector<EdgePair> pairs;
  std::vector<bool> right;  // [pairs]
};

Garment garment_of(testing::Pieces pieces) {
  Garment out;
  out.pieces = std::make_unique<testing::Pieces>(std::move(pieces));
  out.odds = std::make_unique<SeamOdds>(out.pieces->pattern);
  out.pairs = out.odds->pairs();
  for (const EdgePair& p : out.pairs) {
    const SeamEdge &a = out.odds->edge(p.i), &b = out.odds->edge(p.j);
    out.right.push_back(out.pieces->seams.count(testing::joint({a.panel, a.edge}, {b.panel, b.edge})) > 0);
  }
  return out;
}

testing::Pieces without_names(testing::Pieces pieces) {
  int number = 0;
  for (Panel& panel : pieces.pattern.panels) {
    panel.name = "piece " + std::to_string(++number);
    panel.role.clear();
  }
  return pieces;
}

// Logistic regression by Newton's method; rows: facts and whether it is a seam.
template <size_t kCount>
std::array<double, kCount> regress(const std::vector<std::pair<const std::array<double, kCount>*, bool>>& rows) {
  using Vector = Eigen::Matrix<double, static_cast<int>(kCount), 1>;
  using Matrix = Eigen::Matrix<double, static_cast<int>(kCount), static_cast<int>(kCount)>;
  Vector w = Vector::Zero();
  for (int round = 0; round < 30; ++round) {
    Matrix curvature = kRidge * Matrix::Identity();
    Vector slope = -kRidge * w;
    for (const auto& [facts, right] : rows) {
      const Eigen::Map<const Vector> f(facts->data());
      const double p = 1.0 / (1.0 + std::exp(-w.dot(f)));
      slope += (double(right) - p) * f;
      curvature += p * (1.0 - p) * f * f.transpose();
    }
    const Vector step = curvature.ldlt().solve(slope);
    w += step;
    if (step.norm() < 1e-7) break;
  }
  std::array<double, kCount> out;
  std::copy(w.data(), w.data() + kCount, out.begin());
  return out;
}

struct Weights {
  PairFacts first;
  PlaceFacts second;
};

// half: which garments to learn from, 0 or 1; 2: all.
Weights learnt(std::vector<Garment>* garments, int half) {
  Weights out{};
  std::vector<std::pair<const PairFacts*, bool>> pairs;
  std::vector<std::pair<const PlaceFacts*, bool>> places;
  const auto mine = [&](size_t g) { return half == 2 || static_cast<int>(g / 2 % 2) == half; };
  for (size_t g = 0; g < garments->size(); ++g) {
    const Garment& garment = (*garments)[g];
    for (size_t k = 0; mine(g) && k < garment.pairs.size(); ++k) {
      pairs.emplace_back(&garment.pairs[k].facts, garment.right[k]);
    }
  }
  out.first = regress(pairs);
  for (size_t g = 0; g < garments->size(); ++g) {
    Garment& garment = (*garments)[g];
    garment.odds->weigh(&garment.pairs, out.first, out.second);
    for (size_t k = 0; mine(g) && k < garment.pairs.size(); ++k) {
      places.emplace_back(&garment.pairs[k].around, garment.right[k]);
    }
  }
  out.second = regress(places);
  for (Garment& garment : *garments) garment.odds->weigh(&garment.pairs, out.first, out.second);
  return out;
}

// The likeliest first, each edge once.
void judge(const std::vector<Garment>& garments, int half, bool named) {
  constexpr int kBands = 10;
  int seams = 0, found = 0, proposed = 0, count[kBands] = {}, right[kBands] = {};
  for (size_t g = named ? 0 : 1; g < garments.size(); g += 2) {
    if (static_cast<int>(g / 2 % 2) == half) continue;
    const Garment& garment = garments[g];
    seams += static_cast<int>(garment.pieces->seams.size());
    std::vector<size_t> order(garment.pairs.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return garment.pairs[a].odds > garment.pairs[b].odds; });
    std::set<int> used;
    for (const size_t k : order) {
      const EdgePair& p = garment.pairs[k];
      if (p.odds < kLeast || used.count(p.i) || used.count(p.j)) continue;
      used.insert({p.i, p.j});
      const int band = std::min(kBands - 1, static_cast<int>(p.odds * kBands));
      ++proposed, found += garment.right[k], ++count[band], right[band] += garment.right[k];
    }
  }
  std::printf("learnt on half %d, judged on the other, %s: %d of %d seams (%.0f %%), %d of %d proposals right\n", half,
              named ? "named" : "numbered", found, seams, 100.0 * found / seams, found, proposed);
  for (int b = 0; b < kBands; ++b) {
    if (count[b] > 0) std::printf("  %.1f to %.1f: %d of %d right\n", 0.1 * b, 0.1 * (b + 1), right[b], count[b]);
  }
}

int study() {
  std::vector<Garment> garments;
  for (const std::string& file : testing::all_specifications()) {
    const testing::Pieces pieces = testing::as_cut(import_pattern(testing::read_file(file), file).value().pattern);
    garments.push_back(garment_of(pieces));
    garments.push_back(garment_of(without_names(pieces)));
  }
  for (const int half : {0, 1}) {
    learnt(&garments, half);
    judge(garments, half, true);
    judge(garments, half, false);
  }
  const Weights all = learnt(&garments, 2);
  std::printf("constexpr PairFacts kFirst = {");
  for (int k = 0; k < kPairFacts; ++k) std::printf("%s%.2f", k ? ", " : "", all.first[k]);
  std::printf("};\nconstexpr PlaceFacts kSecond = {");
  for (int k = 0; k < kPlaceFacts; ++k) std::printf("%s%.2f", k ? ", " : "", all.second[k]);
  std::printf("};\n");
  for (int k = 0; k < kPairFacts; ++k) std::printf("  %-18s %6.2f\n", kPairFactNames[k], all.first[k]);
  return 0;
}

}  // namespace
}  // namespace tryon

int main() { return tryon::study(); }
