#include "server/io/worn_file.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/io/fields.h"

namespace tryon {
namespace {

constexpr std::string_view kMagic = "TRYONWRN";
constexpr uint32_t kVersion = 2;
constexpr double kFarthest = 100.0;  // metres

absl::Status unreadable(std::string_view why) {
  return invalid_input("WORN_FILE_UNREADABLE", "worn.tryon", cat("the draped garment cannot be read: ", why),
                       "Create the drape that left it again.");
}

template <typename Archive>
void fields(Archive& a, StoredGarment& g) {
  a.text(g.name), a.text(g.fabric);
  fields(a, g.cloth.mesh);
  list(a, g.cloth.corner_flat, 48, [&](std::array<Vec2, 3>& corners) {
    for (Vec2& corner : corners) vector_of_numbers(a, corner);
  });
  list(a, g.cloth.source, 4, [&](int& vertex) { a.number(vertex); });
  list(a, g.cloth.elastics, 24,
       [&](ElasticSpan& span) { a.number(span.a), a.number(span.b), a.number(span.length), a.number(span.stiffness); });
  list(a, g.uv, 16, [&](Vec2& p) { vector_of_numbers(a, p); });
  list(a, g.shown, 12, [&](Triangle& t) { vector_of_numbers(a, t); });
  if (a.version < 2) return;
  a.text(g.made_of), a.text(g.meshed_in);
  a.number(g.edge_m);
}

template <typename Archive>
void fields(Archive& a, StoredOutfit& outfit) {
  a.text(outfit.body);
  list(a, outfit.garments, 16, [&](StoredGarment& g) { fields(a, g); });
}

absl::Status check(const StoredGarment& g) {
  const absl::Status mesh = validate(g.cloth.mesh, "cloth");
  if (!mesh.ok()) return unreadable(std::string(mesh.message()));
  const int welded = g.cloth.mesh.vertex_count(), shown = static_cast<int>(g.cloth.source.size());
  const auto inside = [](int index, int count) { return index >= 0 && index < count; };
  bool good = g.cloth.corner_flat.size() == g.cloth.mesh.triangles.size() && g.uv.size() == g.cloth.source.size();
  for (const int vertex : g.cloth.source) good = good && inside(vertex, welded);
  for (const Triangle& t : g.shown) good = good && inside(t[0], shown) && inside(t[1], shown) && inside(t[2], shown);
  if (!good) return unreadable("its lists do not fit each other");
  for (const ElasticSpan& span : g.cloth.elastics) {
    good = good && inside(span.a, welded) && inside(span.b, welded) && span.length >= 0.0 && span.stiffness >= 0.0;
  }
  for (const Vec3& p : g.cloth.mesh.positions) good = good && p.cwiseAbs().maxCoeff() <= kFarthest;
  good = good && g.edge_m >= 0.0 && g.edge_m <= kFarthest;
  for (const auto& corners : g.cloth.corner_flat) {
    for (const Vec2& p : corners) good = good && p.cwiseAbs().maxCoeff() <= kFarthest;
  }
  return good ? absl::OkStatus() : unreadable("a number is out of all bounds");
}

}  // namespace

std::string write_worn_file(const StoredOutfit& outfit) {
  return write_fields(kMagic, kVersion, [&](FieldWriter& a) {
    fields(a, const_cast<StoredOutfit&>(outfit));  // a writer only reads; one list of fields for both ways
  });
}

absl::StatusOr<StoredOutfit> read_worn_file(std::string_view bytes) {
  StoredOutfit outfit;
  const std::string why = read_fields(kMagic, kVersion, bytes, [&](FieldReader& a) { fields(a, outfit); });
  if (!why.empty()) return unreadable(why);
  if (outfit.garments.empty() || outfit.garments.size() > kMostWorn) {
    return unreadable(cat("it has ", outfit.garments.size(), " garments, not 1 to ", kMostWorn));
  }
  for (const StoredGarment& garment : outfit.garments) RETURN_IF_ERROR(check(garment));
  return outfit;
}

}  // namespace tryon
