// csamples.h: a sound card's samples to floats and back, exactly. SPDX-License-Identifier: MIT
//
// Full scale is 1. An integer code of n bits stands for code / 2^(n-1), so that each of the 16- and
// 24-bit codes is a float exactly and comes back as itself. Nothing here allocates or waits.
#pragma once

#include <stdint.h>

/// Tells the Swift compiler that the function neither locks nor allocates.
#define CSAMPLES_SAFE __attribute__((swift_attr("@_noLocks")))

/// How a sample lies in memory. The numbers are the order of `SampleFormat` in Swift.
typedef enum csamples_format {
  CSAMPLES_S16 = 0,     ///< 16 bits, little-endian
  CSAMPLES_S24_3 = 1,   ///< 24 bits in three bytes, little-endian
  CSAMPLES_S24 = 2,     ///< 24 bits, sign-extended, in the low end of four bytes, little-endian
  CSAMPLES_S32 = 3,     ///< 32 bits, little-endian
  CSAMPLES_FLOAT = 4,   ///< 32-bit float, little-endian
  CSAMPLES_S16_BE = 5,  ///< the same five, big-endian
  CSAMPLES_S24_3_BE = 6,
  CSAMPLES_S24_BE = 7,
  CSAMPLES_S32_BE = 8,
  CSAMPLES_FLOAT_BE = 9,
} csamples_format;

/// Reads `count` samples, `stride` bytes apart, as floats. [render]
CSAMPLES_SAFE void csamples_read(csamples_format format, const void *_Nonnull from, uint32_t stride,
                                 float *_Nonnull to, uint32_t count);

/// Writes `count` floats as samples `stride` bytes apart, and returns how many were out of range.
///
/// Those are clipped; what is not a number becomes 0; the rest is rounded to the nearest code, a
/// half to the even one. Assumes the processor's default rounding mode. [render]
CSAMPLES_SAFE uint32_t csamples_write(csamples_format format, const float *_Nonnull from,
                                      void *_Nonnull to, uint32_t stride, uint32_t count);

/// Writes `count` samples of silence, `stride` bytes apart. [render]
CSAMPLES_SAFE void csamples_silence(csamples_format format, void *_Nonnull to, uint32_t stride,
                                    uint32_t count);
