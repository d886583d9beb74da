// outboard_module.h: what a native module exports. SPDX-License-Identifier: MIT
//
// Nothing has to be included to write a module; a library that exports `process` under its plain
// name is one. Whoever includes this header has the compiler check the other seven functions too.
//
// Words: a sample is one number, a frame one sample for each channel, a block what the host renders
// at a time. [main] functions are never called while [render] ones of the same instance run;
// [render] functions must not allocate, free, lock, wait, or call the operating system.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this contract, given as `abi:` in the manifest.
#define OUTBOARD_MODULE_ABI 1

/// Makes one instance, the only place that takes memory.
///
/// `maximum_frame_count` is the longest block that `process` will be given. Returns NULL if the
/// instance cannot be made. A library without `create` gets `state == NULL` everywhere. [main]
void *create(double sample_rate_hz, uint32_t maximum_frame_count);

/// Frees what `create` made. [main]
void destroy(void *state);

/// Goes back to silence: afterwards the instance sounds as if it had just been made. [render]
void reset(void *state);

/// Renders one block of 1 to `maximum_frame_count` frames.
///
/// `inputs[c][i]` and `outputs[c][i]` are planar 32-bit floats, nominal range -1 to 1, channels in
/// the order of the manifest, never overlapping unless the manifest says `in_place: true`. Every
/// output sample must be written. `parameters[p]` are the values for this block in the order of
/// the manifest, already clamped to their ranges. All pointers are valid during the call. [render]
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count);

/// Takes one MIDI message that takes effect `frame` frames after the start of the next `process`.
/// Called only if the manifest says `midi: true`; `bytes` are valid during the call. [render]
void midi(void *state, uint32_t frame, const uint8_t *bytes, uint32_t byte_count);

/// The delay from input to output, in frames, that the host has to compensate; of more than 10 s the
/// module is refused. [main]
uint32_t latency(const void *state);

/// Writes what is needed to make another instance sound the same, at most `capacity` bytes, and
/// returns the number of bytes needed; `bytes` may be NULL when `capacity` is 0. [main]
uint32_t save(const void *state, void *bytes, uint32_t capacity);

/// Takes what `save` wrote. Returns 0 if it was taken, anything else if it was not. [main]
int restore(void *state, const void *bytes, uint32_t byte_count);

#ifdef __cplusplus
}
#endif
