// encode.h: floats to codes. SPDX-License-Identifier: MIT
//
// All is done in floats, which is exact: a product with a power of two is, the bounds of all codes
// are floats, and a float of 2^23 and more is an integer already, so that nothing is left to round
// where a float has no room for a half.
#pragma once

#include "layout.h"
#include "write.h"

/// How floats are rounded: the more there are of them, the more it takes.
typedef enum rounding {
  /// Codes of up to 22 bits.
  NARROW,
  /// Codes of up to 24 bits.
  MIDDLE,
  /// Codes of 32 bits.
  WIDE,
} rounding;

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

/// The nearest integer, of a half the even one, in the low bits that a code of that width has.
INLINE uint32_t rounded(float code, rounding rounding) {
  const float unit = 8388608.0f;  // From here on floats are integers.
  if (rounding == NARROW) {
    // The sum has the integer in the low 22 bits of its significand.
    const float sum = code + 1.5f * unit;
    uint32_t word;
    memcpy(&word, &sum, sizeof word);
    return word;
  }
  float shift = __builtin_copysignf(unit, code);
  if (rounding == WIDE) shift = __builtin_fabsf(code) < unit ? shift : 0;
  return (uint32_t)(int32_t)((code + shift) - shift);
}

/// Whether the magnitude of all samples is below `limit`; no, if one is not a number.
INLINE bool all_below(float limit, const float *from, uint32_t count) {
  uint32_t bound, below = ~0u;
  memcpy(&bound, &limit, sizeof bound);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t word;
    memcpy(&word, from + i, sizeof word);
    // Magnitudes are ordered as their bits are; the difference is negative while all are below.
    below &= (word & 0x7fffffff) - bound;
  }
  return below >> 31;
}

/// Codes of any samples, and how many of them were out of range.
INLINE uint32_t encode(scale scale, rounding rounding, dithering dithering,
                       const float *restrict from, uint32_t *restrict codes, uint32_t count) {
  uint32_t clipped = 0;
  for (uint32_t i = 0; i < count; ++i) {
    float code = from[i] * scale.full;
    code = code == code ? code : 0;
    const bool above = code >= scale.above, below = code < scale.below;
    clipped += above | below;
    if (dithering.is_on) code += dither_at(dithering.next + i * dithering.step);
    code = code < scale.highest ? code : scale.highest;
    code = code > scale.lowest ? code : scale.lowest;
    codes[i] = rounded(code, rounding) | (above ? scale.rest : 0);
  }
  return clipped;
}

/// Codes of samples in range.
INLINE void encode_inside(float full, rounding rounding, const float *restrict from,
                          uint32_t *restrict codes, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) codes[i] = rounded(from[i] * full, rounding);
}

/// The sample as a float in range; adds to `clipped` if it was not.
INLINE float bounded(float sample, uint32_t *clipped) {
  sample = sample == sample ? sample : 0;
  *clipped += (sample > 1) | (sample < -1);
  sample = sample < 1 ? sample : 1;
  return sample > -1 ? sample : -1;
}
