// shim.h: what of ALSA cannot be said in Swift. SPDX-License-Identifier: MIT
//
// The functions for the audio thread are here because only a declaration with `CALSA_SAFE` may be
// called under `@_noLocks`. For a `hw:` device that is the truth: alsa-lib touches mapped memory or
// makes one ioctl. A plug-in of alsa-lib may lock or allocate; who chooses one accepts that. It may
// also never come back, hence the watch on each call: but for those of every period that for a `hw:`
// device look at mapped memory alone, where the caller says so.
#pragma once

#include <alsa/asoundlib.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "../CRealtime/include/crealtime.h"

/// Tells the Swift compiler that the function neither locks nor allocates.
#define CALSA_SAFE __attribute__((swift_attr("@_noLocks"))) static inline

/// Returns what a call on behalf of `pcm` returns, where the thread is not cut off in it.
#define CALSA_WATCHED(type, call) \
  do {                            \
    crealtime_call_begin(pcm);    \
    type result = (type)(call);   \
    crealtime_call_end();         \
    return result;                \
  } while (0)

// MARK: - Set-up

/// A handler that says nothing; variadic, hence not Swift.
static inline void calsa_ignore_message(const char *_Nonnull file, int line,
                                        const char *_Nonnull function, int error,
                                        const char *_Nonnull format, ...) {
  (void)file, (void)line, (void)function, (void)error, (void)format;
}

/// Keeps alsa-lib from writing to standard error; every error comes back as a code as well. [main]
static inline void calsa_silence_messages(void) {
  snd_lib_error_set_handler(calsa_ignore_message);
}

/// alsa-lib's configuration, a global variable of its own. [main]
static inline snd_config_t *_Nullable calsa_configuration(void) { return snd_config; }

// MARK: - State

/// The state as a number, `SND_PCM_STATE_...`. [render]
CALSA_SAFE int calsa_state(snd_pcm_t *_Nonnull pcm) {
  CALSA_WATCHED(int, (int)snd_pcm_state(pcm));
}

/// Frames that can be read or written, or a negative errno value. A device that was unplugged or
/// suspended does not show here. [render]
CALSA_SAFE long calsa_available(snd_pcm_t *_Nonnull pcm, bool is_watched) {
  if (!is_watched) return snd_pcm_avail_update(pcm);
  CALSA_WATCHED(long, snd_pcm_avail_update(pcm));
}

/// The same by what the kernel noted last, of itself or when it was asked, and when that was, in
/// nanoseconds of CLOCK_MONOTONIC; 0 where it notes no times. For a `hw:` device alone. [render]
CALSA_SAFE long calsa_available_noted(snd_pcm_t *_Nonnull pcm, uint64_t *_Nonnull nanoseconds) {
  snd_pcm_uframes_t available = 0;
  snd_htimestamp_t time = {0};
  int status = snd_pcm_htimestamp(pcm, &available, &time);
  *nanoseconds = status < 0 ? 0 : (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
  return status < 0 ? status : (long)available;
}

/// The same, after the device was asked where it is: one call of the kernel. [render]
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

/// poll(2); a negative errno value on failure, 0 after the time-out. An interruption is a wake-up like
/// any other.
CALSA_SAFE int calsa_poll(struct pollfd *_Nonnull descriptors, uint32_t count, int milliseconds) {
  int ready = poll(descriptors, count, milliseconds);
  return ready >= 0 ? ready : errno == EINTR ? 1 : -errno;
}

/// What the descriptors of `pcm` mean, as plug-ins must translate (and clear) them; or -1.
CALSA_SAFE int calsa_poll_events(snd_pcm_t *_Nonnull pcm, struct pollfd *_Nonnull descriptors,
                                 uint32_t count) {
  unsigned short events = 0;
  CALSA_WATCHED(int, snd_pcm_poll_descriptors_revents(pcm, descriptors, count, &events) < 0
                         ? -1
                         : events);
}

// MARK: - Moving frames

/// The memory of one channel: its first sample and the distance to the next, in bytes.
typedef struct calsa_channel {
  uint8_t *_Nonnull first;
  uint32_t stride;
} calsa_channel;

/// Part of a memory-mapped buffer, from `calsa_begin`; where the status is not 0, nothing else is set.
typedef struct calsa_window {
  int status;
  uint32_t offset;
  uint32_t frames;
  const snd_pcm_channel_area_t *_Nullable areas;
} calsa_window;

/// Opens up to `frames` frames for reading or writing; the status is 0 or a negative errno value.
/// [render]
CALSA_SAFE calsa_window calsa_begin(snd_pcm_t *_Nonnull pcm, uint32_t frames, bool is_watched) {
  const snd_pcm_channel_area_t *areas;
  snd_pcm_uframes_t offset, count = frames;
  if (is_watched) crealtime_call_begin(pcm);
  int status = snd_pcm_mmap_begin(pcm, &areas, &offset, &count);
  if (is_watched) crealtime_call_end();
  if (status < 0) return (calsa_window){.status = status};
  return (calsa_window){0, (uint32_t)offset, (uint32_t)count, areas};
}

/// Hands the frames over; how many were taken, or a negative errno value. [render]
CALSA_SAFE long calsa_commit(snd_pcm_t *_Nonnull pcm, calsa_window window, bool is_watched) {
  if (!is_watched) return snd_pcm_mmap_commit(pcm, window.offset, window.frames);
  CALSA_WATCHED(long, snd_pcm_mmap_commit(pcm, window.offset, window.frames));
}

/// Where a channel lies in the whole buffer of which a window is a part. ALSA counts in bits. [render]
CALSA_SAFE calsa_channel calsa_channel_of(calsa_window window, uint32_t channel) {
  const snd_pcm_channel_area_t *area = window.areas + channel;
  uint8_t *base = area->addr;
  return (calsa_channel){base + area->first / 8, area->step / 8};
}

/// Frames moved through interleaved memory, or a negative errno value. [render]
CALSA_SAFE long calsa_read(snd_pcm_t *_Nonnull pcm, void *_Nonnull frames, uint32_t count) {
  CALSA_WATCHED(long, snd_pcm_readi(pcm, frames, count));
}

CALSA_SAFE long calsa_write(snd_pcm_t *_Nonnull pcm, const void *_Nonnull frames, uint32_t count) {
  CALSA_WATCHED(long, snd_pcm_writei(pcm, frames, count));
}

/// The same through one row for each channel. [render]
CALSA_SAFE long calsa_read_rows(snd_pcm_t *_Nonnull pcm, void *_Nonnull *_Nonnull rows,
                                uint32_t count) {
  CALSA_WATCHED(long, snd_pcm_readn(pcm, rows, count));
}

CALSA_SAFE long calsa_write_rows(snd_pcm_t *_Nonnull pcm, void *_Nonnull *_Nonnull rows,
                                 uint32_t count) {
  CALSA_WATCHED(long, snd_pcm_writen(pcm, rows, count));
}
