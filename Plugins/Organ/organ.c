// organ.c: a drawbar organ that is played by MIDI. SPDX-License-Identifier: MIT
//
// Each of sixteen voices has one phase, that of its lowest drawbar. The nine drawbars stand at whole
// multiples of it, so their sines follow from one sine and cosine by the theorems for sums and double
// angles: nothing drifts apart, and there is nothing to alias, as a drawbar is faded out before it
// reaches half the sample rate. A voice that is taken over keeps its phase and its level, so that
// neither a stolen note nor a repeated one clicks.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Constants

enum { VOICE_COUNT = 16, DRAWBAR_COUNT = 9, CHANNEL_COUNT = 16, MESSAGE_CAPACITY = 1024 };

static const double bend_semitones = 2;       // for the whole way of the wheel
static const double glide_seconds = 0.005;    // in which drawbars and level move by 63 %
static const double stop_seconds = 0.005;     // in which "all sound off" falls by 63 %
static const double drawbar_step_decibels = 3; // from one mark of a drawbar to the next
// Of a drawbar that is out, so that a triad of the defaults has -23 LUFS, and no preset comes near full scale.
static const double full_gain = 0.25;
static const double silent_level = 1e-6;      // linear; a voice below it is free
static const float pans[DRAWBAR_COUNT] = {0, 0.2f, -0.1f, 0.1f, -0.25f, 0.25f, -0.35f, 0.35f, 0};

/// The drawbars' frequencies, as multiples of the lowest: 16', 5 1/3', 8', 4', 2 2/3', 2', 1 3/5', 1 1/3', 1'.
static const int multiples[DRAWBAR_COUNT] = {1, 3, 2, 4, 6, 8, 10, 12, 16};

// Parameters, in the order of the manifest

enum { ATTACK = DRAWBAR_COUNT, DECAY, SUSTAIN, RELEASE, VELOCITY, LEVEL, PARAMETER_COUNT };

// State

enum Stage { FREE, ATTACKING, HELD, RELEASED, STOPPED };

typedef struct {
  enum Stage stage;
  uint8_t channel;
  uint8_t key;
  int is_pedalled;      // its key is up, and the pedal holds it
  uint64_t age;         // number of its note
  double semitones;     // from A4, without bend
  double increment;     // turns of the lowest drawbar for each frame
  double phase;         // turns, 0 to below 1
  double level;         // of the envelope, velocity included
  double peak;          // where the attack leads
  float room[DRAWBAR_COUNT]; // 1; less where a drawbar comes near half the rate
} Voice;

typedef struct {
  uint32_t frame;
  uint8_t bytes[3];
} Message;

typedef struct {
  // Parameters as last set.
  float parameters[PARAMETER_COUNT];
  int is_fresh;
  // Coefficients derived from them.
  float gain_targets[DRAWBAR_COUNT]; // linear, level included
  double attack_step;                // of level, each frame
  double decay_factor;
  double release_factor;
  // Running state.
  float gains[DRAWBAR_COUNT]; // follow their targets
  Voice voices[VOICE_COUNT];
  uint64_t note_count;
  double bends[CHANNEL_COUNT]; // semitones
  int pedals[CHANNEL_COUNT];
  Message messages[MESSAGE_CAPACITY]; // of the block to come
  uint32_t message_count;
  int has_lost_messages;
  // Derived once.
  double sample_rate_hz;
  double stop_factor;
  float glide_factor;
} Organ;

// Pure helpers

static double rest_of(double seconds, double sample_rate_hz) {
  return exp(-1 / fmax(seconds * sample_rate_hz, 1e-3));
}

/// A drawbar at 8 is full, at 0 silent.
static double drawbar_gain(double mark) {
  if (mark <= 0) return 0;
  // Below the first mark straight to nothing, so that the drawbar leaves without a jump.
  const double first = pow(10, -7 * drawbar_step_decibels / 20);
  return mark < 1 ? mark * first : pow(10, (mark - 8) * drawbar_step_decibels / 20);
}

/// 1 up to 0.4 of the rate, 0 from 0.45.
static float room_of(double increment, int multiple) {
  const double share = (0.45 - increment * multiple) / 0.05;
  return (float)(share < 0 ? 0 : share > 1 ? 1 : share);
}

// Voices

static void tune(Organ *organ, Voice *voice) {
  const double semitones = voice->semitones + organ->bends[voice->channel];
  // The lowest drawbar is an octave below the key.
  voice->increment = fmin(220 * pow(2, semitones / 12) / organ->sample_rate_hz, 0.5);
  for (int n = 0; n < DRAWBAR_COUNT; n++)
    voice->room[n] = room_of(voice->increment, multiples[n]);
}

/// The voice of the key itself, a free one, the quietest of those released, or else the oldest.
static Voice *voice_for(Organ *organ, uint8_t channel, uint8_t key) {
  Voice *best = NULL;
  double best_rank = 0;
  for (int n = 0; n < VOICE_COUNT; n++) {
    Voice *voice = &organ->voices[n];
    if (voice->stage != FREE && voice->channel == channel && voice->key == key) return voice;
    const double age = (double)(organ->note_count - voice->age);
    const double rank = voice->stage == FREE                                  ? 1e18
                        : voice->stage == RELEASED || voice->stage == STOPPED ? 1e15 - voice->level
                                                                              : age;
    if (!best || rank > best_rank) {
      best = voice;
      best_rank = rank;
    }
  }
  return best;
}

static void note_on(Organ *organ, uint8_t channel, uint8_t key, uint8_t velocity) {
  Voice *voice = voice_for(organ, channel, key);
  if (voice->stage == FREE) {
    voice->phase = 0;
    voice->level = 0;
  }
  const double share = organ->parameters[VELOCITY] / 100;
  const double force = velocity / 127.0;
  voice->peak = 1 - share + share * force * force;
  voice->stage = ATTACKING;
  voice->channel = channel;
  voice->key = key;
  voice->is_pedalled = 0;
  voice->age = ++organ->note_count;
  voice->semitones = key - 69.0;
  tune(organ, voice);
}

static int sounds(const Voice *voice, uint8_t channel) {
  return (voice->stage == ATTACKING || voice->stage == HELD) && voice->channel == channel;
}

static void let_go(Organ *organ, Voice *voice) {
  if (organ->pedals[voice->channel]) {
    voice->is_pedalled = 1;
  } else {
    voice->stage = RELEASED;
  }
}

static void note_off(Organ *organ, uint8_t channel, uint8_t key) {
  for (int n = 0; n < VOICE_COUNT; n++) {
    Voice *voice = &organ->voices[n];
    if (sounds(voice, channel) && voice->key == key) let_go(organ, voice);
  }
}

static void set_pedal(Organ *organ, uint8_t channel, int is_down) {
  organ->pedals[channel] = is_down;
  for (int n = 0; n < VOICE_COUNT && !is_down; n++) {
    Voice *voice = &organ->voices[n];
    if (sounds(voice, channel) && voice->is_pedalled) voice->stage = RELEASED;
  }
}

static void bend(Organ *organ, uint8_t channel, double semitones) {
  organ->bends[channel] = semitones;
  for (int n = 0; n < VOICE_COUNT; n++)
    if (organ->voices[n].channel == channel && organ->voices[n].stage != FREE)
      tune(organ, &organ->voices[n]);
}

static void end_all(Organ *organ, uint8_t channel, enum Stage stage) {
  for (int n = 0; n < VOICE_COUNT; n++) {
    Voice *voice = &organ->voices[n];
    if (voice->stage == FREE || voice->channel != channel) continue;
    if (stage == STOPPED) {
      voice->stage = STOPPED;
    } else if (sounds(voice, channel)) {
      let_go(organ, voice);
    }
  }
}

static void control(Organ *organ, uint8_t channel, uint8_t number, uint8_t value) {
  switch (number) {
  case 64: set_pedal(organ, channel, value >= 64); break;
  case 120: end_all(organ, channel, STOPPED); break;
  case 121:
    set_pedal(organ, channel, 0);
    bend(organ, channel, 0);
    break;
  default:
    // All notes off, and the changes of mode that include it.
    if (number >= 123) end_all(organ, channel, RELEASED);
  }
}

static void obey(Organ *organ, const uint8_t *bytes) {
  const uint8_t channel = bytes[0] & 0x0f;
  switch (bytes[0] & 0xf0) {
  case 0x80: note_off(organ, channel, bytes[1]); break;
  case 0x90:
    if (bytes[2] > 0) note_on(organ, channel, bytes[1], bytes[2]);
    else note_off(organ, channel, bytes[1]);
    break;
  case 0xb0: control(organ, channel, bytes[1], bytes[2]); break;
  case 0xe0: bend(organ, channel, ((bytes[2] << 7 | bytes[1]) - 8192) / 8192.0 * bend_semitones);
  }
}

// Parameters to coefficients

static void update(Organ *organ, const float *parameters) {
  const double rate = organ->sample_rate_hz;
  memcpy(organ->parameters, parameters, sizeof organ->parameters);
  const double level = full_gain * pow(10, parameters[LEVEL] / 20);
  for (int n = 0; n < DRAWBAR_COUNT; n++)
    organ->gain_targets[n] = (float)(level * drawbar_gain(parameters[n]));
  organ->attack_step = 1 / fmax(parameters[ATTACK] / 1000 * rate, 1);
  organ->decay_factor = rest_of(parameters[DECAY] / 1000, rate);
  organ->release_factor = rest_of(parameters[RELEASE] / 1000, rate);
  if (!organ->is_fresh) return;
  organ->is_fresh = 0;
  memcpy(organ->gains, organ->gain_targets, sizeof organ->gains);
}

/// Moves the envelope by one frame.
static void advance(const Organ *organ, Voice *voice) {
  switch (voice->stage) {
  case ATTACKING:
    // A quieter note on the voice of a louder one comes down as a decay does.
    if (voice->level > voice->peak) {
      voice->stage = HELD;
      return;
    }
    voice->level += organ->attack_step * voice->peak;
    if (voice->level < voice->peak) return;
    voice->level = voice->peak;
    voice->stage = HELD;
    return;
  case HELD: {
    const double goal = voice->peak * organ->parameters[SUSTAIN] / 100;
    voice->level = goal + (voice->level - goal) * organ->decay_factor;
    // Nothing is left to be held.
    if (goal == 0 && voice->level < silent_level) voice->stage = FREE;
    return;
  }
  case RELEASED:
  case STOPPED:
    voice->level *= voice->stage == STOPPED ? organ->stop_factor : organ->release_factor;
    if (voice->level < silent_level) voice->stage = FREE;
    return;
  case FREE: return;
  }
}

// Sound

/// Adds one frame of a voice to both sides.
static void sound(const Organ *organ, Voice *voice, float *left, float *right) {
  const double radians = 2 * 3.14159265358979323846 * voice->phase;
  const double s1 = sin(radians), c1 = cos(radians);
  const double s2 = 2 * s1 * c1, c2 = 1 - 2 * s1 * s1;
  const double s3 = s2 * c1 + c2 * s1, c3 = c2 * c1 - s2 * s1;
  const double s4 = 2 * s2 * c2, c4 = 1 - 2 * s2 * s2;
  const double s6 = 2 * s3 * c3, c6 = 1 - 2 * s3 * s3;
  const double s8 = 2 * s4 * c4, c8 = 1 - 2 * s4 * s4;
  const double sines[DRAWBAR_COUNT] = {
      s1, s3, s2, s4, s6, s8, s8 * c2 + c8 * s2, 2 * s6 * c6, 2 * s8 * c8};
  float sum_left = 0, sum_right = 0;
  for (int n = 0; n < DRAWBAR_COUNT; n++) {
    const float part = (float)sines[n] * organ->gains[n] * voice->room[n];
    sum_left += part * (1 - pans[n]);
    sum_right += part * (1 + pans[n]);
  }
  *left += sum_left * (float)voice->level;
  *right += sum_right * (float)voice->level;
  voice->phase += voice->increment;
  if (voice->phase >= 1) voice->phase -= 1;
}

static void render(Organ *organ, float *left, float *right) {
  *left = *right = 0;
  for (int n = 0; n < DRAWBAR_COUNT; n++) {
    const float rest = organ->gains[n] - organ->gain_targets[n];
    organ->gains[n] =
        fabsf(rest) > 1e-7f ? organ->gain_targets[n] + rest * organ->glide_factor
                            : organ->gain_targets[n];
  }
  for (int n = 0; n < VOICE_COUNT; n++) {
    if (organ->voices[n].stage == FREE) continue;
    advance(organ, &organ->voices[n]);
    sound(organ, &organ->voices[n], left, right);
  }
}

// Entry points

static void clear(Organ *organ) {
  memset(organ->voices, 0, sizeof organ->voices);
  memset(organ->bends, 0, sizeof organ->bends);
  memset(organ->pedals, 0, sizeof organ->pedals);
  organ->note_count = 0;
  organ->message_count = 0;
  organ->has_lost_messages = 0;
  organ->is_fresh = 1;
}

void *create(double sample_rate_hz, uint32_t maximum_frame_count) {
  (void)maximum_frame_count;
  if (!(sample_rate_hz > 0)) return NULL;
  Organ *organ = calloc(1, sizeof *organ);
  if (organ == NULL) return NULL;
  organ->sample_rate_hz = sample_rate_hz;
  organ->glide_factor = (float)rest_of(glide_seconds, sample_rate_hz);
  organ->stop_factor = rest_of(stop_seconds, sample_rate_hz);
  clear(organ);
  return organ;
}

void destroy(void *state) { free(state); }

void reset(void *state) { clear(state); }

void midi(void *state, uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {
  Organ *organ = state;
  // All that is understood here has three bytes.
  if (byte_count != 3) return;
  if (organ->message_count == MESSAGE_CAPACITY) {
    organ->has_lost_messages = 1;
    return;
  }
  Message *message = &organ->messages[organ->message_count++];
  message->frame = frame;
  memcpy(message->bytes, bytes, 3);
}

void process(void *state, const float *const *inputs, float *const *outputs,
             const float *parameters, uint32_t frame_count) {
  (void)inputs;
  Organ *organ = state;
  if (organ->is_fresh || memcmp(organ->parameters, parameters, sizeof organ->parameters) != 0)
    update(organ, parameters);
  uint32_t next = 0;
  for (uint32_t i = 0; i < frame_count; i++) {
    for (; next < organ->message_count && organ->messages[next].frame <= i; next++)
      obey(organ, organ->messages[next].bytes);
    render(organ, &outputs[0][i], &outputs[1][i]);
  }
  // The end of a note may be among what was lost, so none may stay.
  for (uint8_t channel = 0; organ->has_lost_messages && channel < CHANNEL_COUNT; channel++)
    end_all(organ, channel, STOPPED);
  organ->has_lost_messages = 0;
  organ->message_count = 0;
}
