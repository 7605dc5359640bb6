// What it is: Ji's spheres "at protruding places and joints": at a joint the largest that the body holds; at a place
// that stays outside of all else the largest that touches the skin there from within, a little swollen.
// Units and frame: metres, the body's. Shapes: gaps [vertex_count], signed, positive outside. How it fails: it does
// not. Thread rules: pure functions.
#pragma once

#include "server/body/proxy_anatomy.h"

namespace tryon {

// Knees, hips, bust, shoulders and elbows, as far as the body shows them.
std::vector<Proxy> joint_spheres(const ProxyAnatomy& anatomy);

// From the farthest vertex on, at most `most` spheres; `gaps` is lowered to what they hold. Stops where nothing stays
// farther outside than `tolerance`.
std::vector<Proxy> protrusion_spheres(const Body& body, int most, double tolerance, std::vector<double>* gaps);

}  // namespace tryon
