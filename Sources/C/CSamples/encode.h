// encode.h: converts floats to codes (integer samples). SPDX-License-Identifier: MIT
//
// All computations use floats and are exact: a product with a power of two is exact, the bounds of all codes
// are floats, and a float of 2^23 or more is an integer, which needs no rounding.
#pragma once

#include "layout.h"
#include "write.h"

/// The method of rounding: more bits need more instructions.
typedef enum rounding {
  /// Codes of up to 22 bits.
  NARROW,
  /// Codes of up to 24 bits.
  MIDDLE,
  /// Codes of 32 bits.
  WIDE,
} rounding;

/// The constants of a code's width.
typedef struct scale {
  float full;
  /// Samples of at least `above`, and samples below `below`, round to a code out of range.
  float above, below;
  /// The largest and smallest floats that are codes.
  float highest, lowest;
  /// The difference between the highest code and `highest`.
  uint32_t rest;
} scale;

INLINE scale scale_of(uint32_t bits) {
  const float full = (float)(1u << (bits - 1));
  // A half is rounded to the even code: up at the highest code, which is odd, and not down at the lowest. If
  // floats of this size have no halves, the bounds themselves are rounded correctly.
  scale scale = {full, full - 0.5f, -(full + 0.5f), full - 1, -full, 0};
  if (bits == 32) {
    scale.highest = 2147483520.0f;
    scale.rest = 127;
  }
  return scale;
}

/// Returns a triangular distribution from -1 to 1 without memory: the difference of two halves of a hashed
/// position.
///
/// The hash is "lowbias32" by Chris Wellons: each input bit changes each output bit in close to half of all
/// cases.
INLINE float dither_at(uint32_t place) {
  uint32_t hash = place;
  hash = (hash ^ hash >> 16) * 0x7feb352d;
  hash = (hash ^ hash >> 15) * 0x846ca68b;
  hash ^= hash >> 16;
  return (float)((int32_t)(hash >> 16) - (int32_t)(hash & 0xffff)) * (1.0f / 65536);
}

/// Returns the nearest integer, the even one for a half, in the low bits of a code of that width.
INLINE uint32_t rounded(float code, rounding rounding) {
  const float unit = 8388608.0f;  // Floats from here on are integers.
  if (rounding == NARROW) {
    // The low 22 bits of the sum's significand are the integer.
    const float sum = code + 1.5f * unit;
    uint32_t word;
    memcpy(&word, &sum, sizeof word);
    return word;
  }
  float shift = __builtin_copysignf(unit, code);
  if (rounding == WIDE) shift = __builtin_fabsf(code) < unit ? shift : 0;
  return (uint32_t)(int32_t)((code + shift) - shift);
}

/// Returns whether the magnitude of all samples is below `limit`; false if one is NaN.
INLINE bool all_below(float limit, const float *from, uint32_t count) {
  uint32_t bound, below = ~0u;
  memcpy(&bound, &limit, sizeof bound);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t word;
    memcpy(&word, from + i, sizeof word);
    // Magnitudes have the order of their bits; the difference is negative while all are below.
    below &= (word & 0x7fffffff) - bound;
  }
  return below >> 31;
}

/// Encodes any samples. Returns how many of them were out of range.
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

/// Encodes samples in range.
INLINE void encode_inside(float full, rounding rounding, const float *restrict from,
                          uint32_t *restrict codes, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) codes[i] = rounded(from[i] * full, rounding);
}

/// Returns the sample clipped to the range; increments `clipped` if it was out of range.
INLINE float bounded(float sample, uint32_t *clipped) {
  sample = sample == sample ? sample : 0;
  *clipped += (sample > 1) | (sample < -1);
  sample = sample < 1 ? sample : 1;
  return sample > -1 ? sample : -1;
}
