// plugin-loop.c: a loop around the run() of plugins, without a host. SPDX-License-Identifier: MIT
//
// Usage: plugin-loop BLOCK_FRAMES CHANNELS IN.wav OUT.wav BUNDLE URI [BUNDLE URI ...]
//
// The lower bound for a host: it renders a 16-bit WAV file of CHANNELS through a chain of plugins with as many
// inputs and outputs, with default parameters, and writes 16 bits. It checks nothing. It prints how long the
// calls of run() took.
#define _GNU_SOURCE
#include <lilv/lilv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAXIMUM_NODES = 256, MAXIMUM_PORTS = 64, HEADER_BYTES = 44 };

static float controls[MAXIMUM_NODES][MAXIMUM_PORTS];
static LilvInstance *chain[MAXIMUM_NODES];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static const LilvPlugin *look_up(LilvWorld *world, const char *uri) {
  LilvNode *name = lilv_new_uri(world, uri);
  const LilvPlugin *plugin = lilv_plugins_get_by_uri(lilv_world_get_all_plugins(world), name);
  lilv_node_free(name);
  return plugin;
}

static const LilvPlugin *find(LilvWorld *world, const char *bundle, const char *uri) {
  const LilvPlugin *known = look_up(world, uri);
  if (known) return known;
  char path[4096];
  snprintf(path, sizeof path, "%s/", bundle);
  LilvNode *place = lilv_new_file_uri(world, NULL, path);
  lilv_world_load_bundle(world, place);
  lilv_node_free(place);
  const LilvPlugin *plugin = look_up(world, uri);
  if (!plugin) {
    fprintf(stderr, "bare: there is no %s in %s.\n", uri, bundle);
    exit(1);
  }
  return plugin;
}

static void connect(LilvWorld *world, const LilvPlugin *plugin, int node, float **in, float **out) {
  LilvNode *audio = lilv_new_uri(world, LILV_URI_AUDIO_PORT);
  LilvNode *input = lilv_new_uri(world, LILV_URI_INPUT_PORT);
  float defaults[MAXIMUM_PORTS];
  lilv_plugin_get_port_ranges_float(plugin, NULL, NULL, defaults);
  for (uint32_t index = 0; index < lilv_plugin_get_num_ports(plugin); index++) {
    const LilvPort *port = lilv_plugin_get_port_by_index(plugin, index);
    if (!lilv_port_is_a(plugin, port, audio)) {
      controls[node][index] = isnan(defaults[index]) ? 0 : defaults[index];
      lilv_instance_connect_port(chain[node], index, &controls[node][index]);
    } else if (lilv_port_is_a(plugin, port, input)) {
      lilv_instance_connect_port(chain[node], index, *in++);
    } else {
      lilv_instance_connect_port(chain[node], index, *out++);
    }
  }
  lilv_node_free(audio);
  lilv_node_free(input);
}

static short quantised(float sample) {
  float scaled = sample * 32768;
  return (short)lrintf(scaled < -32768 ? -32768 : scaled > 32767 ? 32767 : scaled);
}

int main(int argumentCount, char **arguments) {
  int nodes = (argumentCount - 5) / 2;
  if (argumentCount < 7 || argumentCount % 2 == 0 || nodes > MAXIMUM_NODES) {
    fprintf(stderr, "Usage: bare BLOCK_FRAMES CHANNELS IN.wav OUT.wav BUNDLE URI [...]\n");
    return 2;
  }
  int block = atoi(arguments[1]);
  int channels = atoi(arguments[2]);
  LilvWorld *world = lilv_world_new();
  // Two sets of channel buffers. Each node reads from one and writes to the other.
  float *rows[2][2];
  for (int row = 0; row < 4; row++) rows[row / 2][row % 2] = calloc((size_t)block, sizeof(float));
  for (int node = 0; node < nodes; node++) {
    const LilvPlugin *plugin = find(world, arguments[5 + 2 * node], arguments[6 + 2 * node]);
    chain[node] = lilv_plugin_instantiate(plugin, 48000, NULL);
    if (!chain[node]) return 1;
    connect(world, plugin, node, rows[node % 2], rows[(node + 1) % 2]);
    lilv_instance_activate(chain[node]);
  }
  FILE *in = fopen(arguments[3], "rb"), *out = fopen(arguments[4], "wb");
  char header[HEADER_BYTES];
  if (!in || !out || fread(header, sizeof header, 1, in) != 1) return 1;
  fwrite(header, sizeof header, 1, out);
  short *shorts = calloc((size_t)(block * channels), sizeof *shorts);
  double spent = 0;
  size_t frames;
  while ((frames = fread(shorts, sizeof *shorts * (size_t)channels, (size_t)block, in)) > 0) {
    for (size_t sample = 0; sample < frames * (size_t)channels; sample++) {
      rows[0][sample % (size_t)channels][sample / (size_t)channels] = shorts[sample] / 32768.0F;
    }
    double start = now();
    for (int node = 0; node < nodes; node++) lilv_instance_run(chain[node], (uint32_t)frames);
    spent += now() - start;
    for (size_t sample = 0; sample < frames * (size_t)channels; sample++) {
      shorts[sample] =
          quantised(rows[nodes % 2][sample % (size_t)channels][sample / (size_t)channels]);
    }
    fwrite(shorts, sizeof *shorts * (size_t)channels, frames, out);
  }
  fclose(out);
  fclose(in);
  for (int node = 0; node < nodes; node++) lilv_instance_free(chain[node]);
  lilv_world_free(world);
  printf("%.1f ms in run()\n", spent * 1e3);
  return 0;
}
