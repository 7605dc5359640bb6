// What it is: which pieces of a scanned mesh are the person, and that person brought into the body's frame.
// Units and frame: in: any; out: metres, +Y up, facing +Z, floor at y = 0.
// Tried in turn: each large piece alone, then all of some size together; and once more without floor and walls where
// these are one piece with the person.
// How it fails: as find_placement; BODY_TOO_FEW_POINTS, BODY_SEVERAL_PERSONS. Thread rules: pure functions.
#pragma once

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/body/body.h"

namespace tryon {

struct Person {
  TriangleMesh mesh;
  ScanSource source;
};

absl::StatusOr<Person> find_person(const RunContext& run, const ScanOptions& options, const TriangleMesh& scan);

// Only the largest piece, and what was left out in words.
void keep_largest_piece(TriangleMesh* mesh, std::vector<std::string>* healed);

}  // namespace tryon
