// write.c: floats to samples. SPDX-License-Identifier: MIT
//
// All is done in floats, which is exact: a product with a power of two is, the bounds of all codes
// are floats, and a float of 2^23 and more is an integer already, so that no rounding is left
// where a float has no room for a half. Codes are made for a tile at a time, in loops without a
// branch that the compiler vectorises, and then laid out in the sample's bytes.
#include "write.h"

#include "layout.h"

enum { TILE = 256 };

/// Numbers of a code's width.
typedef struct scale {
  float full;
  /// What is from here on, and what is below that, rounds to a code that is not there.
  float above, below;
  /// The outermost floats that are codes.
  float highest, lowest;
  /// What the highest code has in addition to the highest float.
  uint32_t rest;
} scale;

INLINE scale scale_of(uint32_t bits) {
  const float full = (float)(1u << (bits - 1));
  // A half is rounded to the even code: up from the highest, which is odd, and not down from the
  // lowest. Where a float holds no half, the bounds themselves are rounded to what is right.
  scale scale = {full, full - 0.5f, -(full + 0.5f), full - 1, -full, 0};
  if (bits == 32) {
    scale.highest = 2147483520.0f;
    scale.rest = 127;
  }
  return scale;
}

/// -1 to 1, triangular, without memory: the difference of two halves of a hashed place.
///
/// The hash is "lowbias32" of Chris Wellons, found by search: each bit of the place changes each
/// bit of the hash in close to half of all cases.
INLINE float dither_at(uint32_t place) {
  uint32_t hash = place;
  hash = (hash ^ hash >> 16) * 0x7feb352d;
  hash = (hash ^ hash >> 15) * 0x846ca68b;
  hash ^= hash >> 16;
  return (float)((int32_t)(hash >> 16) - (int32_t)(hash & 0xffff)) * (1.0f / 65536);
}

/// Rounds to the nearest integer, a half to the even one. Exact up to 2^23; `wide`, for all floats.
INLINE float rounded(float code, bool wide) {
  const float units = 8388608.0f;  // From here on floats are integers.
  float shift = __builtin_copysignf(units, code);
  if (wide) shift = __builtin_fabsf(code) < units ? shift : 0;
  return (code + shift) - shift;
}

/// Codes of `count` samples, and how many of them were out of range.
INLINE uint32_t encode(scale scale, bool wide, dithering dithering, const float *restrict from,
                       uint32_t *restrict codes, uint32_t count) {
  uint32_t clipped = 0;
  for (uint32_t i = 0; i < count; ++i) {
    float code = from[i] * scale.full;
    code = code == code ? code : 0;
    const bool above = code >= scale.above, below = code < scale.below;
    clipped += above | below;
    if (dithering.is_on) code += dither_at(dithering.next + i * dithering.step);
    code = code < scale.highest ? code : scale.highest;
    code = code > scale.lowest ? code : scale.lowest;
    codes[i] = (uint32_t)(int32_t)rounded(code, wide) | (above ? scale.rest : 0);
  }
  return clipped;
}

// MARK: - Layout

/// Four codes in twelve bytes.
INLINE void store_triples(uint8_t *to, const uint32_t codes[4]) {
  const uint64_t mask = 0xffffff;
  uint64_t low = (codes[0] & mask) | (codes[1] & mask) << 24 | (uint64_t)codes[2] << 48;
  store64(to, low, false);
  store32(to + 8, (codes[2] >> 16 & 0xff) | codes[3] << 8, false);
}

INLINE void store24(uint8_t *to, uint32_t code, bool swapped) {
  to[swapped ? 2 : 0] = (uint8_t)code;
  to[1] = (uint8_t)(code >> 8);
  to[swapped ? 0 : 2] = (uint8_t)(code >> 16);
}

INLINE void lay_triples(bool swapped, const uint32_t *codes, uint8_t *to, size_t stride,
                        uint32_t count) {
  uint32_t i = 0;
  for (; stride == 3 && i + 4 <= count; i += 4, to += 12) {
    uint32_t four[4];
    for (uint32_t k = 0; k < 4; ++k) {
      four[k] = swapped ? __builtin_bswap32(codes[i + k]) >> 8 : codes[i + k];
    }
    store_triples(to, four);
  }
  for (; i < count; ++i, to += stride) store24(to, codes[i], swapped);
}

INLINE void lay_run(container container, uint32_t bias, const uint32_t *restrict codes,
                    uint8_t *restrict to, size_t stride, uint32_t count) {
#define EACH(store) \
  for (uint32_t i = 0; i < count; ++i, to += stride) store
  switch (container) {
    case BYTE: EACH(*to = (uint8_t)(codes[i] ^ bias)); return;
    case PAIR: EACH(store16(to, (uint16_t)(codes[i] ^ bias), false)); return;
    case PAIR_SWAPPED: EACH(store16(to, (uint16_t)(codes[i] ^ bias), true)); return;
    case TRIPLE: lay_triples(false, codes, to, stride, count); return;
    case TRIPLE_SWAPPED: lay_triples(true, codes, to, stride, count); return;
    case WORD: EACH(store32(to, codes[i] ^ bias, false)); return;
    case WORD_SWAPPED: EACH(store32(to, codes[i] ^ bias, true)); return;
    default: __builtin_unreachable();
  }
#undef EACH
}

INLINE uint32_t write_codes(layout layout, dithering dithering, const float *from, uint8_t *to,
                            size_t stride, uint32_t count) {
  const scale scale = scale_of(layout.bits);
  const uint32_t bias = layout.is_unsigned ? 1u << (layout.bits - 1) : 0;
  const bool wide = layout.container == WORD || layout.container == WORD_SWAPPED;
  uint32_t codes[TILE], clipped = 0;
  while (count > 0) {
    const uint32_t part = count < TILE ? count : TILE;
    clipped += encode(scale, wide, dithering, from, codes, part);
    lay_run(layout.container, bias, codes, to, stride, part);
    from += part;
    to += part * stride;
    count -= part;
    dithering.next += part * dithering.step;
  }
  return clipped;
}

// MARK: - Floats

INLINE float bounded(float sample, uint32_t *clipped) {
  sample = sample == sample ? sample : 0;
  *clipped += (sample > 1) | (sample < -1);
  sample = sample < 1 ? sample : 1;
  return sample > -1 ? sample : -1;
}

INLINE uint32_t write_singles(bool swapped, const float *restrict from, uint8_t *restrict to,
                              size_t stride, uint32_t count) {
  uint32_t clipped = 0;
  for (uint32_t i = 0; i < count; ++i, to += stride) {
    const float sample = bounded(from[i], &clipped);
    uint32_t word;
    memcpy(&word, &sample, sizeof word);
    store32(to, word, swapped);
  }
  return clipped;
}

INLINE uint32_t write_doubles(bool swapped, const float *restrict from, uint8_t *restrict to,
                              size_t stride, uint32_t count) {
  uint32_t clipped = 0;
  for (uint32_t i = 0; i < count; ++i, to += stride) {
    const double sample = bounded(from[i], &clipped);
    uint64_t word;
    memcpy(&word, &sample, sizeof word);
    store64(to, word, swapped);
  }
  return clipped;
}

// MARK: - All formats

INLINE uint32_t write_container(layout layout, container container, dithering dithering,
                                const float *from, uint8_t *to, size_t stride, uint32_t count) {
  const bool swapped = container == SINGLE_SWAPPED || container == DOUBLE_SWAPPED;
  switch (container) {
    case SINGLE:
    case SINGLE_SWAPPED: return write_singles(swapped, from, to, stride, count);
    case DOUBLE:
    case DOUBLE_SWAPPED: return write_doubles(swapped, from, to, stride, count);
    default: break;
  }
  layout.container = container;
  // Only the narrow ones are dithered, and only for them the loop is made twice.
  const bool narrow = container == BYTE || container == PAIR || container == PAIR_SWAPPED;
  if (narrow && dithering.is_on) {
    return write_codes(layout, dithering, from, to, stride, count);
  }
  dithering.is_on = false;
  return write_codes(layout, dithering, from, to, stride, count);
}

uint32_t write_samples(csamples_format format, const float *from, uint8_t *to, uint32_t stride,
                       uint32_t count, dithering dithering) {
  const layout layout = layout_of(format);
  switch (layout.container) {
    // The stride of a channel that lies alone is known to the compiler.
#define CASE(name)                                                                                 \
  case name:                                                                                       \
    if (stride == byte_count(name)) {                                                              \
      return write_container(layout, name, dithering, from, to, byte_count(name), count);          \
    }                                                                                              \
    return write_container(layout, name, dithering, from, to, stride, count);
    CASE(BYTE) CASE(PAIR) CASE(PAIR_SWAPPED) CASE(TRIPLE) CASE(TRIPLE_SWAPPED)
    CASE(WORD) CASE(WORD_SWAPPED) CASE(SINGLE) CASE(SINGLE_SWAPPED)
    CASE(DOUBLE) CASE(DOUBLE_SWAPPED)
#undef CASE
  }
  __builtin_unreachable();
}

uint32_t csamples_write(csamples_format format, const float *from, void *to, uint32_t stride,
                        uint32_t count) {
  return write_samples(format, from, to, stride, count, (dithering){false, 0, 0});
}

// MARK: - Dither

bool is_dithered(csamples_format format) {
  const uint32_t bits = layout_of(format).bits;
  return bits == 8 || bits == 16;
}

csamples_dither csamples_dither_start(uint32_t number) {
  // Multiples of the golden ratio of 2^32 lie as far from each other as they can.
  return (csamples_dither){number * 0x9e3779b9};
}

uint32_t csamples_write_dithered(csamples_format format, const float *from, void *to,
                                 uint32_t stride, uint32_t count, csamples_dither *dither) {
  const dithering dithering = {is_dithered(format), dither->next, 1};
  dither->next += count;
  return write_samples(format, from, to, stride, count, dithering);
}
