// csamples.c: the loops of csamples.h. SPDX-License-Identifier: MIT
//
// One reader and one writer of a single sample are inlined into a loop for each format and for the
// strides of mono and stereo, which the compiler then knows as constants and vectorises.
#include "csamples.h"

#include <stdbool.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "written for little-endian processors");

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t byte_count(csamples_format format) {
  switch (format) {
    case CSAMPLES_S16:
    case CSAMPLES_S16_BE: return 2;
    case CSAMPLES_S24_3:
    case CSAMPLES_S24_3_BE: return 3;
    default: return 4;
  }
}

// MARK: - One sample

INLINE uint32_t load32(const uint8_t *from, bool swapped) {
  uint32_t word;
  memcpy(&word, from, sizeof word);
  return swapped ? __builtin_bswap32(word) : word;
}

INLINE void store32(uint8_t *to, uint32_t word, bool swapped) {
  if (swapped) word = __builtin_bswap32(word);
  memcpy(to, &word, sizeof word);
}

INLINE float load_float(const uint8_t *from, bool swapped) {
  uint32_t word = load32(from, swapped);
  float sample;
  memcpy(&sample, &word, sizeof sample);
  return sample;
}

INLINE int32_t load16(const uint8_t *from, bool swapped) {
  uint16_t word;
  memcpy(&word, from, sizeof word);
  return (int16_t)(swapped ? __builtin_bswap16(word) : word);
}

/// The three bytes as the upper 24 bits of a word, which sets the sign; the lower eight are 0.
INLINE int32_t load24_packed(const uint8_t *from, bool swapped) {
  uint32_t low = swapped ? from[2] : from[0], high = swapped ? from[0] : from[2];
  return (int32_t)(low << 8 | (uint32_t)from[1] << 16 | high << 24);
}

INLINE float read_one(csamples_format format, const uint8_t *from) {
  const float of16 = 1.0f / 32768, of32 = 1.0f / 2147483648.0f;
  switch (format) {
    case CSAMPLES_S16: return (float)load16(from, false) * of16;
    case CSAMPLES_S16_BE: return (float)load16(from, true) * of16;
    case CSAMPLES_S24_3: return (float)load24_packed(from, false) * of32;
    case CSAMPLES_S24_3_BE: return (float)load24_packed(from, true) * of32;
    // The upper byte is not trusted: some drivers leave rubbish in it.
    case CSAMPLES_S24: return (float)(int32_t)(load32(from, false) << 8) * of32;
    case CSAMPLES_S24_BE: return (float)(int32_t)(load32(from, true) << 8) * of32;
    case CSAMPLES_S32: return (float)(int32_t)load32(from, false) * of32;
    case CSAMPLES_S32_BE: return (float)(int32_t)load32(from, true) * of32;
    case CSAMPLES_FLOAT: return load_float(from, false);
    case CSAMPLES_FLOAT_BE: return load_float(from, true);
  }
}

/// The code of `sample` where full scale is `scale`; adds to `clipped` if it had to be clipped.
INLINE int32_t encode(float sample, double scale, uint32_t *clipped) {
  // A double holds every product and its rounding exactly, up to 32 bits. Adding and taking away
  // 1.5 * 2^52 rounds to an integer without a call; the bounds before it keep that valid.
  const double rounder = 6755399441055744.0;
  double code = sample == sample ? (double)sample * scale : 0;
  code = code < 2 * scale ? code : 2 * scale;
  code = code > -2 * scale ? code : -2 * scale;
  code = (code + rounder) - rounder;
  const double highest = scale - 1, lowest = -scale;
  *clipped += (code > highest) | (code < lowest);
  code = code < highest ? code : highest;
  code = code > lowest ? code : lowest;
  return (int32_t)code;
}

INLINE void write_float(float sample, uint8_t *to, bool swapped, uint32_t *clipped) {
  float kept = sample == sample ? sample : 0;
  *clipped += (kept > 1) | (kept < -1);
  kept = kept < 1 ? kept : 1;
  kept = kept > -1 ? kept : -1;
  uint32_t word;
  memcpy(&word, &kept, sizeof word);
  store32(to, word, swapped);
}

INLINE void write16(float sample, uint8_t *to, bool swapped, uint32_t *clipped) {
  uint16_t word = (uint16_t)encode(sample, 32768, clipped);
  if (swapped) word = __builtin_bswap16(word);
  memcpy(to, &word, sizeof word);
}

INLINE void write24_packed(float sample, uint8_t *to, bool swapped, uint32_t *clipped) {
  uint32_t word = (uint32_t)encode(sample, 8388608, clipped);
  to[swapped ? 2 : 0] = (uint8_t)word;
  to[1] = (uint8_t)(word >> 8);
  to[swapped ? 0 : 2] = (uint8_t)(word >> 16);
}

INLINE void write_one(csamples_format format, float sample, uint8_t *to, uint32_t *clipped) {
  const double of24 = 8388608, of32 = 2147483648.0;
  switch (format) {
    case CSAMPLES_S16: write16(sample, to, false, clipped); return;
    case CSAMPLES_S16_BE: write16(sample, to, true, clipped); return;
    case CSAMPLES_S24_3: write24_packed(sample, to, false, clipped); return;
    case CSAMPLES_S24_3_BE: write24_packed(sample, to, true, clipped); return;
    case CSAMPLES_S24: store32(to, (uint32_t)encode(sample, of24, clipped), false); return;
    case CSAMPLES_S24_BE: store32(to, (uint32_t)encode(sample, of24, clipped), true); return;
    case CSAMPLES_S32: store32(to, (uint32_t)encode(sample, of32, clipped), false); return;
    case CSAMPLES_S32_BE: store32(to, (uint32_t)encode(sample, of32, clipped), true); return;
    case CSAMPLES_FLOAT: write_float(sample, to, false, clipped); return;
    case CSAMPLES_FLOAT_BE: write_float(sample, to, true, clipped); return;
  }
}

// MARK: - Many

INLINE void read_run(csamples_format format, const uint8_t *from, size_t stride, float *restrict to,
                     uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) to[i] = read_one(format, from + i * stride);
}

INLINE uint32_t write_run(csamples_format format, const float *restrict from, uint8_t *to,
                          size_t stride, uint32_t count) {
  uint32_t clipped = 0;
  for (uint32_t i = 0; i < count; ++i) write_one(format, from[i], to + i * stride, &clipped);
  return clipped;
}

INLINE void read_format(csamples_format format, const uint8_t *from, uint32_t stride, float *to,
                        uint32_t count) {
  const uint32_t bytes = byte_count(format);
  if (stride == bytes) {
    read_run(format, from, bytes, to, count);
  } else if (stride == 2 * bytes) {
    read_run(format, from, 2 * bytes, to, count);
  } else {
    read_run(format, from, stride, to, count);
  }
}

INLINE uint32_t write_format(csamples_format format, const float *from, uint8_t *to,
                             uint32_t stride, uint32_t count) {
  const uint32_t bytes = byte_count(format);
  if (stride == bytes) return write_run(format, from, to, bytes, count);
  if (stride == 2 * bytes) return write_run(format, from, to, 2 * bytes, count);
  return write_run(format, from, to, stride, count);
}

#define EACH_FORMAT(X)                                                                          \
  X(CSAMPLES_S16) X(CSAMPLES_S24_3) X(CSAMPLES_S24) X(CSAMPLES_S32) X(CSAMPLES_FLOAT)           \
  X(CSAMPLES_S16_BE) X(CSAMPLES_S24_3_BE) X(CSAMPLES_S24_BE) X(CSAMPLES_S32_BE)                 \
  X(CSAMPLES_FLOAT_BE)

void csamples_read(csamples_format format, const void *from, uint32_t stride, float *to,
                   uint32_t count) {
  switch (format) {
#define READ(name) case name: read_format(name, from, stride, to, count); return;
    EACH_FORMAT(READ)
#undef READ
  }
}

uint32_t csamples_write(csamples_format format, const float *from, void *to, uint32_t stride,
                        uint32_t count) {
  switch (format) {
#define WRITE(name) case name: return write_format(name, from, to, stride, count);
    EACH_FORMAT(WRITE)
#undef WRITE
  }
  return 0;
}

void csamples_silence(csamples_format format, void *to, uint32_t stride, uint32_t count) {
  const uint32_t bytes = byte_count(format);
  uint8_t *bytes_to = to;
  if (stride == bytes) {
    memset(to, 0, (size_t)count * bytes);
    return;
  }
  for (uint32_t i = 0; i < count; ++i) memset(bytes_to + (size_t)i * stride, 0, bytes);
}
