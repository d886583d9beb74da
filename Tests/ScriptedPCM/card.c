// card.c: the machine's cards, and how the script describes them. SPDX-License-Identifier: MIT
#include "scripted.h"

struct card cards[MAX_CARDS];
int card_count;
struct stream streams[MAX_CARDS * 2];

struct card *card_named(const char *id) {
  for (int i = 0; i < card_count; i++)
    if (strcmp(cards[i].id, id) == 0) return &cards[i];
  return NULL;
}

struct card *card_numbered(int number) {
  for (int i = 0; i < card_count; i++)
    if (cards[i].number == number && number >= 0) return &cards[i];
  return NULL;
}

struct stream *stream_of(struct card *card, int direction) {
  return &streams[(card - cards) * 2 + direction];
}

struct stream *stream_with(int fd) {
  for (int i = 0; i < card_count * 2; i++)
    if (streams[i].fd == fd && fd >= 0) return &streams[i];
  return NULL;
}

struct stream *stream_at(const void *memory) {
  for (int i = 0; i < card_count * 2; i++) {
    const struct stream *stream = &streams[i];
    const uint8_t *place = memory;
    if (memory == stream->status || memory == stream->control) return &streams[i];
    if (stream->memory && place >= stream->memory && place < stream->memory + stream->byte_count)
      return &streams[i];
  }
  return NULL;
}

// MARK: - Descriptions

static const struct {
  const char *name;
  unsigned number;
} format_names[] = {{"S8", 0},         {"U8", 1},         {"S16_LE", 2},    {"S16_BE", 3},
                    {"S24_LE", 6},     {"S24_BE", 7},     {"S32_LE", 10},   {"S32_BE", 11},
                    {"FLOAT_LE", 14},  {"FLOAT_BE", 15},  {"FLOAT64_LE", 16}, {"FLOAT64_BE", 17},
                    {"S24_3LE", 32},   {"S24_3BE", 33}};

static const struct {
  const char *name;
  unsigned number;
} access_names[] = {{"mmap", SNDRV_PCM_ACCESS_MMAP_INTERLEAVED},
                    {"mmap-rows", SNDRV_PCM_ACCESS_MMAP_NONINTERLEAVED},
                    {"copy", SNDRV_PCM_ACCESS_RW_INTERLEAVED},
                    {"copy-rows", SNDRV_PCM_ACCESS_RW_NONINTERLEAVED}};

#define BITS_OF(names, text)                                                    \
  ({                                                                            \
    uint64_t bits = 0;                                                          \
    char *rest = text, *word;                                                   \
    while ((word = strtok_r(rest, ",", &rest)))                                 \
      for (size_t i = 0; i < sizeof names / sizeof *names; i++)                 \
        if (strcmp(names[i].name, word) == 0) bits |= UINT64_C(1) << names[i].number; \
    bits;                                                                       \
  })

static struct range range_of(const char *text) {
  struct range range = {(unsigned)atol(text), (unsigned)atol(text)};
  const char *dash = strchr(text, '-');
  if (dash) range.most = (unsigned)atol(dash + 1);
  return range;
}

static void parse_rates(struct card *card, char *text) {
  card->rate_count = 0;
  card->rates_are_range = strchr(text, '-') != NULL;
  char *rest = text, *word;
  while (card->rate_count < 16 && (word = strtok_r(rest, ",-", &rest)))
    card->rates[card->rate_count++] = (unsigned)atol(word);
}

static bool set(struct card *card, const char *key, char *value) {
  bool yes = strcmp(value, "yes") == 0;
  if (strcmp(key, "id") == 0) snprintf(card->id, sizeof card->id, "%s", value);
  else if (strcmp(key, "name") == 0) {
    snprintf(card->name, sizeof card->name, "%s", value);
    for (char *at = card->name; *at; at++)
      if (*at == '_') *at = ' ';
  }
  else if (strcmp(key, "usbid") == 0) snprintf(card->usb_id, sizeof card->usb_id, "%s", value);
  else if (strcmp(key, "serial") == 0) snprintf(card->serial, sizeof card->serial, "%s", value);
  else if (strcmp(key, "formats") == 0) card->formats = BITS_OF(format_names, value);
  else if (strcmp(key, "access") == 0) card->accesses = (unsigned)BITS_OF(access_names, value);
  else if (strcmp(key, "channels") == 0) card->channels[0] = card->channels[1] = range_of(value);
  else if (strcmp(key, "ins") == 0) card->channels[CAPTURE] = range_of(value);
  else if (strcmp(key, "outs") == 0) card->channels[PLAYBACK] = range_of(value);
  else if (strcmp(key, "rates") == 0) parse_rates(card, value);
  else if (strcmp(key, "period") == 0) card->period = range_of(value);
  else if (strcmp(key, "periods") == 0) card->periods = range_of(value);
  else if (strcmp(key, "buffer") == 0) card->buffer = range_of(value);
  else if (strcmp(key, "whole") == 0) card->whole_periods = yes;
  else if (strcmp(key, "ppm") == 0) card->ppm = atoi(value);
  else if (strcmp(key, "granularity") == 0) card->granularity = (unsigned)atoi(value);
  else if (strcmp(key, "link") == 0) card->links = yes;
  else if (strcmp(key, "pause") == 0) card->can_pause = yes;
  else if (strcmp(key, "ahead") == 0) card->ahead = (moment)(atof(value) * SECOND);
  else if (strcmp(key, "keeps") == 0) card->keeps = yes;
  else if (strcmp(key, "dirty") == 0) card->dirty = yes;
  else if (strcmp(key, "chmap") == 0) card->claimed_channels = (unsigned)atoi(value);
  else if (strcmp(key, "resume") == 0) {
    card->can_resume = strcmp(value, "no") != 0;
    card->resumes_to_xrun = strcmp(value, "xrun") == 0;
  } else if (strcmp(key, "directions") == 0) {
    card->has_direction[CAPTURE] = strcmp(value, "playback") != 0;
    card->has_direction[PLAYBACK] = strcmp(value, "capture") != 0;
  } else if (strcmp(key, "source") == 0) {
    card->source = strcmp(value, "beacon") == 0 ? BEACON
                   : strcmp(value, "silence") == 0 ? SILENCE : COUNTER;
  } else return false;
  return true;
}

/// card NUMBER KEY=VALUE ...; the number `-` means that the card is connected later.
bool parse_card(char *words) {
  if (card_count == MAX_CARDS) return false;
  struct card *card = &cards[card_count++];
  char *rest = words, *word = strtok_r(rest, " ", &rest);
  *card = (struct card){
      .id = "Desk", .number = word && *word != '-' ? atoi(word) : -1,
      .channels = {{1, 8}, {1, 8}}, .period = {1, 1u << 20}, .periods = {2, 1024},
      .buffer = {2, 1u << 21}, .rates = {8000, 192000}, .rate_count = 2, .rates_are_range = true,
      .whole_periods = true, .has_direction = {true, true}, .links = true, .granularity = 1,
      .formats = UINT64_C(1) << 10,
      .accesses = 1 << SNDRV_PCM_ACCESS_MMAP_INTERLEAVED | 1 << SNDRV_PCM_ACCESS_RW_INTERLEAVED};
  for (int direction = 0; direction < 2; direction++) {
    struct stream *stream = stream_of(card, direction);
    *stream = (struct stream){.card = card, .direction = direction, .fd = -1};
  }
  while ((word = strtok_r(rest, " ", &rest))) {
    char *value = strchr(word, '=');
    if (!value) return false;
    *value++ = 0;
    if (!set(card, word, value)) return false;
  }
  if (!card->name[0]) {
    strcpy(card->name, "Scripted ");
    strcat(card->name, card->id);
  }
  return true;
}
