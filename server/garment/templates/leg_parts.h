// What it is: what trousers and leggings share: four leg panels and a waistband. After the common trouser draft as it
// is taught in public ("Lesson 9: drafting of trouser", slideplayer.com/slide/4101711): a quarter of the hip with its
// ease a panel; the front's fork hip / 12 - 35 mm, the back's hip / 18 more; the knee about half-way to the hem; the
// back wider than the front at knee and hem. What the hip is wider than the waist is shared: 38 % a dart, 12 % the
// front's and 22 % the back's centre seam, the rest the side seam (this project's shares).
// Units: metres; x from the centre line, y from the hem. How it fails: never. Thread rules: pure functions.
#pragma once

#include "server/garment/templates/skirt_parts.h"

namespace tryon {

TemplateParameters leg_parameters(double length, double ease, double drop, double least_ease);
// Knee and hem are given round the whole leg.
Pattern draw_legs(const TemplateInput& in, double knee, double hem, const char* name);

}  // namespace tryon
