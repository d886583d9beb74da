// outboard_module.h: what a native module exports. SPDX-License-Identifier: MIT
//
// Nothing has to be included to write a module; a library that exports `process` under its plain
// name is one. Whoever includes this header has the compiler check the others too.
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

/// Takes the sound of one of the manifest's `files`, counted from 0: an impulse response, a sample.
///
/// Called after `create` and before the first `process`, for each file that is named; an instance
/// that is given none has to make do. `channels[c][i]` are planar 32-bit floats, converted to the
/// instance's sample rate, and gone after the call. Returns 0 if it was taken, anything else if it
/// cannot be used. Where another file is named while it plays, another instance is made, and faded
/// in. Called only if the manifest has `files`. [main]
int load(void *state, uint32_t file, const float *const *channels, uint32_t channel_count,
         uint32_t frame_count);

/// Writes a value for each of the manifest's `readouts`, in their order: a level, a pitch.
///
/// Called after a `process`, whenever the host wants to show them, if the manifest has `readouts`.
/// [render]
void readouts(const void *state, float *values);

/// Tells how many inputs, outputs and parameters the code has; a count that it does not know stays as it
/// is. What differs from the manifest is refused. The adapters of the porting kit export it. [main]
void outboard_shape(const void *state, uint32_t counts[3]);

/// Writes the channels and parameters that the code itself knows of, as lines of a manifest (`inputs:`,
/// `outputs:`, `parameters:`), at most `capacity` bytes with a 0 at the end, and returns the bytes of all
/// that there is to say. Where the manifest of a source leaves these keys away, it is asked once, in a process
/// of its own. The adapters of the porting kit export it. [main]
uint32_t outboard_describe(const void *state, char *text, uint32_t capacity);

#ifdef __cplusplus
}
#endif
