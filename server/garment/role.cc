#include "server/garment/role.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tryon {
namespace {

struct Word {
  std::string_view text;
  PieceKind kind;
  PieceSide side;
  PieceFace face;
};

constexpr PieceKind kAnyKind = PieceKind::kUnknown;
constexpr PieceSide kAnySide = PieceSide::kNone;
constexpr PieceFace kAnyFace = PieceFace::kNone;

// Longer words first where one holds another ("waistband" before "band"). UTF-8 letters stand as they are.
constexpr std::array kWords = {
    Word{"waistband", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"tailleband", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"hosenbund", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"rockbund", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"ceinture", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"cinturilla", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"pretina", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"cintura", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"pasek", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"пояс", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"vorderteil", PieceKind::kBodice, kAnySide, PieceFace::kFront},
    Word{"voorpand", PieceKind::kBodice, kAnySide, PieceFace::kFront},
    Word{"rueckenteil", PieceKind::kBodice, kAnySide, PieceFace::kBack},
    Word{"rückenteil", PieceKind::kBodice, kAnySide, PieceFace::kBack},
    Word{"achterpand", PieceKind::kBodice, kAnySide, PieceFace::kBack},
    Word{"rücken", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"delantero", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"delantera", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"devant", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"davanti", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"vorne", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"vorder", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"przód", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"перед", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"espalda", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"trasero", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"dietro", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"hinten", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"hinter", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"спинка", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"front", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"back", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"torso", PieceKind::kBodice, kAnySide, kAnyFace},
    Word{"bodice", PieceKind::kBodice, kAnySide, kAnyFace},
    Word{"cuff", PieceKind::kCuff, kAnySide, kAnyFace},
    Word{"manschette", PieceKind::kCuff, kAnySide, kAnyFace},
    Word{"poignet", PieceKind::kCuff, kAnySide, kAnyFace},
    Word{"polsino", PieceKind::kCuff, kAnySide, kAnyFace},
    Word{"mankiet", PieceKind::kCuff, kAnySide, kAnyFace},
    Word{"puño", PieceKind::kCuff, kAnySide, kAnyFace},
    Word{"манжет", PieceKind::kCuff, kAnySide, kAnyFace},
    Word{"sleeve", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"aermel", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"ärmel", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"manche", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"manica", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"manga", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"mouw", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"rękaw", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"рукав", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"collar", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"lapel", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"neckband", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"kragen", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"kraag", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"cuello", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"colletto", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"kołnierz", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"воротник", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"hood", PieceKind::kHood, kAnySide, kAnyFace},
    Word{"kapuze", PieceKind::kHood, kAnySide, kAnyFace},
    Word{"capuche", PieceKind::kHood, kAnySide, kAnyFace},
    Word{"capucha", PieceKind::kHood, kAnySide, kAnyFace},
    Word{"cappuccio", PieceKind::kHood, kAnySide, kAnyFace},
    Word{"capuchon", PieceKind::kHood, kAnySide, kAnyFace},
    Word{"kaptur", PieceKind::kHood, kAnySide, kAnyFace},
    Word{"капюшон", PieceKind::kHood, kAnySide, kAnyFace},
    Word{"skirt", PieceKind::kSkirt, kAnySide, kAnyFace},
    Word{"jupe", PieceKind::kSkirt, kAnySide, kAnyFace},
    Word{"falda", PieceKind::kSkirt, kAnySide, kAnyFace},
    Word{"gonna", PieceKind::kSkirt, kAnySide, kAnyFace},
    Word{"spódnic", PieceKind::kSkirt, kAnySide, kAnyFace},
    Word{"юбк", PieceKind::kSkirt, kAnySide, kAnyFace},
    Word{"trouser", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"pant", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"hose", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"jambe", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"pierna", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"gamba", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"spodni", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"брюк", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"pocket", PieceKind::kPocket, kAnySide, kAnyFace},
    Word{"tasche", PieceKind::kPocket, kAnySide, kAnyFace},
    Word{"poche", PieceKind::kPocket, kAnySide, kAnyFace},
    Word{"bolsillo", PieceKind::kPocket, kAnySide, kAnyFace},
    Word{"tasca", PieceKind::kPocket, kAnySide, kAnyFace},
    Word{"карман", PieceKind::kPocket, kAnySide, kAnyFace},
    Word{"yoke", PieceKind::kYoke, kAnySide, kAnyFace},
    Word{"passe", PieceKind::kYoke, kAnySide, kAnyFace},
    Word{"canesú", PieceKind::kYoke, kAnySide, kAnyFace},
    Word{"кокетк", PieceKind::kYoke, kAnySide, kAnyFace},
    Word{"gusset", PieceKind::kGusset, kAnySide, kAnyFace},
    Word{"godet", PieceKind::kGusset, kAnySide, kAnyFace},
    Word{"left", kAnyKind, PieceSide::kLeft, kAnyFace},
    Word{"links", kAnyKind, PieceSide::kLeft, kAnyFace},
    Word{"gauche", kAnyKind, PieceSide::kLeft, kAnyFace},
    Word{"izquierd", kAnyKind, PieceSide::kLeft, kAnyFace},
    Word{"sinistr", kAnyKind, PieceSide::kLeft, kAnyFace},
    Word{"right", kAnyKind, PieceSide::kRight, kAnyFace},
    Word{"rechts", kAnyKind, PieceSide::kRight, kAnyFace},
    Word{"droit", kAnyKind, PieceSide::kRight, kAnyFace},
    Word{"derech", kAnyKind, PieceSide::kRight, kAnyFace},
    Word{"destr", kAnyKind, PieceSide::kRight, kAnyFace},
};

// Words that are too short to be looked for inside others.
constexpr std::array kWholeWords = {
    Word{"wb", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"bund", PieceKind::kWaistband, kAnySide, kAnyFace},
    Word{"col", PieceKind::kCollar, kAnySide, kAnyFace},
    Word{"leg", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"bein", PieceKind::kLeg, kAnySide, kAnyFace},
    Word{"rock", PieceKind::kSkirt, kAnySide, kAnyFace},
    Word{"sl", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"arm", PieceKind::kSleeve, kAnySide, kAnyFace},
    Word{"dos", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"tył", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"frente", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"costas", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"l", kAnyKind, PieceSide::kLeft, kAnyFace},
    Word{"r", kAnyKind, PieceSide::kRight, kAnyFace},
    Word{"f", kAnyKind, kAnySide, PieceFace::kFront},
    Word{"b", kAnyKind, kAnySide, PieceFace::kBack},
    Word{"lf", kAnyKind, PieceSide::kLeft, PieceFace::kFront},
    Word{"lb", kAnyKind, PieceSide::kLeft, PieceFace::kBack},
    Word{"rf", kAnyKind, PieceSide::kRight, PieceFace::kFront},
    Word{"rb", kAnyKind, PieceSide::kRight, PieceFace::kBack},
};

// Small letters for the capitals of Latin-1, of the Polish alphabet and of the Cyrillic one, in UTF-8.
std::string small_letters(std::string text) {
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    const auto a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
    const int code = (a & 0x1F) << 6 | (b & 0x3F);
    if ((a & 0xE0) != 0xC0) continue;
    int lower = code;
    if (code >= 0xC0 && code <= 0xDE && code != 0xD7) lower = code + 0x20;
    if (code == 0x141 || code == 0x118 || code == 0x15A) lower = code + 1;  // Ł, Ę, Ś
    if (code >= 0x410 && code <= 0x42F) lower = code + 0x20;
    text[i] = static_cast<char>(0xC0 | lower >> 6);
    text[i + 1] = static_cast<char>(0x80 | (lower & 0x3F));
    ++i;
  }
  return text;
}

// "LeftFtorso_2" -> "left", "ftorso"; digits and signs part words, and so does a capital after a small letter.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    const bool letter = u >= 0x80 || std::isalpha(u) != 0;
    if (!letter || (std::isupper(u) != 0 && std::islower(static_cast<unsigned char>(before)) != 0)) {
      if (!words.back().empty()) words.emplace_back();
    }
    if (letter) words.back() += u < 0x80 ? static_cast<char>(std::tolower(u)) : c;
    before = c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

void note(const Word& word, PieceRole* role) {
  // A cuff of a sleeve is a cuff: the more particular word stays.
  if (word.kind == PieceKind::kSleeve) role->on_arm = true;
  const bool particular = role->kind == PieceKind::kCuff || role->kind == PieceKind::kPocket;
  if (word.kind != kAnyKind && (!particular || word.kind == PieceKind::kPocket)) role->kind = word.kind;
  if (word.side != kAnySide && role->side == kAnySide) role->side = word.side;
  if (word.face != kAnyFace && role->face == kAnyFace) role->face = word.face;
}

void read_word(const std::string& word, PieceRole* role) {
  for (const Word& known : kWholeWords) {
    if (word == known.text) return note(known, role);
  }
  for (const Word& known : kWords) {
    const size_t at = word.find(known.text);
    if (at == std::string::npos) continue;
    note(known, role);
    // What is left of a compound: "lb" of "lbsleeve", "front" of "frontleft".
    std::string rest = word.substr(0, at), tail = word.substr(at + known.text.size());
    if (!rest.empty()) read_word(rest, role);
    if (tail.size() > 2) read_word(tail, role);
    return;
  }
}

void merge(const PieceRole& from, PieceRole* to) {
  if (to->kind == PieceKind::kUnknown) to->kind = from.kind;
  if (to->side == PieceSide::kNone) to->side = from.side;
  if (to->face == PieceFace::kNone) to->face = from.face;
  to->on_arm |= from.on_arm;
}

bool on_limb(PieceKind kind) { return kind == PieceKind::kSleeve || kind == PieceKind::kCuff; }

}  // namespace

std::string_view piece_kind_name(PieceKind kind) {
  constexpr std::array<std::string_view, 12> kNames = {"unknown",   "bodice", "sleeve", "cuff",   "collar", "hood",
                                                       "waistband", "skirt",  "leg",    "pocket", "yoke",   "gusset"};
  return kNames[static_cast<size_t>(kind)];
}

PieceRole role_from_words(std::string_view words) {
  PieceRole role;
  for (const std::string& word : words_of(words)) read_word(small_letters(word), &role);
  if (role.kind == PieceKind::kSleeve) role.on_arm = true;
  return role;
}

PieceRole piece_role(const Panel& panel) {
  PieceRole role = role_from_words(panel.role);
  merge(role_from_words(panel.name), &role);
  if (panel.label == "arm") {
    role.on_arm = true;
    if (!on_limb(role.kind)) role.kind = PieceKind::kSleeve;
  }
  if (role.kind == PieceKind::kUnknown && panel.label == "body") role.kind = PieceKind::kBodice;
  return role;
}

std::vector<PieceRole> piece_roles(const Pattern& pattern) {
  std::vector<PieceRole> roles;
  for (const Panel& panel : pattern.panels) roles.push_back(piece_role(panel));
  for (size_t round = 0; round < roles.size(); ++round) {  // along chains of cuffs
    for (const Stitch& stitch : pattern.stitches) {
      PieceRole &a = roles[stitch.a.panel], &b = roles[stitch.b.panel];
      for (auto [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
        if (to->kind != PieceKind::kCuff && to->kind != PieceKind::kSleeve) continue;
        if (to->kind == PieceKind::kCuff && from->on_arm) to->on_arm = true;
        if (to->side == PieceSide::kNone) to->side = from->side;
      }
    }
  }
  return roles;
}

}  // namespace tryon
