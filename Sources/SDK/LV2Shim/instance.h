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

/// The ramp of a parameter, in steps of `slice_frames`.
typedef struct {
  float value, target, step;
  /// The remaining steps; 0 at rest.
  uint32_t remaining_slices;
  /// The steps of a whole ramp; 0 for a jump.
  uint32_t ramp_slices;
} glide;

enum {
  /// The length of a ramp's steps, on a grid of the stream.
  slice_frames = 32,
  /// The length of the fade when a block is skipped.
  fade_frames = 64,
};

/// The owner of the module: nobody, the audio thread, or a thread that saves or restores.
enum { HOLD_FREE, HOLD_RENDERING, HOLD_HELD };

typedef struct {
  const module_metadata *metadata;
  host_features host;
  module_terms terms;
  /// The active module. [render, or while held]
  module *module;
  /// The next module during a crossfade, and the files that require it.
  module_swap swap;
  file_requests files;

  // Ports, as the host connects them.
  float **audio_ports;
  const float **parameter_ports;
  /// MIDI and file messages.
  const LV2_Atom_Sequence *control_port;
  /// The output for file messages.
  LV2_Atom_Sequence *notify_port;
  float *latency_port;
  float **readout_ports;
  /// Whether an audio port was connected since the last check for shared memory.
  bool is_reconnected;
  /// Whether the host lets outputs overwrite inputs that the module still reads.
  bool shares_memory;

  // Blocks.
  /// The longest part of a host block that is rendered at once.
  uint32_t host_maximum;
  /// Inputs, then outputs: as the host passed them, and offset for a part.
  float **rows, **part_rows;
  /// A buffer for each input, used if memory is shared. Also a buffer of zeros and a write-only buffer, for
  /// ports that are not connected.
  float *copies, *silence, *waste;

  // Parameters.
  glide *glides;
  float *values;
  /// The readouts of the module.
  float *readouts;
  bool is_gliding;
  /// Whether the next block is the first one. Its parameter values are not changes.
  bool is_fresh;

  // Re-blocking: see reblock.c.
  bool starts_collecting, is_collecting;
  uint32_t filled;
  /// Channel buffers of the block that is collected (inputs) and the block that is output (outputs).
  float **block;
  float *block_memory;

  // Time and events.
  /// The number of frames passed to the module.
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

/// Passes blocks of a suitable length directly and collects others. [render]
void reblock(instance *it, float *const *rows, uint32_t frame_count);
/// Returns the current latency of re-blocking, in frames. [render]
uint32_t reblock_latency(const instance *it);

/// Renders a block, in parts if the module allows it. [render]
void step(instance *it, float *const *rows, uint32_t frame_count);
void uncut_step(instance *it, float *const *rows, uint32_t frame_count);
/// Sets every parameter to its port value, without a ramp. [render, or main while not rendering]
void settle(instance *it);

/// Skips the module for a block if a thread holds it; otherwise call `hold_leave` afterwards.
/// [render]
bool hold_enter(instance *it, float *const *rows, uint32_t frame_count);
void hold_leave(instance *it, float *const *rows, uint32_t frame_count);

/// Waits until no block is rendered. Blocks that start before `let_go` are skipped. [main]
void hold(instance *it);
void let_go(instance *it);

/// Creates a module with these files (NULL for none) and replaces the active one. On failure, writes an
/// error message, changes nothing and returns false. [owner of the turn]
bool files_exchange(instance *it, char *const *paths);

/// Saves the files to a state, or restores them. A state without files clears them.
/// [owner of the turn]
LV2_State_Status paths_save(instance *it, LV2_State_Store_Function store,
                            LV2_State_Handle receiver, const LV2_Feature *const *features);
LV2_State_Status paths_restore(instance *it, LV2_State_Retrieve_Function retrieve,
                               LV2_State_Handle giver, const LV2_Feature *const *features);

/// The state interface. [main, also while rendering]
extern const LV2_State_Interface state_interface;
/// The worker interface, for modules with files. [any single thread except render]
extern const LV2_Worker_Interface worker_interface;
