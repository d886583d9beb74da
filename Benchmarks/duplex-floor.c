// duplex-floor.c: the lower bound for a driver: a full-duplex copy loop on one card. SPDX-License-Identifier: MIT
//
//   duplex-floor DEVICE PERIOD-FRAMES PERIODS-TO-RUN
//
// Memory-mapped, linked, S32, stereo, 48 kHz, three periods of buffer. It does only what no such loop may omit:
// it checks every result, polls the descriptors as ALSA's manual describes, handles the end of the ring buffer,
// closes a device that stays silent for a second, counts xruns, restarts after them, and measures their duration.
// It has no thread, no way to stop it, no plugins, no single direction, no handling of suspended or lost cards,
// no measurement of the rate, and a fixed sample layout.
#include <alsa/asoundlib.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(call)                                              \
  ({                                                             \
    long status = (call);                                        \
    if (status < 0) {                                            \
      fprintf(stderr, #call ": %s\n", snd_strerror((int)status)); \
      exit(1);                                                   \
    }                                                            \
    status;                                                      \
  })

static snd_pcm_t *open_side(const char *device, snd_pcm_stream_t direction, snd_pcm_uframes_t period) {
  snd_pcm_t *pcm;
  snd_pcm_hw_params_t *hardware;
  snd_pcm_sw_params_t *software;
  snd_pcm_uframes_t boundary;
  CHECK(snd_pcm_open(&pcm, device, direction, SND_PCM_NONBLOCK));
  snd_pcm_hw_params_alloca(&hardware);
  snd_pcm_sw_params_alloca(&software);
  CHECK(snd_pcm_hw_params_any(pcm, hardware));
  CHECK(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_MMAP_INTERLEAVED));
  CHECK(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S32_LE));
  CHECK(snd_pcm_hw_params_set_channels(pcm, hardware, 2));
  CHECK(snd_pcm_hw_params_set_rate(pcm, hardware, 48000, 0));
  CHECK(snd_pcm_hw_params_set_period_size(pcm, hardware, period, 0));
  CHECK(snd_pcm_hw_params_set_buffer_size(pcm, hardware, 3 * period));
  CHECK(snd_pcm_hw_params(pcm, hardware));
  CHECK(snd_pcm_sw_params_current(pcm, software));
  CHECK(snd_pcm_sw_params_get_boundary(software, &boundary));
  CHECK(snd_pcm_sw_params_set_start_threshold(pcm, software, boundary));
  CHECK(snd_pcm_sw_params_set_avail_min(pcm, software, period));
  CHECK(snd_pcm_sw_params(pcm, software));
  return pcm;
}

static int32_t *frames_of(const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset) {
  return (int32_t *)areas[0].addr + offset * 2;
}

/// Copies samples in place of a driver's conversions. Its instructions are counted separately.
__attribute__((noinline)) static void carry(int32_t *to, const int32_t *from, snd_pcm_uframes_t count) {
  for (snd_pcm_uframes_t i = 0; i < 2 * count; i++) to[i] = from[i];
}

/// Returns 0 or a negative errno value.
__attribute__((noinline)) static int move_period(snd_pcm_t *in, snd_pcm_t *out, snd_pcm_uframes_t period) {
  for (snd_pcm_uframes_t left = period; left > 0;) {
    const snd_pcm_channel_area_t *from, *to;
    snd_pcm_uframes_t from_offset, to_offset, count = left, room = left;
    int status = snd_pcm_mmap_begin(in, &from, &from_offset, &count);
    if (status < 0) return status;
    status = snd_pcm_mmap_begin(out, &to, &to_offset, &room);
    if (status < 0) return status;
    if (room < count) count = room;
    if (count == 0) return -EPIPE;
    carry(frames_of(to, to_offset), frames_of(from, from_offset), count);
    snd_pcm_sframes_t moved = snd_pcm_mmap_commit(in, from_offset, count);
    if (moved != (snd_pcm_sframes_t)count) return moved < 0 ? (int)moved : -EPIPE;
    moved = snd_pcm_mmap_commit(out, to_offset, count);
    if (moved != (snd_pcm_sframes_t)count) return moved < 0 ? (int)moved : -EPIPE;
    left -= count;
  }
  return 0;
}

/// Starts both streams, which are linked, with a buffer of silence.
static void start(snd_pcm_t *in, snd_pcm_t *out, snd_pcm_uframes_t period) {
  snd_pcm_drop(in);
  CHECK(snd_pcm_prepare(in));
  for (snd_pcm_uframes_t left = 3 * period; left > 0;) {
    const snd_pcm_channel_area_t *areas;
    snd_pcm_uframes_t offset, room = left;
    CHECK(snd_pcm_avail_update(out));
    CHECK(snd_pcm_mmap_begin(out, &areas, &offset, &room));
    snd_pcm_areas_silence(areas, offset, 2, room, SND_PCM_FORMAT_S32_LE);
    left -= (snd_pcm_uframes_t)CHECK(snd_pcm_mmap_commit(out, offset, room));
  }
  CHECK(snd_pcm_start(in));
}

/// Returns 1 if a period was moved, 0 if none was ready, or a negative errno value.
static int advance(snd_pcm_t *in, snd_pcm_t *out, struct pollfd descriptors[2],
                   snd_pcm_uframes_t period) {
  int ready = poll(descriptors, 2, 1000);
  if (ready <= 0) return ready == 0 ? -ETIMEDOUT : errno == EINTR ? 0 : -errno;
  unsigned short in_events, out_events;
  int status = snd_pcm_poll_descriptors_revents(in, &descriptors[0], 1, &in_events);
  if (status < 0) return status;
  status = snd_pcm_poll_descriptors_revents(out, &descriptors[1], 1, &out_events);
  if (status < 0) return status;
  if ((in_events | out_events) & POLLERR) return -EPIPE;
  snd_pcm_sframes_t frames = snd_pcm_avail_update(in);
  if (frames < (snd_pcm_sframes_t)period) return frames < 0 ? (int)frames : 0;
  frames = snd_pcm_avail_update(out);
  if (frames < (snd_pcm_sframes_t)period) return frames < 0 ? (int)frames : 0;
  status = move_period(in, out, period);
  return status < 0 ? status : 1;
}

int main(int count, char **words) {
  if (count != 4) return 2;
  snd_pcm_uframes_t period = (snd_pcm_uframes_t)atol(words[2]);
  long periods = atol(words[3]), xruns = 0;
  double lost = 0;
  snd_pcm_t *in = open_side(words[1], SND_PCM_STREAM_CAPTURE, period);
  snd_pcm_t *out = open_side(words[1], SND_PCM_STREAM_PLAYBACK, period);
  CHECK(snd_pcm_link(in, out));
  start(in, out, period);
  struct pollfd descriptors[2];
  CHECK(snd_pcm_poll_descriptors(in, &descriptors[0], 1));
  CHECK(snd_pcm_poll_descriptors(out, &descriptors[1], 1));
  struct timespec progress, now;
  clock_gettime(CLOCK_MONOTONIC, &progress);
  while (periods > 0) {
    int status = advance(in, out, descriptors, period);
    if (status > 0) {
      clock_gettime(CLOCK_MONOTONIC, &progress);
      periods--;
    } else if (status == -EPIPE) {
      start(in, out, period);
      clock_gettime(CLOCK_MONOTONIC, &now);
      lost += (double)(now.tv_sec - progress.tv_sec) + 1e-9 * (double)(now.tv_nsec - progress.tv_nsec);
      xruns++;
    } else {
      CHECK(status);
    }
  }
  printf("%ld xruns, %.3f s lost\n", xruns, lost);
  snd_pcm_close(in);
  snd_pcm_close(out);
  return 0;
}
