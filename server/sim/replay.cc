#include "server/sim/replay.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::sim {

namespace {

constexpr char kMagic[8] = {'T', 'R', 'Y', 'O', 'N', 'R', 'P', 'C'};
constexpr double kFarthest = 1e3;  // m from the origin

class Writer {
 public:
  template <typename T>
  void operator()(const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    (*this)(static_cast<uint64_t>(values.size()));
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void operator()(const std::string& text) {
    (*this)(static_cast<uint64_t>(text.size()));
    bytes += text;
  }
  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  template <typename T>
  void operator()(T& value) {
    take(&value, sizeof value);
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    const uint64_t count = size_of(sizeof(T));
    values.resize(count);
    take(values.data(), count * sizeof(T));
  }
  void operator()(std::string& text) {
    text.resize(size_of(1));
    take(text.data(), text.size());
  }
  bool whole() const { return good_ && left_.empty(); }

 private:
  uint64_t size_of(size_t item) {
    uint64_t count = 0;
    take(&count, sizeof count);
    if (count > left_.size() / item) good_ = false;
    return good_ ? count : 0;
  }
  void take(void* to, size_t size) {
    if (size > left_.size()) good_ = false;
    if (!good_ || size == 0) return;
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }
  std::string_view left_;
  bool good_ = true;
};

template <typename Archive, typename Model>
void visit_model(Archive& a, Model& m) {
  a(m.particle_count), a(m.mass), a(m.inverse_mass), a(m.mean_weight), a(m.triangles), a(m.corner_flat), a(m.rest_area);
  a(m.springs.a), a(m.springs.b), a(m.springs.rest), a(m.springs.stiffness), a(m.springs.kind);
  a(m.threads.shape), a(m.threads.weft), a(m.threads.warp), a(m.threads.bias);
  a(m.threads.limit_weft), a(m.threads.limit_warp);
  a(m.membranes.shape), a(m.membranes.stiffness);
  a(m.hinges.particle), a(m.hinges.weight), a(m.hinges.stiffness);
  a(m.folds.particle), a(m.folds.rest_angle), a(m.folds.edge_length), a(m.folds.weight), a(m.folds.row_begin);
  a(m.folds.column), a(m.folds.stiffness), a(m.fabrics), a(m.fabric_index);
  a(m.bend_matrix.row_begin), a(m.bend_matrix.column), a(m.bend_matrix.stiffness);
  a(m.bend_elements.triangle), a(m.bend_elements.particle), a(m.bend_elements.weight);
  a(m.bend_elements.stiffness), a(m.bend_elements.moment);
  a(m.viscous.particle), a(m.viscous.weight), a(m.viscous.stiffness), a(m.shear_viscosity);
}

template <typename Archive, typename Settings>
void visit_settings(Archive& a, Settings& s) {  // one by one: bytes between fields are nobody's
  a(s.time_step), a(s.velocity_keep), a(s.tie_stiffness), a(s.strain_threshold), a(s.correction_gain), a(s.iterations);
  a(s.history), a(s.relaxation), a(s.levels), a(s.tolerance);
}

template <typename Archive, typename Air>
void visit_wind(Archive& a, Air& w) {
  a(w.velocity), a(w.drag), a(w.lift), a(w.lift_law), a(w.model), a(w.gust_ratio), a(w.gust_period), a(w.turbulence);
  a(w.turbulence_length), a(w.seed);
}

template <typename Archive, typename State>
void visit_state(Archive& a, State& s) {
  a(s.x), a(s.v), a(s.tie_rest_ratio), a(s.time), a(s.step);
}

void visit_states(Writer& a, const std::vector<DrapeState>& states) {
  a(static_cast<uint8_t>(states.size()));
  for (const DrapeState& s : states) visit_state(a, s);
}
void visit_states(Reader& a, std::vector<DrapeState>& states) {
  uint8_t count = 0;
  a(count);
  states.resize(std::min<size_t>(count, kReplaySteps));
  for (DrapeState& s : states) visit_state(a, s);
}

template <typename Archive, typename Bundle>
void visit(Archive& a, Bundle& b) {
  a(b.solver), visit_settings(a, b.settings), visit_states(a, b.states);
  visit_wind(a, b.wind), a(b.gravity), a(b.contact_offset), a(b.failure), a(b.self_contact), a(b.pressure),
      a(b.middle_room), a(b.steep_share), a(b.asked), a(b.sharp), a(b.seen_again), a(b.kept_apart);
  a(b.bones), a(b.bridges);
  visit_model(a, b.model);
}

absl::Status unreadable(std::string_view why) {
  return invalid_input("REPLAY_UNREADABLE", "replay", cat("the replay bundle cannot be read: ", why),
                       "give the whole file, to the version that wrote it");
}

// Bytes from outside: every index must lie inside what it points into.
bool consistent(const ReplayBundle& b) {
  const DrapeModel& m = b.model;
  const auto n = static_cast<size_t>(m.particle_count);
  const auto inside = [&](int i) { return i >= 0 && static_cast<size_t>(i) < n; };
  if (m.particle_count < 1 || m.mass.size() != n || m.inverse_mass.size() != n) return false;
  if (b.states.empty()) return false;
  if (!b.kept_apart.empty() && b.kept_apart.size() != n) return false;
  for (const DrapeState& s : b.states)
    if (s.x.size() != n || s.v.size() != n) return false;
  for (const Bone& bone : b.bones)
    if (!(bone.from.norm() < kFarthest) || !(bone.to.norm() < kFarthest)) return false;
  for (const Triangle& t : b.bridges)
    if (!inside(t[0]) || !inside(t[1]) || !inside(t[2])) return false;
  for (const SharpPoint& p : b.sharp)
    if (!(p.at.norm() < kFarthest) || !(p.normal.norm() < kFarthest)) return false;
  if (m.fabrics.empty() || m.fabric_index.size() != n) return false;
  for (const uint8_t index : m.fabric_index)
    if (index >= m.fabrics.size()) return false;
  const size_t t = m.triangles.size(), s = m.springs.a.size(), f = m.folds.particle.size();
  if (m.corner_flat.size() != t || m.rest_area.size() != t) return false;
  for (const size_t size :
       {m.springs.b.size(), m.springs.rest.size(), m.springs.stiffness.size(), m.springs.kind.size()})
    if (size != s) return false;
  for (const size_t size : {m.threads.weft.size(), m.threads.warp.size(), m.threads.bias.size()})
    if (size != m.threads.shape.size()) return false;
  if (m.threads.limit_weft.size() != m.threads.limit_warp.size()) return false;
  if (!m.threads.limit_weft.empty() && m.threads.limit_weft.size() != m.threads.shape.size()) return false;
  if (m.membranes.stiffness.size() != m.membranes.shape.size()) return false;
  if (m.threads.shape.size() > t || m.membranes.shape.size() > t) return false;
  if (!m.shear_viscosity.empty() && m.shear_viscosity.size() != m.threads.shape.size() + m.membranes.shape.size())
    return false;
  for (const Hinges* h : {&m.hinges, &m.viscous})
    if (h->weight.size() != h->particle.size() || h->stiffness.size() != h->particle.size()) return false;
  if (m.folds.rest_angle.size() != f || m.folds.edge_length.size() != f || m.folds.weight.size() != f) return false;
  if (f > 0 && (m.folds.row_begin.size() != f + 1 || m.folds.row_begin[0] != 0 ||
                static_cast<size_t>(m.folds.row_begin[f]) != m.folds.column.size()))
    return false;
  if (m.folds.column.size() != m.folds.stiffness.size()) return false;
  for (size_t k = 0; k + 1 < m.folds.row_begin.size(); ++k)
    if (m.folds.row_begin[k] > m.folds.row_begin[k + 1]) return false;
  for (int c : m.folds.column)
    if (c < 0 || static_cast<size_t>(c) >= f) return false;
  const BendMatrix& bend = m.bend_matrix;
  if (bend.column.size() != bend.stiffness.size()) return false;
  if (!bend.row_begin.empty() && (bend.row_begin.size() != n + 1 || bend.row_begin[0] != 0 ||
                                  static_cast<size_t>(bend.row_begin[n]) != bend.column.size()))
    return false;
  for (size_t k = 0; k + 1 < bend.row_begin.size(); ++k)
    if (bend.row_begin[k] > bend.row_begin[k + 1]) return false;
  bool good = !bend.row_begin.empty() || bend.column.empty();
  for (int i : bend.column) good = good && inside(i);
  for (const Triangle& c : m.triangles) good = good && inside(c[0]) && inside(c[1]) && inside(c[2]);
  const BendElements& bends = m.bend_elements;
  const size_t count = bends.moment.size();
  if (bends.triangle.size() != count || bends.particle.size() != count || bends.weight.size() != count ||
      bends.stiffness.size() != count)
    return false;
  for (int of : bends.triangle) good = good && of >= 0 && static_cast<size_t>(of) < m.triangles.size();
  for (const auto& p : bends.particle)
    for (int i : p) good = good && inside(i);
  for (size_t i = 0; i < s; ++i) good = good && inside(m.springs.a[i]) && inside(m.springs.b[i]);
  for (const auto* list : {&m.hinges.particle, &m.viscous.particle, &m.folds.particle})
    for (const auto& p : *list)
      for (int i : p) good = good && inside(i);
  return good;
}

}  // namespace

std::string encode_replay(const ReplayBundle& bundle) {
  Writer writer;
  writer.bytes.assign(kMagic, sizeof kMagic);
  writer(static_cast<uint32_t>(sizeof(Real)));
  visit(writer, bundle);
  return std::move(writer.bytes);
}

absl::StatusOr<ReplayBundle> decode_replay(std::string_view bytes) {
  if (bytes.size() < sizeof kMagic + 4 || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    return unreadable("it does not begin as one");
  Reader reader(bytes.substr(sizeof kMagic));
  uint32_t real = 0;
  reader(real);
  if (real != sizeof(Real)) return unreadable("it was written by a build with another number type");
  ReplayBundle bundle;
  visit(reader, bundle);
  if (!reader.whole()) return unreadable("it is cut short or has bytes to spare");
  if (!consistent(bundle)) return unreadable("its arrays do not fit each other");
  return bundle;
}

}  // namespace tryon::sim
