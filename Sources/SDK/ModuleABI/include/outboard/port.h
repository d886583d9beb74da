// port.h: common parts of the porting headers. SPDX-License-Identifier: MIT
//
// Define these before the first include of a porting header:
//   #define OUTBOARD_SINGLE_INSTANCE           the code has global state and supports one instance only
//   #define OUTBOARD_LATENCY 240               the algorithm's latency in frames, if no function returns it
//   #define OUTBOARD_CLEAR(state) mute(state)  how `reset` clears a State with its own memory
//   #define OUTBOARD_RELEASE(state) end(state) how `destroy` frees memory that `init` has allocated
//
// All memory is allocated in `create`. Channels and parameters are declared in the manifest or the
// `// outboard:` comment, in the same order.
#pragma once

#include "../outboard_module.h"
#include "describe.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef OUTBOARD_LATENCY
#define OUTBOARD_LATENCY 0
#endif
#ifndef OUTBOARD_CLEAR
#define OUTBOARD_CLEAR(state) ((void)(state))
#endif
#ifndef OUTBOARD_RELEASE
#define OUTBOARD_RELEASE(state) ((void)(state))
#endif

/// Replaces an optional function that the code does not have.
#define outboard_none(...) ((void)0)

// For code that supports one instance only. Other modules may also call these in `create` and `destroy`.

#ifdef OUTBOARD_SINGLE_INSTANCE
static char outboard_is_taken;
#endif

/// Returns whether another instance may be created, and counts it. [main]
static inline int outboard_take(void) {
#ifdef OUTBOARD_SINGLE_INSTANCE
  return !__atomic_test_and_set(&outboard_is_taken, __ATOMIC_ACQUIRE);
#else
  return 1;
#endif
}

/// Removes an instance from the count. [main]
static inline void outboard_give_back(void) {
#ifdef OUTBOARD_SINGLE_INSTANCE
  __atomic_clear(&outboard_is_taken, __ATOMIC_RELEASE);
#endif
}

// The counts of a C port, for `outboard_port_counts`.

#define OUTBOARD_SHAPE(input_count, output_count, parameter_count)                                 \
  void outboard_port_counts(const void *state, uint32_t counts[3]) {                               \
    (void)state;                                                                                   \
    counts[0] = (input_count);                                                                     \
    counts[1] = (output_count);                                                                    \
    counts[2] = (parameter_count);                                                                 \
  }

// Parameters

/// Makes the next values count as changed. [render]
static inline void outboard_forget(float *last, uint32_t count) {
  for (uint32_t p = 0; p < count; p++) last[p] = NAN;
}

/// Returns whether values differ from the last ones, and stores them. [render]
static inline int outboard_has_changed(float *last, const float *now, uint32_t count) {
  if (count == 0 || memcmp(last, now, count * sizeof *last) == 0) return 0;
  memcpy(last, now, count * sizeof *last);
  return 1;
}

// Differences between C and C++: a copy of an initial value, and its memory.

#ifndef __cplusplus

#define OUTBOARD_NEW(Type) ((Type *)calloc(1, sizeof(Type)))
#define OUTBOARD_DELETE(pointer) free(pointer)
#define OUTBOARD_FRESH(Type) Type
#define OUTBOARD_KEEP(fresh, value) ((fresh) = (value))
#define OUTBOARD_PUT_BACK(value, fresh) ((value) = (fresh))
#define OUTBOARD_TRY {
#define OUTBOARD_ELSE_NULL }

#else

#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#define OUTBOARD_NEW(Type) (new (std::nothrow) Type())
#define OUTBOARD_DELETE(pointer) delete (pointer)
#define OUTBOARD_FRESH(Type) outboard::Fresh<Type>
#define OUTBOARD_KEEP(fresh, value) (fresh).keep(value)
#define OUTBOARD_PUT_BACK(value, fresh) (fresh).put_back(value)
#define OUTBOARD_TRY try {
#define OUTBOARD_ELSE_NULL                                                                         \
  }                                                                                                \
  catch (...) {                                                                                    \
    outboard_give_back();                                                                          \
    return nullptr;                                                                                \
  }

namespace outboard {

/// Calls the function that clears an effect, by any of its usual names; does nothing if there is none.
template <class Effect> auto clear(Effect &effect, int) -> decltype(effect.reset(), void()) {
  effect.reset();
}
template <class Effect> auto clear(Effect &effect, int) -> decltype(effect.Reset(), void()) {
  effect.Reset();
}
template <class Effect> auto clear(Effect &effect, int) -> decltype(effect.clear(), void()) {
  effect.clear();
}
template <class Effect> auto clear(Effect &effect, int) -> decltype(effect.mute(), void()) {
  effect.mute();
}
template <class Effect> void clear(Effect &, long) {}

/// A copy of an initial value, for `reset`.
///
/// Only trivially copyable values are copied. Others must clear themselves, because a copy could share
/// memory with the original.
template <class Value, bool = std::is_trivially_copyable<Value>::value> class Fresh {
public:
  void keep(const Value &value) { kept = value; }
  void put_back(Value &value) const { value = kept; }

private:
  Value kept{};
};
template <class Value> class Fresh<Value, false> {
public:
  void keep(const Value &) {}
  void put_back(Value &value) const { clear(value, 0); }
};

/// Writable planar buffers, for an algorithm without const pointers.
class Channels {
public:
  Channels(uint32_t channel_count, uint32_t frame_count)
      : samples(size_t(channel_count) * frame_count), rows(channel_count) {
    for (uint32_t c = 0; c < channel_count; c++) rows[c] = samples.data() + size_t(c) * frame_count;
  }
  uint32_t count() const { return uint32_t(rows.size()); }
  float **data() { return rows.data(); }
  float *operator[](uint32_t channel) { return rows[channel]; }
  void read(const float *const *inputs, uint32_t frame_count) {
    for (uint32_t c = 0; c < count(); c++) memcpy(rows[c], inputs[c], frame_count * sizeof(float));
  }
  void write(float *const *outputs, uint32_t frame_count) const {
    for (uint32_t c = 0; c < count(); c++) memcpy(outputs[c], rows[c], frame_count * sizeof(float));
  }

private:
  std::vector<float> samples;
  std::vector<float *> rows;
};

/// The default implementations of a port.
struct Port {
  void prepare(const float *) {}
  void midi(uint32_t, const uint8_t *, uint32_t) {}
  uint32_t latency() const { return OUTBOARD_LATENCY; }
  void shape(uint32_t *) const {}
  /// Describes the parameters, if the code knows more than their number.
  void describe(outboard_description &) const {}
};

/// Writes the counts of `outboard_port_counts`.
inline void set_shape(uint32_t *counts, size_t inputs, size_t outputs, size_t parameters) {
  counts[0] = uint32_t(inputs);
  counts[1] = uint32_t(outputs);
  counts[2] = uint32_t(parameters);
}

/// Writes the channels of a port, with its own names if it has any.
template <class Port> auto describe_channels(const Port &port, outboard_description &d, const uint32_t *, int)
    -> decltype(port.describe_channels(d), void()) {
  port.describe_channels(d);
}
template <class Port>
void describe_channels(const Port &, outboard_description &d, const uint32_t *counts, long) {
  d = outboard_describe_channels(d.text, d.capacity, counts[0], counts[1]);
}

/// Returns the description of a port as manifest lines; empty if the parameters are unknown.
template <class Port> uint32_t describe(const Port &port, char *text, uint32_t capacity) {
  uint32_t counts[3] = {0, 0, 0};
  port.shape(counts);
  outboard_description d = {text, capacity, 0, 0};
  describe_channels(port, d, counts, 0);
  port.describe(d);
  return d.parameter_count == counts[2] ? d.length : 0;
}

} // namespace outboard

/// The exported functions for a class with a constructor of sample rate and longest block, and with
/// `prepare`, `reset`, `process`, `midi`, `latency` and `shape`.
#define OUTBOARD_ENTRIES(Port)                                                                     \
  void *create(double sample_rate_hz, uint32_t maximum_frame_count) {                              \
    if (!outboard_take()) return nullptr;                                                          \
    OUTBOARD_TRY return new Port(sample_rate_hz, maximum_frame_count);                             \
    OUTBOARD_ELSE_NULL                                                                             \
  }                                                                                                \
  void destroy(void *state) {                                                                      \
    delete static_cast<Port *>(state);                                                             \
    outboard_give_back();                                                                          \
  }                                                                                                \
  void outboard_prepare(void *state, const float *parameters) {                                    \
    static_cast<Port *>(state)->prepare(parameters);                                               \
  }                                                                                                \
  void reset(void *state) { static_cast<Port *>(state)->reset(); }                                 \
  void process(void *state, const float *const *inputs, float *const *outputs,                     \
               const float *parameters, uint32_t frame_count) {                                    \
    static_cast<Port *>(state)->process(inputs, outputs, parameters, frame_count);                 \
  }                                                                                                \
  void midi(void *state, uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {              \
    static_cast<Port *>(state)->midi(frame, bytes, byte_count);                                    \
  }                                                                                                \
  uint32_t latency(const void *state) { return static_cast<const Port *>(state)->latency(); }       \
  void outboard_port_counts(const void *state, uint32_t counts[3]) {                               \
    static_cast<const Port *>(state)->shape(counts);                                               \
  }                                                                                                \
  uint32_t outboard_describe(const void *state, char *text, uint32_t capacity) {                   \
    return outboard::describe(*static_cast<const Port *>(state), text, capacity);                  \
  }

#endif
