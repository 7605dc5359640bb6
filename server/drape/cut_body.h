// What it is: a person without face and hands, for keeping: the head is taken off under the chin (across the neck, just
// above where the tape goes round it), the hands at the wrists, each with a straight cut that is closed by a smooth
// dome, so that a closed body stays closed.
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

}  // namespace tryon
