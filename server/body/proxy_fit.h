// What it is: the two fits end to end, before anything is said of how good they are: Ji's circles (proxy_circular.h) or
// strands of ellipses (proxy_elliptic.h), and spheres. fit_proxies (body.h) is this and the audit.
// Units and frame: metres, the body's. Shapes: see ProxySet; its summary is left empty. How it fails: it does not;
// parts that the body lacks have no solids. Thread rules: pure function.
#pragma once

#include "server/body/proxy_anatomy.h"

namespace tryon {

ProxySet bound_by_solids(const ProxyAnatomy& anatomy, ProxyShape shape);

}  // namespace tryon
