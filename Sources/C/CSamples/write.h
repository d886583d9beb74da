// write.h: what writes one channel for all the others. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>

#include "csamples.h"

/// Dither for a run of samples: the place of the first in the sequence, or none.
typedef struct dithering {
  bool is_on;
  uint32_t next, step;
} dithering;

/// Whether a format is coarse enough for dither to be of use.
bool is_dithered(csamples_format format);

/// `csamples_write`, with dither if that is on. The format must be a dithered one then.
uint32_t write_samples(csamples_format format, const float *from, uint8_t *to, uint32_t stride,
                       uint32_t count, dithering dithering);
