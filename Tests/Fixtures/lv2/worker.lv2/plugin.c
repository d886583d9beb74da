// plugin.c: schedules work in each run, and checks how the host does it. SPDX-License-Identifier: MIT
//
// Each run schedules one piece of work without data, one of 1,000 bytes, and one larger than any queue.
// "answers" counts the responses, "ends" the calls of end_run. "elsewhere" counts the pieces that another
// thread did. "breaches" is the sum of the bits below.
#include <lv2/core/lv2.h>
#include <lv2/worker/worker.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  torn_message = 1,
  overflow_not_reported = 2,
  concurrent_work = 4,
  wrong_handle = 8,
  empty_message_refused = 16,
};

enum { message_bytes = 1000, huge_bytes = 1 << 20, port_count = 6 };

typedef struct {
  void *ports[port_count];
  const LV2_Worker_Schedule *schedule;
  char message[huge_bytes];
  pthread_t runner;
  atomic_uint breaches, elsewhere;
  atomic_flag is_working;
  unsigned answers, ends, runs;
} state;

static LV2_Handle instantiate(const LV2_Descriptor *descriptor, double rate, const char *bundle,
                              const LV2_Feature *const *features) {
  (void)descriptor, (void)rate, (void)bundle;
  state *s = calloc(1, sizeof *s);
  for (int i = 0; features[i]; i++)
    if (!strcmp(features[i]->URI, LV2_WORKER__schedule)) s->schedule = features[i]->data;
  return s;
}

static void connect_port(LV2_Handle handle, uint32_t port, void *data) {
  ((state *)handle)->ports[port] = data;
}

static void run(LV2_Handle handle, uint32_t count) {
  state *s = handle;
  s->runner = pthread_self();
  memset(s->message, (int)(++s->runs & 0x7f), message_bytes);
  if (s->schedule->schedule_work(s->schedule->handle, 0, NULL) == LV2_WORKER_ERR_UNKNOWN)
    s->breaches |= empty_message_refused;
  s->schedule->schedule_work(s->schedule->handle, message_bytes, s->message);
  // Work that the host does immediately is not queued, so it cannot be too long.
  const unsigned before = s->answers;
  if (s->schedule->schedule_work(s->schedule->handle, huge_bytes, s->message) == LV2_WORKER_SUCCESS &&
      s->elsewhere > 0)
    s->breaches |= overflow_not_reported;
  if (s->answers != before) s->breaches |= wrong_handle;
  memcpy(s->ports[1], s->ports[0], count * sizeof(float));
  *(float *)s->ports[2] = (float)s->answers;
  *(float *)s->ports[3] = (float)s->ends;
  *(float *)s->ports[4] = (float)s->breaches;
  *(float *)s->ports[5] = (float)s->elsewhere;
}

static LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function respond,
                              LV2_Worker_Respond_Handle target, uint32_t size, const void *data) {
  state *s = handle;
  if (atomic_flag_test_and_set(&s->is_working)) s->breaches |= concurrent_work;
  if (!pthread_equal(pthread_self(), s->runner)) s->elsewhere++;
  const char *bytes = data;
  if (size == message_bytes)
    for (uint32_t i = 1; i < size; i++)
      if (bytes[i] != bytes[0]) s->breaches |= torn_message;
  if (size == huge_bytes && respond(target, size, data) == LV2_WORKER_SUCCESS)
    s->breaches |= overflow_not_reported;
  if (size <= message_bytes) respond(target, size, data);
  atomic_flag_clear(&s->is_working);
  return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status work_response(LV2_Handle handle, uint32_t size, const void *body) {
  state *s = handle;
  if ((size == 0) != (body == NULL)) s->breaches |= torn_message;
  s->answers++;
  return LV2_WORKER_SUCCESS;
}

static LV2_Worker_Status end_run(LV2_Handle handle) {
  ((state *)handle)->ends++;
  return LV2_WORKER_SUCCESS;
}

static const void *extension_data(const char *uri) {
  static const LV2_Worker_Interface interface = {work, work_response, end_run};
  return strcmp(uri, LV2_WORKER__interface) ? NULL : &interface;
}

static void cleanup(LV2_Handle handle) { free(handle); }

static const LV2_Descriptor descriptor = {"urn:outboard:test:worker", instantiate, connect_port,
                                          NULL, run, NULL, cleanup, extension_data};

const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index == 0 ? &descriptor : NULL; }
