// script.c: reads the script, runs its events, and decides the result of calls. SPDX-License-Identifier: MIT
#include "scripted.h"

#include <ctype.h>
#include <string.h>

#define MAX_RULES 64
#define MAX_EVENTS 512
#define MAX_FUNCTIONS 160

struct event {
  moment when;
  char text[160];
  bool is_done;
};

struct rule {
  char function[48];
  int direction; // -1: either
  moment after;
  long nth, times, seen;
  int error;
  long at_most;
  moment slow, hang;
  char event[160];
};

static struct event events[MAX_EVENTS];
static int event_count;
static struct rule rules[MAX_RULES];
static int rule_count;
static struct {
  const char *name;
  long count[2], last_second;
} functions[MAX_FUNCTIONS];
static int function_count;

// MARK: - Names

static const struct {
  const char *name;
  int value;
} errors[] = {{"EPIPE", EPIPE},   {"ESTRPIPE", ESTRPIPE}, {"EIO", EIO},     {"ENODEV", ENODEV},
              {"EAGAIN", EAGAIN}, {"EINTR", EINTR},       {"EBADFD", EBADFD}, {"EINVAL", EINVAL},
              {"ENOSYS", ENOSYS}, {"EBUSY", EBUSY},       {"EACCES", EACCES}, {"ENOMEM", ENOMEM},
              {"ENOENT", ENOENT}, {"ENXIO", ENXIO},       {"EPERM", EPERM},   {"ENOTTY", ENOTTY}};

static int error_named(const char *name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (strcmp(errors[i].name, name) == 0) return errors[i].value;
  give_up(96, "the script names an unknown error: %s", name);
  return 0;
}

static moment seconds(const char *text) {
  return (moment)(strtod(text ? text : "0", NULL) * 1e9 + 0.5);
}

static int direction_named(const char *word) {
  if (word && strcmp(word, "capture") == 0) return CAPTURE;
  if (word && strcmp(word, "playback") == 0) return PLAYBACK;
  return -1;
}

// MARK: - Events

static void for_streams(struct card *card, int direction, void (*act)(struct stream *)) {
  for (int side = 0; side < 2; side++)
    if (direction < 0 || direction == side) {
      struct stream *stream = stream_of(card, side);
      if (stream->fd >= 0 && !stream->is_gone) act(stream);
    }
}

static void overrun(struct stream *stream) {
  if (stream->status->state != SNDRV_PCM_STATE_RUNNING &&
      stream->status->state != SNDRV_PCM_STATE_DRAINING)
    return;
  stream_move(stream);
  stream->xruns++;
  stream_stop(stream, SNDRV_PCM_STATE_XRUN);
}

static void lose(struct stream *stream) {
  stream_move(stream);
  if (stream->status->state == SNDRV_PCM_STATE_RUNNING)
    stream_stop(stream, SNDRV_PCM_STATE_DISCONNECTED);
  stream_set_state(stream, SNDRV_PCM_STATE_DISCONNECTED);
  stream->is_gone = true;
}

static void fall_asleep(struct stream *stream) {
  // Linked streams fall asleep too, on any card.
  for (int i = 0; i < card_count * 2; i++) {
    struct stream *other = &streams[i];
    if (other->fd < 0 || (other != stream && (!stream->group || other->group != stream->group)))
      continue;
    snd_pcm_state_t state = other->status->state;
    if (state != SNDRV_PCM_STATE_RUNNING && state != SNDRV_PCM_STATE_PREPARED) continue;
    stream_move(other);
    other->status->suspended_state = state;
    stream_set_state(other, SNDRV_PCM_STATE_SUSPENDED);
  }
}

static void freeze(struct stream *stream) {
  stream_move(stream);
  stream->is_frozen = true;
}

static void thaw(struct stream *stream) {
  if (!stream->is_frozen) return;
  stream->is_frozen = false;
  stream_rebase(stream);
}

static void change_rate(struct stream *stream) { stream_rebase(stream); }

static void happen(char *text) {
  char *rest = text;
  char *what = strtok_r(rest, " ", &rest);
  char *name = strtok_r(rest, " ", &rest);
  char *word = strtok_r(rest, " ", &rest);
  if (strcmp(what, "stall") == 0) {
    stall_until(now + seconds(name));
    return;
  }
  struct card *card = name ? card_named(name) : NULL;
  if (!card) give_up(96, "the script names an unknown card: %s", name ? name : "");
  int direction = direction_named(word);
  if (strcmp(what, "xrun") == 0) {
    for_streams(card, direction, overrun);
  } else if (strcmp(what, "unplug") == 0) {
    for_streams(card, -1, lose);
    card->number = -1;
  } else if (strcmp(what, "plug") == 0) {
    card->number = word ? atoi(word) : 0;
  } else if (strcmp(what, "suspend") == 0) {
    for_streams(card, -1, fall_asleep);
    card->is_asleep = true;
  } else if (strcmp(what, "wake") == 0) {
    card->is_asleep = false;
  } else if (strcmp(what, "freeze") == 0) {
    for_streams(card, direction, freeze);
  } else if (strcmp(what, "thaw") == 0) {
    for_streams(card, direction, thaw);
  } else if (strcmp(what, "late") == 0) {
    for (int side = 0; side < 2; side++) stream_of(card, side)->late = seconds(word);
  } else if (strcmp(what, "rate") == 0) {
    for_streams(card, -1, stream_move);
    card->forced_rate = word ? (unsigned)atoi(word) : 0;
    for_streams(card, -1, change_rate);
  } else if (strcmp(what, "seize") == 0) {
    card->is_seized = true;
  } else if (strcmp(what, "release") == 0) {
    card->is_seized = false;
  } else if (strcmp(what, "deny") == 0) {
    card->is_denied = true;
  } else {
    give_up(96, "the script has an unknown event: %s", what);
  }
  show_cards();
}

moment next_event(void) {
  moment first = NEVER;
  for (int i = 0; i < event_count; i++)
    if (!events[i].is_done && events[i].when < first) first = events[i].when;
  return first;
}

void run_events(void) {
  for (int i = 0; i < event_count; i++) {
    if (events[i].is_done || events[i].when > now) continue;
    events[i].is_done = true;
    char text[160];
    strcpy(text, events[i].text);
    happen(text);
  }
}

// MARK: - Calls

static void count_call(const char *function, int direction) {
  int i = 0;
  while (i < function_count && strcmp(functions[i].name, function) != 0) i++;
  if (i == MAX_FUNCTIONS) return;
  if (i == function_count) functions[function_count++].name = function;
  functions[i].count[direction == CAPTURE]++;
}

struct verdict judge(const char *function, int direction) {
  struct verdict verdict = {0, -1};
  count_call(function, direction);
  for (struct rule *rule = rules; rule < rules + rule_count; rule++) {
    if (strcmp(rule->function, function) != 0 || now < rule->after) continue;
    if (rule->direction >= 0 && rule->direction != direction) continue;
    rule->seen++;
    if (rule->seen < rule->nth || rule->seen >= rule->nth + rule->times) continue;
    if (rule->slow) spend(rule->slow);
    // A call that hangs waits, while other threads run. A slow one uses the processor.
    if (rule->hang) sleep_for(rule->hang);
    if (rule->event[0]) {
      char text[160];
      strcpy(text, rule->event);
      happen(text);
    }
    verdict.error = rule->error;
    if (rule->at_most >= 0) verdict.at_most = rule->at_most;
  }
  return verdict;
}

void report_calls(FILE *file) {
  for (int i = 0; i < function_count; i++)
    fprintf(file, "%s\"%s\":[%ld,%ld]", i ? "," : "", functions[i].name, functions[i].count[1],
            functions[i].count[0]);
}

// MARK: - Reading

/// call N FUNCTION [capture|playback] [after SECONDS] [times K|always] fail E | short N | slow S | hang S | do EVENT
static void parse_rule(char *rest) {
  if (rule_count == MAX_RULES) give_up(96, "the script has too many rules");
  struct rule *rule = &rules[rule_count++];
  *rule = (struct rule){.direction = -1, .times = 1, .at_most = -1};
  rule->nth = atol(strtok_r(rest, " ", &rest));
  snprintf(rule->function, sizeof rule->function, "%s", strtok_r(rest, " ", &rest));
  char *word;
  while ((word = strtok_r(rest, " ", &rest))) {
    if (direction_named(word) >= 0) rule->direction = direction_named(word);
    else if (strcmp(word, "after") == 0) rule->after = 1000 * SECOND + seconds(strtok_r(rest, " ", &rest));
    else if (strcmp(word, "times") == 0) rule->times = atol(strtok_r(rest, " ", &rest));
    else if (strcmp(word, "always") == 0) rule->times = LONG_MAX / 2;
    else if (strcmp(word, "fail") == 0) rule->error = error_named(strtok_r(rest, " ", &rest));
    else if (strcmp(word, "short") == 0) rule->at_most = atol(strtok_r(rest, " ", &rest));
    else if (strcmp(word, "slow") == 0) rule->slow = seconds(strtok_r(rest, " ", &rest));
    else if (strcmp(word, "hang") == 0) rule->hang = seconds(strtok_r(rest, " ", &rest));
    else if (strcmp(word, "do") == 0) {
      snprintf(rule->event, sizeof rule->event, "%s", rest);
      return;
    } else give_up(96, "the script has an unknown word: %s", word);
  }
}

void read_script(const char *path) {
  // Without a limit, a program that waits forever on running cards would never end.
  time_limit = 2000 * SECOND;
  FILE *file = fopen(path, "r");
  if (!file) give_up(96, "there is no script %s", path);
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n#")] = 0;
    char *rest = line;
    char *word = strtok_r(rest, " ", &rest);
    if (!word) continue;
    if (strcmp(word, "card") == 0) {
      if (!parse_card(rest)) give_up(96, "the script has a card that cannot be");
    } else if (strcmp(word, "call") == 0) {
      parse_rule(rest);
    } else if (strcmp(word, "limit") == 0) {
      time_limit = 1000 * SECOND + seconds(rest);
    } else if (strcmp(word, "at") == 0) {
      if (event_count == MAX_EVENTS) give_up(96, "the script has too many events");
      struct event *event = &events[event_count++];
      event->when = 1000 * SECOND + seconds(strtok_r(rest, " ", &rest));
      snprintf(event->text, sizeof event->text, "%s", rest);
    } else {
      give_up(96, "the script has an unknown line: %s", word);
    }
  }
  fclose(file);
  show_cards();
}
