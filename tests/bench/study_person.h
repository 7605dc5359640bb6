// What it is: people for the studies of garments: read, fitted once, with what cloth may not enter, and pictures.
// Units and frame: metres, +Y up, facing +Z. How it fails: a body that cannot be made ends the process with its
// message. Thread rules: plain values.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "server/body/body_from_measurements.h"
#include "server/body/mannequin.h"
#include "server/drape/assemble.h"
#include "server/drape/cut_body.h"
#include "server/garment/template.h"
#include "server/io/mesh_file.h"
#include "server/metrics/metrics.h"
#include "server/render/preview.h"
#include "server/sim/collision/collider.h"
#include "tests/support/shared_data.h"
#include "tests/support/test_meshes.h"

namespace tryon {

struct StudyPerson {
  FittedPerson person;
  std::shared_ptr<sim::Collider> body;      // the scan
  std::shared_ptr<sim::Collider> collider;  // the scan and the floor
  int own_crossings = 0;                    // of the body's own triangles
};

inline StudyPerson study_of(StoredBody stored) {
  StudyPerson out;
  out.person = *person_to_dress(RunContext(), std::move(stored), ProxyShape::kElliptic);
  out.own_crossings = count_self_intersections(out.person.skin.mesh);
  out.body = sim::make_surface_collider(out.person.surface, out.person.sharp);
  std::vector<std::unique_ptr<sim::Collider>> parts;
  parts.push_back(sim::make_surface_collider(out.person.surface, out.person.sharp));
  parts.push_back(sim::make_plane_collider(Vec3::Zero(), Vec3::UnitY()));
  out.collider = sim::make_union_collider(std::move(parts));
  return out;
}

// What of a body is dressed: all of it (patterns have hoods), or what the service keeps unless it is asked for more.
enum class Kept { kAll, kWithoutHeadAndHands };

inline StudyPerson study_of_body(const std::string& name, absl::StatusOr<Body> body, Kept kept) {
  StoredBody stored;
  if (body.ok()) stored.body = *std::move(body);
  stored.has_head_and_hands = kept == Kept::kAll;
  if (body.ok() && !stored.has_head_and_hands) stored.body = without_head_and_hands(std::move(stored.body));
  auto proxies = body.ok() ? fit_proxies(RunContext(), stored.body, ProxyShape::kElliptic) : body.status();
  if (!proxies.ok()) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), std::string(proxies.status().message()).c_str());
    std::exit(1);
  }
  stored.proxies.push_back(*std::move(proxies));
  return study_of(std::move(stored));
}

inline absl::StatusOr<TriangleMesh> scan_of(const std::string& path) {
  ASSIGN_OR_RETURN(const MeshFormat format, mesh_format_from_name(path));
  if (format == MeshFormat::kObj) return testing::read_obj(path);
  ASSIGN_OR_RETURN(ParsedMesh parsed, parse_mesh_sandboxed(RunContext(), default_meshparse_path(),
                                                           testing::read_file(path), format, path, ParseLimits()));
  return std::move(parsed.mesh);
}

// One of the data set's bodies.
inline StudyPerson study_person(const std::string& file, Kept kept = Kept::kAll) {
  auto scan = scan_of(testing::shared_data_path("bodies/" + file));
  auto body = scan.ok() ? make_body(RunContext(), *std::move(scan), ScanOptions()) : scan.status();
  return study_of_body(file, std::move(body), kept);
}

// From girths, the rest predicted.
inline StudyPerson person_of_table(const std::string& name, const BodyTable& table, Kept kept = Kept::kAll) {
  auto made = body_from_measurements(RunContext(), table);
  return study_of_body(name, made.ok() ? absl::StatusOr<Body>(std::move(made->body)) : made.status(), kept);
}

// A person of a size of the size table.
inline StudyPerson person_of_size(Figure figure, const std::string& size, Kept kept = Kept::kAll) {
  const DraftMeasurements m = *size_measurements(figure, size);
  BodyTable table;
  table.figure = figure == Figure::kMen ? FigureType::kMale : FigureType::kFemale;
  table.height_mm = figure == Figure::kMen ? 1780 : 1680;
  table.measurements_mm = {{"bust_girth", m.bust_girth}, {"waist_girth", m.waist_girth}, {"hip_girth", m.hip_girth}};
  return person_of_table(size, table, kept);
}

// Pairs of a cloth triangle and a body triangle that cross (exact).
inline int crossings_with_body(const StudyPerson& study, const TriangleMesh& cloth) {
  TriangleMesh both = study.person.skin.mesh;
  const int base = both.vertex_count();
  both.positions.insert(both.positions.end(), cloth.positions.begin(), cloth.positions.end());
  for (const Triangle& t : cloth.triangles) both.triangles.push_back(t + Triangle::Constant(base));
  return count_self_intersections(both) - count_self_intersections(cloth) - study.own_crossings;
}

inline void picture(const StudyPerson& study, const TriangleMesh& cloth, const std::string& folder,
                    const std::string& name) {
  RenderPiece body, garment;
  body.mesh = study.person.skin.mesh;
  garment.mesh = cloth;
  garment.colour = {0.10, 0.25, 0.50};
  garment.cloth = true;
  RenderSettings settings;
  settings.width = 384, settings.height = 512;
  for (const View view : {View::kFront, View::kBack, View::kLeft}) {
    const auto image = render_view(RunContext(), {body, garment}, view, settings);
    if (!image.ok()) continue;
    std::ofstream file(folder + "/" + name + "_" + std::string(view_name(view)) + ".png", std::ios::binary);
    file << *encode_png(*image);
  }
}

}  // namespace tryon
