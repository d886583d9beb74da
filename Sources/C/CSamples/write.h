// write.h: writes one channel, for all other functions. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

#include "csamples.h"

/// The dither of a run of samples: the position of the first in the sequence, or none.
typedef struct dithering {
  bool is_on;
  uint32_t next, step;
} dithering;

/// Returns whether a format is coarse enough for dither.
bool is_dithered(csamples_format format);

/// Writes like `csamples_write`, with dither if it is on. The format must be a dithered one then.
uint32_t write_samples(csamples_format format, const float *from, uint8_t *to, uint32_t stride,
                       uint32_t count, dithering dithering);
