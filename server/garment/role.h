// What it is: what a piece of cloth is (front, sleeve, waistband ...), on which side of the person and whether in front
// or behind, from the role that a file gives, from the panel's label, or from the words in its name (English, German,
// French, Spanish, Italian, Dutch, Polish, Russian). Words that say nothing leave kUnknown: shape and seams decide
// then. Units: none. How it fails: never. Thread rules: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/garment/pattern.h"

namespace tryon {

enum class PieceKind {
  kUnknown,
  kBodice,
  kSleeve,
  kCuff,
  kCollar,
  kHood,
  kWaistband,
  kSkirt,
  kLeg,
  kPocket,
  kYoke,
  kGusset
};
enum class PieceSide { kNone, kLeft, kRight };  // the person's own
enum class PieceFace { kNone, kFront, kBack };

struct PieceRole {
  PieceKind kind = PieceKind::kUnknown;
  PieceSide side = PieceSide::kNone;
  PieceFace face = PieceFace::kNone;
  bool on_arm = false;  // of cuffs: at a wrist; of sleeves always
};

std::string_view piece_kind_name(PieceKind kind);  // "bodice", "sleeve", ...
PieceRole role_from_words(std::string_view words);
PieceRole piece_role(const Panel& panel);
// Roles of a whole pattern: what names leave open, the seams say (a cuff is at the arm that its sleeve is at).
std::vector<PieceRole> piece_roles(const Pattern& pattern);

}  // namespace tryon
