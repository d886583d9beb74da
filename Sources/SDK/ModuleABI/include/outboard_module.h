// outboard_module.h: functions that a native plugin (module) exports. SPDX-License-Identifier: MIT
//
// A module is a shared library that exports `process` with C linkage. All other functions are optional.
// Including this header is optional. It lets the compiler check the signatures.
//
// A sample is one number. A frame is one sample per channel. A block is a number of frames that the
// host renders in one call. The host never calls a [main] function while a [render] function of the
// same instance runs. [render] functions must not allocate, free, lock, wait or make system calls.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this ABI, set as `abi:` in the manifest.
#define OUTBOARD_MODULE_ABI 1

/// Creates one instance. Allocate all memory here.
///
/// `maximum_frame_count` is the longest block that the host passes to `process`. Returns NULL on failure.
/// If the library does not export `create`, `state` is NULL in all calls. [main]
void *create(double sample_rate_hz, uint32_t maximum_frame_count);

/// Destroys an instance and frees its memory. [main]
void destroy(void *state);

/// Clears the signal state, so that the output is the same as that of a new instance. [render]
void reset(void *state);

/// Renders one block of 1 to `maximum_frame_count` frames.
///
/// `inputs[c][i]` and `outputs[c][i]` are planar 32-bit floats with a nominal range of -1 to 1. Channels
/// are in the order of the manifest. Buffers overlap only if the manifest has `in_place: true`. Write
/// every output sample. `parameters[p]` are the values for this block, in the order of the manifest,
/// clamped to their ranges. All pointers are valid only during the call. [render]
void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count);

/// Receives one MIDI message for frame `frame` of the next `process` call.
///
/// Called only if the manifest has `midi: true`. `bytes` is valid only during the call. [render]
void midi(void *state, uint32_t frame, const uint8_t *bytes, uint32_t byte_count);

/// Returns the latency from input to output in frames. The host compensates for it. The host rejects
/// a latency of more than 10 s. [main]
uint32_t latency(const void *state);

/// Writes the state to `bytes`, at most `capacity` bytes, and returns the number of bytes needed.
///
/// `restore` on another instance must lead to the same sound. `bytes` may be NULL if `capacity` is 0. [main]
uint32_t save(const void *state, void *bytes, uint32_t capacity);

/// Restores a state that `save` wrote. Returns 0 on success, another value on failure. [main]
int restore(void *state, const void *bytes, uint32_t byte_count);

/// Loads the audio of one of the manifest's `files`, such as an impulse response or a sample.
///
/// `file` is the index in the manifest, from 0. Called after `create` and before the first `process`, once
/// per file that has a value. The module must also work without files. `channels[c][i]` are planar
/// 32-bit floats at the instance's sample rate, valid only during the call. Returns 0 on success, another
/// value on failure. If the user chooses another file while the module runs, the host creates a new
/// instance and crossfades to it. Called only if the manifest has `files`. [main]
int load_file(void *state, uint32_t file, const float *const *channels, uint32_t channel_count,
              uint32_t frame_count);

/// Writes the values of the manifest's `readouts`, in their order.
///
/// Called after some calls of `process`, only if the manifest has `readouts`. [render]
void readouts(const void *state, float *values);

/// Prepares for the first block, with the parameter values of that block.
///
/// Called after `create`, `restore` and `load_file`, before the first `process`, and possibly again before a later
/// block. May allocate. The host calls `latency` again afterwards. The porting headers export this function: the hosts
/// of other formats restore the values before they prepare a plugin, so that it does not start with its defaults.
/// [main]
void outboard_prepare(void *state, const float *parameters);

/// Writes the number of inputs, outputs and parameters of the code to `counts`.
///
/// An unknown count stays unchanged. The host rejects counts that differ from the manifest. The porting
/// headers export this function. [main]
void outboard_port_counts(const void *state, uint32_t counts[3]);

/// Writes the channels and parameters of the code as lines of a manifest: `inputs:`, `outputs:` and
/// `parameters:`.
///
/// Writes at most `capacity` bytes including a final 0, and returns the number of bytes needed. If the
/// manifest of a source has no such keys, the host calls this function once in a helper process. The
/// porting headers export it. [main]
uint32_t outboard_describe(const void *state, char *text, uint32_t capacity);

#ifdef __cplusplus
}
#endif
