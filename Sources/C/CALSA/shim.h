// shim.h: the parts of ALSA that Swift cannot express. SPDX-License-Identifier: MIT
//
// Only a declaration with `CALSA_SAFE` may be called under `@_noLocks`, hence the functions for the audio
// thread are here. For a `hw:` device the attribute is true: alsa-lib accesses mapped memory or makes one
// ioctl. An alsa-lib plugin may lock or allocate, which its user accepts. It may also hang, so each call is
// watched, except calls in every period that only read mapped memory of a `hw:` device.
#pragma once

#include <alsa/asoundlib.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "../CRealtime/include/crealtime.h"

/// Declares to the Swift compiler that a function neither locks nor allocates.
#define CALSA_SAFE __attribute__((swift_attr("@_noLocks"))) static inline

/// Returns the result of a watched call for `pcm`, unless the thread is abandoned in it.
#define CALSA_WATCHED(type, call) \
  do {                            \
    crealtime_call_begin(pcm);    \
    type result = (type)(call);   \
    crealtime_call_end();         \
    return result;                \
  } while (0)

// MARK: - Setup

/// An error handler that prints nothing; variadic, hence not Swift.
static inline void calsa_ignore_message(const char *_Nonnull file, int line,
                                        const char *_Nonnull function, int error,
                                        const char *_Nonnull format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

/// Keeps alsa-lib from writing to standard error. Every error is also returned as a code. [main]
static inline void calsa_silence_messages(void) {
  snd_lib_error_set_handler(calsa_ignore_message);
}

/// Returns alsa-lib's global configuration. [main]
static inline snd_config_t *_Nullable calsa_configuration(void) { return snd_config; }

// MARK: - State

/// Returns the state, `SND_PCM_STATE_...`. [render]
CALSA_SAFE int calsa_state(snd_pcm_t *_Nonnull pcm) {
  CALSA_WATCHED(int, (int)snd_pcm_state(pcm));
}

/// Returns the number of frames that can be read or written, or a negative errno value. The result does not
/// show that a device was unplugged or suspended. [render]
CALSA_SAFE long calsa_available(snd_pcm_t *_Nonnull pcm, bool is_watched) {
  if (!is_watched) return snd_pcm_avail_update(pcm);
  CALSA_WATCHED(long, snd_pcm_avail_update(pcm));
}

/// Returns the number of frames by the position that the kernel last recorded, and the time of that record in
/// nanoseconds of CLOCK_MONOTONIC; 0 if the kernel records no times. Only for a `hw:` device. [render]
CALSA_SAFE long calsa_available_noted(snd_pcm_t *_Nonnull pcm, uint64_t *_Nonnull nanoseconds) {
  snd_pcm_uframes_t available = 0;
  snd_htimestamp_t time = {0};
  int status = snd_pcm_htimestamp(pcm, &available, &time);
  *nanoseconds = status < 0 ? 0 : (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
  return status < 0 ? status : (long)available;
}

/// Returns the number of frames after the kernel has read the device position: one system call. [render]
CALSA_SAFE long calsa_available_now(snd_pcm_t *_Nonnull pcm) {
  CALSA_WATCHED(long, snd_pcm_avail(pcm));
}

CALSA_SAFE int calsa_prepare(snd_pcm_t *_Nonnull pcm) {
  CALSA_WATCHED(int, snd_pcm_prepare(pcm));
}

CALSA_SAFE int calsa_start(snd_pcm_t *_Nonnull pcm) {
  CALSA_WATCHED(int, snd_pcm_start(pcm));
}

CALSA_SAFE int calsa_drop(snd_pcm_t *_Nonnull pcm) {
  CALSA_WATCHED(int, snd_pcm_drop(pcm));
}

CALSA_SAFE int calsa_resume(snd_pcm_t *_Nonnull pcm) {
  CALSA_WATCHED(int, snd_pcm_resume(pcm));
}

CALSA_SAFE int calsa_link(snd_pcm_t *_Nonnull pcm, snd_pcm_t *_Nonnull other) {
  CALSA_WATCHED(int, snd_pcm_link(pcm, other));
}

CALSA_SAFE int calsa_unlink(snd_pcm_t *_Nonnull pcm) {
  CALSA_WATCHED(int, snd_pcm_unlink(pcm));
}

// MARK: - Waiting

/// Calls poll(2). Returns a negative errno value on failure, 0 after the timeout. A signal counts as a
/// wake-up.
CALSA_SAFE int calsa_poll(struct pollfd *_Nonnull descriptors, uint32_t count, int milliseconds) {
  int ready = poll(descriptors, count, milliseconds);
  return ready >= 0 ? ready : errno == EINTR ? 1 : -errno;
}

/// Translates and clears the events of the descriptors of `pcm`, as alsa-lib plugins require; returns -1 on
/// failure.
CALSA_SAFE int calsa_poll_events(snd_pcm_t *_Nonnull pcm, struct pollfd *_Nonnull descriptors,
                                 uint32_t count) {
  unsigned short events = 0;
  CALSA_WATCHED(int, snd_pcm_poll_descriptors_revents(pcm, descriptors, count, &events) < 0
                         ? -1
                         : events);
}

// MARK: - Transferring frames

/// The memory of one channel: its first sample, and the distance between samples in bytes.
typedef struct calsa_channel {
  uint8_t *_Nonnull first;
  uint32_t stride;
} calsa_channel;

/// A part of a memory-mapped buffer, from `calsa_begin`. If the status is not 0, the other fields are not
/// set.
typedef struct calsa_window {
  int status;
  uint32_t offset;
  uint32_t frames;
  const snd_pcm_channel_area_t *_Nullable areas;
} calsa_window;

/// Begins access to up to `frames` frames. The status is 0 or a negative errno value. [render]
CALSA_SAFE calsa_window calsa_begin(snd_pcm_t *_Nonnull pcm, uint32_t frames, bool is_watched) {
  const snd_pcm_channel_area_t *areas;
  snd_pcm_uframes_t offset, count = frames;
  if (is_watched) crealtime_call_begin(pcm);
  int status = snd_pcm_mmap_begin(pcm, &areas, &offset, &count);
  if (is_watched) crealtime_call_end();
  if (status < 0) return (calsa_window){.status = status};
  return (calsa_window){0, (uint32_t)offset, (uint32_t)count, areas};
}

/// Commits the frames. Returns how many were accepted, or a negative errno value. [render]
CALSA_SAFE long calsa_commit(snd_pcm_t *_Nonnull pcm, calsa_window window, bool is_watched) {
  if (!is_watched) return snd_pcm_mmap_commit(pcm, window.offset, window.frames);
  CALSA_WATCHED(long, snd_pcm_mmap_commit(pcm, window.offset, window.frames));
}

/// Returns the memory of a channel in the whole buffer of a window. ALSA counts in bits. [render]
CALSA_SAFE calsa_channel calsa_channel_of(calsa_window window, uint32_t channel) {
  const snd_pcm_channel_area_t *area = window.areas + channel;
  uint8_t *base = area->addr;
  return (calsa_channel){base + area->first / 8, area->step / 8};
}

/// Transfers interleaved frames. Returns the number of frames, or a negative errno value. [render]
CALSA_SAFE long calsa_read(snd_pcm_t *_Nonnull pcm, void *_Nonnull frames, uint32_t count) {
  CALSA_WATCHED(long, snd_pcm_readi(pcm, frames, count));
}

CALSA_SAFE long calsa_write(snd_pcm_t *_Nonnull pcm, const void *_Nonnull frames, uint32_t count) {
  CALSA_WATCHED(long, snd_pcm_writei(pcm, frames, count));
}

/// Transfers planar frames, one buffer for each channel. Returns the number of frames, or a negative errno
/// value. [render]
CALSA_SAFE long calsa_read_rows(snd_pcm_t *_Nonnull pcm, void *_Nonnull *_Nonnull rows,
                                uint32_t count) {
  CALSA_WATCHED(long, snd_pcm_readn(pcm, rows, count));
}

CALSA_SAFE long calsa_write_rows(snd_pcm_t *_Nonnull pcm, void *_Nonnull *_Nonnull rows,
                                 uint32_t count) {
  CALSA_WATCHED(long, snd_pcm_writen(pcm, rows, count));
}
