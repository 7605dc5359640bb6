// What it is: a person without face and hands, for keeping: the head is taken off where the neck ends, the hands at the
// wrists, each with a straight cut that is closed by a smooth dome, so that a closed body stays closed.
//      before  (  )        after   __
//              |  | neck          /  \  dome: 0.3 of the cut's radius high
//     ________/    \_____   _____|    |____
// Units and frame: metres, as Body. Shapes: part and segment stay one a vertex; curves and landmarks that lie on what
// was cut off go (the crown stays: it is the height). Numbers stay: they were measured before.
// How it fails: it does not; a body without segments loses its head only. Thread rules: pure function.
#pragma once

#include "server/body/body.h"

namespace tryon {

Body without_head_and_hands(Body body);
// The solids of head and hands go too; they were fitted to the whole body, whose cut ends no solid should bulge round.
void drop_head_and_hands(const Body& whole, ProxySet* proxies);

}  // namespace tryon
