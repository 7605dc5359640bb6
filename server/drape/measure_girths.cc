// Tapes round the cloth at the body's own levels.
#include <algorithm>
#include <cmath>

#include "server/base/text.h"
#include "server/base/units.h"
#include "server/body/items.h"
#include "server/body/slices.h"
#include "server/drape/measure_fit.h"
#include "server/metrics/section.h"

namespace tryon {
namespace {

// A sleeve (or the other leg) may join the cloth at the body's level, or an armhole open it; a tailor then measures an
// inch below where that ends.
constexpr double kStep = 0.003, kFarthest = 0.06, kBelow = 0.015;  // of the height
constexpr int kHalvings = 6;                                       // of a step, to find the end
constexpr double kSmallPart = 1e-4;                                // m2: a smaller cut of the body is no limb
constexpr double kHood = 1.5;  // of the neck: what is longer is a hood that hangs on the back, and no tape round a neck

struct Level {
  Vec3 origin = Vec3::Zero(), normal = Vec3::UnitY(), away = -Vec3::UnitY();  // away: where the tape may slide
};

Level level_of(const MeasureCurve& curve, const Vec3& wrist, bool arm) {
  Level out;
  Vec3 sum = Vec3::Zero(), turn = Vec3::Zero();
  for (const Vec3& p : curve.points) sum += p;
  out.origin = sum / static_cast<double>(curve.points.size());
  for (size_t i = 0; i < curve.points.size(); ++i)
    turn += (curve.points[i] - out.origin).cross(curve.points[(i + 1) % curve.points.size()] - out.origin);
  if (turn.norm() > 0) out.normal = turn.normalized();
  if (arm) out.away = (wrist - out.origin).dot(out.normal) >= 0 ? out.normal : Vec3(-out.normal);
  return out;
}

struct BodyCut {
  Vec3 own = Vec3::Zero();
  std::vector<Vec3> others;
};

BodyCut cut_body_at(const Body& body, const Level& level) {
  BodyCut out;
  const auto loops = slice_mesh(body.mesh, nullptr, level.origin, level.normal);
  double best = 1e30;
  size_t own = loops.size();
  for (size_t i = 0; i < loops.size(); ++i) {
    const double away = (loops[i].centroid - level.origin).norm();
    if (loops[i].area >= kSmallPart && away < best) best = away, own = i;
  }
  out.own = own < loops.size() ? loops[own].centroid : level.origin;
  for (size_t i = 0; i < loops.size(); ++i) {
    if (i != own && loops[i].area >= kSmallPart) out.others.push_back(loops[i].centroid);
  }
  return out;
}

// The body's tape where the cloth's lies: round those parts that the cloth goes round, if there are any.
void set_there(const Body& body, const std::vector<Vec3>& cloth, const Vec3& origin, const Vec3& normal,
               GirthFit* girth) {
  std::vector<Vec3> inside;
  for (const SliceLoop& loop : slice_mesh(body.mesh, nullptr, origin, normal)) {
    if (loop.area < kSmallPart || !goes_round(cloth, normal, loop.centroid)) continue;
    inside.insert(inside.end(), loop.points.begin(), loop.points.end());
  }
  if (!inside.empty()) girth->there_mm = to_mm(hull_perimeter(inside, normal));
}

// The innermost closed loop round the body's part; `merged`: it goes round another part as well.
const ClothLoop* innermost(const std::vector<ClothLoop>& loops, const BodyCut& body, const Vec3& normal, bool* merged) {
  const ClothLoop* found = nullptr;
  for (const ClothLoop& loop : loops) {
    if (!loop.closed || !goes_round(loop.points, normal, body.own)) continue;
    if (found == nullptr || loop.area < found->area) found = &loop;
  }
  *merged = found != nullptr && std::any_of(body.others.begin(), body.others.end(), [&](const Vec3& other) {
              return goes_round(found->points, normal, other);
            });
  return found;
}

// Front and back, parted by the armholes.
bool cut_by_armholes(const std::vector<ClothLoop>& loops) {
  return std::count_if(loops.begin(), loops.end(), [](const ClothLoop& l) { return !l.closed; }) >= 2;
}

// Where the body lies at the level, lowered with the garment.
BodyCut cut_body_at(const Body& body, const Level& level, const Vec3& slip) {
  BodyCut out = cut_body_at(body, level);
  out.own += slip;
  for (Vec3& other : out.others) other += slip;
  return out;
}

// One body part's tape on the cloth, at any level.
class ClothTape {
 public:
  ClothTape(const Body& body, const WeldedMesh& cloth, const Level& level, double slipped, double body_mm)
      : body_(body), cloth_(cloth), level_(level), slip_(-slipped * Vec3::UnitY()), body_mm_(body_mm) {}

  struct Laid {
    std::optional<GirthFit> fit;
    bool parted = false;     // by armholes
    bool merged = false;     // with what goes round another part
    std::vector<Vec3> line;  // of the cloth
  };
  // `slid` metres from the body's own level, where the tape may slide.
  Laid at(double slid) const {
    Level level = level_;
    level.origin += slid * level.away;
    const auto loops = cut_cloth(cloth_.mesh, cloth_.corner_flat, level.origin + slip_, level.normal);
    Laid out;
    const ClothLoop* loop = innermost(loops, cut_body_at(body_, level, slip_), level.normal, &out.merged);
    if (loop == nullptr) {
      out.parted = cut_by_armholes(loops);
    } else if (!out.merged) {
      out.fit =
          GirthFit{"", level.origin.y() + slip_.y(), body_mm_, to_mm(loop->length), to_mm(loop->rest_length), body_mm_};
      out.line = loop->points;
    }
    return out;
  }

  // What is measured there, with what the body has where the tape lies.
  GirthFit measured(const Laid& laid, double slid) const {
    GirthFit out = *laid.fit;
    const Vec3 origin = level_.origin + slid * level_.away + slip_;
    if (origin != level_.origin) set_there(body_, laid.line, origin, level_.normal, &out);
    return out;
  }

  // Where the tape lies freely, above a place where it does by at most a step.
  double first_free(double free, double step) const {
    for (int i = 0; i < kHalvings; ++i) {
      step *= 0.5;
      if (at(free - step).fit) free -= step;
    }
    return free;
  }

 private:
  const Body& body_;
  const WeldedMesh& cloth_;
  const Level level_;
  const Vec3 slip_;
  const double body_mm_;
};

std::optional<GirthFit> tape_at(const Body& body, const WeldedMesh& cloth, const Level& level, double slipped,
                                double body_mm) {
  if (level.origin.y() < slipped) return std::nullopt;  // that part of it would lie below the floor
  const ClothTape tape(body, cloth, level, slipped, body_mm);
  const double step = kStep * body.height_m;
  bool parted = false;  // of two armholes one may end above the other
  for (double slid = 0.0; slid <= kFarthest * body.height_m; slid += step) {
    const ClothTape::Laid laid = tape.at(slid);
    if (laid.fit && slid == 0.0) return tape.measured(laid, slid);
    if (laid.fit) {
      const double down = tape.first_free(slid, step) + kBelow * body.height_m;
      const ClothTape::Laid below = tape.at(down);
      return below.fit ? tape.measured(below, down) : tape.measured(laid, slid);
    }
    parted = parted || laid.parted;
    if (!laid.merged && !parted) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<GirthFit> tape_of(const Body& body, const WeldedMesh& cloth, const MeasurementItem& item,
                                const std::string& name, const std::string& side, double slipped) {
  const auto curve = body.curves.find(name);
  const auto girth = body.measurements_mm.find(name);
  if (curve == body.curves.end() || girth == body.measurements_mm.end()) return std::nullopt;
  if (curve->second.points.size() < 3 || !(girth->second > 0)) return std::nullopt;
  static const char* const kArm[] = {"upper_arm_girth", "elbow_girth", "forearm_girth", "wrist_girth"};
  const bool arm = std::any_of(std::begin(kArm), std::end(kArm), [&](const char* n) { return item.name == n; });
  const auto wrist = body.landmarks.find(side + "wrist");
  return tape_at(body, cloth,
                 level_of(curve->second, wrist == body.landmarks.end() ? Vec3::Zero() : wrist->second,
                          arm && wrist != body.landmarks.end()),
                 slipped, girth->second);
}

std::optional<GirthFit> mean_of(const std::vector<std::optional<GirthFit>>& parts, const std::string& item) {
  GirthFit sum{item};
  int count = 0;
  for (const auto& part : parts) {
    if (!part) continue;
    ++count;
    sum.level_m += part->level_m, sum.body_mm += part->body_mm, sum.there_mm += part->there_mm;
    sum.cloth_mm += part->cloth_mm, sum.rest_mm += part->rest_mm;
  }
  if (count == 0) return std::nullopt;
  sum.level_m /= count, sum.body_mm /= count, sum.there_mm /= count;
  sum.cloth_mm /= count, sum.rest_mm /= count;
  return sum;
}

// The limb inside a cuff or a leg's hem, by the tape in the rim's own plane.
std::optional<GirthFit> rim_girth(const Body& body, const Opening& opening) {
  Level level;
  level.origin = opening.rim.middle;
  level.normal = opening.rim.normal;
  const SliceLoop* own = nullptr;
  const auto loops = slice_mesh(body.mesh, nullptr, level.origin, level.normal);
  for (const SliceLoop& loop : loops) {
    if (loop.area < kSmallPart || !loop.closed || (loop.centroid - level.origin).norm() > 0.06 * body.height_m)
      continue;
    if (own == nullptr || (loop.centroid - level.origin).norm() < (own->centroid - level.origin).norm()) own = &loop;
  }
  if (own == nullptr) return std::nullopt;
  const double limb = to_mm(own->hull_perimeter);
  return GirthFit{"", level.origin.y(), limb, to_mm(opening.rim.length), to_mm(opening.rim.rest_length), limb};
}

// The upper edge is the garment's own line at this item, wherever it lies now.
std::optional<GirthFit> upper_edge_round(const Body& body, const Opening& top, const std::string& item) {
  const auto girth = body.measurements_mm.find(item);
  if (girth == body.measurements_mm.end()) return std::nullopt;
  return GirthFit{item,         top.rim.middle.y(), girth->second, to_mm(top.rim.length), to_mm(top.rim.rest_length),
                  girth->second};
}

// The same of what hangs from the waist, which may have slipped to where the body is wider.
std::optional<GirthFit> waist_of(const Body& body, const WeldedMesh& cloth, const Opening& top,
                                 const std::string& item) {
  auto out = upper_edge_round(body, top, item);
  if (!out) return out;
  std::vector<Vec3> edge;
  for (const int v : top.rim.vertices) edge.push_back(cloth.mesh.positions[v]);
  set_there(body, edge, top.rim.middle, top.rim.normal, &*out);
  return out;
}

std::optional<GirthFit> rims_of(const Body& body, const std::vector<Opening>& openings, OpeningKind kind) {
  std::vector<std::optional<GirthFit>> parts;
  for (const Opening& opening : openings) {
    if (opening.kind == kind) parts.push_back(rim_girth(body, opening));
  }
  return mean_of(parts, std::string(opening_kind_name(kind)));
}

}  // namespace

std::vector<GirthFit> measure_girths(const Body& body, const WeldedMesh& cloth, const std::vector<Opening>& openings,
                                     const Hang& hang) {
  std::vector<GirthFit> out;
  const auto add = [&out](std::optional<GirthFit> found) {
    if (found) out.push_back(*std::move(found));
  };
  for (const MeasurementItem& item : measurement_items()) {
    if (item.kind != ItemKind::kGirth || item.standard.empty()) continue;
    const std::string name(item.name);
    if (name == "neck_base_girth") {  // no plane: the neckline stands for it
      for (const Opening& o : openings) {
        if (o.kind != OpeningKind::kNeckline) continue;
        add(upper_edge_round(body, o, name));
        break;
      }
      continue;
    }
    if (hang.from_waist && name == "waist_girth") {
      add(waist_of(body, cloth, *hang.top, name));
    } else if (!item.paired) {
      const auto tape = mean_of({tape_of(body, cloth, item, name, "", hang.slipped_m)}, name);
      if (tape && name == "neck_girth" && tape->cloth_mm > kHood * tape->body_mm) continue;
      add(tape);
    } else {
      add(mean_of({tape_of(body, cloth, item, "left_" + name, "left_", hang.slipped_m),
                   tape_of(body, cloth, item, "right_" + name, "right_", hang.slipped_m)},
                  name));
    }
  }
  add(rims_of(body, openings, OpeningKind::kCuff));
  add(rims_of(body, openings, OpeningKind::kLegHem));
  return out;
}

}  // namespace tryon
