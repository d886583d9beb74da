// plugin.c: records every breach of the rules between a host and its plugins. SPDX-License-Identifier: MIT
//
// The rules are about threads, overlapping calls, the order of calls, features, values and buffers.
// `rules_breach` returns the breaches as messages, `rules_count` how often something happened.
#include "checks.h"

#include <lv2/state/state.h>

#define URI "urn:outboard:test:rules"

enum {
  audio_in, audio_out, level, unstated, fire, spare, events, first_out, second_out, delay, port_count
};
enum { alive = 0x600d, dead = 0xdead };
enum { runs, works, answers, ends, saves, restores, changes, notes, count_count };

static atomic_uint counts[count_count];

typedef struct {
  int life;
  watch watch;
  numbers numbers;
  kept_features features;
  const LV2_Worker_Schedule *schedule;
  const LV2_URID_Map *map;
  void *ports[port_count];
  bool is_connected[port_count];
  bool is_active, is_restored, owes_end, has_fired;
  int32_t longest;
  float drive;
} instance;

static void check_life(const instance *s, const char *name) {
  if (s->life != alive) breach("%s was called after cleanup", name);
}

static void check_options(instance *s, const LV2_Options_Option *options, double rate) {
  const LV2_URID_Unmap *unmap = feature(s->features.list, LV2_URID__unmap);
#define NUMBER(uri) number(s->map, unmap, uri)
  const LV2_URID type_int = s->numbers.type_int;
  const float *reported = option(options, NUMBER(LV2_PARAMETERS__sampleRate), s->numbers.type_float,
                             "sampleRate");
  if (!reported || *reported != (float)rate) breach("the option sampleRate is not the rate");
  const int32_t *least = option(options, NUMBER(LV2_BUF_SIZE__minBlockLength), type_int, "minBlockLength");
  const int32_t *most = option(options, NUMBER(LV2_BUF_SIZE__maxBlockLength), type_int, "maxBlockLength");
  if (!least || !most || *most < 1 || *least > *most)
    breach("blocks are said to be bounded, and their bounds are not told");
  s->longest = most ? *most : INT32_MAX;
}

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)descriptor;
  enter_library("instantiate");
  instance *s = calloc(1, sizeof *s);
  s->life = alive;
  pthread_mutex_init(&s->watch.turn, NULL);
  if (!features) breach("instantiate was given no list of features");
  if (bundle[0] == 0 || bundle[strlen(bundle) - 1] != '/' || access(bundle, R_OK) != 0)
    breach("instantiate was given a path that does not end with a slash");
  s->features = keep(features);
  s->map = feature(features, LV2_URID__map);
  s->schedule = feature(features, LV2_WORKER__schedule);
  if (!s->map || !s->schedule) breach("a required feature is missing");
  if (s->map) {
    const LV2_URID_Unmap *unmap = feature(features, LV2_URID__unmap);
    s->numbers = (numbers){NUMBER(LV2_ATOM__Chunk), NUMBER(LV2_ATOM__Sequence),
                           NUMBER(LV2_ATOM__Float), NUMBER(LV2_ATOM__Int),
                           NUMBER(LV2_ATOM__frameTime), NUMBER(LV2_MIDI__MidiEvent)};
    check_options(s, feature(features, LV2_OPTIONS__options), rate);
  }
  leave_library();
  return s;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  instance *s = handle;
  check_life(s, "connect_port");
  // Audio class: any thread may call it, but no other function of the instance may run at the same time.
  enter(&s->watch, audio, "connect_port");
  if (port >= port_count) breach("a port was connected that there is not");
  else s->ports[port] = data, s->is_connected[port] = true;
  leave(&s->watch, audio);
}

static void check_ports(const instance *s, const char *name) {
  for (int port = 0; port < port_count; port++)
    if (!s->is_connected[port] || (!s->ports[port] && port != spare))
      breach("%s was called before port %d was connected", name, port);
}

static void activate(LV2_Handle handle) {
  instance *s = handle;
  check_life(s, "activate");
  enter(&s->watch, setup, "activate");
  check_ports(s, "activate");
  if (!s->is_restored) breach("activate was called before the default state was restored");
  if (s->is_active) breach("activate was called twice");
  if (s->ports[level]) check_value(s->ports[level], 0.25f, 0.75f, "level");
  s->is_active = true;
  leave(&s->watch, setup);
}

static void run(LV2_Handle handle, uint32_t frames) {
  instance *s = handle;
  check_life(s, "run");
  enter(&s->watch, audio, "run");
  counts[runs]++;
  if (!s->is_active) breach("run was called before activate, or after deactivate");
  if (s->owes_end) breach("end_run was not called after every run");
  if (frames > (uint32_t)s->longest) breach("a block was longer than maxBlockLength");
  if (frames > 0) check_denormals();
  check_kept(&s->features);
  check_ports(s, "run");
  check_value(s->ports[level], 0.25f, 0.75f, "level");
  check_value(s->ports[unstated], -INFINITY, INFINITY, "unstated");
  check_value(s->ports[fire], 0, 1, "fire");
  const bool fires = *(float *)s->ports[fire] > 0;
  if (fires && s->has_fired) breach("a trigger was not taken back after one run");
  s->has_fired = fires;
  if (s->ports[audio_in] == s->ports[audio_out]) breach("run was called in place");
  if (s->ports[first_out] == s->ports[second_out]) breach("two outputs of events share a buffer");
  counts[notes] += check_sequence(s->ports[events], &s->numbers, frames, 1 << 24);
  check_room(s->ports[first_out], &s->numbers, 30000);
  check_room(s->ports[second_out], &s->numbers, 4096);
  for (int port = first_out; port <= second_out; port++)
    *(LV2_Atom_Sequence *)s->ports[port] = (LV2_Atom_Sequence){{8, s->numbers.sequence}, {0, 0}};
  memmove(s->ports[audio_out], s->ports[audio_in], frames * sizeof(float));
  *(float *)s->ports[delay] = 0;
  const unsigned serial = counts[runs];
  s->schedule->schedule_work(s->schedule->handle, serial % 2 ? sizeof serial : 0, &serial);
  s->owes_end = true;
  leave(&s->watch, audio);
}

static void deactivate(LV2_Handle handle) {
  instance *s = handle;
  check_life(s, "deactivate");
  enter(&s->watch, setup, "deactivate");
  if (!s->is_active) breach("deactivate was called without activate");
  s->is_active = false;
  leave(&s->watch, setup);
}

static void cleanup(LV2_Handle handle) {
  instance *s = handle;
  check_life(s, "cleanup");
  enter_library("cleanup");
  enter(&s->watch, setup, "cleanup");
  if (s->is_active) breach("cleanup was called before deactivate");
  // The instance is not freed, so that a later call of a dead instance is detected.
  s->life = dead;
  leave(&s->watch, setup);
  leave_library();
}

// MARK: - Work

static LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function respond,
                              LV2_Worker_Respond_Handle target, uint32_t size, const void *data) {
  instance *s = handle;
  check_life(s, "work");
  enter(&s->watch, working, "work");
  counts[works]++;
  if ((size == 0) != (data == NULL)) breach("a piece of work came with another size than it has");
  respond(target, size, data);
  leave(&s->watch, working);
  return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status work_response(LV2_Handle handle, uint32_t size, const void *data) {
  instance *s = handle;
  check_life(s, "work_response");
  enter(&s->watch, audio, "work_response");
  counts[answers]++;
  if ((size == 0) != (data == NULL)) breach("a response came with another size than it has");
  leave(&s->watch, audio);
  return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status end_run(LV2_Handle handle) {
  instance *s = handle;
  check_life(s, "end_run");
  enter(&s->watch, audio, "end_run");
  counts[ends]++;
  if (!s->owes_end) breach("end_run was called without a run");
  s->owes_end = false;
  leave(&s->watch, audio);
  return LV2_WORKER_SUCCESS;
}

// MARK: - State and options

static LV2_State_Status save(LV2_Handle handle, LV2_State_Store_Function store,
                             LV2_State_Handle target, uint32_t flags,
                             const LV2_Feature *const *features) {
  (void)flags;
  instance *s = handle;
  check_life(s, "save");
  enter(&s->watch, saving, "save");
  counts[saves]++;
  if (!feature(features, LV2_STATE__mapPath) || !feature(features, LV2_STATE__makePath))
    breach("save was not given the features of paths");
  store(target, s->map->map(s->map->handle, URI ":drive"), &s->drive, sizeof s->drive,
        s->numbers.type_float, LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE);
  leave(&s->watch, saving);
  return LV2_STATE_SUCCESS;
}

static LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve,
                                LV2_State_Handle source, uint32_t flags,
                                const LV2_Feature *const *features) {
  (void)flags;
  instance *s = handle;
  check_life(s, "restore");
  enter(&s->watch, setup, "restore");
  counts[restores]++;
  check_ports(s, "restore");
  if (!feature(features, LV2_STATE__mapPath)) breach("restore was not given the features of paths");
  size_t size;
  uint32_t type, kind;
  const float *drive = retrieve(source, s->map->map(s->map->handle, URI ":drive"), &size, &type, &kind);
  if (drive) s->drive = *drive;
  s->is_restored = true;
  leave(&s->watch, setup);
  return LV2_STATE_SUCCESS;
}

static uint32_t get_options(LV2_Handle handle, LV2_Options_Option *options) {
  (void)handle, (void)options;
  return LV2_OPTIONS_ERR_UNKNOWN;
}

static uint32_t set_options(LV2_Handle handle, const LV2_Options_Option *options) {
  instance *s = handle;
  check_life(s, "the options' set");
  enter(&s->watch, setup, "the options' set");
  counts[changes]++;
  const LV2_URID key = s->map->map(s->map->handle, LV2_BUF_SIZE__nominalBlockLength);
  const int32_t *length = option(options, key, s->numbers.type_int, "nominalBlockLength");
  if (length && (*length < 1 || *length > s->longest)) breach("a nominal block length is out of bounds");
  leave(&s->watch, setup);
  return LV2_OPTIONS_SUCCESS;
}

static const void *extension_data(const char *uri) {
  static const LV2_Worker_Interface worker = {work, work_response, end_run};
  static const LV2_State_Interface state = {save, restore};
  static const LV2_Options_Interface options = {get_options, set_options};
  enter_library("extension_data");
  const void *found = NULL;
  if (!strcmp(uri, LV2_WORKER__interface)) found = &worker;
  if (!strcmp(uri, LV2_STATE__interface)) found = &state;
  if (!strcmp(uri, LV2_OPTIONS__interface)) found = &options;
  leave_library();
  return found;
}

static const LV2_Descriptor descriptor = {URI, instantiate, connect_port, activate,
                                          run, deactivate, cleanup, extension_data};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }

// MARK: - For the test

/// Returns the breach with this index, or NULL after the last.
const char *rules_breach(int index) { return index < breach_count ? breaches[index] : NULL; }

/// Returns how often something was done, in the order of the enum above.
unsigned rules_count(int index) { return counts[index]; }

/// Acts as a host that breaks every rule. Each of its mistakes must be among the breaches.
void rules_break(void) {
  instance *s = instantiate(&descriptor, 48000, ".", NULL);
  activate(s);
  activate(s);
  enter(&s->watch, audio, "run");
  cleanup(s);
  leave(&s->watch, audio);
  deactivate(s);
  enter_library("instantiate");
  extension_data("");
  leave_library();
}
