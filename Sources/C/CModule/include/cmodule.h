// cmodule.h: the functions of a native module as Swift can hold and call them. SPDX-License-Identifier: MIT
//
// Swift may not call a function pointer under `@_noLocks`. These wrappers may, because the module contract
// (outboard_module.h) forbids locks and allocations.
#pragma once

#include <stdint.h>

#define CMODULE_SAFE __attribute__((swift_attr("@_noLocks")))

typedef void *_Nullable (*cmodule_create)(double sample_rate_hz, uint32_t maximum_frame_count);
typedef void (*cmodule_destroy)(void *_Nullable state);
typedef void (*cmodule_prepare)(void *_Nullable state, const float *_Nonnull parameters);
typedef void (*cmodule_reset)(void *_Nullable state);
typedef void (*cmodule_process)(void *_Nullable state, const float *_Nonnull const *_Nonnull inputs,
                                float *_Nonnull const *_Nonnull outputs,
                                const float *_Nonnull parameters, uint32_t frame_count);
typedef void (*cmodule_midi)(void *_Nullable state, uint32_t frame, const uint8_t *_Nonnull bytes,
                             uint32_t byte_count);
typedef uint32_t (*cmodule_latency)(const void *_Nullable state);
typedef uint32_t (*cmodule_save)(const void *_Nullable state, void *_Nullable bytes,
                                 uint32_t capacity);
typedef int (*cmodule_restore)(void *_Nullable state, const void *_Nonnull bytes,
                               uint32_t byte_count);
typedef int (*cmodule_load)(void *_Nullable state, uint32_t file,
                            const float *_Nonnull const *_Nonnull channels, uint32_t channel_count,
                            uint32_t frame_count);
typedef uint32_t (*cmodule_describe)(const void *_Nullable state, char *_Nonnull text,
                                     uint32_t capacity);
typedef void (*cmodule_shape)(const void *_Nullable state, uint32_t *_Nonnull counts);
typedef void (*cmodule_readouts)(const void *_Nullable state, float *_Nonnull values);

/// The functions that a library exports; only `process` is never NULL.
typedef struct cmodule_functions {
  cmodule_process _Nonnull process;
  cmodule_create _Nullable create;
  cmodule_destroy _Nullable destroy;
  cmodule_prepare _Nullable prepare;
  cmodule_reset _Nullable reset;
  cmodule_midi _Nullable midi;
  cmodule_latency _Nullable latency;
  cmodule_save _Nullable save;
  cmodule_restore _Nullable restore;
  cmodule_load _Nullable load;
  cmodule_readouts _Nullable readouts;
  cmodule_shape _Nullable shape;
  cmodule_describe _Nullable describe;
} cmodule_functions;

/// Looks up the functions that the library itself exports; returns 0 if `process` is missing. [main]
int cmodule_find(void *_Nonnull library, cmodule_functions *_Nonnull functions);

/// Sets the fill byte of memory that the library allocates, if the library clears its memory
/// (outboard/cleared.h). [main]
void cmodule_fill_heap(void *_Nonnull library, uint8_t byte);

/// A loaded copy of a library, with separate global variables.
typedef struct cmodule_copy {
  void *_Nullable library;
  /// Close it after the library: the loader identifies the copy by this descriptor.
  int descriptor;
} cmodule_copy;

/// Loads a copy of the library at a path; the library is NULL if there is no memory. [main]
cmodule_copy cmodule_open_copy(const char *_Nonnull path);

/// Returns whether a loaded library depends directly on another one. [main]
int cmodule_needs(void *_Nonnull library, const char *_Nonnull name);

CMODULE_SAFE static inline void cmodule_run(cmodule_process _Nonnull process, void *_Nullable state,
                                            float *_Nonnull const *_Nonnull inputs,
                                            float *_Nonnull const *_Nonnull outputs,
                                            const float *_Nonnull parameters,
                                            uint32_t frame_count) {
  process(state, (const float *const *)inputs, outputs, parameters, frame_count);
}

CMODULE_SAFE static inline void cmodule_send(cmodule_midi _Nonnull midi, void *_Nullable state,
                                             uint32_t frame, const uint8_t *_Nonnull bytes,
                                             uint32_t byte_count) {
  midi(state, frame, bytes, byte_count);
}

CMODULE_SAFE static inline void cmodule_read_out(cmodule_readouts _Nonnull readouts,
                                                 const void *_Nullable state,
                                                 float *_Nonnull values) {
  readouts(state, values);
}

/// Reads a float that another thread may write at the same time.
CMODULE_SAFE static inline float cmodule_value(const float *_Nonnull value) {
  float copy;
  __atomic_load(value, &copy, __ATOMIC_RELAXED);
  return copy;
}

/// Writes a float that another thread may read at the same time.
CMODULE_SAFE static inline void cmodule_set_value(float *_Nonnull value, float copy) {
  __atomic_store(value, &copy, __ATOMIC_RELAXED);
}
