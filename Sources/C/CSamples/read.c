// read.c: converts samples to floats. SPDX-License-Identifier: MIT
//
// A code is shifted to the upper end of a word. This sets its sign and drops higher bits, which some drivers
// leave undefined. The conversion to float is exact up to 24 bits, and so is the division by 2^31.
#include "layout.h"

enum { TILE = 256 };

INLINE float of_word(uint32_t word, uint32_t shift, uint32_t bias) {
  return (float)(int32_t)((word << shift) ^ bias) * (1.0f / 2147483648.0f);
}

INLINE float of_single(const uint8_t *from, bool swapped) {
  const uint32_t word = load32(from, swapped);
  float sample;
  memcpy(&sample, &word, sizeof sample);
  return sample;
}

INLINE float of_double(const uint8_t *from, bool swapped) {
  const uint64_t word = load64(from, swapped);
  double sample;
  memcpy(&sample, &word, sizeof sample);
  return (float)sample;
}

/// Loads a code as a word; the bits above the code are undefined.
INLINE uint32_t load_code(container container, const uint8_t *from) {
  switch (container) {
    case BYTE: return *from;
    case PAIR: return load16(from, false);
    case PAIR_SWAPPED: return load16(from, true);
    // Reads one byte beyond the sample; the caller ensures that it exists.
    case TRIPLE: return load32(from, false);
    case TRIPLE_SWAPPED: return load32(from, true) >> 8;
    case WORD: return load32(from, false);
    case WORD_SWAPPED: return load32(from, true);
    default: __builtin_unreachable();
  }
}

/// Loads three bytes without reading beyond them.
INLINE uint32_t load_last(container container, const uint8_t *from) {
  if (container != TRIPLE && container != TRIPLE_SWAPPED) return load_code(container, from);
  const uint8_t outer[2] = {from[0], from[2]};
  const bool swapped = container == TRIPLE_SWAPPED;
  return outer[swapped] | (uint32_t)from[1] << 8 | (uint32_t)outer[!swapped] << 16;
}

/// Reads codes at a small stride that the compiler knows.
INLINE void read_dense(container container, uint32_t shift, uint32_t bias,
                       const uint8_t *restrict from, size_t stride, float *restrict to,
                       uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    to[i] = of_word(load_code(container, from + i * stride), shift, bias);
  }
}

/// Extracts four triples from the start of sixteen bytes.
INLINE void pick_triples(container container, const uint8_t *from, uint32_t *words) {
  sixteen bytes;
  memcpy(&bytes, from, sizeof bytes);
  bytes = container == TRIPLE
    ? __builtin_shufflevector(bytes, bytes, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11)
    : __builtin_shufflevector(bytes, bytes, 2, 1, 0, 0, 5, 4, 3, 3, 8, 7, 6, 6, 11, 10, 9, 9);
  memcpy(words, &bytes, sizeof bytes);
}

/// Extracts codes one by one, or four by four if possible.
INLINE void pick(container container, bool shuffles, const uint8_t *from, size_t stride,
                 uint32_t *words, uint32_t count) {
  uint32_t i = 0;
  if (shuffles && byte_count(container) == 3 && stride == 3) {
    for (; i + 6 <= count; i += 4, from += 12) pick_triples(container, from, words + i);
  }
  for (; i + 1 < count; ++i, from += stride) words[i] = load_code(container, from);
  words[i] = load_last(container, from);
}

/// Extracts codes, and then converts them in vectors.
INLINE void read_picked(container container, bool shuffles, uint32_t shift, uint32_t bias,
                        const uint8_t *from, size_t stride, float *restrict to, uint32_t count) {
  uint32_t words[TILE];
  while (count > 0) {
    const uint32_t part = count < TILE ? count : TILE;
    pick(container, shuffles, from, stride, words, part);
    for (uint32_t i = 0; i < part; ++i) to[i] = of_word(words[i], shift, bias);
    from += part * stride;
    to += part;
    count -= part;
  }
}

INLINE void read_codes(layout layout, container container, bool shuffles, const uint8_t *from,
                       uint32_t stride, float *to, uint32_t count) {
  const uint32_t bytes = byte_count(container), shift = 32u - layout.bits;
  const uint32_t bias = layout.is_unsigned ? 1u << 31 : 0;
  if (bytes == 3 && stride == bytes) {
    read_picked(container, shuffles, shift, bias, from, bytes, to, count);
  } else if (stride == bytes) {
    read_dense(container, shift, bias, from, bytes, to, count);
  } else if (bytes != 3 && stride == 2 * bytes) {
    read_dense(container, shift, bias, from, 2 * bytes, to, count);
  } else {
    read_picked(container, shuffles, shift, bias, from, stride, to, count);
  }
}

INLINE void read_floats(container container, const uint8_t *restrict from, size_t stride,
                        float *restrict to, uint32_t count) {
  const bool swapped = container == SINGLE_SWAPPED || container == DOUBLE_SWAPPED;
  const bool is_single = container == SINGLE || container == SINGLE_SWAPPED;
  for (uint32_t i = 0; i < count; ++i, from += stride) {
    to[i] = is_single ? of_single(from, swapped) : of_double(from, swapped);
  }
}

INLINE void read_samples(csamples_format format, bool shuffles, const uint8_t *from,
                         uint32_t stride, float *to, uint32_t count) {
  const layout layout = layout_of(format);
  switch (layout.container) {
#define CASE(name)                                                                                \
  case name: read_codes(layout, name, shuffles, from, stride, to, count); return;
    CASE(BYTE) CASE(PAIR) CASE(PAIR_SWAPPED) CASE(TRIPLE) CASE(TRIPLE_SWAPPED)
    CASE(WORD) CASE(WORD_SWAPPED)
#undef CASE
    // A stride that the compiler knows lets it vectorise the loop.
#define CASE(name)                                                                                \
  case name:                                                                                      \
    if (stride == byte_count(name)) {                                                             \
      read_floats(name, from, byte_count(name), to, count);                                       \
    } else if (stride == 2 * byte_count(name)) {                                                  \
      read_floats(name, from, 2 * byte_count(name), to, count);                                   \
    } else {                                                                                      \
      read_floats(name, from, stride, to, count);                                                 \
    }                                                                                             \
    return;
    CASE(SINGLE) CASE(SINGLE_SWAPPED) CASE(DOUBLE) CASE(DOUBLE_SWAPPED)
#undef CASE
  }
}

#if HAS_WIDER
WIDER static void read_wider(csamples_format format, const uint8_t *from, uint32_t stride,
                             float *to, uint32_t count) {
  read_samples(format, true, from, stride, to, count);
}
#endif

void csamples_read(csamples_format format, const void *from, uint32_t stride, float *to,
                   uint32_t count) {
#if HAS_WIDER
  if (is_wider()) {
    read_wider(format, from, stride, to, count);
    return;
  }
#endif
  read_samples(format, HAS_SHUFFLE, from, stride, to, count);
}

uint32_t csamples_byte_count(csamples_format format) {
  return byte_count(layout_of(format).container);
}

atomic_bool csamples_is_narrow;

void csamples_narrow(uint32_t is_narrow) {
  atomic_store_explicit(&csamples_is_narrow, is_narrow != 0, memory_order_relaxed);
}
