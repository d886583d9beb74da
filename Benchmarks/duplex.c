// duplex.c: a minimal full-duplex ALSA program, for comparison.
// SPDX-License-Identifier: MIT
//
//   duplex CAPTURE PLAYBACK PERIOD PERIODS SECONDS [LOAD [FORMAT CHANNELS]]
//
// Two linked streams in mmap access, S16_LE, stereo, 48 kHz, SCHED_FIFO. Each period it copies the captured
// frames to the playback buffer. Then it spins for LOAD percent of the period, in place of rendering. It does
// no conversion, no measurement and no recovery except a restart. It prints one line: periods, xruns, and the
// measured frames per second. The exit status is 1 after an xrun, and 2 if the card does not support the
// settings.
//
//   cc -O2 -o duplex duplex.c -lasound
#include <alsa/asoundlib.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { rate_hz = 48000 };

static snd_pcm_uframes_t period_frames;
static unsigned int period_count;
static snd_pcm_uframes_t buffer_frames;
static snd_pcm_format_t format = SND_PCM_FORMAT_S16_LE;
static unsigned int channels = 2;

static void check(int status, const char *what) {
  if (status >= 0) return;
  fprintf(stderr, "duplex: %s: %s\n", what, snd_strerror(status));
  exit(2);
}

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static snd_pcm_t *open_stream(const char *device, snd_pcm_stream_t direction) {
  snd_pcm_t *pcm;
  check(snd_pcm_open(&pcm, device, direction, SND_PCM_NONBLOCK), device);
  snd_pcm_hw_params_t *hardware;
  snd_pcm_hw_params_alloca(&hardware);
  snd_pcm_hw_params_any(pcm, hardware);
  check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_MMAP_INTERLEAVED), "mmap");
  check(snd_pcm_hw_params_set_format(pcm, hardware, format), "format");
  check(snd_pcm_hw_params_set_channels(pcm, hardware, channels), "channels");
  check(snd_pcm_hw_params_set_rate(pcm, hardware, rate_hz, 0), "rate");
  check(snd_pcm_hw_params_set_period_size(pcm, hardware, period_frames, 0), "period");
  check(snd_pcm_hw_params_set_buffer_size(pcm, hardware, buffer_frames), "buffer");
  check(snd_pcm_hw_params(pcm, hardware), "hw_params");
  snd_pcm_sw_params_t *software;
  snd_pcm_sw_params_alloca(&software);
  check(snd_pcm_sw_params_current(pcm, software), "sw_params");
  check(snd_pcm_sw_params_set_avail_min(pcm, software, period_frames), "avail_min");
  check(snd_pcm_sw_params_set_start_threshold(pcm, software, INT32_MAX), "start_threshold");
  check(snd_pcm_sw_params(pcm, software), "sw_params");
  return pcm;
}

// Moves `frames` frames from the capture buffer to playback, or zeros if there is no capture.
static int move(snd_pcm_t *capture, snd_pcm_t *playback, snd_pcm_uframes_t frames) {
  while (frames > 0) {
    const snd_pcm_channel_area_t *from = NULL, *to;
    snd_pcm_uframes_t from_offset = 0, to_offset, count = frames;
    int status = snd_pcm_mmap_begin(playback, &to, &to_offset, &count);
    if (status < 0) return status;
    if (capture) {
      status = snd_pcm_mmap_begin(capture, &from, &from_offset, &count);
      if (status < 0) return status;
    }
    if (count == 0) return -EPIPE;
    size_t frame_bytes = channels * (size_t)snd_pcm_format_physical_width(format) / 8;
    char *target = (char *)to[0].addr + to_offset * frame_bytes;
    if (capture)
      memcpy(target, (char *)from[0].addr + from_offset * frame_bytes, count * frame_bytes);
    else
      memset(target, 0, count * frame_bytes);
    snd_pcm_sframes_t done = snd_pcm_mmap_commit(playback, to_offset, count);
    if (done < 0) return (int)done;
    if (capture) done = snd_pcm_mmap_commit(capture, from_offset, count);
    if (done < 0) return (int)done;
    frames -= count;
  }
  return 0;
}

static int start(snd_pcm_t *capture, snd_pcm_t *playback) {
  snd_pcm_drop(capture);
  int status = snd_pcm_prepare(capture);
  if (status >= 0) status = move(NULL, playback, buffer_frames);
  if (status >= 0) status = snd_pcm_start(capture);
  return status;
}

// Waits until both streams have a period. Returns a negative errno value if one of them has stopped.
static int await(snd_pcm_t *capture, snd_pcm_t *playback) {
  snd_pcm_t *pcms[2] = {capture, playback};
  for (int index = 0; index < 2; index++) {
    while (1) {
      snd_pcm_sframes_t frames = snd_pcm_avail_update(pcms[index]);
      if (frames < 0) return (int)frames;
      if (snd_pcm_state(pcms[index]) != SND_PCM_STATE_RUNNING) return -EPIPE;
      if ((snd_pcm_uframes_t)frames >= period_frames) break;
      struct pollfd descriptor;
      snd_pcm_poll_descriptors(pcms[index], &descriptor, 1);
      if (poll(&descriptor, 1, 2000) == 0) return -ETIMEDOUT;
    }
  }
  return 0;
}

int main(int argument_count, char **arguments) {
  if (argument_count < 6) {
    fprintf(stderr, "Usage: duplex CAPTURE PLAYBACK PERIOD PERIODS SECONDS [LOAD [FORMAT CHANNELS]]\n");
    return 2;
  }
  period_frames = strtoul(arguments[3], NULL, 10);
  period_count = (unsigned int)atoi(arguments[4]);
  double seconds = atof(arguments[5]);
  double load = argument_count > 6 ? atof(arguments[6]) / 100 : 0;
  if (argument_count > 8) {
    format = snd_pcm_format_value(arguments[7]);
    channels = (unsigned int)atoi(arguments[8]);
  }
  buffer_frames = period_frames * period_count;
  snd_pcm_t *capture = open_stream(arguments[1], SND_PCM_STREAM_CAPTURE);
  snd_pcm_t *playback = open_stream(arguments[2], SND_PCM_STREAM_PLAYBACK);
  check(snd_pcm_link(capture, playback), "link");
  mlockall(MCL_CURRENT | MCL_FUTURE);
  struct sched_param priority = {.sched_priority = 70};
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) != 0)
    fprintf(stderr, "duplex: no real-time scheduling\n");

  long periods = 0, xruns = 0;
  double period_ns = 1e9 * (double)period_frames / rate_hz;
  check(start(capture, playback), "start");
  int64_t began = nanoseconds(), end = began + (int64_t)(seconds * 1e9);
  while (nanoseconds() < end) {
    int status = await(capture, playback);
    if (status >= 0) {
      int64_t busy = nanoseconds() + (int64_t)(load * period_ns);
      while (load > 0 && nanoseconds() < busy) {}
      status = move(capture, playback, period_frames);
    }
    if (status >= 0) {
      periods++;
      continue;
    }
    xruns++;
    check(start(capture, playback), "start");
  }
  double elapsed = (double)(nanoseconds() - began) / 1e9;
  printf("%lu x %u: %ld periods, %ld xruns, %.0f frames/s\n", period_frames, period_count, periods,
         xruns, (double)periods * (double)period_frames / elapsed);
  return xruns > 0 ? 1 : 0;
}
