// frames.c: converts all channels of a device at once. SPDX-License-Identifier: MIT
//
// Interleaved frames are converted tile by tile, as if they were one channel. They are deinterleaved to
// channel buffers, or interleaved from them, while the tile is in the L1 cache. So the device's memory is
// accessed once and in order.
#include "layout.h"
#include "write.h"

enum {
  /// Samples of a tile: 8 KiB, a quarter of the smallest L1 cache.
  TILE = 2048,
  /// With more channels a tile has too few frames.
  MOST_CHANNELS = 128,
};

/// Four floats at any alignment.
typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

INLINE four *at(float *place) { return (four *)place; }

/// Transposes four channels of four frames to four frames of four channels, or back.
INLINE void transpose(four lines[4]) {
  const four a = __builtin_shufflevector(lines[0], lines[1], 0, 4, 1, 5);
  const four b = __builtin_shufflevector(lines[2], lines[3], 0, 4, 1, 5);
  const four c = __builtin_shufflevector(lines[0], lines[1], 2, 6, 3, 7);
  const four d = __builtin_shufflevector(lines[2], lines[3], 2, 6, 3, 7);
  lines[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  lines[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  lines[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  lines[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/// Returns whether the channels are all channels of interleaved frames, in order.
static bool is_interleaved(const csamples_frames *all, uint32_t bytes) {
  const csamples_channel *channels = all->channels;
  if (all->channel_count < 2 || all->channel_count > MOST_CHANNELS) return false;
  for (uint32_t channel = 0; channel < all->channel_count; ++channel) {
    if (channels[channel].stride != all->channel_count * bytes) return false;
    if (channels[channel].first != channels[0].first + channel * bytes) return false;
  }
  return true;
}

/// Returns the address of a frame of a channel.
INLINE uint8_t *place_of(const csamples_channel *channel, uint32_t frame) {
  return channel->first + (size_t)frame * channel->stride;
}

/// Iterates over groups of four channels. The last group may share channels with the previous one.
#define EACH_GROUP(group, channel_count)                                                        \
  for (uint32_t done = 0, group; done < channel_count &&                                        \
       (group = done + 4 <= channel_count ? done : channel_count - 4, true); done += 4)

// MARK: - Reading

INLINE void part_two(const float *tile, float *restrict left, float *restrict right,
                     uint32_t frame_count) {
  for (uint32_t frame = 0; frame < frame_count; ++frame) {
    left[frame] = tile[2 * frame];
    right[frame] = tile[2 * frame + 1];
  }
}

INLINE void part_one(const float *tile, uint32_t channel_count, float *row, uint32_t from,
                     uint32_t frame_count) {
  for (uint32_t frame = from; frame < frame_count; ++frame) {
    row[frame] = tile[(size_t)frame * channel_count];
  }
}

INLINE void part_four(float *tile, uint32_t channel_count, float *const rows[4],
                      uint32_t frame_count) {
  const uint32_t whole = frame_count & ~3u;
  for (uint32_t frame = 0; frame < whole; frame += 4) {
    four lines[4];
    for (uint32_t k = 0; k < 4; ++k) lines[k] = *at(tile + (size_t)(frame + k) * channel_count);
    transpose(lines);
    for (uint32_t k = 0; k < 4; ++k) *at(rows[k] + frame) = lines[k];
  }
  for (uint32_t k = 0; k < 4; ++k) part_one(tile + k, channel_count, rows[k], whole, frame_count);
}

/// Deinterleaves a tile of frames; channels that are not needed go to `nowhere`.
static void part(float *tile, float *const *rows, uint32_t channel_count, uint32_t first_frame,
                 uint32_t frame_count, float *nowhere) {
#define ROW(channel) (rows[channel] ? rows[channel] + first_frame : nowhere)
  if (channel_count == 2 && rows[0] && rows[1]) {
    part_two(tile, ROW(0), ROW(1), frame_count);
  } else if (channel_count < 4) {
    for (uint32_t channel = 0; channel < channel_count; ++channel) {
      part_one(tile + channel, channel_count, ROW(channel), 0, frame_count);
    }
  } else {
    EACH_GROUP(group, channel_count) {
      float *const four_rows[4] = {ROW(group), ROW(group + 1), ROW(group + 2), ROW(group + 3)};
      part_four(tile + group, channel_count, four_rows, frame_count);
    }
  }
#undef ROW
}

/// Returns whether it is faster to read each channel separately: one of two, with a constant stride, or few
/// of many, because most would be converted unnecessarily.
static bool is_cheaper_alone(float *const *rows, uint32_t channel_count, uint32_t bytes) {
  if (channel_count == 2) return bytes != 3;
  uint32_t used = 0;
  for (uint32_t channel = 0; channel < channel_count; ++channel) used += rows[channel] != NULL;
  return used * 3 < channel_count;
}

void csamples_read_frames(const csamples_frames *all, uint32_t device_frame, uint32_t row_frame,
                          uint32_t frame_count) {
  const csamples_format format = all->format;
  const uint32_t channel_count = all->channel_count;
  const uint32_t bytes = csamples_byte_count(format);
  if (!is_interleaved(all, bytes) || is_cheaper_alone(all->rows, channel_count, bytes)) {
    for (uint32_t channel = 0; channel < channel_count; ++channel) {
      if (!all->rows[channel]) continue;
      csamples_read(format, place_of(&all->channels[channel], device_frame),
                    all->channels[channel].stride, all->rows[channel] + row_frame, frame_count);
    }
    return;
  }
  float tile[TILE], nowhere[TILE / 2];
  const uint8_t *from = place_of(&all->channels[0], device_frame);
  const uint32_t most = (TILE / channel_count) & ~3u;
  while (frame_count > 0) {
    const uint32_t frames = frame_count < most ? frame_count : most;
    csamples_read(format, from, bytes, tile, frames * channel_count);
    part(tile, all->rows, channel_count, row_frame, frames, nowhere);
    from += (size_t)frames * channel_count * bytes;
    row_frame += frames;
    frame_count -= frames;
  }
}

// MARK: - Writing

INLINE void join_two(float *restrict tile, const float *left, const float *right,
                     uint32_t frame_count) {
  for (uint32_t frame = 0; frame < frame_count; ++frame) {
    tile[2 * frame] = left[frame];
    tile[2 * frame + 1] = right[frame];
  }
}

INLINE void join_one(float *tile, uint32_t channel_count, const float *row, uint32_t from,
                     uint32_t frame_count) {
  for (uint32_t frame = from; frame < frame_count; ++frame) {
    tile[(size_t)frame * channel_count] = row[frame];
  }
}

INLINE void join_four(float *tile, uint32_t channel_count, float *const rows[4],
                      uint32_t frame_count) {
  const uint32_t whole = frame_count & ~3u;
  for (uint32_t frame = 0; frame < whole; frame += 4) {
    four lines[4];
    for (uint32_t k = 0; k < 4; ++k) lines[k] = *at(rows[k] + frame);
    transpose(lines);
    for (uint32_t k = 0; k < 4; ++k) *at(tile + (size_t)(frame + k) * channel_count) = lines[k];
  }
  for (uint32_t k = 0; k < 4; ++k) join_one(tile + k, channel_count, rows[k], whole, frame_count);
}

/// Interleaves channel buffers to a tile of frames; missing channels get `silence`.
static void join(float *tile, float *const *rows, uint32_t channel_count, uint32_t first_frame,
                 uint32_t frame_count, float *silence) {
#define ROW(channel) (rows[channel] ? rows[channel] + first_frame : silence)
  if (channel_count == 2) {
    join_two(tile, ROW(0), ROW(1), frame_count);
  } else if (channel_count < 4) {
    for (uint32_t channel = 0; channel < channel_count; ++channel) {
      join_one(tile + channel, channel_count, ROW(channel), 0, frame_count);
    }
  } else {
    EACH_GROUP(group, channel_count) {
      float *const four_rows[4] = {ROW(group), ROW(group + 1), ROW(group + 2), ROW(group + 3)};
      join_four(tile + group, channel_count, four_rows, frame_count);
    }
  }
#undef ROW
}

static bool has_silence(float *const *rows, uint32_t channel_count) {
  for (uint32_t channel = 0; channel < channel_count; ++channel) {
    if (!rows[channel]) return true;
  }
  return false;
}

/// Writes channel by channel. The dither of a sample is the same as for interleaved frames.
static uint32_t write_rows(const csamples_frames *all, uint32_t device_frame, uint32_t row_frame,
                           uint32_t frame_count, dithering dithering) {
  uint32_t clipped = 0;
  for (uint32_t channel = 0; channel < all->channel_count; ++channel, ++dithering.next) {
    uint8_t *to = place_of(&all->channels[channel], device_frame);
    const uint32_t stride = all->channels[channel].stride;
    if (all->rows[channel]) {
      clipped += write_samples(all->format, all->rows[channel] + row_frame, to, stride,
                               frame_count, dithering);
    } else {
      csamples_silence(all->format, to, stride, frame_count);
    }
  }
  return clipped;
}

uint32_t csamples_write_frames(const csamples_frames *all, uint32_t device_frame,
                               uint32_t row_frame, uint32_t frame_count) {
  const csamples_format format = all->format;
  const uint32_t channel_count = all->channel_count;
  csamples_dither *dither = all->dither;
  const uint32_t bytes = csamples_byte_count(format);
  dithering dithering = {dither && is_dithered(format), dither ? dither->next : 0, channel_count};
  if (dither) dither->next += frame_count * channel_count;
  const bool silent = has_silence(all->rows, channel_count);
  // Silence is not dithered, so it cannot be written together with audio.
  if (!is_interleaved(all, bytes) || (silent && dithering.is_on)) {
    return write_rows(all, device_frame, row_frame, frame_count, dithering);
  }
  float tile[TILE], silence[TILE / 2];
  if (silent) memset(silence, 0, sizeof silence);
  dithering.step = 1;
  uint8_t *to = place_of(&all->channels[0], device_frame);
  uint32_t clipped = 0;
  const uint32_t most = (TILE / channel_count) & ~3u;
  while (frame_count > 0) {
    const uint32_t frames = frame_count < most ? frame_count : most, count = frames * channel_count;
    join(tile, all->rows, channel_count, row_frame, frames, silence);
    clipped += write_samples(format, tile, to, bytes, count, dithering);
    to += (size_t)count * bytes;
    dithering.next += count;
    row_frame += frames;
    frame_count -= frames;
  }
  return clipped;
}

void csamples_silence_frames(const csamples_frames *all, uint32_t device_frame,
                             uint32_t frame_count) {
  for (uint32_t channel = 0; channel < all->channel_count; ++channel) {
    csamples_silence(all->format, place_of(&all->channels[channel], device_frame),
                     all->channels[channel].stride, frame_count);
  }
}
