// scripted.h: a machine with sound cards in virtual time, preloaded below alsa-lib.
// SPDX-License-Identifier: MIT
//
// alsa-lib is the real one. This library replaces the kernel: open, ioctl, mmap and poll on
// /dev/snd, and the clock. A second layer above alsa-lib, in calls.c, counts the program's calls
// and makes the n-th one fail as the script says. README.md has the grammar.
//
// Threads run in turn: one runs, the others wait in poll, a sleep or a join. When all wait, the
// clock advances to the next event. So every run gives the same result, and a minute takes
// milliseconds.
#pragma once

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <sound/asound.h>

#define EXPORTED __attribute__((visibility("default")))
#define REAL(name)                                                  \
  ({                                                                \
    static __typeof__(&name) found;                                 \
    if (!found) found = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    found;                                                          \
  })

/// Nanoseconds since the start of the machine.
typedef int64_t moment;
#define NEVER INT64_MAX
#define SECOND INT64_C(1000000000)

// MARK: - The output (output_check.c)

/// Consecutive frames of one kind.
struct stretch {
  /// 'e': the frames of the source, unchanged and in order; 's': silence; 'o': something else.
  char kind;
  /// The position of its first frame, in the card's count of frames since the start of the machine, and its length.
  int64_t at, count;
  /// For 'e': the number of its first frame in the source.
  int64_t source;
  /// For 'o', if the source is a beacon: the minimum and maximum gain, and the greatest change of the gain
  /// from one frame to the next.
  double low, high, step;
  /// For 'o': the number of frames at its start that continue the section before, and of frames at its end
  /// that lead to the section after, apart from their gain.
  int64_t onward, upward;
};

struct ear {
  struct stretch *stretches;
  size_t count, capacity;
  // The last frames of kind 'o', which are examined when the section ends.
  double (*faded)[2];
  size_t faded_count;
  double last_gain;
};

// MARK: - Cards (card.c, stream.c)

enum { PLAYBACK = 0, CAPTURE = 1 };
enum source { COUNTER, BEACON, SILENCE };

struct range { unsigned least, most; };

struct card {
  char id[16], name[80], usb_id[16], serial[32];
  /// -1 while the card is not connected.
  int number;
  struct range channels[2], period, periods, buffer;
  unsigned rates[16];
  unsigned rate_count; // a range if `rates_are_range`
  bool rates_are_range, whole_periods, has_direction[2], links, dirty;
  uint64_t formats;
  unsigned accesses;
  int ppm;
  unsigned granularity;
  enum source source;
  bool can_pause, can_resume, resumes_to_xrun;
  /// How long playback consumes nothing after its start, and whether unread capture is kept beyond the buffer.
  /// Sound servers do both.
  moment ahead;
  bool keeps;
  bool is_asleep, is_seized, is_denied;
  /// The only rate that it runs at; 0 for any.
  unsigned forced_rate;
  /// The channel count of its channel map: 0 for none, or a wrong one.
  unsigned claimed_channels;
};

struct stream {
  struct card *card;
  int direction;
  int fd; // -1 while closed
  bool is_gone; // its card was disconnected while it was open
  int open_flags;
  int group; // 0: none
  // Settings.
  unsigned access, format, channels, rate;
  snd_pcm_uframes_t period, buffer;
  unsigned sample_bytes;
  struct snd_pcm_sw_params software;
  // The memory that the program maps.
  struct snd_pcm_mmap_status *status;
  struct snd_pcm_mmap_control *control;
  uint8_t *memory;
  size_t byte_count;
  // The converter.
  bool is_frozen;
  moment since; // the time of `moved_since`
  int64_t moved_since, moved; // frames since `prepare`
  int64_t first; // the card's frame number at the start
  int64_t next_interrupt; // in frames
  moment late; // delay of the next interrupt
  moment trigger;
  struct ear ear;
  unsigned starts, xruns, opens;
};

#define MAX_CARDS 8
extern struct card cards[MAX_CARDS];
extern int card_count;
extern struct stream streams[MAX_CARDS * 2];

struct card *card_named(const char *id);
struct card *card_numbered(int number);
struct stream *stream_of(struct card *card, int direction);
struct stream *stream_with(int fd);
struct stream *stream_at(const void *memory);
bool parse_card(char *words);
void write_report(const char *path);

// stream.c: the kernel's side of an open stream. Results are 0 or a negative errno value.
int stream_ioctl(struct stream *stream, unsigned long request, void *argument);
void *stream_map(struct stream *stream, size_t length, off_t offset);
short stream_events(struct stream *stream);
int stream_open(struct stream *stream, int flags);
void stream_close(struct stream *stream);
/// Moves samples up to now.
void stream_move(struct stream *stream);
/// The time of the next interrupt.
moment stream_next(const struct stream *stream);
void stream_interrupt(struct stream *stream);
void stream_stop(struct stream *stream, snd_pcm_state_t state);
void stream_set_state(struct stream *stream, snd_pcm_state_t state);
void stream_rebase(struct stream *stream);
/// The card's count of frames at a time, at a rate.
int64_t frames_at(const struct card *card, unsigned rate, moment when);

int transfer(struct stream *stream, unsigned long request, void *argument);
int refine(const struct card *card, int direction, struct snd_pcm_hw_params *parameters);
int control_ioctl(struct card *card, unsigned long request, void *argument);

/// Writes a frame of the signal to the converter's memory, or reads a played frame from it.
void record_frame(struct stream *stream, int64_t frame, int64_t source);
void play_frame(struct stream *stream, int64_t frame, int64_t at);
unsigned format_bytes(unsigned format);

/// Updates /proc/asound (proc.c).
void show_cards(void);

// MARK: - Time and turns (clock.c)

extern bool is_scripted;
extern moment now;
/// Advances the time by `cost` within a call.
void spend(moment cost);
/// Makes this thread wait for this time within a call, while the others run.
void sleep_for(moment time);
/// Waits until `deadline` or until one of the descriptors is ready. Returns the number of ready ones.
int wait_for(struct pollfd *descriptors, nfds_t count, moment deadline);
void stall_until(moment end);
/// Ends the process with an error message.
void give_up(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

// MARK: - The script (script.c)

void read_script(const char *path);
moment next_event(void);
void run_events(void);
extern moment time_limit;

/// The effect of a call.
struct verdict {
  int error; // 0: none
  long at_most; // -1: no limit
};
struct verdict judge(const char *function, int direction);
void report_calls(FILE *file);

extern __thread int depth;
