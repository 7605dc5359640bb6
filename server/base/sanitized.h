// What it is: whether this build runs under an address or thread checker, which brings an allocator of its own, maps
// terabytes and stops the process from outside: what minds any of that is left out. Units, shapes: none. How it fails:
// never. Thread rules: a constant.
#pragma once

namespace tryon {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace tryon
