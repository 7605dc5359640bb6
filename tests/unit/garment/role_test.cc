#include "server/garment/role.h"

#include "gtest/gtest.h"

namespace tryon {
namespace {

struct Words {
  const char* text;
  PieceKind kind;
  PieceSide side;
  PieceFace face;
};
constexpr auto kL = PieceSide::kLeft, kR = PieceSide::kRight, kNoSide = PieceSide::kNone;
constexpr auto kF = PieceFace::kFront, kB = PieceFace::kBack, kNoFace = PieceFace::kNone;

TEST(Role, IsReadFromNamesInSeveralLanguages) {
  for (const Words& w :
       {Words{"left_ftorso", PieceKind::kBodice, kL, kF}, Words{"rbsleeve", PieceKind::kSleeve, kR, kB},
        Words{"sl_left_cuff_skirt_b", PieceKind::kCuff, kL, kB}, Words{"wb_front", PieceKind::kWaistband, kNoSide, kF},
        Words{"pant_b_l", PieceKind::kLeg, kL, kB}, Words{"Vorderteil links", PieceKind::kBodice, kL, kF},
        Words{"Manche gauche", PieceKind::kSleeve, kL, kNoFace},
        Words{"Falda delantera", PieceKind::kSkirt, kNoSide, kF}, Words{"Рукав", PieceKind::kSleeve, kNoSide, kNoFace},
        Words{"LeftHood", PieceKind::kHood, kL, kNoFace}, Words{"Kołnierz", PieceKind::kCollar, kNoSide, kNoFace},
        Words{"skirt_panel_7", PieceKind::kSkirt, kNoSide, kNoFace},
        Words{"DETAIL 3", PieceKind::kUnknown, kNoSide, kNoFace}}) {
    const PieceRole role = role_from_words(w.text);
    EXPECT_EQ(piece_kind_name(role.kind), piece_kind_name(w.kind)) << w.text;
    EXPECT_EQ(role.side, w.side) << w.text;
    EXPECT_EQ(role.face, w.face) << w.text;
  }
}

TEST(Role, GivenByTheFileComesBeforeTheName) {
  Panel panel;
  panel.name = "front";
  panel.role = "collar";
  EXPECT_EQ(piece_role(panel).kind, PieceKind::kCollar);
  EXPECT_EQ(piece_role(panel).face, PieceFace::kFront);
}

TEST(Role, ACuffIsAtTheArmOfTheSleeveThatItIsSewnTo) {
  Pattern pattern;
  pattern.panels.resize(2);
  pattern.panels[0].name = "sleeve_left";
  pattern.panels[1].name = "cuff";
  pattern.stitches = {{{0, 0}, {1, 0}, false}};
  const auto roles = piece_roles(pattern);
  EXPECT_TRUE(roles[1].on_arm);
  EXPECT_EQ(roles[1].side, PieceSide::kLeft);
}

}  // namespace
}  // namespace tryon
