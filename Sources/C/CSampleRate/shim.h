// shim.h: the functions of libsamplerate for the audio thread. SPDX-License-Identifier: MIT
//
// Only a declaration with `CSAMPLERATE_SAFE` may be called under `@_noLocks`. The attribute is true:
// libsamplerate allocates all memory in `src_new`; `src_process` computes within it, and `src_reset` clears
// it.
#pragma once

#include <samplerate.h>
#include <stdint.h>

/// Declares to the Swift compiler that a function neither locks nor allocates.
#define CSAMPLERATE_SAFE __attribute__((swift_attr("@_noLocks"))) static inline

/// The number of frames that a call consumed and produced.
typedef struct csamplerate_counts {
  int64_t used;
  int64_t made;
} csamplerate_counts;

/// Consumes at most `input_count` interleaved frames and produces at most `output_count`, with a constant
/// `ratio` (output rate divided by input rate). After an error it produces nothing and consumes everything.
/// [render]
///
/// The ratio is set first: `src_process` alone would ramp to it over `output_count` frames, and the resulting
/// position in the input would be unknown.
CSAMPLERATE_SAFE csamplerate_counts csamplerate_process(SRC_STATE *_Nonnull state,
                                                        const float *_Nonnull input,
                                                        int64_t input_count,
                                                        float *_Nonnull output,
                                                        int64_t output_count, double ratio) {
  SRC_DATA data = {
      .data_in = input,
      .data_out = output,
      .input_frames = (long)input_count,
      .output_frames = (long)output_count,
      .end_of_input = 0,
      .src_ratio = ratio,
  };
  if (src_set_ratio(state, ratio) != 0 || src_process(state, &data) != 0)
    return (csamplerate_counts){input_count, 0};
  return (csamplerate_counts){data.input_frames_used, data.output_frames_gen};
}

/// Clears all input. [render]
CSAMPLERATE_SAFE void csamplerate_reset(SRC_STATE *_Nonnull state) { src_reset(state); }
