// lilv-scan.c: the cost of reading every LV2 plugin with lilv alone. SPDX-License-Identifier: MIT
//
// Loads all bundles and reads what a plugin list shows: name, class and vendor of each plugin, and the classes,
// symbol, name and range of each port. Prints the number of plugins.
#include <lilv/lilv.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long port_count;

static void walk_port(LilvWorld *world, const LilvPlugin *plugin, const LilvPort *port) {
  (void)world;
  LilvNode *name = lilv_port_get_name(plugin, port);
  LilvNode *initial, *minimum, *maximum;
  lilv_port_get_range(plugin, port, &initial, &minimum, &maximum);
  if (lilv_port_get_classes(plugin, port) && lilv_port_get_symbol(plugin, port)) port_count++;
  lilv_node_free(name);
  lilv_node_free(initial);
  lilv_node_free(minimum);
  lilv_node_free(maximum);
}

static void walk_plugin(LilvWorld *world, const LilvPlugin *plugin) {
  LilvNode *name = lilv_plugin_get_name(plugin);
  LilvNode *maker = lilv_plugin_get_author_name(plugin);
  lilv_plugin_class_get_label(lilv_plugin_get_class(plugin));
  for (uint32_t port = 0; port < lilv_plugin_get_num_ports(plugin); port++) {
    walk_port(world, plugin, lilv_plugin_get_port_by_index(plugin, port));
  }
  lilv_node_free(name);
  lilv_node_free(maker);
}

int main(void) {
  LilvWorld *world = lilv_world_new();
  lilv_world_load_all(world);
  const LilvPlugins *plugins = lilv_world_get_all_plugins(world);
  LILV_FOREACH(plugins, position, plugins) {
    walk_plugin(world, lilv_plugins_get(plugins, position));
  }
  printf("%u plugins, %lu ports\n", lilv_plugins_size(plugins), port_count);
  lilv_world_free(world);
  return 0;
}
