// stream.c: an open stream as the kernel implements it: states, positions, interrupts. SPDX-License-Identifier: MIT
#include "scripted.h"

static snd_pcm_state_t state_of(const struct stream *stream) { return stream->status->state; }

void stream_set_state(struct stream *stream, snd_pcm_state_t state) {
  if (stream->status) stream->status->state = state;
}

// MARK: - Positions

static int64_t rate_micro(const struct card *card, unsigned rate) {
  return (int64_t)rate * (1000000 + card->ppm);
}

int64_t frames_at(const struct card *card, unsigned rate, moment when) {
  __int128 product = (__int128)(when - 1000 * SECOND) * rate_micro(card, rate);
  return (int64_t)(product / 1000000000000000);
}

static unsigned pace(const struct stream *stream) {
  return stream->card->forced_rate ? stream->card->forced_rate : stream->rate;
}

/// Frames since `prepare` that the converter has processed at a time.
static int64_t moved_at(const struct stream *stream, moment when) {
  __int128 product = (__int128)(when - stream->since) * rate_micro(stream->card, pace(stream));
  return stream->moved_since + (int64_t)(product / 1000000000000000);
}

static moment when_moved(const struct stream *stream, int64_t frames) {
  int64_t rate = rate_micro(stream->card, pace(stream));
  __int128 product = (__int128)(frames - stream->moved_since) * 1000000000000000;
  return stream->since + (moment)((product + rate - 1) / rate);
}

static bool is_moving(const struct stream *stream) {
  return stream->fd >= 0 && !stream->is_gone && !stream->is_frozen &&
         (state_of(stream) == SNDRV_PCM_STATE_RUNNING ||
          state_of(stream) == SNDRV_PCM_STATE_DRAINING);
}

void stream_rebase(struct stream *stream) {
  stream->since = now;
  stream->moved_since = stream->moved;
  // The next frame is always the current one. The length of a stop does not matter.
  stream->first = frames_at(stream->card, stream->rate, now) - stream->moved;
}

/// The capacity of capture in frames since `prepare`, one less than the buffer if unread frames are
/// kept elsewhere.
static int64_t limit_of(const struct stream *stream) {
  if (stream->direction == PLAYBACK || !stream->card->keeps) return INT64_MAX;
  return (int64_t)(stream->control->appl_ptr + stream->buffer) - 1;
}

void stream_move(struct stream *stream) {
  if (!is_moving(stream)) return;
  int64_t end = moved_at(stream, now), limit = limit_of(stream);
  if (end > limit) end = limit;
  for (int64_t frame = stream->moved; frame < end; frame++) {
    if (stream->direction == PLAYBACK)
      play_frame(stream, frame % (int64_t)stream->buffer, stream->first + frame);
    else
      record_frame(stream, frame % (int64_t)stream->buffer, stream->first + frame);
  }
  if (end > stream->moved) stream->moved = end;
}

static snd_pcm_uframes_t available(const struct stream *stream) {
  snd_pcm_sframes_t hardware = (snd_pcm_sframes_t)stream->status->hw_ptr;
  snd_pcm_sframes_t program = (snd_pcm_sframes_t)stream->control->appl_ptr;
  snd_pcm_sframes_t boundary = (snd_pcm_sframes_t)stream->software.boundary;
  snd_pcm_sframes_t count = hardware - program;
  if (stream->direction == PLAYBACK) count += (snd_pcm_sframes_t)stream->buffer;
  if (count < 0) count += boundary;
  else if (count >= boundary) count -= boundary;
  return (snd_pcm_uframes_t)count;
}

/// Writes zeros to `count` frames of the buffer from frame `first`.
static void clear(struct stream *stream, snd_pcm_uframes_t first, snd_pcm_uframes_t count) {
  bool in_rows = stream->access == SNDRV_PCM_ACCESS_MMAP_NONINTERLEAVED ||
                 stream->access == SNDRV_PCM_ACCESS_RW_NONINTERLEAVED;
  unsigned rows = in_rows ? stream->channels : 1;
  size_t frame_bytes = (size_t)stream->sample_bytes * (in_rows ? 1 : stream->channels);
  for (unsigned row = 0; row < rows; row++)
    memset(stream->memory + (row * stream->buffer + first) * frame_bytes, 0, count * frame_bytes);
}

/// Writes silence ahead of the converter, to the part of the buffer that the program requested.
static void fill_silence(struct stream *stream) {
  if (stream->direction != PLAYBACK || stream->software.silence_size == 0) return;
  snd_pcm_uframes_t queued = stream->buffer - available(stream);
  if ((snd_pcm_sframes_t)queued < 0) queued = 0;
  snd_pcm_uframes_t count = stream->buffer - queued;
  if (stream->software.silence_size < stream->software.boundary) {
    if (queued >= stream->software.silence_threshold) return;
    count = stream->software.silence_threshold - queued;
    if (count > stream->software.silence_size) count = stream->software.silence_size;
  }
  if (count > stream->buffer) count = stream->buffer;
  snd_pcm_uframes_t first = stream->control->appl_ptr % stream->buffer;
  snd_pcm_uframes_t before_end = stream->buffer - first < count ? stream->buffer - first : count;
  clear(stream, first, before_end);
  clear(stream, 0, count - before_end);
}

static int update(struct stream *stream) {
  stream_move(stream);
  int64_t visible = stream->moved - stream->moved % stream->card->granularity;
  stream->status->hw_ptr = (snd_pcm_uframes_t)visible % stream->software.boundary;
  stream->status->tstamp.tv_sec = now / SECOND;
  stream->status->tstamp.tv_nsec = now % SECOND;
  fill_silence(stream);
  snd_pcm_uframes_t room = available(stream);
  if (state_of(stream) == SNDRV_PCM_STATE_DRAINING) {
    if (room >= stream->buffer) stream_stop(stream, SNDRV_PCM_STATE_SETUP);
  } else if (room >= stream->software.stop_threshold) {
    stream->xruns++;
    stream_stop(stream, SNDRV_PCM_STATE_XRUN);
    return -EPIPE;
  }
  return 0;
}

moment stream_next(const struct stream *stream) {
  if (!is_moving(stream) || stream->moved >= limit_of(stream)) return NEVER;
  // If the position moves in steps, the interrupt comes with the step that completes a period.
  int64_t step = stream->card->granularity;
  int64_t end = (stream->next_interrupt + step - 1) / step * step;
  return when_moved(stream, end) + stream->late;
}

void stream_interrupt(struct stream *stream) {
  stream->late = 0;
  update(stream);
  stream->next_interrupt =
      (stream->moved / (int64_t)stream->period + 1) * (int64_t)stream->period;
}

// MARK: - Groups

static int for_group(struct stream *stream, int (*act)(struct stream *)) {
  if (!stream->group) return act(stream);
  for (int i = 0; i < card_count * 2; i++)
    if (streams[i].fd >= 0 && streams[i].group == stream->group) {
      int status = act(&streams[i]);
      if (status < 0) return status;
    }
  return 0;
}

void stream_stop(struct stream *stream, snd_pcm_state_t state) {
  int group = stream->group;
  for (int i = 0; i < card_count * 2; i++) {
    struct stream *other = &streams[i];
    if (other != stream && (!group || other->group != group || other->fd < 0)) continue;
    stream_move(other);
    stream_set_state(other, state);
    other->trigger = now;
  }
}

static int check_start(struct stream *stream) {
  if (state_of(stream) != SNDRV_PCM_STATE_PREPARED) return -EBADFD;
  if (stream->card->is_asleep) return -EAGAIN;
  if (stream->direction == PLAYBACK && available(stream) >= stream->buffer) return -EPIPE;
  return 0;
}

static int set_going(struct stream *stream) {
  stream->trigger = now;
  stream->late = 0;
  stream->starts++;
  stream_rebase(stream);
  if (stream->direction == PLAYBACK && stream->card->ahead > 0) {
    stream->since += stream->card->ahead;
    stream->first = frames_at(stream->card, stream->rate, stream->since) - stream->moved;
  }
  stream->next_interrupt =
      (stream->moved / (int64_t)stream->period + 1) * (int64_t)stream->period;
  stream_set_state(stream, SNDRV_PCM_STATE_RUNNING);
  fill_silence(stream);
  return 0;
}

static int start(struct stream *stream) {
  int status = for_group(stream, check_start);
  return status < 0 ? status : for_group(stream, set_going);
}

static int check_prepare(struct stream *stream) {
  if (stream->is_gone) return -ENODEV;
  switch (state_of(stream)) {
  case SNDRV_PCM_STATE_OPEN:
  case SNDRV_PCM_STATE_DISCONNECTED: return -EBADFD;
  case SNDRV_PCM_STATE_RUNNING:
  case SNDRV_PCM_STATE_DRAINING: return -EBUSY;
  default: break;
  }
  if (stream->card->is_asleep) return -EAGAIN;
  // The stream's settings have a rate other than the only one of the card.
  if (stream->card->forced_rate && stream->card->forced_rate != stream->rate) return -EINVAL;
  return 0;
}

static int make_ready(struct stream *stream) {
  stream->moved = stream->moved_since = 0;
  stream->status->hw_ptr = 0;
  stream->control->appl_ptr = 0;
  stream_set_state(stream, SNDRV_PCM_STATE_PREPARED);
  fill_silence(stream);
  return 0;
}

static int prepare(struct stream *stream) {
  if (state_of(stream) == SNDRV_PCM_STATE_SUSPENDED && !stream->card->is_asleep)
    stream_set_state(stream, SNDRV_PCM_STATE_SETUP);
  int status = for_group(stream, check_prepare);
  return status < 0 ? status : for_group(stream, make_ready);
}

static int resume(struct stream *stream) {
  if (state_of(stream) != SNDRV_PCM_STATE_SUSPENDED) return -EBADFD;
  if (!stream->card->can_resume) return -ENOSYS;
  if (stream->card->is_asleep) return -EAGAIN;
  stream_rebase(stream);
  stream_set_state(stream, stream->status->suspended_state);
  if (stream->card->resumes_to_xrun) {
    stream->xruns++;
    stream_set_state(stream, SNDRV_PCM_STATE_XRUN);
  }
  return 0;
}

static int pause_stream(struct stream *stream, bool pauses) {
  if (!stream->card->can_pause) return -ENOSYS;
  snd_pcm_state_t needed = pauses ? SNDRV_PCM_STATE_RUNNING : SNDRV_PCM_STATE_PAUSED;
  if (state_of(stream) != needed) return -EBADFD;
  stream_move(stream);
  stream_rebase(stream);
  stream_set_state(stream, pauses ? SNDRV_PCM_STATE_PAUSED : SNDRV_PCM_STATE_RUNNING);
  return 0;
}

static int drain(struct stream *stream) {
  switch (state_of(stream)) {
  case SNDRV_PCM_STATE_OPEN:
  case SNDRV_PCM_STATE_DISCONNECTED: return -EBADFD;
  case SNDRV_PCM_STATE_SUSPENDED: return -ESTRPIPE;
  case SNDRV_PCM_STATE_XRUN: return -EPIPE;
  case SNDRV_PCM_STATE_RUNNING: break;
  default: stream_set_state(stream, SNDRV_PCM_STATE_SETUP); return 0;
  }
  if (stream->direction == CAPTURE) {
    stream_stop(stream, SNDRV_PCM_STATE_SETUP);
    return 0;
  }
  stream_set_state(stream, SNDRV_PCM_STATE_DRAINING);
  if (stream->open_flags & O_NONBLOCK) return -EAGAIN;
  while (state_of(stream) == SNDRV_PCM_STATE_DRAINING) {
    moment next = stream_next(stream);
    if (next == NEVER) return -EIO;
    wait_for(NULL, 0, next);
  }
  return 0;
}

static int link_to(struct stream *stream, int fd) {
  static int groups;
  struct stream *other = stream_with(fd);
  if (!other) return -EBADFD;
  if (!stream->card->links || !other->card->links) return -ENOSYS;
  if (state_of(stream) == SNDRV_PCM_STATE_OPEN || state_of(stream) != state_of(other))
    return -EBADFD;
  if (other->group) return -EALREADY;
  if (!stream->group) stream->group = ++groups;
  other->group = stream->group;
  return 0;
}

static int unlink_from(struct stream *stream) {
  if (!stream->group) return -EALREADY;
  int group = stream->group, left = 0;
  stream->group = 0;
  for (int i = 0; i < card_count * 2; i++) left += streams[i].group == group;
  for (int i = 0; i < card_count * 2 && left == 1; i++)
    if (streams[i].group == group) streams[i].group = 0;
  return 0;
}

// MARK: - Settings

static int set_hardware(struct stream *stream, struct snd_pcm_hw_params *parameters) {
  snd_pcm_state_t state = state_of(stream);
  if (state != SNDRV_PCM_STATE_OPEN && state != SNDRV_PCM_STATE_SETUP &&
      state != SNDRV_PCM_STATE_PREPARED)
    return -EBADFD;
  int status = refine(stream->card, stream->direction, parameters);
  if (status < 0) return status;
  struct snd_interval *values = parameters->intervals - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL;
  stream->access = (unsigned)__builtin_ctz(parameters->masks[0].bits[0]);
  uint32_t *formats = parameters->masks[SNDRV_PCM_HW_PARAM_FORMAT].bits;
  stream->format = formats[0] ? (unsigned)__builtin_ctz(formats[0])
                              : 32 + (unsigned)__builtin_ctz(formats[1]);
  stream->channels = values[SNDRV_PCM_HW_PARAM_CHANNELS].min;
  stream->rate = values[SNDRV_PCM_HW_PARAM_RATE].min;
  stream->period = values[SNDRV_PCM_HW_PARAM_PERIOD_SIZE].min;
  stream->buffer = values[SNDRV_PCM_HW_PARAM_BUFFER_SIZE].min;
  stream->sample_bytes = format_bytes(stream->format);
  if (stream->memory) REAL(munmap)(stream->memory, stream->byte_count);
  size_t bytes = stream->buffer * stream->channels * stream->sample_bytes;
  stream->byte_count = (bytes + 4095) & ~(size_t)4095;
  stream->memory = REAL(mmap)(NULL, stream->byte_count, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  parameters->info = SNDRV_PCM_INFO_MMAP | SNDRV_PCM_INFO_MMAP_VALID |
                     SNDRV_PCM_INFO_INTERLEAVED | SNDRV_PCM_INFO_NONINTERLEAVED |
                     (stream->card->can_resume ? SNDRV_PCM_INFO_RESUME : 0) |
                     (stream->card->can_pause ? SNDRV_PCM_INFO_PAUSE : 0);
  parameters->rate_num = stream->rate;
  parameters->rate_den = 1;
  snd_pcm_uframes_t boundary = stream->buffer;
  while (boundary * 2 <= (snd_pcm_uframes_t)LONG_MAX - stream->buffer) boundary *= 2;
  stream->software = (struct snd_pcm_sw_params){
      .period_step = 1, .avail_min = stream->period, .start_threshold = 1,
      .stop_threshold = stream->buffer, .boundary = boundary};
  stream->control->avail_min = stream->period;
  make_ready(stream);
  stream_set_state(stream, SNDRV_PCM_STATE_SETUP);
  return 0;
}

static int set_software(struct stream *stream, struct snd_pcm_sw_params *parameters) {
  if (state_of(stream) == SNDRV_PCM_STATE_OPEN) return -EBADFD;
  if (parameters->avail_min == 0) return -EINVAL;
  if (parameters->silence_size >= stream->software.boundary) {
    if (parameters->silence_threshold != 0) return -EINVAL;
  } else if (parameters->silence_size > parameters->silence_threshold ||
             parameters->silence_threshold > stream->buffer) {
    return -EINVAL;
  }
  snd_pcm_uframes_t boundary = stream->software.boundary;
  stream->software = *parameters;
  stream->software.boundary = parameters->boundary = boundary;
  stream->control->avail_min = parameters->avail_min;
  if (state_of(stream) == SNDRV_PCM_STATE_RUNNING) update(stream);
  return 0;
}

// MARK: - Queries

static int synchronise(struct stream *stream) {
  switch (state_of(stream)) {
  case SNDRV_PCM_STATE_DRAINING:
    if (stream->direction == CAPTURE) return -EBADFD;
    return update(stream);
  case SNDRV_PCM_STATE_RUNNING: return update(stream);
  case SNDRV_PCM_STATE_PREPARED:
  case SNDRV_PCM_STATE_PAUSED: return 0;
  case SNDRV_PCM_STATE_SUSPENDED: return -ESTRPIPE;
  case SNDRV_PCM_STATE_XRUN: return -EPIPE;
  default: return -EBADFD;
  }
}

static snd_pcm_sframes_t delay(struct stream *stream) {
  snd_pcm_sframes_t count = (snd_pcm_sframes_t)available(stream);
  return stream->direction == PLAYBACK ? (snd_pcm_sframes_t)stream->buffer - count : count;
}

static int tell_status(struct stream *stream, struct snd_pcm_status *status) {
  if (state_of(stream) == SNDRV_PCM_STATE_RUNNING) update(stream);
  unsigned data = status->audio_tstamp_data;
  memset(status, 0, sizeof *status);
  status->audio_tstamp_data = data & 0xffff;
  status->state = state_of(stream);
  status->suspended_state = stream->status->suspended_state;
  if (status->state == SNDRV_PCM_STATE_OPEN) return 0;
  status->trigger_tstamp.tv_sec = stream->trigger / SECOND;
  status->trigger_tstamp.tv_nsec = stream->trigger % SECOND;
  status->tstamp.tv_sec = now / SECOND;
  status->tstamp.tv_nsec = now % SECOND;
  status->appl_ptr = stream->control->appl_ptr;
  status->hw_ptr = stream->status->hw_ptr;
  status->avail = available(stream);
  status->avail_max = status->avail;
  status->delay = status->state == SNDRV_PCM_STATE_RUNNING ||
                          status->state == SNDRV_PCM_STATE_DRAINING
                      ? delay(stream)
                      : 0;
  return 0;
}

static int exchange(struct stream *stream, struct snd_pcm_sync_ptr *exchanged) {
  if (exchanged->flags & SNDRV_PCM_SYNC_PTR_HWSYNC) {
    int status = synchronise(stream);
    if (status < 0) return status;
  }
  if (!(exchanged->flags & SNDRV_PCM_SYNC_PTR_APPL))
    stream->control->appl_ptr = exchanged->c.control.appl_ptr;
  else
    exchanged->c.control.appl_ptr = stream->control->appl_ptr;
  if (!(exchanged->flags & SNDRV_PCM_SYNC_PTR_AVAIL_MIN))
    stream->control->avail_min = exchanged->c.control.avail_min;
  else
    exchanged->c.control.avail_min = stream->control->avail_min;
  exchanged->s.status = *stream->status;
  return 0;
}

static int tell_info(struct stream *stream, struct snd_pcm_info *info) {
  memset(info, 0, sizeof *info);
  info->card = stream->card->number;
  info->stream = stream->direction;
  info->subdevices_count = 1;
  snprintf((char *)info->id, sizeof info->id, "%s PCM", stream->card->id);
  snprintf((char *)info->name, sizeof info->name, "%.60s PCM", stream->card->name);
  snprintf((char *)info->subname, sizeof info->subname, "subdevice #0");
  return 0;
}

static int tell_channel(struct stream *stream, struct snd_pcm_channel_info *info) {
  if (info->channel >= stream->channels) return -EINVAL;
  unsigned bits = stream->sample_bytes * 8;
  bool in_rows = stream->access == SNDRV_PCM_ACCESS_MMAP_NONINTERLEAVED ||
                 stream->access == SNDRV_PCM_ACCESS_RW_NONINTERLEAVED;
  info->offset = 0;
  info->first = (unsigned)(in_rows ? info->channel * stream->buffer * bits : info->channel * bits);
  info->step = in_rows ? bits : stream->channels * bits;
  return 0;
}

static int rewind_by(struct stream *stream, snd_pcm_uframes_t *frames, int sign) {
  int status = synchronise(stream);
  if (status < 0) return status;
  snd_pcm_uframes_t most =
      sign > 0 ? available(stream) : stream->buffer - available(stream);
  if (*frames > most) *frames = most;
  stream->control->appl_ptr += (snd_pcm_uframes_t)sign * *frames;
  return 0;
}

int stream_ioctl(struct stream *stream, unsigned long request, void *argument) {
  if (stream->is_gone) return -ENODEV;
  if (state_of(stream) == SNDRV_PCM_STATE_DISCONNECTED) return -EBADFD;
  switch (request) {
  case SNDRV_PCM_IOCTL_PVERSION: *(int *)argument = SNDRV_PCM_VERSION; return 0;
  case SNDRV_PCM_IOCTL_USER_PVERSION:
  case SNDRV_PCM_IOCTL_TTSTAMP:
  case SNDRV_PCM_IOCTL_TSTAMP: return 0;
  case SNDRV_PCM_IOCTL_INFO: return tell_info(stream, argument);
  case SNDRV_PCM_IOCTL_HW_REFINE: return refine(stream->card, stream->direction, argument);
  case SNDRV_PCM_IOCTL_HW_PARAMS: return set_hardware(stream, argument);
  case SNDRV_PCM_IOCTL_HW_FREE:
    if (state_of(stream) != SNDRV_PCM_STATE_SETUP && state_of(stream) != SNDRV_PCM_STATE_PREPARED)
      return -EBADFD;
    stream_set_state(stream, SNDRV_PCM_STATE_OPEN);
    return 0;
  case SNDRV_PCM_IOCTL_SW_PARAMS: return set_software(stream, argument);
  case SNDRV_PCM_IOCTL_STATUS:
  case SNDRV_PCM_IOCTL_STATUS_EXT: return tell_status(stream, argument);
  case SNDRV_PCM_IOCTL_CHANNEL_INFO: return tell_channel(stream, argument);
  case SNDRV_PCM_IOCTL_SYNC_PTR: return exchange(stream, argument);
  case SNDRV_PCM_IOCTL_HWSYNC: return synchronise(stream);
  case SNDRV_PCM_IOCTL_DELAY: {
    int status = synchronise(stream);
    if (status == 0) *(snd_pcm_sframes_t *)argument = delay(stream);
    return status;
  }
  case SNDRV_PCM_IOCTL_PREPARE: return prepare(stream);
  case SNDRV_PCM_IOCTL_START: return start(stream);
  case SNDRV_PCM_IOCTL_DROP:
    if (state_of(stream) == SNDRV_PCM_STATE_OPEN) return -EBADFD;
    stream_stop(stream, SNDRV_PCM_STATE_SETUP);
    return 0;
  case SNDRV_PCM_IOCTL_DRAIN: return drain(stream);
  case SNDRV_PCM_IOCTL_PAUSE: return pause_stream(stream, (intptr_t)argument != 0);
  case SNDRV_PCM_IOCTL_RESUME: return resume(stream);
  case SNDRV_PCM_IOCTL_XRUN:
    if (state_of(stream) == SNDRV_PCM_STATE_XRUN) return 0;
    if (state_of(stream) != SNDRV_PCM_STATE_RUNNING) return -EBADFD;
    stream->xruns++;
    stream_stop(stream, SNDRV_PCM_STATE_XRUN);
    return 0;
  case SNDRV_PCM_IOCTL_LINK: return link_to(stream, (int)(intptr_t)argument);
  case SNDRV_PCM_IOCTL_UNLINK: return unlink_from(stream);
  case SNDRV_PCM_IOCTL_REWIND: return rewind_by(stream, argument, -1);
  case SNDRV_PCM_IOCTL_FORWARD: return rewind_by(stream, argument, 1);
  case SNDRV_PCM_IOCTL_RESET: return state_of(stream) == SNDRV_PCM_STATE_RUNNING ? 0 : -EBADFD;
  default: return transfer(stream, request, argument);
  }
}
