// What it is: how noisy a scanned surface is, and its smoothing without loss of volume.
// Units and frame: any; the noise is the standard deviation of one vertex along its normal, in the mesh's unit.
// How it fails: it does not. Thread rules: pure functions; equal input gives equal bytes.
// Cites: Taubin 1995 (lambda | mu).
#pragma once

#include "server/mesh/triangle_mesh.h"

namespace tryon {

// What second differences of neighbours leave: curvature and its slow change do not count as noise.
double surface_noise(const TriangleMesh& mesh);

// Smooths until at most `goal` noise is left or 40 rounds are done; rims move only along themselves. Rounds done.
int smooth_noise(double goal, TriangleMesh* mesh);

}  // namespace tryon
