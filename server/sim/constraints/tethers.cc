// The shortest ways from pins along rest edges (Dijkstra), each particle's tether (Kim 2012, long range attachments).
#include <limits>
#include <queue>
#include <set>

#include "server/sim/model.h"

namespace tryon::sim {

std::vector<Tether> pin_tethers(const ClothInput& cloth, double slack) {
  const size_t n = cloth.positions.size();
  std::vector<std::vector<std::pair<int, double>>> links(n);
  for (size_t t = 0; t < cloth.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int a = cloth.triangles[t][k], b = cloth.triangles[t][(k + 1) % 3];
      const double length = (cloth.corner_flat[t][k] - cloth.corner_flat[t][(k + 1) % 3]).norm();
      links[a].emplace_back(b, length);
      links[b].emplace_back(a, length);
    }
  using Reached = std::tuple<double, int, int>;  // way, particle, pin
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> open;
  for (int pin : std::set<int>(cloth.pinned.begin(), cloth.pinned.end())) open.emplace(0.0, pin, pin);
  std::vector<uint8_t> done(n, 0);
  std::vector<Tether> tethers;
  while (!open.empty()) {
    const auto [way, at, pin] = open.top();
    open.pop();
    if (done[at]) continue;
    done[at] = 1;
    if (at != pin) tethers.push_back({at, pin, slack * way});
    for (const auto& [next, length] : links[at])
      if (!done[next]) open.emplace(way + length, next, pin);
  }
  return tethers;
}

}  // namespace tryon::sim
