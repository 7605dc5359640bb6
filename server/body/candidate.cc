#include "server/body/candidate.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "Eigen/Eigenvalues"
#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/orient.h"
#include "server/body/scan_planes.h"
#include "server/body/scan_points.h"

namespace tryon {
namespace {

constexpr int kMinVertices = 400;         // fewer cannot show the levels that are looked for
constexpr double kWorthTrying = 0.05;     // pieces with at least this share of the largest one's area may be the person
constexpr double kPartOfAPerson = 0.005;  // pieces with at least this share may be parts of a person cut in pieces
constexpr double kAnotherPerson = 0.25;   // pieces with at least this share of the person's area may be another one,
constexpr double kStandsApart = 0.2;      // m between their middles across the floor: else clothes and helpers
constexpr double kSampling = 0.004;       // of the diagonal

struct Pieces {
  const TriangleMesh& scan;
  std::vector<int> of;       // [triangle_count]
  std::vector<double> area;  // [piece_count]
};

Pieces pieces_of(const TriangleMesh& scan) {
  auto [piece, count] = connected_components(scan);
  Pieces pieces{scan, std::move(piece), std::vector<double>(static_cast<size_t>(count), 0.0)};
  for (int t = 0; t < scan.triangle_count(); ++t) pieces.area[pieces.of[t]] += triangle_normal(scan, t).norm();
  return pieces;
}

// The triangles of the wanted pieces, and only the vertices that they use, in their old order.
TriangleMesh take_pieces(const Pieces& pieces, const std::vector<char>& wanted) {
  const TriangleMesh& mesh = pieces.scan;
  std::vector<int> index(mesh.positions.size(), -1);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    if (!wanted[pieces.of[t]]) continue;
    for (int k = 0; k < 3; ++k) index[mesh.triangles[t][k]] = 0;
  }
  TriangleMesh kept;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (index[v] < 0) continue;
    index[v] = kept.vertex_count();
    kept.positions.push_back(mesh.positions[v]);
  }
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    const Triangle& tri = mesh.triangles[t];
    if (wanted[pieces.of[t]]) kept.triangles.push_back({index[tri[0]], index[tri[1]], index[tri[2]]});
  }
  return kept;
}

TriangleMesh take_piece(const Pieces& pieces, int piece) {
  std::vector<char> wanted(pieces.area.size(), 0);
  wanted[piece] = 1;
  return take_pieces(pieces, wanted);
}

std::vector<int> by_falling_area(const Pieces& pieces) {
  std::vector<int> order(pieces.area.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return pieces.area[a] > pieces.area[b]; });
  return order;
}

// What may be the person: each large piece alone, the largest first, and last all pieces of some size together.
std::vector<std::vector<char>> candidate_pieces(const Pieces& pieces, const std::vector<int>& order) {
  std::vector<std::vector<char>> candidates;
  std::vector<char> together(pieces.area.size(), 0);
  int joined = 0;
  for (int c : order) {
    if (pieces.area[c] >= kWorthTrying * pieces.area[order[0]] && candidates.size() < 4) {
      candidates.emplace_back(pieces.area.size(), 0)[c] = 1;
    }
    if (pieces.area[c] < kPartOfAPerson * pieces.area[order[0]]) continue;
    together[c] = 1;
    ++joined;
  }
  if (joined > 1) candidates.push_back(std::move(together));
  return candidates;
}

std::vector<Vec3> samples_of(const TriangleMesh& mesh) {
  return sample_surface(mesh, std::max(kSampling * bounds(mesh).diagonal().norm(), 1e-12));
}

// Pieces beside the person that are flat and as large as a doormat.
std::vector<FlatThing> flat_pieces(const Pieces& pieces, const std::vector<char>& wanted, const TriangleMesh& person) {
  const double least = kWorthTrying * 2.0 * surface_area(person);
  std::vector<FlatThing> out;
  for (size_t c = 0; c < wanted.size(); ++c) {
    if (wanted[c] || pieces.area[c] < least) continue;
    const TriangleMesh piece = take_piece(pieces, static_cast<int>(c));
    Vec3 mean = Vec3::Zero();
    for (const Vec3& p : piece.positions) mean += p / static_cast<double>(piece.vertex_count());
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (const Vec3& p : piece.positions) spread += (p - mean) * (p - mean).transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(spread);
    if (solver.eigenvalues()[0] > 2.5e-3 * solver.eigenvalues()[1]) continue;
    Vec3 normal = solver.eigenvectors().col(0);
    if (normal.dot(bounds(person).center() - mean) < 0) normal = -normal;
    out.push_back({normal, normal.dot(mean)});
  }
  return out;
}

// Another piece that stands like a person, beside the one found.
absl::Status check_alone(const Pieces& pieces, const std::vector<int>& order, const std::vector<char>& wanted,
                         const ScanOptions& options, const Placement& placement, const TriangleMesh& person) {
  const Vec3 here = placement(bounds(person).center());
  const double least = kAnotherPerson * 2.0 * surface_area(person);
  for (int c : order) {
    if (pieces.area[c] < least) break;
    if (wanted[c]) continue;
    const TriangleMesh other = take_piece(pieces, c);
    Vec3 apart = placement(bounds(other).center()) - here;
    apart.y() = 0.0;
    if (apart.norm() < kStandsApart || other.vertex_count() < kMinVertices) continue;
    if (!stands_like_a_person(samples_of(other), options)) continue;
    return invalid_input("BODY_SEVERAL_PERSONS", "body",
                         cat("the scan shows at least two persons, ", std::round(100 * apart.norm()) / 100, " m apart"),
                         "Send one person a scan.");
  }
  return absl::OkStatus();
}

absl::StatusOr<Person> place_pieces(const Pieces& pieces, const std::vector<int>& order,
                                    const std::vector<char>& wanted, const ScanOptions& options,
                                    std::vector<FlatThing> flat) {
  Person person{take_pieces(pieces, wanted), {}};
  if (person.mesh.vertex_count() < kMinVertices) {
    return invalid_input(
        "BODY_TOO_FEW_POINTS", "body",
        cat("the largest piece has ", person.mesh.vertex_count(), " vertices, fewer than ", kMinVertices),
        "Send a finer scan of one standing person.");
  }
  for (const FlatThing& thing : flat_pieces(pieces, wanted, person.mesh)) flat.push_back(thing);
  ASSIGN_OR_RETURN(Placement placement, find_placement(samples_of(person.mesh), options, flat));
  RETURN_IF_ERROR(check_alone(pieces, order, wanted, options, placement, person.mesh));
  for (Vec3& p : person.mesh.positions) p = placement(p);
  person.source = std::move(placement.source);
  const auto left = static_cast<int>(std::count(wanted.begin(), wanted.end(), 0));
  const auto used = static_cast<int>(wanted.size()) - left;
  if (left > 0) {
    person.source.healed.push_back(cat("left out ", left, " separate piece", left > 1 ? "s" : "", " of ",
                                       pieces.scan.triangle_count() - person.mesh.triangle_count(), " triangles"));
  }
  if (used > 1) person.source.healed.push_back(cat("took ", used, " separate pieces as one person"));
  return person;
}

// The first candidate that stands like a person; where there is none, why the largest of enough points does not.
absl::StatusOr<Person> find_among_pieces(const RunContext& run, const ScanOptions& options, const TriangleMesh& scan,
                                         const std::vector<FlatThing>& flat) {
  const Pieces pieces = pieces_of(scan);
  const std::vector<int> order = by_falling_area(pieces);
  std::optional<absl::Status> why;
  for (const std::vector<char>& wanted : candidate_pieces(pieces, order)) {
    RETURN_IF_ERROR(run.check());
    absl::StatusOr<Person> person = place_pieces(pieces, order, wanted, options, flat);
    if (person.ok() || error_detail(person.status())->reason == "BODY_SEVERAL_PERSONS") return person;
    const std::string before = why ? error_detail(*why)->reason : "BODY_TOO_FEW_POINTS";
    const std::string now = error_detail(person.status())->reason;
    if (before == "BODY_TOO_FEW_POINTS" || (before == "BODY_NOT_HUMAN" && now != "BODY_TOO_FEW_POINTS")) {
      why = person.status();
    }
  }
  return *why;
}

// The scan without the triangles of its floor and walls; empty where it has none.
TriangleMesh without_flat_things(const TriangleMesh& scan, std::vector<FlatThing>* flat) {
  const FlatThings things = find_flat_things(samples_of(scan));
  *flat = things.planes;
  TriangleMesh out;
  if (flat->empty()) return out;
  out.positions = scan.positions;
  for (const Triangle& t : scan.triangles) {
    bool on_one = false;
    for (const FlatThing& plane : *flat) {
      bool all = true;
      for (int k = 0; k < 3; ++k) {
        all = all && std::abs(scan.positions[t[k]].dot(plane.normal) - plane.offset) <= things.thickness;
      }
      on_one = on_one || all;
    }
    if (!on_one) out.triangles.push_back(t);
  }
  return out;
}

}  // namespace

absl::StatusOr<Person> find_person(const RunContext& run, const ScanOptions& options, const TriangleMesh& scan) {
  absl::StatusOr<Person> person = find_among_pieces(run, options, scan, {});
  if (person.ok() || error_detail(person.status())->reason != "BODY_NOT_HUMAN") return person;
  std::vector<FlatThing> flat;
  const TriangleMesh rest = without_flat_things(scan, &flat);
  if (rest.triangles.empty()) return person;
  absl::StatusOr<Person> freed = find_among_pieces(run, options, rest, flat);
  if (!freed.ok()) {
    const std::string reason = error_detail(freed.status())->reason;
    return reason == "BODY_NOT_HUMAN" || reason == "BODY_TOO_FEW_POINTS" ? person : freed;
  }
  freed->source.healed.push_back(cat("cut off ", flat.size(), " floor", flat.size() > 1 ? "s or walls" : "", " of ",
                                     scan.triangle_count() - rest.triangle_count(), " triangles"));
  return freed;
}

void keep_largest_piece(TriangleMesh* mesh, std::vector<std::string>* healed) {
  if (mesh->triangles.empty()) return;
  const Pieces pieces = pieces_of(*mesh);
  if (pieces.area.size() == 1) return;
  std::vector<char> wanted(pieces.area.size(), 0);
  wanted[by_falling_area(pieces)[0]] = 1;
  TriangleMesh kept = take_pieces(pieces, wanted);
  healed->push_back(cat("left out ", pieces.area.size() - 1, " separate piece", pieces.area.size() > 2 ? "s" : "",
                        " of ", mesh->triangle_count() - kept.triangle_count(), " triangles"));
  *mesh = std::move(kept);
}

}  // namespace tryon
