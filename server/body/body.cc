#include "server/body/body.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "server/base/status.h"
#include "server/base/text.h"
#include "server/body/measure.h"
#include "server/body/orient.h"
#include "server/body/outward.h"
#include "server/body/segment.h"

namespace tryon {
namespace {

constexpr int kMinVertices = 400;         // fewer cannot show the levels that are looked for
constexpr double kWorthTrying = 0.05;     // pieces with at least this share of the largest one's area may be the person
constexpr double kPartOfAPerson = 0.005;  // pieces with at least this share may be parts of a person cut in pieces

std::vector<double> piece_areas(const TriangleMesh& mesh, const std::vector<int>& piece, int count) {
  std::vector<double> area(static_cast<size_t>(count), 0.0);
  for (int t = 0; t < mesh.triangle_count(); ++t) area[piece[t]] += triangle_normal(mesh, t).norm();
  return area;
}

// The triangles of the wanted pieces, and only the vertices that they use, in their old order.
TriangleMesh take_pieces(const TriangleMesh& mesh, const std::vector<int>& piece, const std::vector<char>& wanted) {
  std::vector<int> index(mesh.positions.size(), -1);
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    if (!wanted[piece[t]]) continue;
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
    if (wanted[piece[t]]) kept.triangles.push_back({index[tri[0]], index[tri[1]], index[tri[2]]});
  }
  return kept;
}

// What may be the person: each large piece alone, the largest first, and last all pieces of some size together.
std::vector<std::vector<char>> candidate_pieces(const std::vector<double>& area) {
  std::vector<int> order(area.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return area[a] > area[b]; });
  std::vector<std::vector<char>> candidates;
  std::vector<char> together(area.size(), 0);
  int joined = 0;
  for (int c : order) {
    if (area[c] >= kWorthTrying * area[order[0]] && candidates.size() < 4) {
      candidates.emplace_back(area.size(), 0)[c] = 1;
    }
    if (area[c] < kPartOfAPerson * area[order[0]]) continue;
    together[c] = 1;
    ++joined;
  }
  if (joined > 1) candidates.push_back(std::move(together));
  return candidates;
}

struct Person {
  TriangleMesh mesh;
  ScanSource source;
};

absl::StatusOr<Person> orient_pieces(const ScanOptions& options, const TriangleMesh& scan,
                                     const std::vector<int>& piece, const std::vector<char>& wanted) {
  Person person{take_pieces(scan, piece, wanted), {}};
  if (person.mesh.vertex_count() < kMinVertices) {
    return invalid_input(
        "BODY_TOO_FEW_POINTS", "body",
        cat("the largest piece has ", person.mesh.vertex_count(), " vertices, fewer than ", kMinVertices),
        "Send a finer scan of one standing person.");
  }
  ASSIGN_OR_RETURN(person.source, orient_body(options, &person.mesh));
  const auto left = static_cast<int>(std::count(wanted.begin(), wanted.end(), 0));
  const auto used = static_cast<int>(wanted.size()) - left;
  if (left > 0) {
    person.source.healed.push_back(cat("left out ", left, " separate piece", left > 1 ? "s" : "", " of ",
                                       scan.triangle_count() - person.mesh.triangle_count(), " triangles"));
  }
  if (used > 1) person.source.healed.push_back(cat("took ", used, " separate pieces as one person"));
  return person;
}

// The first candidate that stands like a person; where there is none, why the largest of enough points does not.
absl::StatusOr<Person> find_person(const RunContext& run, const ScanOptions& options, const TriangleMesh& scan) {
  const auto [piece, count] = connected_components(scan);
  std::optional<absl::Status> why;
  for (const std::vector<char>& wanted : candidate_pieces(piece_areas(scan, piece, count))) {
    RETURN_IF_ERROR(run.check());
    absl::StatusOr<Person> person = orient_pieces(options, scan, piece, wanted);
    if (person.ok()) return person;
    if (!why || error_detail(*why)->reason == "BODY_TOO_FEW_POINTS") why = person.status();
  }
  return *why;
}

}  // namespace

std::string_view body_part_name(BodyPart part) {
  static constexpr std::string_view kNames[kBodyPartCount] = {"head",      "neck",     "torso",    "left_arm",
                                                              "right_arm", "left_leg", "right_leg"};
  return kNames[static_cast<size_t>(part)];
}

std::string_view body_segment_name(BodySegment segment) {
  static constexpr std::string_view kNames[kBodySegmentCount] = {"head",
                                                                 "neck",
                                                                 "torso",
                                                                 "left_upper_arm",
                                                                 "right_upper_arm",
                                                                 "left_lower_arm",
                                                                 "right_lower_arm",
                                                                 "left_hand",
                                                                 "right_hand",
                                                                 "left_upper_leg",
                                                                 "right_upper_leg",
                                                                 "left_lower_leg",
                                                                 "right_lower_leg",
                                                                 "left_foot",
                                                                 "right_foot"};
  return kNames[static_cast<size_t>(segment)];
}

std::string_view pose_name(Pose pose) { return pose == Pose::kA ? "A" : pose == Pose::kT ? "T" : "arms_down"; }

absl::StatusOr<Body> make_body(const RunContext& run, TriangleMesh scan, const ScanOptions& options) {
  RETURN_IF_ERROR(validate(scan, "body"));
  if (scan.triangles.empty()) {
    return invalid_input("BODY_TOO_FEW_POINTS", "body", "the scan has no surface: it holds no triangles",
                         "Send a mesh of one standing person.");
  }
  ASSIGN_OR_RETURN(Person person, find_person(run, options, scan));
  make_outward(&person.mesh, &person.source.healed);
  RETURN_IF_ERROR(run.check());
  ASSIGN_OR_RETURN(Segmentation segmentation, segment_body(person.mesh));
  RETURN_IF_ERROR(run.check());
  Body body;
  body.mesh = std::move(person.mesh);
  body.part = std::move(segmentation.part);
  body.source = std::move(person.source);
  body.height_m = segmentation.levels.height;
  measure_body(segmentation.levels, &body);
  return body;
}

absl::StatusOr<Body> make_body(const RunContext& run, Scan scan, const ScanOptions& options,
                               const Reconstructor& reconstruct) {
  if (scan.cloud.point_count() > 0) {
    ASSIGN_OR_RETURN(Reconstruction surface, reconstruct(run, scan.cloud, ReconstructSettings()));
    scan.mesh = std::move(surface.mesh);
  }
  return make_body(run, std::move(scan.mesh), options);
}

}  // namespace tryon
