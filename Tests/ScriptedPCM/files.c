// files.c: /dev/snd, in place of the kernel's. SPDX-License-Identifier: MIT
#include "scripted.h"

#include <stdarg.h>

#define MAX_CONTROLS 32
static struct {
  int fd;
  struct card *card;
} controls[MAX_CONTROLS];

static int errno_of(int status) {
  if (status >= 0) return status;
  errno = -status;
  return -1;
}

// MARK: - Streams

int stream_open(struct stream *stream, int flags) {
  stream->fd = REAL(open)("/dev/null", O_RDWR | (flags & (O_NONBLOCK | O_CLOEXEC)));
  if (stream->fd < 0) return -errno;
  stream->open_flags = flags;
  stream->is_gone = stream->is_frozen = false;
  stream->group = 0;
  stream->moved = stream->moved_since = 0;
  stream->opens++;
  stream->status = REAL(mmap)(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stream->control = REAL(mmap)(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stream->status->state = SNDRV_PCM_STATE_OPEN;
  return stream->fd;
}

void stream_close(struct stream *stream) {
  stream_move(stream);
  stream_ioctl(stream, SNDRV_PCM_IOCTL_UNLINK, NULL);
  if (stream->memory) REAL(munmap)(stream->memory, stream->byte_count);
  REAL(munmap)(stream->status, 4096);
  REAL(munmap)(stream->control, 4096);
  stream->memory = NULL;
  stream->status = NULL;
  stream->control = NULL;
  stream->group = 0;
  REAL(close)(stream->fd);
  stream->fd = -1;
}

void *stream_map(struct stream *stream, size_t length, off_t offset) {
  if (stream->is_gone) return errno = ENODEV, MAP_FAILED;
  switch ((unsigned long)offset) {
  case SNDRV_PCM_MMAP_OFFSET_STATUS_OLD:
  case SNDRV_PCM_MMAP_OFFSET_STATUS_NEW: return stream->status;
  case SNDRV_PCM_MMAP_OFFSET_CONTROL_OLD:
  case SNDRV_PCM_MMAP_OFFSET_CONTROL_NEW: return stream->control;
  case SNDRV_PCM_MMAP_OFFSET_DATA:
    if (stream->memory && length <= stream->byte_count) return stream->memory;
    return errno = EINVAL, MAP_FAILED;
  default: return errno = EINVAL, MAP_FAILED;
  }
}

short stream_events(struct stream *stream) {
  short ready = stream->direction == PLAYBACK ? POLLOUT | POLLWRNORM : POLLIN | POLLRDNORM;
  if (stream->is_gone) return POLLERR | POLLNVAL;
  snd_pcm_sframes_t room =
      (snd_pcm_sframes_t)stream->status->hw_ptr - (snd_pcm_sframes_t)stream->control->appl_ptr;
  if (stream->direction == PLAYBACK) room += (snd_pcm_sframes_t)stream->buffer;
  switch (stream->status->state) {
  case SNDRV_PCM_STATE_RUNNING:
  case SNDRV_PCM_STATE_PREPARED:
  case SNDRV_PCM_STATE_PAUSED:
    return room >= (snd_pcm_sframes_t)stream->control->avail_min ? ready : 0;
  case SNDRV_PCM_STATE_DRAINING:
    if (stream->direction == PLAYBACK) return 0;
    return room > 0 ? ready : (short)(ready | POLLERR);
  default: return ready | POLLERR;
  }
}

// MARK: - Opening

static int open_control(int number, int flags) {
  struct card *card = card_numbered(number);
  if (!card) return -ENODEV;
  if (card->is_denied) return -EACCES;
  for (int i = 0; i < MAX_CONTROLS; i++) {
    if (controls[i].card) continue;
    controls[i].fd = REAL(open)("/dev/null", O_RDWR | (flags & (O_NONBLOCK | O_CLOEXEC)));
    if (controls[i].fd >= 0) controls[i].card = card;
    return controls[i].fd;
  }
  return -EMFILE;
}

static int open_pcm(int number, int device, int direction, int flags) {
  struct card *card = card_numbered(number);
  if (!card) return -ENODEV;
  if (device != 0 || !card->has_direction[direction]) return -ENOENT;
  if (card->is_denied) return -EACCES;
  struct stream *stream = stream_of(card, direction);
  if (stream->fd >= 0 || card->is_seized) return -EBUSY;
  return stream_open(stream, flags);
}

EXPORTED int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  int number, device;
  char side;
  if (is_scripted && strncmp(path, "/dev/snd/", 9) == 0) {
    if (sscanf(path, "/dev/snd/controlC%d", &number) == 1)
      return errno_of(open_control(number, flags));
    if (sscanf(path, "/dev/snd/pcmC%dD%d%c", &number, &device, &side) == 3)
      return errno_of(open_pcm(number, device, side == 'c' ? CAPTURE : PLAYBACK, flags));
    return errno_of(-ENOENT);
  }
  return REAL(open)(path, flags, mode);
}

EXPORTED int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags, mode);
}

/// The variant of `open` in libraries that are compiled with fortification.
extern int __open_2(const char *path, int flags);
EXPORTED int __open_2(const char *path, int flags) { return open(path, flags); }
EXPORTED int __open64_2(const char *path, int flags) { return open(path, flags); }

EXPORTED int close(int fd) {
  struct stream *stream = is_scripted ? stream_with(fd) : NULL;
  if (stream) {
    stream_close(stream);
    return 0;
  }
  for (int i = 0; is_scripted && i < MAX_CONTROLS; i++)
    if (controls[i].card && controls[i].fd == fd) controls[i].card = NULL;
  return REAL(close)(fd);
}

// MARK: - Other calls

EXPORTED int ioctl(int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (is_scripted) {
    struct stream *stream = stream_with(fd);
    if (stream) return errno_of(stream_ioctl(stream, request, argument));
    for (int i = 0; i < MAX_CONTROLS; i++)
      if (controls[i].card && controls[i].fd == fd)
        return errno_of(control_ioctl(controls[i].card, request, argument));
  }
  return REAL(ioctl)(fd, request, argument);
}

EXPORTED void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  struct stream *stream = is_scripted ? stream_with(fd) : NULL;
  if (stream) return stream_map(stream, length, offset);
  return REAL(mmap)(address, length, protection, flags, fd, offset);
}

EXPORTED void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
  return mmap(address, length, protection, flags, fd, offset);
}

EXPORTED int munmap(void *address, size_t length) {
  // A stream frees its memory when it closes.
  if (is_scripted && stream_at(address)) return 0;
  return REAL(munmap)(address, length);
}

// MARK: - Controls

int control_ioctl(struct card *card, unsigned long request, void *argument) {
  if (card->number < 0) return -ENODEV;
  switch (request) {
  case SNDRV_CTL_IOCTL_PVERSION: *(int *)argument = SNDRV_CTL_VERSION; return 0;
  case SNDRV_CTL_IOCTL_CARD_INFO: {
    struct snd_ctl_card_info *info = argument;
    memset(info, 0, sizeof *info);
    info->card = card->number;
    memcpy(info->id, card->id, sizeof card->id);
    snprintf((char *)info->driver, sizeof info->driver, "scripted");
    snprintf((char *)info->name, sizeof info->name, "%.31s", card->name);
    snprintf((char *)info->longname, sizeof info->longname, "%s", card->name);
    return 0;
  }
  case SNDRV_CTL_IOCTL_PCM_NEXT_DEVICE: {
    int *device = argument;
    *device = *device < 0 ? 0 : -1;
    return 0;
  }
  case SNDRV_CTL_IOCTL_PCM_INFO: {
    struct snd_pcm_info *info = argument;
    if (info->device != 0 || !card->has_direction[info->stream == CAPTURE]) return -ENOENT;
    info->card = card->number;
    info->subdevices_count = info->subdevices_avail = 1;
    snprintf((char *)info->id, sizeof info->id, "%s PCM", card->id);
    snprintf((char *)info->name, sizeof info->name, "%.60s PCM", card->name);
    return 0;
  }
  case SNDRV_CTL_IOCTL_PCM_PREFER_SUBDEVICE:
  case SNDRV_CTL_IOCTL_SUBSCRIBE_EVENTS: return 0;
  default: return -ENOTTY;
  }
}
