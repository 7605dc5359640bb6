// What it is: from seams between ranges of edges to stitches between whole edges, the form that meshing, arrangement
// and drape work on. Units: metres. Directions: chains are walked as SeamSpec says; the beginning of a meets that of b.
// How it fails: split_seams() gives validate()'s Status for seams that cannot be cut.
// Thread rules: pure functions.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/garment/pattern.h"

namespace tryon {

double range_length(const Pattern& pattern, const SeamRange& range);
double chain_length(const Pattern& pattern, const std::vector<SeamRange>& chain);
// Cloth that pleats take out of a range.
double pleat_take(const Pattern& pattern, const SeamRange& range);
// What is sewn of a chain: its length without its pleats.
double sewn_length(const Pattern& pattern, const std::vector<SeamRange>& chain);

// Cuts edges where ranges end and where the partner's pieces meet, so that every side becomes whole edges of equal
// number, and fills `stitches`; darts become two edges and a stitch. Open closures and one-sided seams make no stitch.
// Stitches that stand for themselves stay. Split again, a pattern does not change.
absl::StatusOr<Pattern> split_seams(const Pattern& pattern);

// Every seam, those included that only exist as a stitch of their own.
std::vector<SeamSpec> all_seams(const Pattern& pattern);

}  // namespace tryon
