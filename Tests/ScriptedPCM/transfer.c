// transfer.c: readi, writei, readn and writen, as the kernel implements them. SPDX-License-Identifier: MIT
#include "scripted.h"

static void copy(struct stream *stream, snd_pcm_uframes_t at, snd_pcm_uframes_t from,
                 snd_pcm_uframes_t count, void *memory, void **rows) {
  size_t bytes = stream->sample_bytes;
  for (snd_pcm_uframes_t i = 0; i < count; i++)
    for (unsigned channel = 0; channel < stream->channels; channel++) {
      snd_pcm_uframes_t frame = (at + i) % stream->buffer;
      uint8_t *here = stream->memory + (rows ? (channel * stream->buffer + frame) * bytes
                                             : (frame * stream->channels + channel) * bytes);
      uint8_t *there = rows ? (uint8_t *)rows[channel] + (from + i) * bytes
                            : (uint8_t *)memory + ((from + i) * stream->channels + channel) * bytes;
      if (stream->direction == PLAYBACK) memcpy(here, there, bytes);
      else memcpy(there, here, bytes);
    }
}

static int may_move(struct stream *stream) {
  switch (stream->status->state) {
  case SNDRV_PCM_STATE_PREPARED:
  case SNDRV_PCM_STATE_RUNNING:
  case SNDRV_PCM_STATE_PAUSED: return 0;
  case SNDRV_PCM_STATE_XRUN: return -EPIPE;
  case SNDRV_PCM_STATE_SUSPENDED: return -ESTRPIPE;
  default: return -EBADFD;
  }
}

static snd_pcm_sframes_t available(struct stream *stream) {
  snd_pcm_sframes_t count =
      (snd_pcm_sframes_t)stream->status->hw_ptr - (snd_pcm_sframes_t)stream->control->appl_ptr;
  return stream->direction == PLAYBACK ? count + (snd_pcm_sframes_t)stream->buffer : count;
}

static snd_pcm_sframes_t move(struct stream *stream, void *memory, void **rows,
                              snd_pcm_uframes_t wanted) {
  snd_pcm_uframes_t done = 0;
  int status = may_move(stream);
  if (status == 0 && stream->status->state == SNDRV_PCM_STATE_RUNNING)
    status = stream_ioctl(stream, SNDRV_PCM_IOCTL_HWSYNC, NULL);
  if (status == 0 && stream->direction == CAPTURE &&
      stream->status->state == SNDRV_PCM_STATE_PREPARED &&
      wanted >= stream->software.start_threshold)
    status = stream_ioctl(stream, SNDRV_PCM_IOCTL_START, NULL);
  while (status == 0 && done < wanted) {
    snd_pcm_sframes_t room = available(stream);
    if (room <= 0) {
      if (stream->open_flags & O_NONBLOCK) {
        status = -EAGAIN;
        break;
      }
      moment next = stream_next(stream);
      if (next == NEVER) {
        status = -EIO;
        break;
      }
      wait_for(NULL, 0, next);
      status = may_move(stream);
      continue;
    }
    snd_pcm_uframes_t count = wanted - done;
    if (count > (snd_pcm_uframes_t)room) count = (snd_pcm_uframes_t)room;
    copy(stream, stream->control->appl_ptr, done, count, memory, rows);
    stream->control->appl_ptr += count;
    done += count;
    if (stream->direction == PLAYBACK && stream->status->state == SNDRV_PCM_STATE_PREPARED &&
        stream->buffer - (snd_pcm_uframes_t)available(stream) >= stream->software.start_threshold)
      status = stream_ioctl(stream, SNDRV_PCM_IOCTL_START, NULL);
  }
  return done > 0 ? (snd_pcm_sframes_t)done : status;
}

int transfer(struct stream *stream, unsigned long request, void *argument) {
  bool in_rows = request == SNDRV_PCM_IOCTL_READN_FRAMES || request == SNDRV_PCM_IOCTL_WRITEN_FRAMES;
  bool reads = request == SNDRV_PCM_IOCTL_READI_FRAMES || request == SNDRV_PCM_IOCTL_READN_FRAMES;
  if (!in_rows && !reads && request != SNDRV_PCM_IOCTL_WRITEI_FRAMES) return -ENOTTY;
  if (reads != (stream->direction == CAPTURE)) return -EINVAL;
  if (stream->status->state == SNDRV_PCM_STATE_OPEN) return -EBADFD;
  unsigned needed =
      in_rows ? SNDRV_PCM_ACCESS_RW_NONINTERLEAVED : SNDRV_PCM_ACCESS_RW_INTERLEAVED;
  if (stream->access != needed && stream->channels > 1) return -EINVAL;
  struct snd_xferi *flat = argument;
  struct snd_xfern *rows = argument;
  snd_pcm_sframes_t moved = in_rows ? move(stream, NULL, rows->bufs, rows->frames)
                                    : move(stream, flat->buf, NULL, flat->frames);
  flat->result = moved < 0 ? 0 : moved;
  return moved < 0 ? (int)moved : 0;
}
