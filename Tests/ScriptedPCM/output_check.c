// output_check.c: the captured signal, and the check of the output. SPDX-License-Identifier: MIT
//
// The captured signal of a card is a counter that never stops. Each frame contains its number, in all of its
// bits and differently in each channel. So every output frame can be checked.
#include "scripted.h"

#include <endian.h>
#include <math.h>

#define STEP UINT32_C(0x9e3779)
#define CHANNEL_STEP UINT32_C(0x123457)
#define MOST_FADED (1 << 16)

static unsigned bits_of(unsigned format) {
  switch (format) {
  case 0:
  case 1: return 8;
  case 2 ... 5: return 16;
  default: return 24;
  }
}

static int32_t extended(uint32_t value, unsigned bits) {
  return (int32_t)(value << (32 - bits)) >> (32 - bits);
}

/// Returns the value of the signal in a frame. In a beacon only the first channel has the counter.
static int32_t code(const struct card *card, unsigned format, int64_t frame, unsigned channel) {
  unsigned bits = bits_of(format);
  if (card->source == SILENCE) return 0;
  if (card->source == BEACON && channel > 0) return 1 << (bits - 3);
  return extended((uint32_t)frame * STEP + channel * CHANNEL_STEP, bits);
}

/// Returns the last frame before `latest` that has `value` in the first channel.
static int64_t frame_of(int32_t value, unsigned bits, int64_t latest) {
  static uint32_t inverse;
  if (!inverse) {
    inverse = 1;
    for (int i = 0; i < 5; i++) inverse *= 2 - STEP * inverse;
  }
  uint32_t mask = (UINT32_C(1) << bits) - 1;
  uint32_t behind = ((uint32_t)latest - (uint32_t)value * inverse) & mask;
  return latest - behind;
}

// MARK: - Samples in memory

static void put(uint8_t *place, unsigned format, int32_t value, bool is_dirty) {
  uint32_t word = (uint32_t)value;
  switch (format) {
  case 0: place[0] = (uint8_t)word; break;
  case 2: place[0] = (uint8_t)word, place[1] = (uint8_t)(word >> 8); break;
  case 3: place[1] = (uint8_t)word, place[0] = (uint8_t)(word >> 8); break;
  case 6:
  case 7:
    if (is_dirty) word = (word & 0xffffff) | 0xa5000000;
    word = format == 6 ? htole32(word) : htobe32(word);
    memcpy(place, &word, 4);
    break;
  case 10:
  case 11:
    word = format == 10 ? htole32(word << 8) : htobe32(word << 8);
    memcpy(place, &word, 4);
    break;
  case 14:
  case 15: {
    float sample = (float)value / 8388608;
    memcpy(&word, &sample, 4);
    word = format == 14 ? htole32(word) : htobe32(word);
    memcpy(place, &word, 4);
    break;
  }
  case 16:
  case 17: {
    double sample = (double)value / 8388608;
    uint64_t wide;
    memcpy(&wide, &sample, 8);
    wide = format == 16 ? htole64(wide) : htobe64(wide);
    memcpy(place, &wide, 8);
    break;
  }
  case 32: for (int i = 0; i < 3; i++) place[i] = (uint8_t)(word >> 8 * i); break;
  case 33: for (int i = 0; i < 3; i++) place[2 - i] = (uint8_t)(word >> 8 * i); break;
  default: break;
  }
}

/// Returns a sample as a signal value: with a fraction if it has extra low bits, NAN if it is not valid.
static double take(const uint8_t *place, unsigned format) {
  uint32_t word = 0;
  switch (format) {
  case 0: return (int8_t)place[0];
  case 2: return (int16_t)(place[0] | place[1] << 8);
  case 3: return (int16_t)(place[1] | place[0] << 8);
  case 6:
  case 7: {
    memcpy(&word, place, 4);
    int32_t value = (int32_t)(format == 6 ? le32toh(word) : be32toh(word));
    return value == extended((uint32_t)value, 24) ? value : NAN;
  }
  case 10:
  case 11:
    memcpy(&word, place, 4);
    return (int32_t)(format == 10 ? le32toh(word) : be32toh(word)) / 256.0;
  case 14:
  case 15: {
    float sample;
    memcpy(&word, place, 4);
    word = format == 14 ? le32toh(word) : be32toh(word);
    memcpy(&sample, &word, 4);
    return (double)sample * 8388608;
  }
  case 16:
  case 17: {
    uint64_t wide;
    double sample;
    memcpy(&wide, place, 8);
    wide = format == 16 ? le64toh(wide) : be64toh(wide);
    memcpy(&sample, &wide, 8);
    return sample * 8388608;
  }
  case 32: return extended((uint32_t)(place[0] | place[1] << 8 | place[2] << 16), 24);
  case 33: return extended((uint32_t)(place[2] | place[1] << 8 | place[0] << 16), 24);
  default: return NAN;
  }
}

static uint8_t *place_of(const struct stream *stream, int64_t frame, unsigned channel) {
  bool in_rows = stream->access == SNDRV_PCM_ACCESS_MMAP_NONINTERLEAVED ||
                 stream->access == SNDRV_PCM_ACCESS_RW_NONINTERLEAVED;
  int64_t sample = in_rows ? (int64_t)channel * (int64_t)stream->buffer + frame
                           : frame * (int64_t)stream->channels + channel;
  return stream->memory + sample * (int64_t)stream->sample_bytes;
}

void record_frame(struct stream *stream, int64_t frame, int64_t source) {
  for (unsigned channel = 0; channel < stream->channels; channel++)
    put(place_of(stream, frame, channel), stream->format,
        code(stream->card, stream->format, source, channel), stream->card->dirty);
}

// MARK: - Classification of frames

/// Returns the card whose signal is in the output: the first one with capture.
static const struct card *source_card(void) {
  for (int i = 0; i < card_count; i++)
    if (cards[i].has_direction[CAPTURE]) return &cards[i];
  return &cards[0];
}

static bool says(const struct stream *stream, int64_t frame, int64_t source) {
  const struct card *card = source_card();
  unsigned channels = stream->channels, recorded = stream_of((struct card *)card, CAPTURE)->channels;
  if (recorded && channels > recorded) channels = recorded;
  for (unsigned channel = 0; channel < channels; channel++)
    if (take(place_of(stream, frame, channel), stream->format) !=
        code(card, stream->format, source, channel))
      return false;
  return true;
}

static bool is_silent(const struct stream *stream, int64_t frame) {
  for (unsigned channel = 0; channel < stream->channels; channel++)
    if (take(place_of(stream, frame, channel), stream->format) != 0) return false;
  return true;
}

static struct stretch *open_stretch(struct ear *ear, char kind, int64_t at, int64_t source) {
  if (ear->count == ear->capacity) {
    ear->capacity = ear->capacity ? 2 * ear->capacity : 64;
    ear->stretches = realloc(ear->stretches, ear->capacity * sizeof *ear->stretches);
  }
  struct stretch *stretch = &ear->stretches[ear->count++];
  *stretch = (struct stretch){.kind = kind, .at = at, .source = source, .low = INFINITY};
  return stretch;
}

/// Returns whether a frame is the source's frame times a gain. The gain is known only to half a step of the
/// beacon, so the counter may differ by a few steps.
static bool is_faded(const struct stream *stream, const double frame[2], int64_t source) {
  unsigned bits = bits_of(stream->format);
  double gain = frame[1] / (1 << (bits - 3));
  double expected = gain * code(source_card(), stream->format, source, 0);
  return fabs(frame[0] - expected) <= 6;
}

/// Examines a finished section of kind 'o'.
static void judge_faded(struct stream *stream, int64_t next_source) {
  struct ear *ear = &stream->ear;
  if (ear->count == 0) return;
  struct stretch *faded = &ear->stretches[ear->count - 1];
  if (faded->kind != 'o' || source_card()->source != BEACON) return;
  struct stretch *before = ear->count > 1 ? faded - 1 : NULL;
  bool goes_on = before && before->kind == 'e' && before->at + before->count == faded->at;
  while (goes_on && faded->onward < (int64_t)ear->faded_count &&
         is_faded(stream, ear->faded[faded->onward],
                  before->source + before->count + faded->onward))
    faded->onward++;
  while (next_source != INT64_MIN && faded->upward < (int64_t)ear->faded_count &&
         is_faded(stream, ear->faded[(int64_t)ear->faded_count - 1 - faded->upward],
                  next_source - 1 - faded->upward))
    faded->upward++;
}

static void note_gain(struct stream *stream, struct stretch *stretch, int64_t frame) {
  struct ear *ear = &stream->ear;
  if (stream->channels < 2 || source_card()->source != BEACON) return;
  double beacon = take(place_of(stream, frame, 1), stream->format);
  double gain = beacon / (1 << (bits_of(stream->format) - 3));
  double step = fabs(gain - ear->last_gain);
  if (gain < stretch->low) stretch->low = gain;
  if (gain > stretch->high) stretch->high = gain;
  if (step > stretch->step) stretch->step = step;
  ear->last_gain = gain;
  if (!ear->faded) ear->faded = malloc(MOST_FADED * sizeof *ear->faded);
  if (ear->faded_count < MOST_FADED) {
    ear->faded[ear->faded_count][0] = take(place_of(stream, frame, 0), stream->format);
    ear->faded[ear->faded_count++][1] = beacon;
  }
}

void play_frame(struct stream *stream, int64_t frame, int64_t at) {
  struct ear *ear = &stream->ear;
  struct stretch *last = ear->count ? &ear->stretches[ear->count - 1] : NULL;
  if (last && last->at + last->count != at) last = NULL;
  if (last && last->kind == 'e' && says(stream, frame, last->source + last->count)) {
    last->count++;
    return;
  }
  int64_t source = frame_of((int32_t)take(place_of(stream, frame, 0), stream->format),
                            bits_of(stream->format), at);
  bool silent = is_silent(stream, frame);
  char kind = silent ? 's' : says(stream, frame, source) ? 'e' : 'o';
  if (!last || kind != last->kind || kind == 'e') {
    judge_faded(stream, kind == 'e' ? source : INT64_MIN);
    ear->faded_count = 0;
    ear->last_gain = last && last->kind == 'e' ? 1 : 0;
    last = open_stretch(ear, kind, at, kind == 'e' ? source : 0);
  }
  if (kind == 'o') note_gain(stream, last, frame);
  // The last frame of a fade may have full gain.
  last->count++;
}

// MARK: - The report

static void report_stream(FILE *file, struct stream *stream, bool is_first) {
  fprintf(file,
          "%s\n{\"card\":\"%s\",\"direction\":\"%s\",\"opens\":%u,\"starts\":%u,\"xruns\":%u,"
          "\"format\":%u,\"channels\":%u,\"rate\":%u,\"period\":%lu,\"buffer\":%lu,"
          "\"stretches\":[",
          is_first ? "" : ",", stream->card->id,
          stream->direction == CAPTURE ? "capture" : "playback", stream->opens, stream->starts,
          stream->xruns, stream->format, stream->channels, stream->rate, stream->period,
          stream->buffer);
  for (size_t i = 0; i < stream->ear.count; i++) {
    struct stretch *it = &stream->ear.stretches[i];
    fprintf(file,
            "%s\n{\"kind\":\"%c\",\"at\":%lld,\"count\":%lld,\"source\":%lld,\"low\":%.6f,"
            "\"high\":%.6f,\"step\":%.6f,\"onward\":%lld,\"upward\":%lld}",
            i ? "," : "", it->kind, (long long)it->at, (long long)it->count,
            (long long)it->source, isinf(it->low) ? 0 : it->low, it->high, it->step,
            (long long)it->onward, (long long)it->upward);
  }
  fprintf(file, "]}");
}

void write_report(const char *path) {
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "{\"seconds\":%.9f,\n\"calls\":{", (double)(now - 1000 * SECOND) / 1e9);
  report_calls(file);
  fprintf(file, "},\n\"streams\":[");
  for (int i = 0; i < card_count * 2; i++) report_stream(file, &streams[i], i == 0);
  fprintf(file, "]}\n");
  fclose(file);
}
