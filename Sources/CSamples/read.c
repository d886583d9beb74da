// read.c: samples to floats. SPDX-License-Identifier: MIT
//
// A code is shifted to the upper end of a word, which sets its sign and drops what lies above it,
// and rubbish there is what some drivers leave. The word as a float is exact up to 24 bits, and so
// is its share of 2^31.
#include "layout.h"

INLINE float of_word(uint32_t word, uint32_t shift, uint32_t bias) {
  return (float)(int32_t)((word << shift) ^ bias) * (1.0f / 2147483648.0f);
}

INLINE float of_single(const uint8_t *from, bool swapped) {
  uint32_t word = load32(from, swapped);
  float sample;
  memcpy(&sample, &word, sizeof sample);
  return sample;
}

INLINE float of_double(const uint8_t *from, bool swapped) {
  uint64_t word = load64(from, swapped);
  double sample;
  memcpy(&sample, &word, sizeof sample);
  return (float)sample;
}

/// A word of which the lower three bytes are the sample's, and the uppermost is not.
INLINE uint32_t load24(const uint8_t *from, bool swapped) {
  return swapped ? load32(from, true) >> 8 : load32(from, false);
}

/// The same from three bytes alone.
INLINE uint32_t load24_alone(const uint8_t *from, bool swapped) {
  return (uint32_t)from[1] << 8 | (swapped ? from[2] | (uint32_t)from[0] << 16
                                           : from[0] | (uint32_t)from[2] << 16);
}

INLINE void read_run(container container, uint32_t shift, uint32_t bias, const uint8_t *from,
                     size_t stride, float *restrict to, uint32_t count) {
#define EACH(sample) \
  for (uint32_t i = 0; i < count; ++i, from += stride) to[i] = sample
  switch (container) {
    case BYTE: EACH(of_word(*from, shift, bias)); return;
    case PAIR: EACH(of_word(load16(from, false), shift, bias)); return;
    case PAIR_SWAPPED: EACH(of_word(load16(from, true), shift, bias)); return;
    case TRIPLE: EACH(of_word(load24(from, false), shift, bias)); return;
    case TRIPLE_SWAPPED: EACH(of_word(load24(from, true), shift, bias)); return;
    case WORD: EACH(of_word(load32(from, false), shift, bias)); return;
    case WORD_SWAPPED: EACH(of_word(load32(from, true), shift, bias)); return;
    case SINGLE: EACH(of_single(from, false)); return;
    case SINGLE_SWAPPED: EACH(of_single(from, true)); return;
    case DOUBLE: EACH(of_double(from, false)); return;
    case DOUBLE_SWAPPED: EACH(of_double(from, true)); return;
  }
#undef EACH
}

INLINE void read_container(container container, uint32_t shift, uint32_t bias, const uint8_t *from,
                           uint32_t stride, float *to, uint32_t count) {
  const uint32_t bytes = byte_count(container);
  if (container == TRIPLE || container == TRIPLE_SWAPPED) {
    // Four bytes are loaded for each three; behind the last sample there may be no fourth.
    if (count == 0) return;
    const uint8_t *last = from + (size_t)(--count) * stride;
    to[count] = of_word(load24_alone(last, container == TRIPLE_SWAPPED), shift, bias);
  }
  if (stride == bytes) {
    read_run(container, shift, bias, from, bytes, to, count);
  } else {
    read_run(container, shift, bias, from, stride, to, count);
  }
}

INLINE void read_any(csamples_format format, const uint8_t *from, uint32_t stride, float *to,
                     uint32_t count) {
  const layout layout = layout_of(format);
  const uint32_t shift = (32u - layout.bits) & 31, bias = layout.is_unsigned ? 1u << 31 : 0;
  switch (layout.container) {
#define CASE(name) case name: read_container(name, shift, bias, from, stride, to, count); return;
    CASE(BYTE) CASE(PAIR) CASE(PAIR_SWAPPED) CASE(TRIPLE) CASE(TRIPLE_SWAPPED)
    CASE(WORD) CASE(WORD_SWAPPED) CASE(SINGLE) CASE(SINGLE_SWAPPED)
    CASE(DOUBLE) CASE(DOUBLE_SWAPPED)
#undef CASE
  }
}

void csamples_read(csamples_format format, const void *from, uint32_t stride, float *to,
                   uint32_t count) {
  read_any(format, from, stride, to, count);
}

uint32_t csamples_byte_count(csamples_format format) {
  return byte_count(layout_of(format).container);
}
