// shim.h: what of libsamplerate runs on the audio thread. SPDX-License-Identifier: MIT
//
// The functions are here because only a declaration with `CSAMPLERATE_SAFE` may be called under
// `@_noLocks`. That is the truth: libsamplerate takes all its memory in `src_new`; `src_process`
// computes and copies within it, and `src_reset` clears it.
#pragma once

#include <samplerate.h>
#include <stdint.h>

/// Tells the Swift compiler that the function neither locks nor allocates.
#define CSAMPLERATE_SAFE __attribute__((swift_attr("@_noLocks"))) static inline

/// How many frames a call took and gave.
typedef struct csamplerate_counts {
  int64_t used;
  int64_t made;
} csamplerate_counts;

/// Takes at most `input_count` interleaved frames and gives at most `output_count`, at `ratio`
/// (output rate over input rate) throughout; an error gives nothing and takes everything. [render]
///
/// The ratio is set first: `src_process` alone would glide to it over `output_count` frames, and
/// where it then stands in its input could only be guessed.
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

/// Forgets all input. [render]
CSAMPLERATE_SAFE void csamplerate_reset(SRC_STATE *_Nonnull state) { src_reset(state); }
