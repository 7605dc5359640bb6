// What it is: the engine version. It is part of every drape's digest: raise it whenever the physics may give other
// bytes.
#pragma once

namespace tryon {
inline constexpr char kEngineVersion[] = "0.47.0";
}  // namespace tryon
