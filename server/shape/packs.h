// What it is: eight numbers that are worked on at once, over the compiler's own vectors: Pack<float>, Pack<double>.
// The width of a machine vector is the macro TRYON_PACK_BYTES; results do not depend on it. To be included, inside an
// unnamed namespace of its own, by the files that compile the kernels only: with other instruction sets the same names
// mean other code. Shapes: [8]. How it fails: as IEEE 754 says. Thread rules: values.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstdint>

namespace tryon::batch {
namespace {

template <typename T>
struct Pack {
  typedef T Vector __attribute__((vector_size(TRYON_PACK_BYTES)));
  static constexpr int kWidth = TRYON_PACK_BYTES / sizeof(T), kParts = 8 / kWidth;
  Vector part[kParts];

  static inline __attribute__((always_inline)) Pack all(T value) {
    Pack out;
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i) out.part[i] = Vector{} + value;
    return out;
  }
  static inline __attribute__((always_inline)) Pack load(const T* from) {
    Pack out;
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i)
        __builtin_memcpy(&out.part[i], from + i * kWidth, sizeof(Vector));
    return out;
  }
  inline __attribute__((always_inline)) void store(T* to) const {
    _Pragma("GCC unroll 8") for (int i = 0; i < kParts; ++i)
        __builtin_memcpy(to + i * kWidth, &part[i], sizeof(Vector));
  }
};

template <typename T>
struct Mask {
  typedef decltype(typename Pack<T>::Vector{} < typename Pack<T>::Vector{}) Vector;
  Vector part[Pack<T>::kParts];
};

#define TRYON_PACK_BINARY(op)                                                                               \
  template <typename T>                                                                                     \
  inline __attribute__((always_inline)) Pack<T> operator op(const Pack<T>& a, const Pack<T>& b) {           \
    Pack<T> out;                                                                                            \
    _Pragma("GCC unroll 8") for (int i = 0; i < Pack<T>::kParts; ++i) out.part[i] = a.part[i] op b.part[i]; \
    return out;                                                                                             \
  }
TRYON_PACK_BINARY(+)
TRYON_PACK_BINARY(-)
TRYON_PACK_BINARY(*)
TRYON_PACK_BINARY(/)
#undef TRYON_PACK_BINARY

#define TRYON_PACK_COMPARE(op)                                                                              \
  template <typename T>                                                                                     \
  inline __attribute__((always_inline)) Mask<T> operator op(const Pack<T>& a, const Pack<T>& b) {           \
    Mask<T> out;                                                                                            \
    _Pragma("GCC unroll 8") for (int i = 0; i < Pack<T>::kParts; ++i) out.part[i] = a.part[i] op b.part[i]; \
    return out;                                                                                             \
  }
TRYON_PACK_COMPARE(<)
TRYON_PACK_COMPARE(<=)
#undef TRYON_PACK_COMPARE

#define TRYON_MASK_BINARY(op)                                                                               \
  template <typename T>                                                                                     \
  inline __attribute__((always_inline)) Mask<T> operator op(const Mask<T>& a, const Mask<T>& b) {           \
    Mask<T> out;                                                                                            \
    _Pragma("GCC unroll 8") for (int i = 0; i < Pack<T>::kParts; ++i) out.part[i] = a.part[i] op b.part[i]; \
    return out;                                                                                             \
  }
TRYON_MASK_BINARY(&)
TRYON_MASK_BINARY(|)
#undef TRYON_MASK_BINARY

template <typename T>
inline __attribute__((always_inline)) Mask<T> operator!(const Mask<T>& a) {
  Mask<T> out;
  _Pragma("GCC unroll 8") for (int i = 0; i < Pack<T>::kParts; ++i) out.part[i] = ~a.part[i];
  return out;
}

template <typename T>
inline __attribute__((always_inline)) Pack<T> select(const Mask<T>& mask, const Pack<T>& yes, const Pack<T>& no) {
  Pack<T> out;
  _Pragma("GCC unroll 8") for (int i = 0; i < Pack<T>::kParts; ++i) out.part[i] =
      mask.part[i] ? yes.part[i] : no.part[i];
  return out;
}

template <typename T>
inline __attribute__((always_inline)) Pack<T> min(const Pack<T>& a, const Pack<T>& b) {
  return select(a < b, a, b);
}
template <typename T>
inline __attribute__((always_inline)) Pack<T> max(const Pack<T>& a, const Pack<T>& b) {
  return select(b < a, a, b);
}
template <typename T>
inline __attribute__((always_inline)) Pack<T> abs(const Pack<T>& a) {
  return max(a, Pack<T>::all(0) - a);
}

template <typename T>
inline __attribute__((always_inline)) bool any(const Mask<T>& mask) {
  auto sum = mask.part[0];
  for (int i = 1; i < Pack<T>::kParts; ++i) sum |= mask.part[i];
  long long words[TRYON_PACK_BYTES / sizeof(long long)];
  __builtin_memcpy(words, &sum, sizeof(words));
  long long some = 0;
  for (long long word : words) some |= word;
  return some != 0;
}

#if defined(__AVX__) && TRYON_PACK_BYTES == 32
inline __m256 root(__m256 v) { return _mm256_sqrt_ps(v); }
inline __m256d root(__m256d v) { return _mm256_sqrt_pd(v); }
#elif defined(__SSE2__) && TRYON_PACK_BYTES == 16
inline __m128 root(__m128 v) { return _mm_sqrt_ps(v); }
inline __m128d root(__m128d v) { return _mm_sqrt_pd(v); }
#else
template <typename V>
inline V root(V v) {
  for (unsigned i = 0; i < sizeof(v) / sizeof(v[0]); ++i)
    v[i] = sizeof(v[0]) == sizeof(double) ? __builtin_sqrt(v[i]) : __builtin_sqrtf(v[i]);
  return v;
}
#endif

template <typename T>
inline __attribute__((always_inline)) Pack<T> sqrt(const Pack<T>& a) {
  Pack<T> out;
  _Pragma("GCC unroll 8") for (int i = 0; i < Pack<T>::kParts; ++i) out.part[i] = root(a.part[i]);
  return out;
}

}  // namespace
}  // namespace tryon::batch
