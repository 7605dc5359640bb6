// What it is: indices by the groups they are of, by counting. Units: none. Shapes: in the margin. How it fails: never;
// groups are 0 .. count - 1. Thread rules: a pure function.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace tryon {

struct Grouped {
  std::vector<int> begin;   // [group_count + 1]
  std::vector<int> member;  // [index_count], group by group, ascending within each
};

inline Grouped grouped(int group_count, const std::vector<int>& group_of) {
  Grouped out{std::vector<int>(group_count + 1, 0), std::vector<int>(group_of.size())};
  for (const int group : group_of) ++out.begin[group + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  std::vector<int> next = out.begin;
  for (size_t i = 0; i < group_of.size(); ++i) out.member[next[group_of[i]]++] = static_cast<int>(i);
  return out;
}

}  // namespace tryon
