// What it is: one body under the tape: cuts of its trunk without arms, its midline, and where results are written.
// Units and frame: metres, +Y up, facing +Z; side 0 left (+X), 1 right; sign +1 front, -1 back.
// Shapes: ring points in any order. How it fails: a level that the body does not have gives empty rings and tapes, and
// an empty tape is not written. Thread rules: not shared; reads the body and writes its maps.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/body/body.h"
#include "server/body/segment.h"
#include "server/body/slices.h"
#include "server/body/tape.h"

namespace tryon {

std::string sided(int side, std::string_view name);  // "left_knee"

// Triangles with at least two corners of a wanted part.
std::vector<int> triangles_of_parts(const Body& body, const std::vector<BodyPart>& wanted);
// Points of all loops.
std::vector<Vec3> all_points(const std::vector<SliceLoop>& loops);

class BodyRuler {
 public:
  BodyRuler(const BodyLevels& levels, Body* body);

  const BodyLevels& levels() const { return levels_; }
  const Body& body() const { return body_; }
  double height() const { return levels_.height; }
  double tape_width() const { return 0.010 * levels_.height; }
  double step() const { return 0.005 * levels_.height; }  // between samples of a search
  Vec3 landmark(const std::string& name) const { return body_.landmarks.at(name); }

  std::vector<SliceLoop> level(double y) const { return trunk_.at(y); }
  std::vector<Vec3> ring(double y) const { return all_points(level(y)); }
  Tape girth_tape(double y) const;
  double girth(double y) const;
  Vec3 middle_at(double y) const;  // centroid of the trunk's loop
  // The point of a level that reaches furthest along a direction, at least `aside` from the middle on that side.
  Vec3 furthest(double y, const Vec3& direction, int side = 0, double aside = -1e300) const;
  Vec3 on_midline(double y, double sign) const;
  const std::vector<int>& headless() const { return headless_; }
  const std::vector<SliceLoop>& midline() const { return midline_; }
  // Outermost point in front or behind at a place of a horizontal cut of the whole body, arms and all.
  Vec3 on_surface(double x, double y, double sign) const;
  // Outermost point of the trunk on one side at a level and depth.
  Vec3 on_side(double y, double z, int side) const;
  // Topmost point of the body without its head above a place of the floor; `low` where there is none.
  Vec3 on_top(double x, double z, double low) const;
  // The shortest tape from one point to another, the head left out, over what stands out towards `outward`, by at most
  // `reach`.
  Tape tape_on_body(const Vec3& from, const Vec3& to, const Vec3& outward, double reach, double overhang = 0.0) const;

  void mark(const std::string& name, const Vec3& p) { body_.landmarks[name] = p; }
  void set(const std::string& name, double metres);                     // without a curve
  void set_height(const std::string& name, const Vec3& p);              // a plumb line to the floor
  void set_drop(const std::string& name, const Vec3& from, double y);   // a plumb line to another level
  void set_tape(const std::string& name, const Tape& tape, double at);  // `at`: the level's height
  // Of one of a pair: kept by its side, and their mean by the plain name, with the right one's curve as the standard
  // takes it.
  void set_side(int side, const std::string& name, const Tape& tape, double at);
  void finish();

 private:
  const BodyLevels& levels_;
  Body& body_;
  std::vector<int> armless_, headless_;
  LevelSlicer trunk_;
  std::vector<SliceLoop> midline_;
  std::map<std::string, std::vector<double>> pairs_;
};

}  // namespace tryon
