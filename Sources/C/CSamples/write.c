// write.c: converts floats to samples. SPDX-License-Identifier: MIT
//
// A tile of samples is checked first. If none is out of range, as is usual, the rest is a few instructions
// without a branch.
#include "write.h"

#include "encode.h"
#include "layout.h"

enum { TILE = 256 };

// MARK: - Layout

/// Stores four codes in twelve bytes.
INLINE void store_triples(uint8_t *to, const uint32_t codes[4], bool swapped) {
  uint64_t four[4];
  for (uint32_t k = 0; k < 4; ++k) {
    four[k] = swapped ? __builtin_bswap32(codes[k]) >> 8 : codes[k] & 0xffffff;
  }
  store64(to, four[0] | four[1] << 24 | four[2] << 48, false);
  store32(to + 8, (uint32_t)(four[2] >> 16 | four[3] << 8), false);
}

/// Stores four codes in twelve bytes with a byte shuffle.
INLINE void shuffle_triples(uint8_t *to, const uint32_t codes[4], bool swapped) {
  sixteen bytes;
  memcpy(&bytes, codes, sizeof bytes);
  bytes = swapped
    ? __builtin_shufflevector(bytes, bytes, 2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, 0, 0, 0, 0)
    : __builtin_shufflevector(bytes, bytes, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0);
  memcpy(to, &bytes, 12);
}

INLINE void store_triple(uint8_t *to, uint32_t code, bool swapped) {
  to[swapped ? 2 : 0] = (uint8_t)code;
  to[1] = (uint8_t)(code >> 8);
  to[swapped ? 0 : 2] = (uint8_t)(code >> 16);
}

INLINE void lay_triples(bool swapped, bool shuffles, const uint32_t *codes, uint8_t *to,
                        size_t stride, uint32_t count) {
  uint32_t i = 0;
  for (; stride == 3 && i + 4 <= count; i += 4, to += 12) {
    if (shuffles) {
      shuffle_triples(to, codes + i, swapped);
    } else {
      store_triples(to, codes + i, swapped);
    }
  }
  for (; i < count; ++i, to += stride) store_triple(to, codes[i], swapped);
}

INLINE void lay_run(container container, bool shuffles, uint32_t bias,
                    const uint32_t *restrict codes, uint8_t *restrict to, size_t stride,
                    uint32_t count) {
#define EACH(store) \
  for (uint32_t i = 0; i < count; ++i, to += stride) store
  switch (container) {
    case BYTE: EACH(*to = (uint8_t)(codes[i] ^ bias)); return;
    case PAIR: EACH(store16(to, (uint16_t)(codes[i] ^ bias), false)); return;
    case PAIR_SWAPPED: EACH(store16(to, (uint16_t)(codes[i] ^ bias), true)); return;
    case TRIPLE: lay_triples(false, shuffles, codes, to, stride, count); return;
    case TRIPLE_SWAPPED: lay_triples(true, shuffles, codes, to, stride, count); return;
    case WORD: EACH(store32(to, codes[i] ^ bias, false)); return;
    case WORD_SWAPPED: EACH(store32(to, codes[i] ^ bias, true)); return;
    default: __builtin_unreachable();
  }
#undef EACH
}

/// Combines `encode_inside` and `lay_run` for adjacent codes.
INLINE void write_dense(container container, uint32_t bias, float full, rounding rounding,
                        const float *restrict from, uint8_t *restrict to, uint32_t count) {
#define CODE (rounded(from[i] * full, rounding) ^ bias)
  for (uint32_t i = 0; i < count; ++i) {
    switch (container) {
      case BYTE: to[i] = (uint8_t)CODE; break;
      case PAIR: store16(to + 2 * (size_t)i, (uint16_t)CODE, false); break;
      case PAIR_SWAPPED: store16(to + 2 * (size_t)i, (uint16_t)CODE, true); break;
      case WORD: store32(to + 4 * (size_t)i, CODE, false); break;
      case WORD_SWAPPED: store32(to + 4 * (size_t)i, CODE, true); break;
      default: __builtin_unreachable();
    }
  }
#undef CODE
}

INLINE uint32_t write_codes(layout layout, bool shuffles, rounding rounding, dithering dithering,
                            const float *from, uint8_t *to, size_t stride, uint32_t count) {
  const scale scale = scale_of(layout.bits);
  const uint32_t bias = layout.is_unsigned ? 1u << (layout.bits - 1) : 0;
  const uint32_t bytes = byte_count(layout.container);
  uint32_t codes[TILE], clipped = 0;
  while (count > 0) {
    const uint32_t part = count < TILE ? count : TILE;
    const bool inside = !dithering.is_on && all_below(scale.above / scale.full, from, part);
    if (inside && stride == bytes && bytes != 3) {
      write_dense(layout.container, bias, scale.full, rounding, from, to, part);
    } else {
      if (inside) {
        encode_inside(scale.full, rounding, from, codes, part);
      } else {
        clipped += encode(scale, rounding, dithering, from, codes, part);
      }
      lay_run(layout.container, shuffles, bias, codes, to, stride, part);
    }
    from += part;
    to += part * stride;
    count -= part;
    dithering.next += part * dithering.step;
  }
  return clipped;
}

// MARK: - Floats

INLINE void store_float(container container, float sample, uint8_t *to) {
  if (container == SINGLE || container == SINGLE_SWAPPED) {
    uint32_t word;
    memcpy(&word, &sample, sizeof word);
    store32(to, word, container == SINGLE_SWAPPED);
  } else {
    const double wide = sample;
    uint64_t word;
    memcpy(&word, &wide, sizeof word);
    store64(to, word, container == DOUBLE_SWAPPED);
  }
}

INLINE uint32_t write_floats(container container, const float *restrict from,
                             uint8_t *restrict to, size_t stride, uint32_t count) {
  uint32_t clipped = 0;
  while (count > 0) {
    const uint32_t part = count < TILE ? count : TILE;
    // The limit is the float next to 1, which is in range.
    if (all_below(1.00000012f, from, part)) {
      for (uint32_t i = 0; i < part; ++i) store_float(container, from[i], to + i * stride);
    } else {
      for (uint32_t i = 0; i < part; ++i) {
        store_float(container, bounded(from[i], &clipped), to + i * stride);
      }
    }
    from += part;
    to += part * stride;
    count -= part;
  }
  return clipped;
}

// MARK: - All formats

INLINE uint32_t write_container(layout layout, container container, bool shuffles,
                                dithering dithering, const float *from, uint8_t *to,
                                size_t stride, uint32_t count) {
  layout.container = container;
  switch (container) {
    case SINGLE:
    case SINGLE_SWAPPED:
    case DOUBLE:
    case DOUBLE_SWAPPED: return write_floats(container, from, to, stride, count);
    case BYTE:
    case PAIR:
    case PAIR_SWAPPED:
      if (dithering.is_on) {
        return write_codes(layout, shuffles, NARROW, dithering, from, to, stride, count);
      }
      dithering.is_on = false;
      return write_codes(layout, shuffles, NARROW, dithering, from, to, stride, count);
    default:
      // Formats of this precision are not dithered.
      dithering.is_on = false;
      if (byte_count(container) == 4 && layout.bits == 32) {
        return write_codes(layout, shuffles, WIDE, dithering, from, to, stride, count);
      }
      return write_codes(layout, shuffles, MIDDLE, dithering, from, to, stride, count);
  }
}

INLINE uint32_t write_any(csamples_format format, bool shuffles, const float *from, uint8_t *to,
                          uint32_t stride, uint32_t count, dithering dithering) {
  const layout layout = layout_of(format);
  switch (layout.container) {
    // A stride that the compiler knows lets it vectorise the loops.
#define WRITE(name, stride) \
  write_container(layout, name, shuffles, dithering, from, to, stride, count)
#define CASE(name)                                                           \
  case name:                                                                 \
    return stride == byte_count(name) ? WRITE(name, byte_count(name)) : WRITE(name, stride);
    CASE(BYTE) CASE(PAIR) CASE(PAIR_SWAPPED) CASE(TRIPLE) CASE(TRIPLE_SWAPPED)
    CASE(WORD) CASE(WORD_SWAPPED) CASE(SINGLE) CASE(SINGLE_SWAPPED)
    CASE(DOUBLE) CASE(DOUBLE_SWAPPED)
#undef CASE
#undef WRITE
  }
  __builtin_unreachable();
}

#if HAS_WIDER
WIDER static uint32_t write_wider(csamples_format format, const float *from, uint8_t *to,
                                  uint32_t stride, uint32_t count, dithering dithering) {
  return write_any(format, true, from, to, stride, count, dithering);
}
#endif

uint32_t write_samples(csamples_format format, const float *from, uint8_t *to, uint32_t stride,
                       uint32_t count, dithering dithering) {
#if HAS_WIDER
  if (is_wider()) return write_wider(format, from, to, stride, count, dithering);
#endif
  return write_any(format, HAS_SHUFFLE, from, to, stride, count, dithering);
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
  // Multiples of 2^32 divided by the golden ratio are as far from each other as possible.
  return (csamples_dither){number * 0x9e3779b9};
}

uint32_t csamples_write_dithered(csamples_format format, const float *from, void *to,
                                 uint32_t stride, uint32_t count, csamples_dither *dither) {
  const dithering dithering = {is_dithered(format), dither->next, 1};
  dither->next += count;
  return write_samples(format, from, to, stride, count, dithering);
}
