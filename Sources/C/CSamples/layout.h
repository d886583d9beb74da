// layout.h: the properties of sample formats. SPDX-License-Identifier: MIT
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "csamples.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "written for little-endian processors");

#define INLINE static inline __attribute__((always_inline))

/// Set by `csamples_narrow`.
extern atomic_bool csamples_is_narrow;

// Compiles the loops a second time for processors with wider vectors. The results are the same: every step is
// exact, or rounds as the standard requires.
#if defined(__x86_64__)
#define HAS_WIDER 1
#define HAS_SHUFFLE false
#define WIDER __attribute__((target("avx2")))
INLINE bool is_wider(void) {
  return !atomic_load_explicit(&csamples_is_narrow, memory_order_relaxed) &&
         __builtin_cpu_supports("avx2");
}
#else
#define HAS_WIDER 0
#define HAS_SHUFFLE true
#endif

/// The memory layout of a sample; there is one loop for each container and byte order.
typedef enum container {
  BYTE,
  PAIR,
  PAIR_SWAPPED,
  TRIPLE,
  TRIPLE_SWAPPED,
  WORD,
  WORD_SWAPPED,
  SINGLE,
  SINGLE_SWAPPED,
  DOUBLE,
  DOUBLE_SWAPPED,
} container;

typedef struct layout {
  container container;
  /// The number of bits of an integer sample, the lowest ones of the container; 0 for floats.
  uint8_t bits;
  bool is_unsigned;
} layout;

INLINE layout layout_of(csamples_format format) {
  switch (format) {
    case CSAMPLES_S8: return (layout){BYTE, 8, false};
    case CSAMPLES_U8: return (layout){BYTE, 8, true};
    case CSAMPLES_S16: return (layout){PAIR, 16, false};
    case CSAMPLES_S16_BE: return (layout){PAIR_SWAPPED, 16, false};
    case CSAMPLES_U16: return (layout){PAIR, 16, true};
    case CSAMPLES_U16_BE: return (layout){PAIR_SWAPPED, 16, true};
    case CSAMPLES_S18_3: return (layout){TRIPLE, 18, false};
    case CSAMPLES_S18_3_BE: return (layout){TRIPLE_SWAPPED, 18, false};
    case CSAMPLES_S20_3: return (layout){TRIPLE, 20, false};
    case CSAMPLES_S20_3_BE: return (layout){TRIPLE_SWAPPED, 20, false};
    case CSAMPLES_S24_3: return (layout){TRIPLE, 24, false};
    case CSAMPLES_S24_3_BE: return (layout){TRIPLE_SWAPPED, 24, false};
    case CSAMPLES_S20: return (layout){WORD, 20, false};
    case CSAMPLES_S20_BE: return (layout){WORD_SWAPPED, 20, false};
    case CSAMPLES_S24: return (layout){WORD, 24, false};
    case CSAMPLES_S24_BE: return (layout){WORD_SWAPPED, 24, false};
    case CSAMPLES_S32: return (layout){WORD, 32, false};
    case CSAMPLES_S32_BE: return (layout){WORD_SWAPPED, 32, false};
    case CSAMPLES_U32: return (layout){WORD, 32, true};
    case CSAMPLES_U32_BE: return (layout){WORD_SWAPPED, 32, true};
    case CSAMPLES_FLOAT: return (layout){SINGLE, 0, false};
    case CSAMPLES_FLOAT_BE: return (layout){SINGLE_SWAPPED, 0, false};
    case CSAMPLES_FLOAT64: return (layout){DOUBLE, 0, false};
    case CSAMPLES_FLOAT64_BE: return (layout){DOUBLE_SWAPPED, 0, false};
  }
  __builtin_unreachable();
}

INLINE uint32_t byte_count(container container) {
  switch (container) {
    case BYTE: return 1;
    case PAIR:
    case PAIR_SWAPPED: return 2;
    case TRIPLE:
    case TRIPLE_SWAPPED: return 3;
    case WORD:
    case WORD_SWAPPED:
    case SINGLE:
    case SINGLE_SWAPPED: return 4;
    case DOUBLE:
    case DOUBLE_SWAPPED: return 8;
  }
  __builtin_unreachable();
}

// MARK: - Unaligned memory

/// A register of sixteen bytes.
typedef uint8_t sixteen __attribute__((vector_size(16)));

INLINE uint16_t load16(const uint8_t *from, bool swapped) {
  uint16_t pair;
  memcpy(&pair, from, sizeof pair);
  return swapped ? __builtin_bswap16(pair) : pair;
}

INLINE uint32_t load32(const uint8_t *from, bool swapped) {
  uint32_t word;
  memcpy(&word, from, sizeof word);
  return swapped ? __builtin_bswap32(word) : word;
}

INLINE uint64_t load64(const uint8_t *from, bool swapped) {
  uint64_t word;
  memcpy(&word, from, sizeof word);
  return swapped ? __builtin_bswap64(word) : word;
}

INLINE void store16(uint8_t *to, uint16_t pair, bool swapped) {
  if (swapped) pair = __builtin_bswap16(pair);
  memcpy(to, &pair, sizeof pair);
}

INLINE void store32(uint8_t *to, uint32_t word, bool swapped) {
  if (swapped) word = __builtin_bswap32(word);
  memcpy(to, &word, sizeof word);
}

INLINE void store64(uint8_t *to, uint64_t word, bool swapped) {
  if (swapped) word = __builtin_bswap64(word);
  memcpy(to, &word, sizeof word);
}
