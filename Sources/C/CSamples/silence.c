// silence.c: writes silence. SPDX-License-Identifier: MIT
#include "layout.h"

void csamples_silence(csamples_format format, void *to, uint32_t stride, uint32_t count) {
  const layout layout = layout_of(format);
  const uint32_t bytes = byte_count(layout.container);
  uint8_t sample[8] = {0};
  if (layout.is_unsigned) {
    // The middle of the range: only the highest bit is set.
    const bool is_big_endian = layout.container == PAIR_SWAPPED || layout.container == WORD_SWAPPED;
    sample[is_big_endian ? 0 : bytes - 1] = 0x80;
  } else if (stride == bytes) {
    memset(to, 0, (size_t)count * bytes);
    return;
  }
  uint8_t *place = to;
  for (uint32_t i = 0; i < count; ++i, place += stride) memcpy(place, sample, bytes);
}
