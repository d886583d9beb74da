// audio_file.c: loads an audio file at a sample rate. SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE
#include "audio_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <samplerate.h>
#include <sndfile.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  longest_seconds = 600,
  /// In Hz.
  highest_rate = 768000,
  piece_frames = 16384,
};

/// The frames of the file before sample rate conversion.
typedef struct {
  float *samples;
  uint32_t channel_count;
  sf_count_t frame_count;
  int rate;
} frames;

static bool fail(char *reason, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(char *reason, size_t size, const char *format, ...) {
  va_list words;
  va_start(words, format);
  vsnprintf(reason, size, format, words);
  va_end(words);
  return false;
}

/// The length of a library's message without the final full stop.
static int bare(const char *words) {
  size_t length = strlen(words);
  while (length > 0 && words[length - 1] == '.') length--;
  return (int)length;
}

/// Loads a library on demand and never unloads it, because it may have created threads or keys.
static void *open_library(const char *name) {
  return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

// MARK: - Reading

/// The functions of libsndfile in use.
typedef struct {
  __typeof__(sf_open_fd) *open;
  __typeof__(sf_readf_float) *read;
  __typeof__(sf_error) *error;
  __typeof__(sf_strerror) *describe;
  __typeof__(sf_close) *close;
} reader;

static bool find_reader(void *library, reader *found) {
  found->open = (__typeof__(found->open))dlsym(library, "sf_open_fd");
  found->read = (__typeof__(found->read))dlsym(library, "sf_readf_float");
  found->error = (__typeof__(found->error))dlsym(library, "sf_error");
  found->describe = (__typeof__(found->describe))dlsym(library, "sf_strerror");
  found->close = (__typeof__(found->close))dlsym(library, "sf_close");
  return found->open && found->read && found->error && found->describe && found->close;
}

/// Grows the buffer by one chunk.
static bool grow(frames *it, sf_count_t *capacity, sf_count_t promised) {
  if (it->frame_count + piece_frames <= *capacity) return true;
  sf_count_t wanted = *capacity ? 2 * *capacity : promised + piece_frames;
  float *samples = realloc(it->samples, (size_t)wanted * it->channel_count * sizeof(float));
  if (!samples) return false;
  it->samples = samples;
  *capacity = wanted;
  return true;
}

static bool read_frames(frames *it, const reader *lib, SNDFILE *file, sf_count_t promised,
                        char *reason, size_t size) {
  sf_count_t capacity = 0, longest = (sf_count_t)longest_seconds * it->rate, count;
  // The maximum value means that the library does not know the length.
  bool is_known = promised != SF_COUNT_MAX;
  if (is_known && promised > longest) it->frame_count = promised;
  while (it->frame_count <= longest) {
    if (!grow(it, &capacity, is_known ? promised : 0))
      return fail(reason, size, "does not fit into memory");
    count = lib->read(file, it->samples + it->frame_count * it->channel_count, piece_frames);
    it->frame_count += count > 0 ? count : 0;
    if (count < piece_frames) break;
  }
  if (it->frame_count > longest)
    return fail(reason, size, "is longer than the limit of %d s. Shorten it",
                longest_seconds);
  // Reports system errors only: at the end of a truncated file a codec just reports the truncation.
  if (lib->error(file) == SF_ERR_SYSTEM)
    return fail(reason, size, "could not be read completely: %.*s", bare(lib->describe(file)),
                lib->describe(file));
  return it->frame_count > 0 || fail(reason, size, "contains no audio: its length is 0 frames");
}

static bool read_open(frames *it, int descriptor, char *reason, size_t size) {
  void *library = open_library("libsndfile.so.1");
  reader lib;
  if (!library || !find_reader(library, &lib))
    return fail(reason, size, "cannot be read: libsndfile failed to load (%s)",
                library ? "it lacks a function" : dlerror());
  SF_INFO info = {0};
  SNDFILE *file = lib.open(descriptor, SFM_READ, &info, SF_FALSE);
  bool is_read = false;
  if (!file) {
    fail(reason, size, "is not a readable audio file (%.*s)", bare(lib.describe(NULL)),
         lib.describe(NULL));
  } else if (info.samplerate < 1 || info.samplerate > highest_rate || info.channels < 1) {
    fail(reason, size, "has a sample rate of %d Hz. The range is 1 to %d Hz",
         info.samplerate, highest_rate);
  } else {
    it->rate = info.samplerate;
    it->channel_count = (uint32_t)info.channels;
    is_read = read_frames(it, &lib, file, info.frames, reason, size);
  }
  if (file) lib.close(file);
  dlclose(library);
  return is_read;
}

static bool read_path(frames *it, const char *path, char *reason, size_t size) {
  // Without O_NONBLOCK, opening a pipe without a writer would block.
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return errno == ENOENT || errno == ENOTDIR
               ? fail(reason, size, "does not exist. Give the path of an audio file")
               : fail(reason, size, "cannot be read: %s", strerror(errno));
  struct stat status;
  bool is_read = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)
                     ? read_open(it, descriptor, reason, size)
                     : fail(reason, size, "is not a file. Give the path of an audio file");
  close(descriptor);
  return is_read;
}

// MARK: - Channel buffers

static bool make_rows(sound *it, uint32_t channel_count, double frame_count) {
  if (frame_count > INT32_MAX) return false;
  it->channel_count = channel_count;
  it->frame_count = (uint32_t)frame_count;
  it->channels = calloc(channel_count, sizeof(float *));
  // The resampler omits the last frames; they stay silent.
  float *samples = it->channels ? calloc((size_t)channel_count * it->frame_count, sizeof(float)) : NULL;
  if (!samples) return false;
  for (uint32_t row = 0; row < channel_count; row++)
    it->channels[row] = samples + (size_t)row * it->frame_count;
  return true;
}

static void split(const frames *from, uint32_t channel, float *row) {
  for (sf_count_t i = 0; i < from->frame_count; i++)
    row[i] = from->samples[i * from->channel_count + channel];
}

static bool convert(sound *it, const frames *from, double ratio, char *reason, size_t size) {
  void *library = open_library("libsamplerate.so.0");
  __typeof__(src_simple) *simple =
      library ? (__typeof__(simple))dlsym(library, "src_simple") : NULL;
  if (!simple)
    return fail(reason, size,
                "has a rate of %d Hz. Converting it to the host's rate requires libsamplerate,"
                " which failed to load (%s)",
                from->rate, library ? "it lacks a function" : dlerror());
  float *row = malloc((size_t)from->frame_count * sizeof(float));
  int error = 0;
  for (uint32_t channel = 0; row && error == 0 && channel < it->channel_count; channel++) {
    split(from, channel, row);
    SRC_DATA data = {.data_in = row,
                     .data_out = it->channels[channel],
                     .input_frames = (long)from->frame_count,
                     .output_frames = (long)it->frame_count,
                     .src_ratio = ratio};
    error = simple(&data, SRC_SINC_BEST_QUALITY, 1);
  }
  bool has_memory = row;
  free(row);
  dlclose(library);
  if (!has_memory) return fail(reason, size, "does not fit into memory");
  return error == 0 || fail(reason, size, "has a rate of %d Hz, which cannot be converted to the host's rate",
                            from->rate);
}

bool sound_read(sound *it, const char *path, double rate, char *reason, size_t reason_size) {
  *it = (sound){0};
  frames read = {0};
  bool is_read = read_path(&read, path, reason, reason_size);
  double ratio = is_read ? rate / read.rate : 1;
  if (is_read && !make_rows(it, read.channel_count, ceil((double)read.frame_count * ratio)))
    is_read = fail(reason, reason_size, "does not fit into memory");
  if (is_read && read.rate != rate) {
    is_read = convert(it, &read, ratio, reason, reason_size);
  } else if (is_read) {
    for (uint32_t channel = 0; channel < it->channel_count; channel++)
      split(&read, channel, it->channels[channel]);
  }
  free(read.samples);
  if (!is_read) sound_free(it);
  return is_read;
}

void sound_free(sound *it) {
  if (it->channels) free(it->channels[0]);
  free(it->channels);
  *it = (sound){0};
}
