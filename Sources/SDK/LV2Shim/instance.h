// instance.h: one instance of an exported module. SPDX-License-Identifier: MIT
#pragma once

#include <lv2/atom/atom.h>
#include <lv2/core/lv2.h>
#include <lv2/state/state.h>
#include <lv2/worker/worker.h>

#include "metadata.h"
#include "files.h"
#include "messages.h"
#include "module.h"
#include "host_features.h"
#include "hot_swap.h"

/// One parameter on its way to a value, in steps of `slice_frames`.
typedef struct {
  float value, target, step;
  /// Slices that are still to come; 0 at rest.
  uint32_t remaining_slices;
  /// How many slices a whole ramp takes; 0 for a jump.
  uint32_t ramp_slices;
} glide;

enum {
  /// A ramp is a staircase of steps this long, on a grid of the stream.
  slice_frames = 32,
  /// How long sound is faded where a block is left out.
  fade_frames = 64,
};

/// Who has the module: nobody, the audio thread, or a thread that saves or restores.
enum { HOLD_FREE, HOLD_RENDERING, HOLD_HELD };

typedef struct {
  const module_metadata *metadata;
  host_features host;
  module_terms terms;
  /// What is heard. [render, or under hold]
  module *module;
  /// Another one on its way into its place, and the files that call for one.
  module_swap swap;
  file_requests files;

  // Ports, as the host connects them.
  float **audio_ports;
  const float **parameter_ports;
  /// MIDI and messages about files.
  const LV2_Atom_Sequence *control_port;
  /// Where files are told.
  LV2_Atom_Sequence *notify_port;
  float *latency_port;
  float **readout_ports;
  /// Whether an audio port was connected since it was last looked at who shares memory.
  bool is_reconnected;
  /// Whether the host lets outputs overwrite inputs that the module still reads.
  bool shares_memory;

  // Blocks.
  /// The longest block of the host that is rendered in one go.
  uint32_t host_maximum;
  /// Inputs, then outputs: as the host gave them, and shifted for a part.
  float **rows, **part_rows;
  /// A row for each input, used where memory is shared; a row of zeros and one that nobody reads,
  /// where a port is not connected.
  float *copies, *silence, *waste;

  // Parameters.
  glide *glides;
  float *values;
  /// Where the module writes what it measures.
  float *readouts;
  bool is_gliding;
  /// Whether the next block is the first, whose values are no changes.
  bool is_fresh;

  // Re-blocking: see reblock.c.
  bool starts_collecting, is_collecting;
  uint32_t filled;
  /// Rows of a block that is collected, inputs, and given out, outputs.
  float **block;
  float *block_memory;

  // Time and events.
  /// Frames that the module has been given.
  uint64_t position;
  message_queue messages;
  LV2_URID midi_type;

  // Saving and restoring while it renders.
  _Atomic int holder;
  bool is_silenced;
  float *last_samples;
  LV2_URID state_key, chunk_type;

  bool is_active;
} instance;

/// Renders a block of the host. [render]
void run(LV2_Handle handle, uint32_t frame_count);

/// Hands on blocks that fit, and collects others. [render]
void reblock(instance *it, float *const *rows, uint32_t frame_count);
/// The delay of re-blocking now, in frames. [render]
uint32_t reblock_latency(const instance *it);

/// Renders a block of a module that can be cut, or one that must not be. [render]
void step(instance *it, float *const *rows, uint32_t frame_count);
void uncut_step(instance *it, float *const *rows, uint32_t frame_count);
/// Puts every parameter where its port is, without a ramp. [render]
void settle(instance *it);

/// Does without the module for a block, if a thread holds it; else `hold_leave` has to follow.
/// [render]
bool hold_enter(instance *it, float *const *rows, uint32_t frame_count);
void hold_leave(instance *it, float *const *rows, uint32_t frame_count);

/// Waits until no block is rendered; the next one is left out if it begins before `let_go`. [main]
void hold(instance *it);
void let_go(instance *it);

/// Makes a module that has these files, NULL for none, and puts it in the place of the one that is heard;
/// false, and a complaint, where that fails, and nothing changes. [whoever has the turn]
bool files_exchange(instance *it, char *const *paths);

/// Keeps the files in a state, or takes them from one; one that names none leaves the module without.
/// [whoever has the turn]
LV2_State_Status paths_save(instance *it, LV2_State_Store_Function store,
                            LV2_State_Handle receiver, const LV2_Feature *const *features);
LV2_State_Status paths_restore(instance *it, LV2_State_Retrieve_Function retrieve,
                               LV2_State_Handle giver, const LV2_Feature *const *features);

/// The state interface. [main, while rendering too]
extern const LV2_State_Interface state_interface;
/// The worker interface, for modules with files. [any one thread but render]
extern const LV2_Worker_Interface worker_interface;
