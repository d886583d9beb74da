// port.h: what the adapters of the porting kit have in common. SPDX-License-Identifier: MIT
//
// These may be declared above the first include of an adapter:
//   #define OUTBOARD_SINGLE_INSTANCE           the code has global state, so only one instance may exist
//   #define OUTBOARD_LATENCY 240               the algorithm's delay in frames, where no call tells it
//   #define OUTBOARD_CLEAR(state) mute(state)  how `reset` silences a State with memory of its own
//   #define OUTBOARD_RELEASE(state) end(state) how `destroy` frees what `init` took for it
//
// An adapter takes all memory in `create`. What it is told about channels and parameters is what the
// module's manifest or `// outboard:` comment says, in the same order.
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

/// Stands where an adapter asks for a function that the code does not have.
#define outboard_none(...) ((void)0)

// Code that can exist once. Modules without an adapter may call these two in `create` and `destroy`.

#ifdef OUTBOARD_SINGLE_INSTANCE
static char outboard_is_taken;
#endif

/// Whether one more instance may be made; it counts as made from here on. [main]
static inline int outboard_take(void) {
#ifdef OUTBOARD_SINGLE_INSTANCE
  return !__atomic_test_and_set(&outboard_is_taken, __ATOMIC_ACQUIRE);
#else
  return 1;
#endif
}

/// Says that an instance is gone. [main]
static inline void outboard_give_back(void) {
#ifdef OUTBOARD_SINGLE_INSTANCE
  __atomic_clear(&outboard_is_taken, __ATOMIC_RELEASE);
#endif
}

// The counts of a port in C, for `outboard_shape`.

#define OUTBOARD_SHAPE(input_count, output_count, parameter_count)                                 \
  void outboard_shape(const void *state, uint32_t counts[3]) {                                     \
    (void)state;                                                                                   \
    counts[0] = (input_count);                                                                     \
    counts[1] = (output_count);                                                                    \
    counts[2] = (parameter_count);                                                                 \
  }

// Parameters

/// Has the next values count as new ones, whatever they are. [render]
static inline void outboard_forget(float *last, uint32_t count) {
  for (uint32_t p = 0; p < count; p++) last[p] = NAN;
}

/// Whether values differ from those last seen; the new ones are then the last seen. [render]
static inline int outboard_has_changed(float *last, const float *now, uint32_t count) {
  if (count == 0 || memcmp(last, now, count * sizeof *last) == 0) return 0;
  memcpy(last, now, count * sizeof *last);
  return 1;
}

// What C and C++ do differently: a value as it was when it was made, and memory for one.

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

/// Calls the function that clears an effect, by any of its usual names; does nothing where it has none.
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

/// A value as it was when it was made, kept for `reset`.
///
/// Only what is plain memory is copied; other values are asked to clear themselves, since a copy may
/// share what they point to.
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

/// Planar memory whose samples may be written to, where an algorithm is not content with const.
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

/// What a port does where it has nothing of its own to do.
struct Port {
  void midi(uint32_t, const uint8_t *, uint32_t) {}
  uint32_t latency() const { return OUTBOARD_LATENCY; }
  void shape(uint32_t *) const {}
  /// Tells of the parameters, where the code says more of them than how many there are.
  void describe(outboard_description &) const {}
};

/// Notes the counts of `outboard_shape`.
inline void set_shape(uint32_t *counts, size_t inputs, size_t outputs, size_t parameters) {
  counts[0] = uint32_t(inputs);
  counts[1] = uint32_t(outputs);
  counts[2] = uint32_t(parameters);
}

/// What a port says of itself, in the words of a manifest; nothing where it knows nothing of its parameters.
template <class Port> uint32_t describe(const Port &port, char *text, uint32_t capacity) {
  uint32_t counts[3] = {0, 0, 0};
  port.shape(counts);
  outboard_description d = outboard_describe_channels(text, capacity, counts[0], counts[1]);
  port.describe(d);
  return d.parameter_count == counts[2] ? d.length : 0;
}

} // namespace outboard

/// The functions of the contract, for a class with a constructor of rate and longest block, and with
/// `reset`, `process`, `midi`, `latency` and `shape`.
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
  void reset(void *state) { static_cast<Port *>(state)->reset(); }                                 \
  void process(void *state, const float *const *inputs, float *const *outputs,                     \
               const float *parameters, uint32_t frame_count) {                                    \
    static_cast<Port *>(state)->process(inputs, outputs, parameters, frame_count);                 \
  }                                                                                                \
  void midi(void *state, uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {              \
    static_cast<Port *>(state)->midi(frame, bytes, byte_count);                                    \
  }                                                                                                \
  uint32_t latency(const void *state) { return static_cast<const Port *>(state)->latency(); }       \
  void outboard_shape(const void *state, uint32_t counts[3]) {                                     \
    static_cast<const Port *>(state)->shape(counts);                                               \
  }                                                                                                \
  uint32_t outboard_describe(const void *state, char *text, uint32_t capacity) {                   \
    return outboard::describe(*static_cast<const Port *>(state), text, capacity);                  \
  }

#endif
