// loop.c: a minimal host of one LV2 plugin, for comparison. SPDX-License-Identifier: MIT
//
// Usage: loop BLOCK_FRAMES IN.wav OUT.wav URI. IN.wav is a file of corpus-check: 32-bit floats after a header
// of 44 bytes, with as many channels as the plugin has audio inputs. Parameters have their defaults. Unlike
// other reference hosts, it offers options, all block length features, and a worker that does its work
// immediately and delivers the responses after the block.
#include <lilv/lilv.h>
#include <lv2/atom/atom.h>
#include <lv2/buf-size/buf-size.h>
#include <lv2/options/options.h>
#include <lv2/parameters/parameters.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 44, CHANNELS = 256, EVENTS = 1 << 16, URIDS = 8192, ANSWERS = 1 << 20 };

static LilvWorld *world;
static LilvInstance *instance;
static char *urids[URIDS];

static LV2_URID map(LV2_URID_Map_Handle handle, const char *uri) {
  (void)handle;
  LV2_URID id = 1;
  while (id < URIDS - 1 && urids[id] && strcmp(urids[id], uri) != 0) id++;
  if (!urids[id]) urids[id] = strdup(uri);
  return id;
}

static const char *unmap(LV2_URID_Unmap_Handle handle, LV2_URID id) {
  (void)handle;
  return id < URIDS ? urids[id] : NULL;
}

static char answers[ANSWERS];
static size_t answered;

static LV2_Worker_Status answer(LV2_Worker_Respond_Handle handle, uint32_t size, const void *data) {
  (void)handle;
  if (answered + sizeof size + size > ANSWERS) return LV2_WORKER_ERR_NO_SPACE;
  memcpy(answers + answered, &size, sizeof size);
  if (size) memcpy(answers + answered + sizeof size, data, size);
  answered += sizeof size + size;
  return LV2_WORKER_SUCCESS;
}

static const LV2_Worker_Interface *worker(void) {
  return lilv_instance_get_extension_data(instance, LV2_WORKER__interface);
}

static LV2_Worker_Status work(LV2_Worker_Schedule_Handle handle, uint32_t size, const void *data) {
  (void)handle;
  return worker()->work(lilv_instance_get_handle(instance), answer, NULL, size, data);
}

static void hand_over_answers(void) {
  const LV2_Worker_Interface *interface = worker();
  const size_t end = answered;
  answered = 0;
  for (size_t at = 0; interface && at < end;) {
    uint32_t size;
    memcpy(&size, answers + at, sizeof size);
    interface->work_response(lilv_instance_get_handle(instance), size, answers + at + sizeof size);
    at += sizeof size + size;
  }
  if (interface && interface->end_run) interface->end_run(lilv_instance_get_handle(instance));
}

static bool is(const LilvPlugin *plugin, const LilvPort *port, const char *uri) {
  LilvNode *node = lilv_new_uri(world, uri);
  const bool answer = lilv_port_is_a(plugin, port, node);
  lilv_node_free(node);
  return answer;
}

static float *fill(int block, float value) {
  float *row = calloc((size_t)block, sizeof *row);
  for (int i = 0; i < block; i++) row[i] = value;
  return row;
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  const int block = atoi(arguments[1]);
  FILE *in = fopen(arguments[2], "rb"), *out = fopen(arguments[3], "wb");
  char header[HEADER];
  if (!in || !out || fread(header, HEADER, 1, in) != 1) return 1;
  uint32_t rate;
  memcpy(&rate, header + 24, sizeof rate);
  world = lilv_world_new();
  lilv_world_load_all(world);
  LilvNode *name = lilv_new_uri(world, arguments[4]);
  const LilvPlugin *plugin = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(world), name);
  if (!plugin) return 1;

  LV2_URID_Map mapping = {NULL, map};
  LV2_URID_Unmap unmapping = {NULL, unmap};
  LV2_Worker_Schedule schedule = {NULL, work};
  const float rate_hz = (float)rate;
  const int32_t frames = block, bytes = EVENTS;
  const LV2_URID of_int = map(NULL, LV2_ATOM__Int), of_float = map(NULL, LV2_ATOM__Float);
  const LV2_Options_Option options[] = {
      {0, 0, map(NULL, LV2_PARAMETERS__sampleRate), sizeof rate_hz, of_float, &rate_hz},
      {0, 0, map(NULL, LV2_BUF_SIZE__minBlockLength), sizeof frames, of_int, &frames},
      {0, 0, map(NULL, LV2_BUF_SIZE__maxBlockLength), sizeof frames, of_int, &frames},
      {0, 0, map(NULL, LV2_BUF_SIZE__nominalBlockLength), sizeof frames, of_int, &frames},
      {0, 0, map(NULL, LV2_BUF_SIZE__sequenceSize), sizeof bytes, of_int, &bytes},
      {0}};
  const LV2_Feature features[] = {
      {LV2_URID__map, &mapping},
      {LV2_URID__unmap, &unmapping},
      {LV2_OPTIONS__options, (void *)options},
      {LV2_WORKER__schedule, &schedule},
      {LV2_BUF_SIZE__boundedBlockLength, NULL},
      {LV2_BUF_SIZE__fixedBlockLength, NULL},
      {LV2_BUF_SIZE__powerOf2BlockLength, NULL},
      {LV2_STATE__loadDefaultState, NULL}};
  const LV2_Feature *offered[] = {&features[0], &features[1], &features[2], &features[3],
                                  &features[4], &features[5], &features[6], &features[7], NULL};
  instance = lilv_plugin_instantiate(plugin, rate, offered);
  if (!instance) return 1;

  const uint32_t ports = lilv_plugin_get_num_ports(plugin);
  float *defaults = calloc(ports, sizeof *defaults), *values = calloc(ports, sizeof *values);
  LV2_Atom_Sequence **sent = calloc(ports, sizeof(void *)), **captured = calloc(ports, sizeof(void *));
  float *inputs[CHANNELS], *outputs[CHANNELS];
  uint32_t input_count = 0, output_count = 0;
  lilv_plugin_get_port_ranges_float(plugin, NULL, NULL, defaults);
  // A plugin without audio ports reads and writes control voltage.
  const char *sound = LV2_CORE__CVPort;
  for (uint32_t i = 0; i < ports; i++) {
    const LilvPort *port = lilv_plugin_get_port_by_index(plugin, i);
    if (is(plugin, port, LV2_CORE__AudioPort)) sound = LV2_CORE__AudioPort;
  }
  for (uint32_t i = 0; i < ports; i++) {
    const LilvPort *port = lilv_plugin_get_port_by_index(plugin, i);
    const bool is_input = is(plugin, port, LV2_CORE__InputPort);
    values[i] = isnan(defaults[i]) ? 0 : defaults[i];
    void *data = &values[i];
    if (is(plugin, port, sound)) {
      data = (is_input ? inputs : outputs)[is_input ? input_count++ : output_count++] =
          fill(block, 0);
    } else if (is(plugin, port, LV2_CORE__CVPort)) {
      data = fill(block, is_input ? values[i] : 0);
    } else if (is(plugin, port, LV2_ATOM__AtomPort)) {
      data = (is_input ? captured : sent)[i] = calloc(1, EVENTS);
    }
    lilv_instance_connect_port(instance, i, data);
  }
  LilvNode *asks = lilv_new_uri(world, LV2_STATE__loadDefaultState);
  LilvState *state = lilv_plugin_has_feature(plugin, asks)
                         ? lilv_state_new_from_world(world, &mapping, name)
                         : NULL;
  if (state) lilv_state_restore(state, instance, NULL, NULL, 0, offered);
  lilv_instance_activate(instance);

  const LV2_URID of_sequence = map(NULL, LV2_ATOM__Sequence), of_chunk = map(NULL, LV2_ATOM__Chunk);
  const uint16_t channels = (uint16_t)output_count;
  const uint16_t frame_bytes = (uint16_t)(4 * output_count);
  const uint32_t rate_bytes = rate * frame_bytes;
  memcpy(header + 22, &channels, sizeof channels);
  memcpy(header + 28, &rate_bytes, sizeof rate_bytes);
  memcpy(header + 32, &frame_bytes, sizeof frame_bytes);
  uint32_t size;
  memcpy(&size, header + 40, sizeof size);
  size = size / (4 * input_count) * frame_bytes;
  memcpy(header + 40, &size, sizeof size);
  size += HEADER - 8;
  memcpy(header + 4, &size, sizeof size);
  fwrite(header, HEADER, 1, out);
  float *mixed = calloc((size_t)block * CHANNELS, sizeof *mixed);
  size_t got;
  while ((got = fread(mixed, 4 * input_count, (size_t)block, in)) > 0) {
    for (size_t i = 0; i < got * input_count; i++)
      inputs[i % input_count][i / input_count] = mixed[i];
    for (uint32_t i = 0; i < ports; i++) {
      if (captured[i]) captured[i]->atom = (LV2_Atom){sizeof(LV2_Atom_Sequence_Body), of_sequence};
      if (sent[i]) sent[i]->atom = (LV2_Atom){EVENTS - sizeof(LV2_Atom), of_chunk};
    }
    lilv_instance_run(instance, (uint32_t)got);
    hand_over_answers();
    for (size_t i = 0; i < got * output_count; i++)
      mixed[i] = outputs[i % output_count][i / output_count];
    fwrite(mixed, frame_bytes, got, out);
  }
  // The process exits without cleanup, because some plugins crash in it.
  fclose(out);
  _Exit(0);
}
