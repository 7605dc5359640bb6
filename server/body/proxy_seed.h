// What it is: the strands that an elliptic fit begins with: dense levels, each a rough ellipse about its band of skin.
// Units and frame: metres, the body's. Shapes: see Strand. How it fails: a part that the body lacks has no strand.
// Thread rules: pure function.
#pragma once

#include "server/body/proxy_anatomy.h"
#include "server/body/proxy_strand.h"

namespace tryon {

struct SeededStrands {
  std::vector<Strand> strands;
  std::vector<int> group;          // [strand_count]; left and right of a kind share one and have equally many levels
  std::vector<double> importance;  // [strand_count]; of its skin when levels are handed out
  void add(Strand strand, int group_index, double weight);
};
SeededStrands seed_strands(const ProxyAnatomy& anatomy, const Skin& skin);

}  // namespace tryon
